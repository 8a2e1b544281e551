/* gemmgen: YAML kernel specs in, specialised CUDA GEMM kernels out.
 *
 * This is the generator's public header: specs, kernels, errors. It needs no GPU and no CUDA
 * headers; gemmgen_runtime.h compiles and launches what is made here.
 *
 *     YAML --parse--> gg_spec --choose--> gg_plan --derive--> gg_layouts --emit--> gg_kernel
 *
 * gemmgen_kernel.h declares what a kernel computes, and everything that is known about it besides
 * its text.
 *
 * Functions that can fail return a gg_status and fill the caller's gg_error, which may be NULL
 * (base/error.h). */
#ifndef GEMMGEN_H
#define GEMMGEN_H

#include "gemmgen_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

GG_API const char *gg_version(void); /* such as "0.1.0"; static */

/* ---- Specs ---------------------------------------------------------------------------- */

typedef struct gg_spec gg_spec; /* one kernel as asked for; const once parsed */

/* A YAML file: one spec, or the cartesian product of its `sweep:`. It owns its specs, which live as
 * long as the file. */
typedef struct gg_spec_file gg_spec_file;

/* Read and check a file ("-" is standard input), or `length` bytes of text, which errors call
 * `name`. On failure *out is NULL. The file owns its specs and its source text. Free it with
 * gg_spec_file_free. */
GG_API gg_status gg_spec_file_load(gg_spec_file **out, const char *path, gg_error *err);
GG_API gg_status gg_spec_file_parse(gg_spec_file **out, const char *text, size_t length,
                                    const char *name, gg_error *err);
GG_API size_t gg_spec_file_count(const gg_spec_file *file);
GG_API const gg_spec *gg_spec_file_get(const gg_spec_file *file, size_t index);
GG_API const char *gg_spec_file_source(const gg_spec_file *file); /* for gg_error_print */
GG_API void gg_spec_file_free(gg_spec_file *file);

/* ---- Kernels ---------------------------------------------------------------------------- */

/* How sums of 8-bit floats come to full precision, since a tensor core keeps only few bits of them.
 */
enum {
  GG_PROMOTE_AUTO = 0,   /* at regular intervals they are added up in f32 */
  GG_PROMOTE_NEVER = -1, /* they keep few bits, which is faster: cuBLASLt's fast accumulation */
};

/* What a product is made of, except its extents: a kernel is generated for a form. Start it with
 * GG_FORM_INIT. */
typedef struct gg_form {
  size_t size; /* bytes of this struct; GG_FORM_INIT sets it */
  gg_operand a, b, d;
  bool has_c; /* whether there is a C, and with it a beta */
  gg_operand c;
  gg_dtype accumulator;
  int promote;          /* for 8-bit floats: one of the above, or the MMAs along K between two
                         * additions */
  const char *epilogue; /* a list as a spec has behind `epilogue:`; NULL: alpha, and beta with a C
                         */
  gg_scaling scale_a, scale_b; /* scale factors of blocks of A and of B along K; block 0: none */
  gg_scaling scale_d;          /* scale factors of blocks of D along N, which the kernel computes */
  bool sparse_a, sparse_b;     /* whether A or B (not both) is given compressed, with metadata.
                                * Blocks of scale factors then count the zeros that are left out,
                                * too: they have 32 or 64 elements */
  uint64_t pointers;           /* 1: a batch is given by arrays of addresses; 0: by strides */
  uint64_t xor_bits; /* for b1, 1: bits that differ are counted; 0: bits that are both 1 */
} gg_form;

#define GG_FORM_INIT GG_SIZED(gg_form)

/* A description of what an operation of an epilogue reads or writes. */
typedef struct gg_extra_facts {
  char name[24]; /* "bias"; "bias2" for the second one of a list; for an operand of expressions the
                  * name that these use, "t1"; for an expression's own operand, t0, "expr" */
  gg_op_kind kind;
  gg_along along; /* GG_ALONG_ELEMENTS: a matrix like D; GG_ALONG_NONE: it has no operand */
  gg_dtype type;
  bool written; /* the kernel writes it; false: it reads it */
  bool gated;   /* it is before a gate, so it has two columns for each of D's */
} gg_extra_facts;

/* Describes the operations of the form's epilogue, in order: `extras[i]` of a gg_problem belongs to
 * operation i. `out` must have room for GG_OPERATIONS_MAX entries; *count says how many are filled.
 * The form's alignments do not matter. Errors are those of the epilogue's text. */
GG_API gg_status gg_form_extras(gg_extra_facts *out, size_t *count, const gg_form *form,
                                gg_error *err);

/* Generates the kernel of one spec. On failure *out is NULL. Free it with gg_kernel_free. */
GG_API gg_status gg_kernel_generate(gg_kernel **out, const gg_spec *spec, gg_error *err);

/* Generates the same kernel as PTX, from a template, so that the driver alone can load it, without
 * NVRTC. If there is no such template for the kernel, fails with EMIT_PTX, which says what it does
 * not support; gg_kernel_generate gives the text for NVRTC. */
GG_API gg_status gg_kernel_generate_ptx(gg_kernel **out, const gg_spec *spec, gg_error *err);
GG_API void gg_kernel_free(gg_kernel *kernel);

/* Appends what was decided and derived for a spec, and what it costs, as `gemmgen explain` shows
 * it: as lines of text, or, if `json`, as one JSON object. */
GG_API gg_status gg_spec_explain(gg_str *out, const gg_spec *spec, bool json, gg_error *err);

/* ---- Layouts -------------------------------------------------------------------------- */

typedef struct gg_layout_options {
  size_t size;  /* bytes of this struct; GG_LAYOUT_OPTIONS_INIT sets it */
  bool cute;    /* in CuTe's notation: _8 is static, 8 dynamic */
  bool compact; /* drawings and tables: show large ones at a glance */
  int64_t bits; /* drawings: colour by the memory banks that elements of this many bits fall in; 0:
                 * do not */
  const char *tile; /* drawings and tables: the layout is a thread-value layout over a tile of this
                     * shape */
  const char *name; /* what errors call the text; NULL: "<expression>" */
  int64_t line;
} gg_layout_options;

#define GG_LAYOUT_OPTIONS_INIT GG_SIZED(gg_layout_options)

/* Evaluates an expression of the layout algebra, as `gemmgen layout` does, and appends its value, a
 * table of it and a drawing (SVG): each unless it is NULL. `options` may be NULL. */
GG_API gg_status gg_layout_show(gg_str *value, gg_str *table, gg_str *svg, const char *expression,
                                const gg_layout_options *options, gg_error *err);

#ifdef __cplusplus
}
#endif

#endif
