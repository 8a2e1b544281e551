/* The scale factors of a problem: where each lies, and what a launch takes of them. Functions that
 * pack and unpack them are in gemmgen_launch.h. */
#ifndef GG_RUNTIME_SCALES_H
#define GG_RUNTIME_SCALES_H

#include "atom/scale_layout.h"
#include "gemmgen_launch.h"

/* How many atoms there are along K, each of 4 factors for `block` elements each. */
static inline int64_t gg_scales_atoms_k(int64_t k, int block) {
  return (k + (int64_t)block * GG_SCALE_FACTORS - 1) / ((int64_t)block * GG_SCALE_FACTORS);
}

/* The offset in bytes of factor number `factor` of a row, if there are `atoms_k` atoms along K. */
static inline int64_t gg_scales_offset(int64_t row, int64_t factor, int64_t atoms_k) {
  int64_t atom = row / GG_SCALE_ROWS * atoms_k + factor / GG_SCALE_FACTORS;
  return atom * GG_SCALE_ROWS * GG_SCALE_FACTORS + gg_scale_place(row, factor);
}

/* The factors of A ('a'), B or D of a problem. */
typedef struct gg_scales_view {
  char name; /* 'a', 'b', 'd' */
  gg_scaling scaling;
  int64_t rows, k, batch; /* for D, k is N */
  uint64_t address;
  int64_t batch_stride;
} gg_scales_view;

gg_scales_view gg_problem_scales(const gg_kernel *kernel, const gg_problem *problem, char which);

/* Sets the batch strides of factors that lie as densely as they can. PROBLEM_SIZE. */
gg_status gg_problem_pack_scales(gg_problem *problem, const gg_kernel *kernel, gg_error *err);

/* Checks addresses and strides of factors that are read or written; GG_OK if the kernel has none.
 */
gg_status gg_problem_check_scales(const gg_kernel *kernel, const gg_problem *problem,
                                  gg_error *err);

#endif
