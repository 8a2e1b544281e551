/* libgemmgen's one call: D = epilogue(A * B) by the best of the shipped kernels.
 *
 *     gg_gemm_open(&gemm, context, NULL, &err);
 *     gg_gemm_launch(gemm, &form, &problem, stream, &err);    as often as there is a product
 *
 * A gg_gemm has a catalogue of kernels (specs/catalogue, carried in the library). For a product it
 * has not seen before it predicts each one's time, takes the fastest, and compiles it where that
 * has not been done (NVRTC, or the context's disk cache); what `gemmgen tune` has measured goes
 * first. A product that it has seen takes a look in a table. What was chosen is kept beside the
 * disk cache, so that another process plans nothing to choose the same; and a pack
 * (`gemmgen pack --catalogue`) has kernels compiled, and what predictions of them are made of, so
 * that no process need do that.
 *
 * The fastest kernels for few tiles and a long K share tiles, and for that take a workspace: where
 * the problem has one (gg_problem.workspace), kernels are chosen from all that it is large enough
 * for, else from those that take none. It is the caller's, as with cuBLASLt: a workspace serves one
 * launch at a time, and a gg_gemm knows nothing of which streams run beside each other. One a
 * stream, of GG_GEMM_WORKSPACE bytes by gg_workspace_alloc, does for everything:
 *
 *     gg_workspace_alloc(&problem.workspace, context, GG_GEMM_WORKSPACE, &err);
 *     problem.workspace_bytes = GG_GEMM_WORKSPACE;
 *
 * A CUDA graph's launches, too, use the workspace that they were captured with: graphs that run
 * beside each other, or beside a stream, have each their own.
 *
 * The model is right within a few percent; what is left only measuring finds. By request
 * (gg_gemm_options.measure, GEMMGEN_MEASURE) the first few kernels of a product are measured while
 * they do the caller's work, each call by another one, until one of them is known to be the
 * fastest:
 *
 *     options.measure = 12;
 *
 * Threads: any number may use a gg_gemm at a time; closing is the caller's to order after the last
 * use. What was seen is found without a lock. */
#ifndef GEMMGEN_GEMM_H
#define GEMMGEN_GEMM_H

#include "gemmgen_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_gemm gg_gemm;

/* Bytes of a workspace that are enough for the catalogue's kernels on devices of up to 200
 * multiprocessors; less excludes some of them. What counts is rounded down to a power of two. */
enum { GG_GEMM_WORKSPACE = 32 << 20 };

/* What a product that was not seen before waits for. */
typedef enum gg_gemm_wait {
  /* For its best kernel: of those that packs have for its form, where there are such, else of the
   * catalogue. A product has the same kernel, and its results the same bits, in every call and
   * every process that opens the same packs, whatever is compiled. */
  GG_GEMM_WAIT_BEST = 0,
  /* For as little as can be: while the best of the catalogue is compiled on a thread of the
   * gg_gemm's, the best of what is compiled serves: of packs, where they have kernels of the form,
   * else of what is loaded or in the cache. Two calls of one product may then have two kernels,
   * whose sums differ in their last bits. Where nothing that is compiled computes the product, it
   * waits as above. That thread loads modules, at any time: streams are captured in a mode that
   * lets other threads do so. */
  GG_GEMM_WAIT_LEAST = 1
} gg_gemm_wait;

enum { GG_GEMM_MEASURE_MAX = 64 };

typedef struct gg_gemm_options {
  size_t size;       /* of this struct; as GG_GEMM_OPTIONS_INIT sets it */
  const char *tuned; /* directory of what `gemmgen tune` wrote; NULL: GEMMGEN_TUNED,
                        $XDG_DATA_HOME/gemmgen/tuned, ~/.local/share/gemmgen/tuned; "": none */
  const char *packs; /* files that `gemmgen pack --catalogue` wrote, parted by colons; NULL:
                        GEMMGEN_PACKS; "": none */
  gg_gemm_wait wait;
  /* How many kernels of a product, the first by the model, are measured at work, at most
   * GG_GEMM_MEASURE_MAX; 0: as GEMMGEN_MEASURE says, or none.
   *
   * Each gg_gemm_launch of a product that is not decided is computed by one of them, once and in
   * the caller's stream, between two CUDA events; a later call looks whether these have passed.
   * Nothing is launched beside, no memory taken, nothing waited for. Until all are compiled, on the
   * gg_gemm's own thread, the model's choice serves. After some dozen calls one is the product's
   * kernel for good, also in later processes of the same library, device, cache and `measure`,
   * which then measure nothing. Until then two calls may have two kernels, whose sums differ in
   * their last bits; a gg_gemm that does not measure never looks at what was measured so.
   *
   * Not measured are launches that a graph captures, which have the fastest kernel so far: capture
   * a product when it is decided (gg_gemm_choice.measuring); those of gg_gemm_prepare; products
   * that `gemmgen tune` has measured; and what is beyond the first 1024 products of a gg_gemm. An
   * event that fails ends the measuring of its product, with a warning, and not the call. That
   * thread loads modules, as that of GG_GEMM_WAIT_LEAST does. */
  int64_t measure;
} gg_gemm_options;

#define GG_GEMM_OPTIONS_INIT GG_SIZED(gg_gemm_options)

/* `options` may be NULL. The context outlives it. Compiles nothing. Close with gg_gemm_close, which
 * waits for what is being compiled.
 *
 * Packs for other architectures than the device's are left out. PACK_FILE: one cannot be read, is
 * none, is cut short or damaged; PACK_LIBRARY: another library made it. Kernels are looked at when
 * they are loaded: one that is damaged is taken from the cache or compiled, with a warning, and
 * where there is no NVRTC it is PACK_DAMAGED. */
GG_API gg_status gg_gemm_open(gg_gemm **out, gg_context *context, const gg_gemm_options *options,
                              gg_error *err);
GG_API void gg_gemm_close(gg_gemm *gemm);

/* Chooses, compiles what is not there yet, and prepares the launch: gg_prepare with the best
 * kernel. *out may be launched any number of times while `gemm` is open.
 *
 * What scale factors there are `form` says, and `problem` where they lie (gg_scales_pack); so of a
 * sparse A or B, whose metadata and stored elements gg_sparse_compress makes.
 *
 * Of `form`, has_c and pointers are ignored: there is a C where the problem's beta is not 0, and
 * the problem says what its addresses are. With gg_problem.pointers an align of 0 is that of an
 * element: say in the form what all matrices are aligned to, 16 bytes best (32 where elements of 4
 * and 6 bits are unpacked). The fastest kernels, of H100 and newer devices, then change tensor maps
 * in the workspace. Else an operand's
 * align of 0 is what the problem's address, leading dimension and batch stride have, and D's also
 * what the epilogue's matrices have, which lie as D does; another number is a promise, for problems
 * whose addresses change. With M, N or the batch 0 nothing is chosen.
 *
 * GEMM_FIELD: a member of the form has no value that it can have. GEMM_FORM: no family computes the
 * form on the device. Errors of the epilogue's text. Else the errors of gg_prepare and
 * gg_module_load; a kernel that cannot be compiled or loaded, or cannot address the problem, gives
 * way to the next best. */
GG_API gg_status gg_gemm_prepare(gg_prepared *out, gg_gemm *gemm, const gg_form *form,
                                 const gg_problem *problem, gg_error *err);

/* gg_gemm_prepare and gg_launch_prepared, but that a kernel is measured by it
 * (gg_gemm_options.measure). What compiles is not for a stream that is captured: run a product once
 * before. */
GG_API gg_status gg_gemm_launch(gg_gemm *gemm, const gg_form *form, const gg_problem *problem,
                                struct CUstream_st *stream, gg_error *err);

typedef struct gg_gemm_choice {
  size_t size;             /* of this struct; as GG_GEMM_CHOICE_INIT sets it */
  const gg_module *module; /* NULL: there is nothing to compute */
  const char *kernel;      /* its name; the gg_gemm's */
  bool tuned;              /* measured by `gemmgen tune` */
  double seconds;          /* what the model predicts, or was measured; 0 for a tuned one */
  bool measured;           /* at work: the fastest of gg_gemm_options.measure, or so far */
  bool measuring;          /* it is not decided: later launches may have other kernels */
  bool apart;              /* not the model's: launched as it was measured, when the launch ahead of
                              it has ended, whatever gg_problem.overlap says */
} gg_gemm_choice;

#define GG_GEMM_CHOICE_INIT GG_SIZED(gg_gemm_choice)

/* What gg_gemm_prepare takes; fills what *out has room for. */
GG_API gg_status gg_gemm_choose(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                                const gg_problem *problem, gg_error *err);

#ifdef __cplusplus
}
#endif

#endif
