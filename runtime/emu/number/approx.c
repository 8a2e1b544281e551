/* The approximate functions (approx.h). Source: PTX ISA, "Floating-Point Instructions". */
#include "emu/number/approx.h"

#include <math.h>

#include "emu/number/float.h"

uint32_t emu_f32_rcp_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(1 / x, how);
}

uint32_t emu_f32_sqrt_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(sqrt(x), how);
}

uint32_t emu_f32_rsqrt_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(1 / sqrt(x), how);
}

uint32_t emu_f32_ex2_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(exp2(x), how);
}

uint32_t emu_f32_lg2_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(log2(x), how);
}

uint32_t emu_f32_sin_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(sin(x), how);
}

uint32_t emu_f32_cos_approx(uint32_t a, unsigned how) {
  double x = emu_f32_value(a, how);
  return emu_f32_round(cos(x), how);
}

uint32_t emu_f32_tanh_approx(uint32_t a) {
  return emu_f32_round(tanh(emu_f32_value(a, 0)), 0);
}

uint16_t emu_f16_ex2_approx(uint16_t a) {
  return (uint16_t)emu_f16_round(exp2(emu_f16_value(a, 0)), 0);
}

uint16_t emu_f16_tanh_approx(uint16_t a) {
  return (uint16_t)emu_f16_round(tanh(emu_f16_value(a, 0)), 0);
}

uint16_t emu_bf16_ex2_approx(uint16_t a) {
  return (uint16_t)emu_bf16_round(exp2(emu_bf16_value(a, EMU_FTZ)), EMU_FTZ);
}

uint16_t emu_bf16_tanh_approx(uint16_t a) {
  return (uint16_t)emu_bf16_round(tanh(emu_bf16_value(a, 0)), 0);
}

uint32_t emu_f32_div_approx(uint32_t a, uint32_t b, unsigned how) {
  double x = emu_f32_value(a, how), y = emu_f32_value(b, how);
  if (fabs(y) > 0x1p126 && isfinite(y)) y = signbit(y) ? -INFINITY : INFINITY;
  return emu_f32_round(x / y, how);
}

/* The upper half of a pattern, flushed; NaN stays NaN. */
static double upper_half(uint64_t a) {
  if (emu_f64_is_nan(a)) return NAN;
  if ((a & emu_f64.infinity) == 0) a &= emu_f64.sign;
  return emu_double(a & 0xffffffff00000000);
}

static uint64_t upper_result(double x) {
  if (isnan(x)) return 0x7fffffff00000000;
  uint64_t bits = emu_double_bits(x);
  if ((bits & emu_f64.infinity) == 0) bits &= emu_f64.sign;
  return bits & 0xffffffff00000000;
}

uint64_t emu_f64_rcp_approx(uint64_t a) {
  return upper_result(1 / upper_half(a));
}

uint64_t emu_f64_rsqrt_approx(uint64_t a) {
  return upper_result(1 / sqrt(upper_half(a)));
}

uint64_t emu_f64_rsqrt_full(uint64_t a) {
  return emu_f64_result(emu_double_bits(1 / sqrt(emu_double(a))), a, 0, 0);
}
