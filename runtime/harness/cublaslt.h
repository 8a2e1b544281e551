/* cuBLASLt, loaded at run time, as the yardstick of `gemmgen bench`. */
#ifndef GG_HARNESS_CUBLASLT_H
#define GG_HARNESS_CUBLASLT_H

#include "context.h"
#include "problem.h"

typedef struct gg_cublaslt gg_cublaslt;

/* Loads the library (from `path`; NULL: from the toolkit or where the loader finds it), makes
 * a handle and a 64 MiB workspace. Close with gg_cublaslt_close. */
gg_status gg_cublaslt_open(gg_cublaslt **out, gg_context *context, const char *path, gg_error *err);
void gg_cublaslt_close(gg_cublaslt *lt);
const char *gg_cublaslt_path(const gg_cublaslt *lt);
int gg_cublaslt_version(const gg_cublaslt *lt); /* 130100: 13.1.0 */

enum { GG_CUBLASLT_CANDIDATES = 8 };

/* One problem's descriptors and the algorithms that the library's heuristic proposes, best first.
 */
typedef struct gg_cublaslt_plan gg_cublaslt_plan;

/* What the library does beside the product: cublasLtEpilogue_t, and nothing at all. */
typedef enum gg_cublaslt_epilogue {
  GG_CUBLASLT_PRODUCT = 0, /* D = A * B, whatever the kernel's epilogue is */
  GG_CUBLASLT_DEFAULT = 1, /* no function */
  GG_CUBLASLT_RELU = 2,
  GG_CUBLASLT_BIAS = 4,
  GG_CUBLASLT_RELU_BIAS = 6,
  GG_CUBLASLT_GELU = 32, /* by its approximation with tanh */
  GG_CUBLASLT_GELU_BIAS = 36,
  GG_CUBLASLT_GELU_AUX_BIAS = 164, /* stores what goes into gelu */
  GG_CUBLASLT_DGELU = 192,         /* times gelu's derivative at that */
  GG_CUBLASLT_DGELU_BGRAD = 208,   /* and stores what sums along the bias its gradient has */
} gg_cublaslt_epilogue;

/* Types, majors, factors of blocks and the accumulator are the kernel's, the layout is the
 * problem's. But for the bare product, everything that the kernel's operations read and write takes
 * part: C with beta, or a residual as a C with beta 1; a bias and an aux, or what a dgelu reads in
 * its place, and a sum in a bias's; scales along M and N as those of A and B, and single numbers as
 * those of A, B and D, in this order. GG_E_CUBLASLT where the library has nothing for it. Close
 * with gg_cublaslt_plan_close. */
gg_status gg_cublaslt_plan_open(gg_cublaslt_plan **out, gg_cublaslt *lt, const gg_kernel *kernel,
                                const gg_problem *problem, gg_cublaslt_epilogue epilogue,
                                gg_error *err);
void gg_cublaslt_plan_close(gg_cublaslt_plan *plan);
int gg_cublaslt_plan_count(const gg_cublaslt_plan *plan);

/* A kernel's facts as the library stores its results: sums are not f32 but of a bias's type, which
 * is D's, and bf16 where that is of 8-bit floats. */
gg_kernel gg_cublaslt_results(const gg_kernel *kernel);

/* Candidate `index`; the pointers, and no more, are those of `problem`. */
gg_status gg_cublaslt_launch(const gg_cublaslt_plan *plan, int index, const gg_problem *problem,
                             struct CUstream_st *stream, gg_error *err);

/* How the library, which is column-major, is asked for the kernel's product: D^T = B^T * A^T when
 * D is N-major. `left` is the operand that comes first, 'a' or 'b'; each is transposed or not. */
typedef struct gg_cublaslt_form {
  char left, right;
  bool transpose_left, transpose_right;
} gg_cublaslt_form;

gg_cublaslt_form gg_cublaslt_form_of(const gg_kernel *kernel);

#endif
