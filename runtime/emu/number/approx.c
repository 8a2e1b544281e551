/* The approximate functions (approx.h): what an H100's special function unit computes, and what
 * ptxas adds around it. docs/approximate-functions.md tells how this was found.
 *
 * The unit (Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator", 2005)
 * reduces its operand to a fraction of 23 bits. The upper bits choose an interval of a table, the
 * lower ones are the distance d from its beginning: a + b * d + c * square(d), in fixed point, plus
 * a constant for the rounding, cut off. */
#include "emu/number/approx.h"

#include <math.h>

#include "emu/number/float.h"

typedef struct interval {
  int32_t a, b, c;
} interval;

#include "emu/number/approx_tables.h"

enum { NOT_A_NUMBER = 0x7fffffff, INFINITE = 0x7f800000, SIGN = INT32_MIN };

typedef struct parts {
  bool negative;
  int exponent; /* as it stands in the bits */
  uint32_t fraction;
} parts;

static inline parts parts_of(uint32_t a) {
  return (parts){a >> 31, (int)(a >> 23 & 0xff), a & 0x7fffff};
}

static inline bool is_nan(uint32_t a) {
  return (a & 0x7fffffff) > INFINITE;
}

/* ---- Interpolation --------------------------------------------------------------------- */

/* The square of a distance of 17 bits, over 2^19: of the partial products the bits below 2^18 are
 * not there. */
static inline uint32_t square(uint32_t d) {
  uint32_t sum = 0;
  for (int i = 2; i < 17; i++)
    sum += (d >> i & 1) * (d >> (18 - i));
  return sum >> 1;
}

static inline int64_t interpolate(const interval *t, int a_shift, int64_t distance,
                                  int64_t squared) {
  return ((int64_t)t->a << a_shift) + t->b * distance + t->c * squared;
}

/* A significand with 23 fraction bits, from 1 to 2 and including both, and an exponent as it stands
 * in the bits. Subnormal numbers are flushed. */
static inline uint32_t assemble(bool negative, int exponent, int64_t significand) {
  uint32_t sign = (uint32_t)negative << 31;
  int64_t bits = ((int64_t)exponent << 23) + significand - 0x800000;
  if (bits < 0x800000) return sign;
  return sign | (bits >= INFINITE ? INFINITE : (uint32_t)bits);
}

/* The first 24 bits of a positive fixed-point number whose bit `one` is worth 2^exponent. */
static uint32_t normalise(bool negative, int64_t value, int one, int exponent) {
  int top = 63;
  while (!(value >> top & 1))
    top--;
  int64_t significand = top > 23 ? value >> (top - 23) : value << (23 - top);
  return assemble(negative, exponent + top - one, significand);
}

/* ---- The unit's functions: subnormal operands and results are zeros ------------------------ */

static uint32_t unit_rcp(uint32_t x) {
  parts p = parts_of(x);
  if (p.exponent == 0) return (x & SIGN) | INFINITE;
  if (p.exponent == 255) return is_nan(x) ? NOT_A_NUMBER : x & SIGN;
  int64_t d = p.fraction & 0xffff;
  int64_t value = interpolate(&rcp_table[p.fraction >> 16], 13, d, square((uint32_t)d << 1));
  return assemble(p.negative, 253 - p.exponent, (value + 0x47e7) >> 15);
}

/* The fraction with the exponent's lowest bit before it: operands from 1 to 4. */
static inline uint32_t over_two_binades(parts p) {
  return (uint32_t)(~p.exponent & 1) << 23 | p.fraction;
}

static uint32_t unit_rsqrt(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return NOT_A_NUMBER;
  if (p.exponent == 0) return (x & SIGN) | INFINITE;
  if (p.negative) return NOT_A_NUMBER;
  if (p.exponent == 255) return 0;
  uint32_t f = over_two_binades(p);
  int exponent = 127 - ((p.exponent - 127) >> 1);
  if (!f) return assemble(false, exponent, 0x800000);
  int64_t d = f & 0x1ffff;
  int64_t value = interpolate(&rsqrt_table[f >> 17], 14, d, (int64_t)square((uint32_t)d) << 2);
  return assemble(false, exponent - 1, (value + 0x7fff) >> 16);
}

static uint32_t unit_sqrt(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return NOT_A_NUMBER;
  if (p.exponent == 0) return x & SIGN;
  if (p.negative) return NOT_A_NUMBER;
  if (p.exponent == 255) return INFINITE;
  uint32_t f = over_two_binades(p);
  int64_t d = f & 0x1ffff;
  int64_t value = interpolate(&sqrt_table[f >> 17], 15, d, square((uint32_t)d));
  return assemble(false, 127 + ((p.exponent - 127) >> 1), (value + 0x7fff) >> 17);
}

static uint32_t unit_lg2(uint32_t x) {
  parts p = parts_of(x);
  if (is_nan(x)) return NOT_A_NUMBER;
  if (p.exponent == 0) return SIGN | INFINITE;
  if (p.negative) return NOT_A_NUMBER;
  if (p.exponent == 255) return INFINITE;
  if (x == 0x3f800000) return 0;
  int64_t d = p.fraction & 0x1ffff;
  int64_t value =
      interpolate(&lg2_table[p.fraction >> 17], 12, d, (int64_t)square((uint32_t)d) << 1);
  value = ((value + 0x3345) >> 2) + (int64_t)(p.exponent - 127) * ((int64_t)1 << 36);
  bool negative = value < 0;
  value = negative ? ~value : value;
  return value ? normalise(negative, value, 36, 127) : 0;
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
  if (is_nan(x)) return NOT_A_NUMBER;
  if (p.exponent >= 127 + 7) return p.negative ? 0 : INFINITE;
  int32_t fixed = (int32_t)fixed_point(p);
  if (p.negative) fixed = fixed & 0x7fffff ? ~fixed : -fixed;
  uint32_t fraction = (uint32_t)fixed & 0x7fffff;
  int64_t d = fraction & 0x1ffff;
  int64_t value = interpolate(&ex2_table[fraction >> 17], 13, d, square((uint32_t)d));
  return assemble(false, 127 + (fixed >> 23), (value + 0x77e2) >> 15);
}

/* sin and cos of x full turns, x being in quarters: 23 bits of a quarter, 2 bits of which one. */
static uint32_t sine_of(bool negative, uint32_t quarters) {
  uint32_t fraction = (quarters >> 23 & 1 ? ~quarters : quarters) & 0x7fffff;
  int64_t d = fraction & 0x1ffff;
  int64_t value = interpolate(&sin_table[fraction >> 17], 11, d, square((uint32_t)d));
  negative ^= quarters >> 24 & 1;
  return value ? normalise(negative, value, 37, 127) : (uint32_t)negative << 31;
}

static inline uint32_t quarters_of(parts p) {
  p.exponent = p.exponent ? p.exponent + 2 : 0;
  return p.exponent > 127 + 31 ? 0 : fixed_point(p);
}

static uint32_t unit_sin(uint32_t x) {
  parts p = parts_of(x);
  if (p.exponent == 255) return NOT_A_NUMBER;
  return sine_of(p.negative, quarters_of(p));
}

static uint32_t unit_cos(uint32_t x) {
  parts p = parts_of(x);
  if (p.exponent == 255) return NOT_A_NUMBER;
  return sine_of(false, quarters_of(p) + 0x800000);
}

/* x itself below 2^-8, 1 from 8 on; between them intervals of equal length in each binade. */
static uint32_t unit_tanh(uint32_t x) {
  static const struct {
    uint8_t first, bits; /* its first interval, and log2 of how many there are */
  } binades[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                 {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
  parts p = parts_of(x);
  if (is_nan(x)) return NOT_A_NUMBER;
  if (p.exponent < 127 - 8) return x;
  if (p.exponent >= 127 + 3) return (x & SIGN) | 0x3f800000;
  int bits = binades[p.exponent - (127 - 8)].bits, first = binades[p.exponent - (127 - 8)].first;
  uint32_t d = p.fraction >> (6 - bits) & 0x1ffff;
  int64_t value = interpolate(&tanh_table[first + (p.fraction >> (23 - bits))], 15, d, square(d));
  return normalise(p.negative, value, 39, 127);
}

/* ---- The instructions: without .ftz, ptxas scales small operands ----------------------------- */

static inline uint32_t scaled(uint32_t a, float by) {
  return emu_f32_result(emu_float(a) * by);
}

static inline bool is_subnormal(uint32_t a) {
  return (a & INFINITE) == 0;
}

uint32_t emu_f32_rcp_approx(uint32_t a, unsigned how) {
  uint32_t magnitude = a & 0x7fffffff;
  float by = is_subnormal(a) ? 0x1p24f : magnitude > 0x7e800000 && !is_nan(a) ? 0.25f : 1.0f;
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

/* ---- Types of 16 bits: the same with the operand as an f32, cut off ----------------------------
 */

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

/* ---- Others, within their bounds alone ------------------------------------------------------ */

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
