/* gemmgen: YAML kernel specs in, specialised CUDA GEMM kernels out.
 *
 * The generator's public header: specs, kernels, errors. It needs no GPU and no CUDA headers;
 * gemmgen_runtime.h compiles and launches what this makes.
 *
 *     YAML --parse--> gg_spec --choose--> gg_plan --derive--> gg_layouts --emit--> gg_kernel
 *
 * What a kernel computes, and what is known of it besides its text, is gemmgen_kernel.h's. */
#ifndef GEMMGEN_H
#define GEMMGEN_H

#include "gemmgen_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

GG_API const char *gg_version(void); /* "0.1.0" */

/* ---- Specs ---------------------------------------------------------------------------- */

typedef struct gg_spec gg_spec; /* one kernel as asked for; const once parsed */

/* A YAML file: one spec, or the cartesian product of its `sweep:`. Owns its specs. */
typedef struct gg_spec_file gg_spec_file;

/* Reads and checks a file ("-" is standard input) or `length` bytes of text called `name`.
 * On failure *out is NULL. Free with gg_spec_file_free. */
GG_API gg_status gg_spec_file_load(gg_spec_file **out, const char *path, gg_error *err);
GG_API gg_status gg_spec_file_parse(gg_spec_file **out, const char *text, size_t length,
                                    const char *name, gg_error *err);
GG_API size_t gg_spec_file_count(const gg_spec_file *file);
GG_API const gg_spec *gg_spec_file_get(const gg_spec_file *file, size_t index);
GG_API const char *gg_spec_file_source(const gg_spec_file *file); /* for gg_error_print */
GG_API void gg_spec_file_free(gg_spec_file *file);

/* ---- Kernels ---------------------------------------------------------------------------- */

/* How sums of 8-bit floats, of which a tensor core keeps few bits, come to full precision. */
enum {
  GG_PROMOTE_AUTO = 0,   /* they are added up in f32 every so often */
  GG_PROMOTE_NEVER = -1, /* they stay short, which is faster: cuBLASLt's fast accumulation */
};

/* What a product is made of, but for its extents: what a kernel is generated for. */
typedef struct gg_form {
  size_t size; /* of this struct; as GG_FORM_INIT sets it */
  gg_operand a, b, d;
  bool has_c; /* whether there is a C, and with it a beta */
  gg_operand c;
  gg_dtype accumulator;
  int promote;          /* of 8-bit floats: one of the above, or MMAs along K between additions */
  const char *epilogue; /* a list as behind a spec's `epilogue:`; NULL: alpha, and beta with a C */
  gg_scaling scale_a, scale_b; /* factors of blocks along K of A and of B; of a block of 0 none */
  gg_scaling scale_d;          /* factors of blocks along N of D, which the kernel computes */
  bool sparse_a, sparse_b;     /* whether A or B, one of them, is given compressed, with metadata; a
                                  block of factors counts zeros then, too: it is of 32 or 64 */
  uint64_t pointers;           /* 1: a batch is given by arrays of addresses; else 0 */
  uint64_t xor_bits; /* of b1, 1: bits that differ are counted; 0: those that are both 1 */
} gg_form;

#define GG_FORM_INIT GG_SIZED(gg_form)

/* What an operation of an epilogue reads or writes. */
typedef struct gg_extra_facts {
  char name[24]; /* "bias", of the list's second "bias2"; of an operand what expressions call it,
                    "t1"; of an expression its t0, "expr" */
  gg_op_kind kind;
  gg_along along; /* GG_ALONG_ELEMENTS: a matrix like D; GG_ALONG_NONE: there is nothing */
  gg_dtype type;
  bool written; /* by the kernel; else read */
  bool gated;   /* in front of a gate: it has two columns for each of D's */
} gg_extra_facts;

/* The operations of the form's epilogue, in order: `extras[i]` of a gg_problem is operation i's.
 * `out` has room for GG_OPERATIONS_MAX. Of the form, alignments count for nothing. Errors are those
 * of its epilogue's text. */
GG_API gg_status gg_form_extras(gg_extra_facts *out, size_t *count, const gg_form *form,
                                gg_error *err);

/* Runs every stage on one spec. On failure *out is NULL. Free with gg_kernel_free. */
GG_API gg_status gg_kernel_generate(gg_kernel **out, const gg_spec *spec, gg_error *err);

/* The same kernel as PTX, from a template: it loads with the driver alone, without NVRTC. EMIT_PTX
 * where its plan has no such template, with what has none: gg_kernel_generate's is for NVRTC. */
GG_API gg_status gg_kernel_generate_ptx(gg_kernel **out, const gg_spec *spec, gg_error *err);
GG_API void gg_kernel_free(gg_kernel *kernel);

/* Appends what was decided and derived for a spec, and what it costs, as `gemmgen explain` shows
 * it: lines of text, or with `json` one JSON object. */
GG_API gg_status gg_spec_explain(gg_str *out, const gg_spec *spec, bool json, gg_error *err);

/* ---- Layouts -------------------------------------------------------------------------- */

typedef struct gg_layout_options {
  size_t size;  /* of this struct; as GG_LAYOUT_OPTIONS_INIT sets it */
  bool cute;    /* CuTe's notation: _8 is static, 8 dynamic */
  bool compact; /* drawings and tables: large ones at a glance */
  int64_t bits; /* drawings: colour by the banks that elements of so many bits fall in; 0: not */
  const char *tile; /* drawings and tables: it is a thread-value layout over a tile of this shape */
  const char *name; /* what errors call the text, NULL: "<expression>"; and its line, 0: 1 */
  int64_t line;
} gg_layout_options;

#define GG_LAYOUT_OPTIONS_INIT GG_SIZED(gg_layout_options)

/* Works out an expression of the layout algebra, as `gemmgen layout` does, and appends its value,
 * a table of it and a drawing (SVG), those that are not NULL. `options` may be NULL. */
GG_API gg_status gg_layout_show(gg_str *value, gg_str *table, gg_str *svg, const char *expression,
                                const gg_layout_options *options, gg_error *err);

#ifdef __cplusplus
}
#endif

#endif
