/* libgemmgen's one call: D = epilogue(A * B) by the best of the shipped kernels.
 *
 *     gg_gemm_open(&gemm, context, NULL, &err);
 *     gg_gemm_launch(gemm, &form, &problem, stream, &err);    as often as there is a product
 *
 * A gg_gemm has a catalogue of kernels (specs/catalogue, which the library contains). For a product
 * it has not seen before it predicts each kernel's time, takes the fastest, and compiles it with
 * NVRTC unless it is in the context's disk cache. If `gemmgen tune` has measured the product, what
 * it found is taken instead. For a product that it has seen, it looks in a table. Choices are kept
 * beside the disk cache, so that another process need not plan the catalogue to choose the same. A
 * pack (`gemmgen pack --catalogue`) has compiled kernels, and what their predictions are made of,
 * so that no process need do either.
 *
 * The fastest kernels for few tiles and a long K share tiles, and need a workspace for that. If the
 * problem has one (gg_problem.workspace), kernels are chosen from all that it is large enough for,
 * else from those that need none. The caller provides it, as with cuBLASLt, because a workspace
 * serves one launch at a time and a gg_gemm does not know which streams run beside each other. One
 * for each stream, of GG_GEMM_WORKSPACE bytes by gg_workspace_alloc, is enough for everything:
 *
 *     gg_workspace_alloc(&problem.workspace, context, GG_GEMM_WORKSPACE, &err);
 *     problem.workspace_bytes = GG_GEMM_WORKSPACE;
 *
 * The launches of a CUDA graph use the workspace that they were captured with. So graphs that run
 * beside each other, or beside a stream, need a workspace each.
 *
 * The model's predictions are right within a few percent; to find what is left one must measure. By
 * request (gg_gemm_options.measure, GEMMGEN_MEASURE) the first few kernels of a product are
 * measured while they do the caller's work, a different one in each call, until one of them is
 * known to be the fastest:
 *
 *     options.measure = 12;
 *
 * Threads: any number may use a gg_gemm at a time; it is up to the caller that it is closed after
 * the last use. A product that was seen is found without a lock. */
#ifndef GEMMGEN_GEMM_H
#define GEMMGEN_GEMM_H

#include "gemmgen_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_gemm gg_gemm;

/* Bytes of a workspace that are enough for the catalogue's kernels on devices of up to 200
 * multiprocessors; a smaller one excludes some. Sizes are rounded down to a power of two. */
enum { GG_GEMM_WORKSPACE = 32 << 20 };

/* What a product that was not seen before waits for. */
typedef enum gg_gemm_wait {
  /* It waits for its best kernel: of those that packs have for its form, if there are any, else of
   * the catalogue. A product has the same kernel, and its results the same bits, in every call and
   * every process that opens the same packs, whatever is compiled already. */
  GG_GEMM_WAIT_BEST = 0,
  /* It waits as little as possible. While the best kernel of the catalogue is compiled on a thread
   * of the gg_gemm, the best of those that are compiled serves: of packs, if they have kernels of
   * the form, else of those that are loaded or in the cache. Two calls of one product may then have
   * two kernels, whose sums differ in their last bits. If nothing that is compiled computes the
   * product, it waits as above. The thread may load modules at any time, so streams must be
   * captured in a mode that lets other threads do so. */
  GG_GEMM_WAIT_LEAST = 1
} gg_gemm_wait;

enum { GG_GEMM_MEASURE_MAX = 64 };

typedef struct gg_gemm_options {
  size_t size;       /* of this struct; as GG_GEMM_OPTIONS_INIT sets it */
  const char *tuned; /* directory of what `gemmgen tune` wrote; NULL: GEMMGEN_TUNED,
                        $XDG_DATA_HOME/gemmgen/tuned, ~/.local/share/gemmgen/tuned; "": none */
  const char *packs; /* files that `gemmgen pack --catalogue` wrote, separated by colons; NULL:
                        GEMMGEN_PACKS; "": none */
  gg_gemm_wait wait;
  /* How many of a product's kernels, those that the model predicts to be fastest, are measured
   * while they do the caller's work, at most GG_GEMM_MEASURE_MAX; 0: as GEMMGEN_MEASURE says, or
   * none.
   *
   * While a product is not decided, each gg_gemm_launch of it runs one of them, once and in the
   * caller's stream, between two CUDA events; a later call asks whether these have passed. Nothing
   * is launched besides, no memory is taken, and nothing is waited for. Until all of them are
   * compiled, on a thread of the gg_gemm, the model's choice serves. After some dozen calls one
   * kernel is the product's for good, also in later processes with the same library, device, cache
   * and `measure`, which then measure nothing. Until then two calls may have two kernels, whose
   * sums differ in their last bits. A gg_gemm that does not measure ignores what was measured so.
   *
   * Some launches are not measured: those that a graph captures, which have the fastest kernel so
   * far (so capture a product when it is decided, see gg_gemm_choice.measuring); those of
   * gg_gemm_prepare; those of products that `gemmgen tune` has measured; and those beyond the first
   * 1024 products of a gg_gemm. An event that fails ends the measuring of its product, with a
   * warning, but not the call. The thread loads modules, as that of GG_GEMM_WAIT_LEAST does. */
  int64_t measure;
} gg_gemm_options;

#define GG_GEMM_OPTIONS_INIT GG_SIZED(gg_gemm_options)

/* `options` may be NULL. The context must outlive *out. This compiles nothing. Close with
 * gg_gemm_close, which waits for what is being compiled.
 *
 * Packs for other architectures than the device's are left out. PACK_FILE: one cannot be read, is
 * not a pack, is cut short or damaged. PACK_LIBRARY: another library made it. A pack's kernels are
 * checked when they are loaded: one that is damaged is taken from the cache or compiled, with a
 * warning, or fails with PACK_DAMAGED if there is no NVRTC. */
GG_API gg_status gg_gemm_open(gg_gemm **out, gg_context *context, const gg_gemm_options *options,
                              gg_error *err);
GG_API void gg_gemm_close(gg_gemm *gemm);

/* Chooses the best kernel, compiles it if it is not there yet, and prepares its launch as
 * gg_prepare does. *out may be launched any number of times while `gemm` is open.
 *
 * `form` says which scale factors there are, and `problem` where they lie (gg_scales_pack).
 * Likewise for a sparse A or B, whose metadata and stored elements gg_sparse_compress makes.
 *
 * The form's has_c and pointers are ignored: there is a C if the problem's beta is not 0, and the
 * problem says whether its addresses are those of arrays. If an operand's align is 0, it is what
 * the problem's address, leading dimension and batch stride have, for D also what the epilogue's
 * matrices have, which lie as D does. Another number is a promise, for problems whose addresses
 * change. With gg_problem.pointers, 0 means the alignment of an element. So say in the form what
 * all matrices are aligned to: 16 bytes are best (32 if elements of 4 and 6 bits are unpacked),
 * because the fastest kernels, those of H100 and newer devices, then change tensor maps in the
 * workspace. If M, N or the batch is 0, nothing is chosen.
 *
 * GEMM_FIELD: a member of the form has a value that it cannot have. GEMM_FORM: no family computes
 * the form on the device. Other errors are those of the epilogue's text, gg_prepare and
 * gg_module_load. If a kernel cannot be compiled or loaded, or cannot address the problem, the next
 * best is taken. */
GG_API gg_status gg_gemm_prepare(gg_prepared *out, gg_gemm *gemm, const gg_form *form,
                                 const gg_problem *problem, gg_error *err);

/* gg_gemm_prepare and gg_launch_prepared at once; only this call measures kernels
 * (gg_gemm_options.measure). A call that compiles must not be made for a stream that is captured:
 * run a product once before. */
GG_API gg_status gg_gemm_launch(gg_gemm *gemm, const gg_form *form, const gg_problem *problem,
                                struct CUstream_st *stream, gg_error *err);

typedef struct gg_gemm_choice {
  size_t size;             /* of this struct; as GG_GEMM_CHOICE_INIT sets it */
  const gg_module *module; /* NULL: there is nothing to compute */
  const char *kernel;      /* its name, which the gg_gemm owns */
  bool tuned;              /* whether `gemmgen tune` measured it */
  double seconds;          /* predicted by the model, or measured; 0 for a tuned one */
  bool measured;           /* the fastest, perhaps only so far, of gg_gemm_options.measure */
  bool measuring;          /* it is not decided: later launches may have other kernels */
  bool apart;              /* not the model's choice: it is launched as it was measured, when the
                              launch ahead of it has ended, whatever gg_problem.overlap says */
} gg_gemm_choice;

#define GG_GEMM_CHOICE_INIT GG_SIZED(gg_gemm_choice)

/* Tells which kernel gg_gemm_prepare takes. Fills what *out has room for, by its size. */
GG_API gg_status gg_gemm_choose(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                                const gg_problem *problem, gg_error *err);

#ifdef __cplusplus
}
#endif

#endif
