/* The approximate functions (approx.h). Source: PTX ISA, "Floating-Point Instructions". */
#include "emu/number/approx.h"

#include <math.h>

#include "emu/number/float.h"

double emu_approx_rcp(double x) {
  return 1 / x;
}

double emu_approx_sqrt(double x) {
  return sqrt(x);
}

double emu_approx_rsqrt(double x) {
  return 1 / sqrt(x);
}

double emu_approx_ex2(double x) {
  return exp2(x);
}

double emu_approx_lg2(double x) {
  return log2(x);
}

double emu_approx_sin(double x) {
  return sin(x);
}

double emu_approx_cos(double x) {
  return cos(x);
}

double emu_approx_tanh(double x) {
  return tanh(x);
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
