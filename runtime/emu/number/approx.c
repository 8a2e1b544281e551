/* The approximate functions (approx.h): what an H100's special function unit computes, and what
 * ptxas adds around it. docs/approximate-functions.md tells how this was found.
 *
 * The unit (Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator", 2005)
 * reduces its operand to a fraction of 23 bits. The upper bits choose an interval of a table, the
 * lower ones are the distance d from its beginning: a + b * d + c * emu_approx_square(d), in fixed
 * point, plus a constant for the rounding, cut off. */
#include "emu/number/approx.h"

#include <math.h>

#include "emu/number/float.h"

typedef struct interval {
  int32_t a, b, c;
} interval;

#include "emu/number/approx_tables.def"

static const uint32_t sign_bit = 0x80000000, infinite = 0x7f800000, not_a_number = 0x7fffffff;

typedef struct parts {
  bool negative;
  int exponent; /* as it stands in the bits */
  uint32_t fraction;
} parts;

static inline parts parts_of(uint32_t a) {
  return (parts){a >> 31, (int)(a >> 23 & 0xff), a & 0x7fffff};
}

static inline bool is_nan(uint32_t a) {
  return (a & 0x7fffffff) > infinite;
}

/* ---- Interpolation --------------------------------------------------------------------- */

static inline int64_t interpolate(const interval *t, int a_shift, uint32_t d, uint32_t squared) {
  return ((int64_t)t->a << a_shift) + (int64_t)t->b * d + (int64_t)t->c * squared;
}

/* A significand with 23 fraction bits, from 1 to 2 and including both, and an exponent as it stands
 * in the bits. Subnormal numbers are flushed. */
static inline uint32_t assemble(bool negative, int exponent, int64_t significand) {
  uint32_t sign = (uint32_t)negative << 31;
  int64_t bits = (int64_t)exponent * 0x800000 + significand - 0x800000;
  if (bits < 0x800000) return sign;
  return sign | (bits >= infinite ? infinite : (uint32_t)bits);
}

/* The first 24 bits of a positive fixed-point number whose bit `one` is worth 1. A double holds all
 * of it. */
static inline uint32_t normalise(bool negative, int64_t value, int one) {
  uint64_t bits = emu_double_bits((double)value);
  int exponent = (int)(bits >> 52) - 1023 - one;
  return assemble(negative, 127 + exponent, (int64_t)(bits >> 29 & 0x7fffff) + 0x800000);
}

/* ---- The unit's functions: subnormal operands and results are zeros ------------------------ */

/* 1 / x of x from 1 to 2: a significand of 23 fraction bits and 15 more. */
static inline int64_t reciprocal(uint32_t fraction) {
  uint32_t d = fraction & 0xffff;
  return interpolate(&rcp_table[fraction >> 16], 13, d, emu_approx_square(d << 1)) + 0x47e7;
}

static uint32_t unit_rcp(uint32_t x) {
  parts p = parts_of(x);
  if (p.exponent == 0) return (x & sign_bit) | infinite;
  if (p.exponent == 255) return is_nan(x) ? not_a_number : x & sign_bit;
  return assemble(p.negative, 253 - p.exponent, reciprocal(p.fraction) >> 15);
}

/* The fraction with the exponent's lowest bit before it: operands from 1 to 4. */
static inline uint32_t over_two_binades(parts p) {
  return (uint32_t)(~p.exponent & 1) << 23 | p.fraction;
}

/* 2 / sqrt(x) of x from 1 to 4: a significand of 23 fraction bits and 16 more. */
static inline int64_t reciprocal_root(uint32_t fraction) {
  uint32_t d = fraction & 0x1ffff, squared = emu_approx_square(d) << 2;
  int64_t value = interpolate(&rsqrt_table[fraction >> 17], 14, d, squared) + 0x7fff;
  return fraction ? value : (int64_t)2 << 39;
}

static uint32_t unit_rsqrt(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return not_a_number;
  if (p.exponent == 0) return (x & sign_bit) | infinite;
  if (p.negative) return not_a_number;
  if (p.exponent == 255) return 0;
  int exponent = 126 - ((p.exponent - 127) >> 1);
  return assemble(false, exponent, reciprocal_root(over_two_binades(p)) >> 16);
}

static uint32_t unit_sqrt(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return not_a_number;
  if (p.exponent == 0) return x & sign_bit;
  if (p.negative) return not_a_number;
  if (p.exponent == 255) return infinite;
  uint32_t f = over_two_binades(p);
  uint32_t d = f & 0x1ffff;
  int64_t value = interpolate(&sqrt_table[f >> 17], 15, d, emu_approx_square(d));
  return assemble(false, 127 + ((p.exponent - 127) >> 1), (value + 0x7fff) >> 17);
}

static uint32_t unit_lg2(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return not_a_number;
  if (p.exponent == 0) return sign_bit | infinite;
  if (p.negative) return not_a_number;
  if (p.exponent == 255) return infinite;
  if (x == 0x3f800000) return 0;
  uint32_t d = p.fraction & 0x1ffff;
  uint32_t squared = emu_approx_square(d) << 1;
  int64_t value = interpolate(&lg2_table[p.fraction >> 17], 12, d, squared);
  value = ((value + 0x3345) >> 2) + (int64_t)(p.exponent - 127) * ((int64_t)1 << 36);
  bool negative = value < 0;
  value = negative ? ~value : value;
  return value ? normalise(negative, value, 36) : 0;
}

/* |x| cut off after the 23rd fraction bit; x under 2^7. */
static inline uint32_t fixed_point(parts p) {
  int shift = p.exponent - 127;
  uint32_t significand = p.fraction | 0x800000;
  return p.exponent == 0 || shift < -23 ? 0
         : shift < 0                    ? significand >> -shift
                                        : significand << shift;
}

/* A negative operand's whole and fraction are the complement's, one unit too small, unless the
 * fraction is 0. */
static uint32_t unit_ex2(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return not_a_number;
  if (p.exponent >= 127 + 7) return p.negative ? 0 : infinite;
  int32_t fixed = (int32_t)fixed_point(p);
  if (p.negative) fixed = fixed & 0x7fffff ? ~fixed : -fixed;
  uint32_t fraction = (uint32_t)fixed & 0x7fffff;
  uint32_t d = fraction & 0x1ffff;
  int64_t value = interpolate(&ex2_table[fraction >> 17], 13, d, emu_approx_square(d));
  return assemble(false, 127 + (fixed >> 23), (value + 0x77e2) >> 15);
}

/* The sine of an angle in quarters of a turn: 23 bits of one quarter, above them which one. */
static uint32_t sine_of(bool negative, uint32_t quarters) {
  uint32_t fraction = (quarters >> 23 & 1 ? ~quarters : quarters) & 0x7fffff;
  uint32_t d = fraction & 0x1ffff;
  int64_t value = interpolate(&sin_table[fraction >> 17], 11, d, emu_approx_square(d));
  negative ^= quarters >> 24 & 1;
  return value ? normalise(negative, value, 37) : (uint32_t)negative << 31;
}

static inline uint32_t quarters_of(parts p) {
  p.exponent = p.exponent ? p.exponent + 2 : 0;
  return p.exponent > 127 + 31 ? 0 : fixed_point(p);
}

static uint32_t unit_sin(uint32_t x) {
  parts p = parts_of(x);
  if (p.exponent == 255) return not_a_number;
  return sine_of(p.negative, quarters_of(p));
}

static uint32_t unit_cos(uint32_t x) {
  parts p = parts_of(x);
  if (p.exponent == 255) return not_a_number;
  return sine_of(false, quarters_of(p) + 0x800000);
}

/* x itself below 2^-8, 1 from 8 on; between them intervals of equal length in each binade. */
static uint32_t unit_tanh(uint32_t x) {
  static const struct {
    uint8_t first, bits; /* its first interval, and log2 of how many there are */
  } binades[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                 {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
  parts p = parts_of(x);
  if (is_nan(x)) return not_a_number;
  if (p.exponent < 127 - 8) return x;
  if (p.exponent >= 127 + 3) return (x & sign_bit) | 0x3f800000;
  int bits = binades[p.exponent - (127 - 8)].bits, first = binades[p.exponent - (127 - 8)].first;
  uint32_t d = p.fraction >> (6 - bits) & 0x1ffff;
  int64_t value =
      interpolate(&tanh_table[first + (p.fraction >> (23 - bits))], 15, d, emu_approx_square(d));
  return normalise(p.negative, value, 39);
}

/* ---- The instructions: without .ftz, ptxas scales what the unit would flush ------------------ */

static inline uint32_t scaled(uint32_t a, float by) {
  return emu_f32_result(emu_float(a) * by);
}

static inline bool is_subnormal(uint32_t a) {
  return (a & infinite) == 0;
}

/* Over 2^126: the reciprocal is subnormal. */
static inline bool is_large(uint32_t a) {
  return (a & 0x7fffffff) > 0x7e800000 && !is_nan(a);
}

uint32_t emu_f32_rcp_approx(uint32_t a, unsigned how) {
  float by = is_subnormal(a) ? 0x1p24f : is_large(a) ? 0.25f : 1.0f;
  return how & EMU_FTZ ? unit_rcp(a) : scaled(unit_rcp(scaled(a, by)), by);
}

uint32_t emu_f32_sqrt_approx(uint32_t a, unsigned how) {
  if ((how & EMU_FTZ) || !is_subnormal(a)) return unit_sqrt(a);
  return scaled(unit_sqrt(scaled(a, 0x1p24f)), 0x1p-12f);
}

uint32_t emu_f32_rsqrt_approx(uint32_t a, unsigned how) {
  if ((how & EMU_FTZ) || !is_subnormal(a)) return unit_rsqrt(a);
  return scaled(unit_rsqrt(scaled(a, 0x1p24f)), 0x1p12f);
}

uint32_t emu_f32_lg2_approx(uint32_t a, unsigned how) {
  if ((how & EMU_FTZ) || !is_subnormal(a)) return unit_lg2(a);
  return emu_f32_result(emu_float(unit_lg2(scaled(a, 0x1p24f))) - 24);
}

uint32_t emu_f32_ex2_approx(uint32_t a, unsigned how) {
  const uint32_t least = 0xc2fc0000; /* -126 */
  if ((how & EMU_FTZ) || a <= least || is_nan(a)) return unit_ex2(a);
  uint32_t root = unit_ex2(scaled(a, 0.5f));
  return emu_f32_result(emu_float(root) * emu_float(root));
}

/* Full turns, cut off. The forms with .ftz are the same. */
static uint32_t turns(uint32_t a) {
  return emu_f32_mul(a, 0x3e22f983, EMU_RZ);
}

uint32_t emu_f32_sin_approx(uint32_t a, unsigned how) {
  (void)how;
  return unit_sin(turns(a));
}

uint32_t emu_f32_cos_approx(uint32_t a, unsigned how) {
  (void)how;
  return unit_cos(turns(a));
}

uint32_t emu_f32_tanh_approx(uint32_t a) {
  return unit_tanh(a);
}

/* ---- Types of 16 bits: the result in f32, cut off ------------------------------------------ */

static inline uint32_t f16_to_f32(uint16_t a) {
  return emu_f32_result((float)emu_f16_value(a, 0));
}

static uint16_t f32_cut_to_f16(uint32_t bits) {
  if (is_nan(bits)) return 0x7fff;
  uint16_t sign = bits >> 16 & 0x8000;
  parts p = parts_of(bits);
  int exponent = p.exponent - 127 + 15;
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent > 0) return (uint16_t)(sign | exponent << 10 | p.fraction >> 13);
  return exponent < -10 ? sign : (uint16_t)(sign | (p.fraction | 0x800000) >> (14 - exponent));
}

uint16_t emu_f16_ex2_approx(uint16_t a) {
  return f32_cut_to_f16(unit_ex2(f16_to_f32(a)));
}

uint16_t emu_f16_tanh_approx(uint16_t a) {
  return f32_cut_to_f16(unit_tanh(f16_to_f32(a)));
}

uint16_t emu_bf16_ex2_approx(uint16_t a) {
  return (uint16_t)(unit_ex2((uint32_t)a << 16) >> 16);
}

uint16_t emu_bf16_tanh_approx(uint16_t a) {
  return (uint16_t)(unit_tanh((uint32_t)a << 16) >> 16);
}

/* ---- Quotients: products with the reciprocal ------------------------------------------------ */

/* Both by the same factor: a divisor that is subnormal, or has a subnormal reciprocal. */
static uint32_t quotient(uint32_t a, uint32_t b, float by, unsigned how) {
  uint32_t factor = emu_float_bits(by);
  uint32_t reciprocal_of_b = unit_rcp(emu_f32_mul(b, factor, how));
  return emu_f32_mul(emu_f32_mul(a, factor, how), reciprocal_of_b, how);
}

uint32_t emu_f32_div_approx(uint32_t a, uint32_t b, unsigned how) {
  return quotient(a, b, is_subnormal(b) && !(how & EMU_FTZ) ? 0x1p24f : 1.0f, how);
}

uint32_t emu_f32_div_full(uint32_t a, uint32_t b, unsigned how) {
  return is_large(b) ? quotient(a, b, 0.25f, how) : emu_f32_div_approx(a, b, how);
}

/* ---- Upper halves of .f64: exponents of 11 bits, 20 fraction bits ---------------------------- */

static inline uint32_t assemble_upper(uint32_t sign, int exponent, int64_t significand) {
  int64_t bits = (int64_t)exponent * 0x100000 + significand - 0x100000;
  return sign | (bits < 0x100000 ? 0 : (uint32_t)bits);
}

static uint32_t unit_rcp_upper(uint32_t x) {
  int exponent = (int)(x >> 20 & 0x7ff);
  uint32_t fraction = (x & 0xfffff) << 3, sign = x & sign_bit;
  if (exponent == 0) return sign | 0x7ff00000;
  if (exponent == 2047) return fraction ? not_a_number : sign;
  return assemble_upper(sign, 2045 - exponent, reciprocal(fraction) >> 18);
}

static uint32_t unit_rsqrt_upper(uint32_t x) {
  int exponent = (int)(x >> 20 & 0x7ff);
  uint32_t fraction = (x & 0xfffff) << 3, sign = x & sign_bit;
  if (exponent == 2047 && fraction) return not_a_number;
  if (exponent == 0) return sign | 0x7ff00000;
  if (sign) return not_a_number;
  if (exponent == 2047) return 0;
  fraction |= (uint32_t)(~exponent & 1) << 23;
  return assemble_upper(0, 1022 - ((exponent - 1023) >> 1), reciprocal_root(fraction) >> 19);
}

uint64_t emu_f64_rcp_approx(uint64_t a) {
  return (uint64_t)unit_rcp_upper((uint32_t)(a >> 32)) << 32;
}

uint64_t emu_f64_rsqrt_approx(uint64_t a) {
  return (uint64_t)unit_rsqrt_upper((uint32_t)(a >> 32)) << 32;
}

/* One step from the unit's result, of third order. */
static double root_step(double x) {
  double root = emu_double(emu_f64_rsqrt_approx(emu_double_bits(x)));
  double error = fma(x, -(root * root), 1);
  return fma(fma(error, 0.375, 0.5), root * error, root);
}

uint64_t emu_f64_rsqrt_full(uint64_t a) {
  double x = emu_double(a);
  if (emu_f64_is_nan(a)) return emu_f64_add(a, a, EMU_RN);
  if (x == 0) return (a & emu_f64.sign) | emu_f64.infinity;
  if (a & emu_f64.sign) return 0xfff8000000000000;
  if (a == emu_f64.infinity) return 0;
  bool subnormal = (a & emu_f64.infinity) == 0;
  return emu_double_bits(subnormal ? root_step(x * 0x1p54) * 0x1p27 : root_step(x));
}
