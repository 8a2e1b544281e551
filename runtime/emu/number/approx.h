/* The approximate functions.
 *
 * The hardware's tables are not public. Each function here is computed in double and rounded to
 * nearest, which is within the error that the PTX ISA states for it; special values are those of
 * the PTX ISA's tables. */
#ifndef GG_EMU_NUMBER_APPROX_H
#define GG_EMU_NUMBER_APPROX_H

#include <stdint.h>

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

/* div.approx.f32: past |b| = 2^126 the quotient is 0, and NaN of an infinite dividend. */
uint32_t emu_f32_div_approx(uint32_t a, uint32_t b, unsigned how);

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper half of a; the lower half of the result
 * is 0. */
uint64_t emu_f64_rcp_approx(uint64_t a);
uint64_t emu_f64_rsqrt_approx(uint64_t a);

/* rsqrt.approx.f64, which has no such limits. */
uint64_t emu_f64_rsqrt_full(uint64_t a);

#endif
