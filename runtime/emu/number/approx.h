/* The approximate functions.
 *
 * The hardware's tables are not public. Each function here is computed in double and rounded to
 * nearest, which is within the error that the PTX ISA states for it; special values are those of
 * the PTX ISA's tables. */
#ifndef GG_EMU_NUMBER_APPROX_H
#define GG_EMU_NUMBER_APPROX_H

#include <stdint.h>

/* `x` is exact, as is its sign of zero. */
double emu_approx_rcp(double x);
double emu_approx_sqrt(double x);
double emu_approx_rsqrt(double x);
double emu_approx_ex2(double x);
double emu_approx_lg2(double x);
double emu_approx_sin(double x);
double emu_approx_cos(double x);
double emu_approx_tanh(double x);

/* div.approx.f32: past |b| = 2^126 the quotient is 0, and NaN of an infinite dividend. */
uint32_t emu_f32_div_approx(uint32_t a, uint32_t b, unsigned how);

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper half of a; the lower half of the result
 * is 0. */
uint64_t emu_f64_rcp_approx(uint64_t a);
uint64_t emu_f64_rsqrt_approx(uint64_t a);

#endif
