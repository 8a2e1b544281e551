/* What a product should be: sums in f64 over the very numbers in memory, for all of D or for
 * a sample of its rows and columns, on the host or on the device; and how far from it a correct
 * kernel may be. */
#ifndef GG_HARNESS_REFERENCE_H
#define GG_HARNESS_REFERENCE_H

#include "gemmgen_runtime.h"
#include "problem.h"

/* Rows x columns x batches of the product, by index, ascending; of a gate's columns each two behind
 * each other that D has one of. */
typedef struct gg_sample {
  int64_t *rows, *cols, *batches;
  int64_t row_count, col_count, batch_count;
  bool whole; /* every element of D */
} gg_sample;

/* All of D when that takes no more than `budget` multiply-adds; else the first and the last of each
 * mode and random ones between; columns in whole blocks of so many, where D is scaled by blocks, or
 * has one of two (0: neither). Free with gg_sample_free. */
gg_status gg_sample_choose(gg_sample *out, const gg_problem *problem, int block, int64_t budget,
                           uint64_t seed, gg_error *err);

/* The same for a kernel, as it scales D; where it stores sums over rows, or over columns, whole
 * ones, of which its first such operation has sums. */
gg_status gg_sample_choose_for(gg_sample *out, const gg_kernel *kernel, const gg_problem *problem,
                               int64_t budget, uint64_t seed, gg_error *err);
void gg_sample_free(gg_sample *sample);
int64_t gg_sample_count(const gg_sample *sample);

/* For each sampled element, batch by batch and row by row: the sum of A * B, and of |A * B|. */
typedef struct gg_reference {
  double *sum, *magnitude;
  bool on_device;
} gg_reference;

/* The operands' first elements in host memory, and their scale factors, of a kernel that has some.
 * Of a sparse one the dense matrix, of its major, whose rows and batches lie densely. */
typedef struct gg_host_inputs {
  const void *a, *b, *scale_a, *scale_b;
} gg_host_inputs;

/* Free with gg_reference_free. */
gg_status gg_reference_on_host(gg_reference *out, const gg_kernel *kernel,
                               const gg_problem *problem, gg_host_inputs inputs,
                               const gg_sample *sample, gg_error *err);
void gg_reference_free(gg_reference *reference);

/* The same on a device, by a plain kernel of its own: one per pair of types; of elements of whole
 * bytes, unscaled and dense, a constant stride apart. */
typedef struct gg_device_reference gg_device_reference;

bool gg_device_reference_knows(const gg_kernel *kernel);

gg_status gg_device_reference_open(gg_device_reference **out, gg_context *context, gg_dtype a,
                                   gg_dtype b, gg_error *err);
void gg_device_reference_close(gg_device_reference *reference);

/* Reads A and B where the problem's pointers say. */
gg_status gg_reference_on_device(gg_reference *out, gg_device_reference *device,
                                 const gg_kernel *kernel, const gg_problem *problem,
                                 const gg_sample *sample, gg_error *err);

/* One element of the result. */
typedef struct gg_expected {
  double value, bound; /* |D - value| <= bound */
} gg_expected;

/* Bits of the significand in which the kernel sums products. */
int gg_reference_precision(const gg_kernel *kernel);

/* What the epilogue reads at one element of D, by operation: C's element for `linear`, unread when
 * beta is 0. `integers`: all inputs are, but for factors, which are whole sixteenths. */
typedef struct gg_reference_operands {
  double at[GG_OPERATIONS_MAX];
  bool integers;
} gg_reference_operands;

/* D's element into *d, and what `aux` of operation i stores, or `amax` and `sum` see, into
 * stored[i], which may be NULL. Of a D that is scaled by blocks: what the element is before it is
 * divided by its factor. */
void gg_reference_expect(gg_expected *d, gg_expected stored[GG_OPERATIONS_MAX],
                         const gg_kernel *kernel, const gg_problem *problem, double sum,
                         double magnitude, const gg_reference_operands *operands);

/* The same where the epilogue gates columns: of a gate and what it gates, which D has one element
 * of. What stands before the gate stores of both: stored[0] and [1]; what stands behind it, [0]. */
void gg_reference_expect_gated(gg_expected *d, gg_expected stored[2][GG_OPERATIONS_MAX],
                               const gg_kernel *kernel, const gg_problem *problem,
                               const double sum[2], const double magnitude[2],
                               const gg_reference_operands operands[2]);

#endif
