/* The approximate functions, bit by bit those of an H100 (docs/approximate-functions.md). */
#ifndef GG_EMU_NUMBER_APPROX_H
#define GG_EMU_NUMBER_APPROX_H

#include <stdint.h>

/* The unit's square of 17 bits, over 2^19. Of the upper eight bits' square and of their products
 * with the lower nine, each partial product is cut off; the lower bits' own square is left out. */
static inline uint32_t emu_approx_square(uint32_t x) {
  uint32_t upper = x >> 9, lower = x & 0x1ff, sum = upper * upper >> 1;
  for (int i = 1; i < 8; i++)
    sum += (0 - (upper >> i & 1)) & lower >> (9 - i);
  return sum;
}

/* EMU_FTZ in `how`: the .ftz form. */
uint32_t emu_f32_rcp_approx(uint32_t a, unsigned how);
uint32_t emu_f32_sqrt_approx(uint32_t a, unsigned how);
uint32_t emu_f32_rsqrt_approx(uint32_t a, unsigned how);
uint32_t emu_f32_ex2_approx(uint32_t a, unsigned how);
uint32_t emu_f32_lg2_approx(uint32_t a, unsigned how);
uint32_t emu_f32_sin_approx(uint32_t a, unsigned how);
uint32_t emu_f32_cos_approx(uint32_t a, unsigned how);
uint32_t emu_f32_tanh_approx(uint32_t a);
uint16_t emu_f16_ex2_approx(uint16_t a);
uint16_t emu_f16_tanh_approx(uint16_t a);
uint16_t emu_bf16_ex2_approx(uint16_t a); /* ex2.approx.ftz.bf16: the only form */
uint16_t emu_bf16_tanh_approx(uint16_t a);

/* div.approx and div.full. */
uint32_t emu_f32_div_approx(uint32_t a, uint32_t b, unsigned how);
uint32_t emu_f32_div_full(uint32_t a, uint32_t b, unsigned how);

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper half of a; the lower half of the result
 * is 0. */
uint64_t emu_f64_rcp_approx(uint64_t a);
uint64_t emu_f64_rsqrt_approx(uint64_t a);

/* rsqrt.approx.f64: refined to nearly all bits. */
uint64_t emu_f64_rsqrt_full(uint64_t a);

#endif
