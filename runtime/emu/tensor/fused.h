/* The fused sum of tensor cores, for emu_dot. */
#ifndef GG_EMU_TENSOR_FUSED_H
#define GG_EMU_TENSOR_FUSED_H

#include "emu/tensor/dot.h"

enum { EMU_FUSED_COLUMNS = 8 };

/* The products of one sum: `runs` runs of `length` elements of k, `stride` apart. */
typedef struct emu_fused_group {
  int runs, length, stride;
} emu_fused_group;

/* One step for a row of A and eight columns of B: accumulator[j] becomes the sum of itself and the
 * group's products a[k] * b[k * n + j]. Accumulators are floats that hold their type's values. */
typedef void emu_fused_step(float accumulator[EMU_FUSED_COLUMNS], const emu_dot_model *model,
                            const emu_fused_group *group, const float *a, const int16_t *a_exponent,
                            const float *b, const int16_t *b_exponent, int n);

/* The fastest step that this processor runs. All give the same bits. */
emu_fused_step *emu_fused_choose(void);

/* One sum by integer arithmetic: any operands. What the fast step falls back to. */
float emu_fused_exact(float accumulator, const emu_dot_model *model, const emu_fused_group *group,
                      const float *a, const int16_t *a_exponent, const float *b,
                      const int16_t *b_exponent, int n);

/* value * 2^exponent as a number of f32 or f16; infinity past the largest. A zero is +0. */
float emu_fused_round(int64_t value, int exponent, emu_dot_rounding rounding);

/* How many products of a model's sum fit in the fast step's 32 bits. */
int emu_fused_room(const emu_dot_model *model);

#endif
