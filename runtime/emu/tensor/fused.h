/* The fused sum of tensor cores, for emu_dot. */
#ifndef GG_EMU_TENSOR_FUSED_H
#define GG_EMU_TENSOR_FUSED_H

#include "emu/tensor/dot.h"

enum { EMU_FUSED_COLUMNS = 8 };

/* The sums of some rows of A with eight columns of B. Their products are those of `runs` runs of
 * `length` elements of k, which are `stride` apart. Pointers are to the first element, in the first
 * row and column. */
typedef struct emu_fused {
  const emu_dot_model *model;
  int rows, k, n; /* k and n are the lengths of A's and B's rows */
  int runs, length, stride;
  const float *a, *b;
  const int16_t *a_exponent, *b_exponent;
  /* Scale factors of the first row and of the first column; NULL if there are none. */
  const emu_scales *scales;
  const float *a_scale, *b_scale;
  const int16_t *a_scale_exponent, *b_scale_exponent;
} emu_fused;

/* One step: sums[row][column] becomes the sum of itself and its products. Sums are floats that hold
 * the accumulators' type's values. */
typedef void emu_fused_step(float (*sums)[EMU_FUSED_COLUMNS], const emu_fused *fused);

/* The fastest step that this processor runs: the one for any, or the one for AVX2. Both give the
 * same bits. */
emu_fused_step *emu_fused_choose(void);
emu_fused_step emu_fused_step_any, emu_fused_step_wide;

/* The same for sums of exact sums (EMU_DOT_BLOCKED). */
emu_fused_step *emu_blocked_choose(void);
emu_fused_step emu_blocked_step_any, emu_blocked_step_wide;

/* One sum by integer arithmetic, for any operands. The fast step falls back to it. */
float emu_fused_exact(float sum, const emu_fused *fused, int row, int column);

/* value * 2^exponent as a number of f32 or f16; infinity beyond the largest. A zero is +0. */
float emu_fused_round(int64_t value, int exponent, emu_dot_rounding rounding);

/* How many products of a model's sum fit into 32 bits. For types of at most 8 bits, the fast step
 * takes twice as many. */
static inline int emu_fused_room(const emu_dot_model *model) {
  return 1 << (31 - 2 - model->fraction); /* a product of significands is less than 4 */
}

#endif
