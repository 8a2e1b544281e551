/* Floating point on bit patterns, for loops over lanes.
 *
 * .f16, .bf16 and .f32 are computed in double and then rounded, in any mode. The result is as if
 * rounded once. A product of two such numbers fits in a double. A sum is rounded to odd (Boldo and
 * Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", 2008), after which the next rounding is still right, because a double has more than two
 * bits over the 24. A quotient or a root of 24-bit numbers that is not exact is further from any
 * number of 25 bits than a double's rounding moves it, so the second rounding goes to the right
 * side. There are no branches: `how` is constant in each loop, and compilers vectorise the rest.
 * The host's arithmetic must round to nearest, and must not contract a * b + c
 * (-ffp-contract=off).
 *
 * .f64 uses the host's operations for .rn and soft.c for the directed modes.
 *
 * NaN: .f16, .bf16 and .f32 operations make the canonical NaN. .f64 operations hand on the NaN of
 * b, else of c, else of a, made quiet. The PTX ISA leaves both open. */
#ifndef GG_EMU_NUMBER_FLOAT_H
#define GG_EMU_NUMBER_FLOAT_H

#include <math.h>
#include <string.h>

#include "emu/number/format.h"
#include "emu/number/soft.h"

/* ---- Patterns ------------------------------------------------------------------------------ */

static inline double emu_double(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t emu_double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float emu_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint32_t emu_float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The smaller or the larger of two numbers of f32, where -0 is below +0. Of a number and a NaN it
 * is the number, unless `nan` says that a NaN wins. */
static inline uint32_t emu_f32_extreme(uint32_t a, uint32_t b, bool least, bool nan) {
  const uint32_t canonical = 0x7fffffff;
  float x = emu_float(a), y = emu_float(b);
  if (isnan(x) || isnan(y)) {
    if (nan || (isnan(x) && isnan(y))) return canonical;
    return isnan(x) ? b : a;
  }
  if (x == y) return least == !!(a >> 31) ? a : b;
  return (least ? x < y : x > y) ? a : b;
}

/* ---- To double ----------------------------------------------------------------------------- */

/* Exact; NaN stays some NaN. EMU_FTZ in `how` makes subnormal numbers zeros. */
static inline double emu_f32_value(uint32_t bits, unsigned how) {
  uint32_t flushed = (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
  return emu_float(how & EMU_FTZ ? flushed : bits);
}

static inline double emu_bf16_value(uint16_t bits, unsigned how) {
  return emu_f32_value((uint32_t)bits << 16, how);
}

static inline double emu_f16_value(uint16_t bits, unsigned how) {
  /* Converts to float: the exponent of normal numbers is moved by 112. A subnormal number is what
   * is left of a number with the smallest exponent when its hidden bit is subtracted. */
  uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13;
  uint32_t subnormal = emu_float_bits(emu_float(magnitude + 0x38800000) - 0x1p-14f);
  uint32_t normal = magnitude + (magnitude >= 0x0f800000 ? 0x70000000 : 0x38000000);
  uint32_t small = how & EMU_FTZ ? 0 : subnormal;
  return emu_float((magnitude < 0x00800000 ? small : normal) | (uint32_t)(bits & 0x8000) << 16);
}

static inline double emu_f64_value(uint64_t bits, unsigned how) {
  (void)how;
  return emu_double(bits);
}

/* ---- From double --------------------------------------------------------------------------- */

/* Applies sat and relu; `one` is the pattern of 1. */
static inline uint64_t emu_finish(const emu_format *f, uint64_t bits, uint64_t one, bool nan,
                                  unsigned how) {
  bool negative = (bits & f->sign) != 0;
  if (how & EMU_SAT) bits = nan || negative ? 0 : bits > one ? one : bits;
  if (how & EMU_RELU) bits = negative && !nan ? 0 : bits;
  return bits;
}

/* By how many of its last units the rounded magnitude is off. `rounded` is |x| rounded to nearest
 * even, `half` is half a unit. */
static inline int emu_correction(double magnitude, double rounded, double half, bool negative,
                                 unsigned how) {
  unsigned mode = how & EMU_MODE_MASK;
  int away = mode == EMU_RM ? negative : !negative;
  switch (mode) {
  case EMU_RN:
    return 0;
  case EMU_RNA:
    return magnitude - rounded == half;
  case EMU_RZ:
    return -(rounded > magnitude);
  default:
    return away ? rounded < magnitude : -(rounded > magnitude);
  }
}

/* Whether a number is subnormal after it was rounded as if there were no smallest exponent. That is
 * what .ftz flushes, even if rounding to the format gives the smallest normal number. */
static inline bool emu_is_tiny(const emu_format *f, double magnitude, bool negative, unsigned how) {
  double least = emu_double((uint64_t)(1023 + f->min_exponent) << 52);
  double unit = emu_double((uint64_t)(1023 + f->min_exponent - f->precision) << 52);
  unsigned mode = how & EMU_MODE_MASK;
  if (mode == EMU_RN) return magnitude < least - unit / 2;
  if (mode == EMU_RZ || negative != (mode == EMU_RM)) return magnitude < least;
  return magnitude <= least - unit;
}

/* Rounds x to a format of at most 16 bits of precision and at most 32 bits of pattern, by adding a
 * power of two so large that the unit of the sum is the unit of the result. The low bits of the sum
 * are then the result's significand. */
static inline uint32_t emu_narrow(const emu_format *f, double x, unsigned how) {
  uint64_t bits = emu_double_bits(x), magnitude_bits = bits & 0x7fffffffffffffff;
  bool negative = bits >> 63, nan = magnitude_bits > 0x7ff0000000000000;
  int exponent = (int)(magnitude_bits >> 52) - 1023;
  bool over = exponent > f->max_exponent;
  exponent = over ? f->max_exponent : exponent < f->min_exponent ? f->min_exponent : exponent;
  uint64_t anchor_bits = (uint64_t)(exponent + 1023 + 53 - f->precision) << 52;
  double magnitude = emu_double(over ? 0 : magnitude_bits), anchor = emu_double(anchor_bits);
  double sum = magnitude + anchor;
  double half = emu_double((uint64_t)(exponent + 1023 - f->precision) << 52);
  uint32_t result = (uint32_t)(emu_double_bits(sum) - anchor_bits);
  result += (uint32_t)emu_correction(magnitude, sum - anchor, half, negative, how);
  result += (uint32_t)(exponent - f->min_exponent) << (f->precision - 1);
  result <<= f->shift;

  unsigned mode = how & EMU_MODE_MASK;
  bool toward_zero =
      mode == EMU_RZ || (mode == EMU_RM && !negative) || (mode == EMU_RP && negative);
  bool infinite = magnitude_bits == 0x7ff0000000000000;
  uint32_t beyond = (uint32_t)(f->infinity ? f->infinity : f->nan);
  beyond = (toward_zero && !infinite) || (how & EMU_SATFINITE) ? (uint32_t)f->max : beyond;
  result = over || result > f->max ? beyond : result;
  int fraction_bits = f->precision - 1 + f->shift;
  double absolute = emu_double(magnitude_bits);
  if ((how & EMU_FTZ) && emu_is_tiny(f, absolute, negative, how)) result = 0;
  result |= negative ? (uint32_t)f->sign : 0;
  result = nan ? (uint32_t)(f->nan ? f->nan : f->max) : result;
  uint64_t one = (uint64_t)(1 - f->min_exponent) << fraction_bits;
  return (uint32_t)emu_finish(f, result, one, nan, how);
}

/* Rounds to odd, given a rounded number and what it lacks to the exact one, as patterns. An even
 * pattern moves by one unit, outward or inward by the signs. `lost` is NaN if the number is
 * infinite or NaN. */
static inline uint32_t emu_odd_32(uint32_t bits, uint32_t lost) {
  uint32_t step = (~bits & 1) * (1 - ((bits ^ lost) >> 31 << 1));
  return (lost & 0x7fffffff) - 1 < 0x7f800000 ? bits + step : bits;
}

static inline uint64_t emu_odd_64(uint64_t bits, uint64_t lost) {
  uint64_t step = (~bits & 1) * (1 - ((bits ^ lost) >> 63 << 1));
  return (lost & 0x7fffffffffffffff) - 1 < 0x7ff0000000000000 ? bits + step : bits;
}

/* Rounds a double to odd as a float, so that a narrower rounding can follow. Beyond the largest
 * float what is lost is infinite, and the step leads back to the largest. */
static inline uint32_t emu_odd_float(double x) {
  float rounded = (float)x;
  uint32_t bits = emu_float_bits(rounded);
  uint64_t lost = emu_double_bits(x - (double)rounded);
  uint32_t step = (~bits & 1) * (1 - ((bits ^ (uint32_t)(lost >> 32)) >> 31 << 1));
  return (lost & 0x7fffffffffffffff) - 1 < 0x7ff0000000000000 ? bits + step : bits;
}

/* Rounds a float to nearest even as emu_narrow does, in 32 bits. The format's largest exponent must
 * leave room for the power of two that is added. */
static inline uint32_t emu_narrow_float(const emu_format *f, uint32_t bits, unsigned how) {
  const int32_t least = f->min_exponent + 127, most = f->max_exponent + 127;
  int32_t magnitude = (int32_t)(bits & 0x7fffffff), limit = (most + 1) << 23;
  bool negative = bits >> 31, nan = magnitude > 0x7f800000;
  magnitude = magnitude > limit ? limit : magnitude;
  int32_t exponent = magnitude >> 23;
  exponent = exponent < least ? least : exponent > most ? most : exponent;
  uint32_t anchor = (uint32_t)(exponent + 24 - f->precision) << 23;
  uint32_t sum = emu_float_bits(emu_float((uint32_t)magnitude) + emu_float(anchor));
  uint32_t result = sum - anchor + ((uint32_t)(exponent - least) << (f->precision - 1));
  uint32_t beyond = (uint32_t)(f->infinity ? f->infinity : f->nan);
  beyond = how & EMU_SATFINITE ? (uint32_t)f->max : beyond;
  result = (int32_t)result > (int32_t)f->max ? beyond : result;
  result |= negative ? (uint32_t)f->sign : 0;
  if (how & EMU_RELU) result = negative ? 0 : result;
  return nan ? (uint32_t)(f->nan ? f->nan : f->max) : result;
}

/* Converts a number of a format of at most 16 bits to float, exactly, as emu_f16_value does. NaN
 * stays some NaN. */
static inline uint32_t emu_widen_float(const emu_format *f, uint32_t bits) {
  const int shift = 24 - f->precision;
  const uint32_t bias = (uint32_t)(f->min_exponent + 126) << 23, least = bias + (1u << 23);
  uint32_t magnitude = bits & (uint32_t)(f->sign - 1), sign = bits & (uint32_t)f->sign;
  bool special = f->infinity && magnitude >= f->infinity;
  bool nan = f->nan && (f->infinity ? magnitude > f->infinity : magnitude == f->nan);
  uint32_t subnormal = emu_float_bits(emu_float((magnitude << shift) + least) - emu_float(least));
  uint32_t result = magnitude >> (f->precision - 1) ? (magnitude << shift) + bias : subnormal;
  result = special ? 0x7f800000 : result;
  return nan ? 0x7fffffff : result | (sign ? 0x80000000 : 0);
}

static inline uint32_t emu_bf16_from_float(uint32_t bits) {
  bool nan = (int32_t)(bits & 0x7fffffff) > 0x7f800000;
  return nan ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static inline uint32_t emu_f16_round(double x, unsigned how) {
  if (how == EMU_RN) return emu_narrow_float(&emu_f16, emu_odd_float(x), how);
  return emu_narrow(&emu_f16, x, how);
}

static inline uint32_t emu_bf16_round(double x, unsigned how) {
  if (how == EMU_RN) return emu_bf16_from_float(emu_odd_float(x));
  return emu_narrow(&emu_bf16, x, how);
}

/* Rounds a double to float. One beyond the largest float rounds to infinity, as by a cast. Toward
 * zero, one unit back from there is the largest finite number, so only true infinities are
 * special. */
static inline uint32_t emu_f32_round(double x, unsigned how) {
  float rounded = (float)x;
  uint32_t bits = emu_float_bits(rounded);
  bool negative = signbit(x) != 0, nan = x != x;
  if (how & EMU_MODE_MASK) {
    bits += (uint32_t)emu_correction(fabs(x), fabs((double)rounded), 0, negative, how);
  }
  if ((how & EMU_FTZ) && emu_is_tiny(&emu_f32, fabs(x), negative, how)) bits &= 0x80000000;
  bits = nan ? 0x7fffffff : bits;
  return (uint32_t)emu_finish(&emu_f32, bits, 0x3f800000, nan, how);
}

/* Finishes a double as an .f64: NaN keeps its sign and payload, but becomes quiet. */
static inline uint64_t emu_f64_finish(double x, unsigned how) {
  uint64_t bits = emu_double_bits(x) | (x != x ? 0x0008000000000000 : 0);
  return emu_finish(&emu_f64, bits, 0x3ff0000000000000, x != x, how);
}

/* Rounds to an integer as the mode says; 0 gets the sign of x. If the unit of x is at least 1, x is
 * an integer. */
static inline double emu_integral(double x, unsigned how) {
  double magnitude = fabs(x), rounded = (magnitude + 0x1p52) - 0x1p52;
  rounded += emu_correction(magnitude, rounded, 0.5, signbit(x) != 0, how);
  return copysign(magnitude < 0x1p52 ? rounded : magnitude, x);
}

/* ---- From float --------------------------------------------------------------------------- */

static inline uint32_t emu_f16_from_f32(uint32_t bits, unsigned how) {
  bool nearest = (how & ~(unsigned)(EMU_SATFINITE | EMU_RELU)) == EMU_RN;
  return nearest ? emu_narrow_float(&emu_f16, bits, how)
                 : emu_narrow(&emu_f16, emu_f32_value(bits, how), how);
}

static inline uint32_t emu_bf16_from_f32(uint32_t bits, unsigned how) {
  return how == EMU_RN ? emu_bf16_from_float(bits)
                       : emu_narrow(&emu_bf16, emu_f32_value(bits, how), how);
}

/* ---- Operations in double, for one rounding to follow -------------------------------------- */

/* x + y rounded to odd: exact, or with the last bit set. An exact zero has the mode's sign. */
static inline double emu_add_odd(double x, double y, unsigned how) {
  double s = x + y;
  double part = s - x;
  double lost = (x - (s - part)) + (y - part);
  uint64_t bits = emu_double_bits(s), rest = emu_double_bits(lost);
  bits = emu_odd_64(bits, rest);
  if ((how & EMU_MODE_MASK) == EMU_RM) {
    bool positive_zeros = (emu_double_bits(x) | emu_double_bits(y)) == 0;
    bits = s == 0 && !positive_zeros ? (uint64_t)1 << 63 : bits;
  }
  return emu_double(bits);
}

/* The operations of a type of at most 24 bits of precision. */
#define EMU_NARROW_OPERATIONS(name, uint)                                                          \
  static inline uint emu_##name##_add(uint a, uint b, unsigned how) {                              \
    double x = emu_##name##_value(a, how), y = emu_##name##_value(b, how);                         \
    return (uint)emu_##name##_round(emu_add_odd(x, y, how), how);                                  \
  }                                                                                                \
  static inline uint emu_##name##_sub(uint a, uint b, unsigned how) {                              \
    double x = emu_##name##_value(a, how), y = emu_##name##_value(b, how);                         \
    return (uint)emu_##name##_round(emu_add_odd(x, -y, how), how);                                 \
  }                                                                                                \
  static inline uint emu_##name##_mul(uint a, uint b, unsigned how) {                              \
    double x = emu_##name##_value(a, how), y = emu_##name##_value(b, how);                         \
    return (uint)emu_##name##_round(x * y, how);                                                   \
  }                                                                                                \
  static inline uint emu_##name##_fma(uint a, uint b, uint c, unsigned how) {                      \
    double x = emu_##name##_value(a, how), y = emu_##name##_value(b, how);                         \
    return (uint)emu_##name##_round(emu_add_odd(x * y, emu_##name##_value(c, how), how), how);     \
  }                                                                                                \
  static inline uint emu_##name##_div(uint a, uint b, unsigned how) {                              \
    return (uint)emu_##name##_round(emu_##name##_value(a, how) / emu_##name##_value(b, how), how); \
  }                                                                                                \
  static inline uint emu_##name##_sqrt(uint a, unsigned how) {                                     \
    return (uint)emu_##name##_round(sqrt(emu_##name##_value(a, how)), how);                        \
  }

EMU_NARROW_OPERATIONS(f16, uint16_t)
EMU_NARROW_OPERATIONS(bf16, uint16_t)
EMU_NARROW_OPERATIONS(f32, uint32_t)
#undef EMU_NARROW_OPERATIONS

/* .rn.f32 without modifiers: the host's own operation. */
static inline uint32_t emu_f32_result(float x) {
  uint32_t bits = emu_float_bits(x);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

/* ---- .rn without modifiers, in float --------------------------------------------------------
 *
 * A float has two bits more than twice an .f16's or .bf16's precision: the sum of two rounds to
 * float and then to the type as it would at once (Figueroa, "When is double rounding innocuous?",
 * 1995). Products of .f16 are exact in float; a fused sum is rounded to odd there. */

static inline uint16_t emu_f16_add_rn(uint16_t a, uint16_t b) {
  float x = emu_float(emu_widen_float(&emu_f16, a)), y = emu_float(emu_widen_float(&emu_f16, b));
  return (uint16_t)emu_narrow_float(&emu_f16, emu_float_bits(x + y), EMU_RN);
}

static inline uint16_t emu_f16_sub_rn(uint16_t a, uint16_t b) {
  float x = emu_float(emu_widen_float(&emu_f16, a)), y = emu_float(emu_widen_float(&emu_f16, b));
  return (uint16_t)emu_narrow_float(&emu_f16, emu_float_bits(x - y), EMU_RN);
}

static inline uint16_t emu_f16_mul_rn(uint16_t a, uint16_t b) {
  float x = emu_float(emu_widen_float(&emu_f16, a)), y = emu_float(emu_widen_float(&emu_f16, b));
  return (uint16_t)emu_narrow_float(&emu_f16, emu_float_bits(x * y), EMU_RN);
}

static inline uint16_t emu_f16_fma_rn(uint16_t a, uint16_t b, uint16_t c) {
  float x = emu_float(emu_widen_float(&emu_f16, a)) * emu_float(emu_widen_float(&emu_f16, b));
  float y = emu_float(emu_widen_float(&emu_f16, c));
  float s = x + y, part = s - x, lost = (x - (s - part)) + (y - part);
  uint32_t bits = emu_float_bits(s), rest = emu_float_bits(lost);
  return (uint16_t)emu_narrow_float(&emu_f16, emu_odd_32(bits, rest), EMU_RN);
}

static inline uint16_t emu_bf16_add_rn(uint16_t a, uint16_t b) {
  float x = emu_float((uint32_t)a << 16), y = emu_float((uint32_t)b << 16);
  return (uint16_t)emu_bf16_from_float(emu_float_bits(x + y));
}

static inline uint16_t emu_bf16_sub_rn(uint16_t a, uint16_t b) {
  float x = emu_float((uint32_t)a << 16), y = emu_float((uint32_t)b << 16);
  return (uint16_t)emu_bf16_from_float(emu_float_bits(x - y));
}

/* ---- .f64 ---------------------------------------------------------------------------------- */

static inline bool emu_f64_is_nan(uint64_t a) {
  return (a & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

/* The result of an operation if one of its operands may be NaN. */
static inline uint64_t emu_f64_result(uint64_t result, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t quiet = 0x0008000000000000;
  if (!emu_f64_is_nan(result)) return result;
  if (emu_f64_is_nan(b)) return b | quiet;
  if (emu_f64_is_nan(c)) return c | quiet;
  if (emu_f64_is_nan(a)) return a | quiet;
  return emu_f64.nan;
}

static inline uint64_t emu_f64_add(uint64_t a, uint64_t b, unsigned how) {
  uint64_t bits =
      how ? emu_soft_add(&emu_f64, a, b, how) : emu_double_bits(emu_double(a) + emu_double(b));
  return emu_f64_result(bits, a, b, 0);
}

static inline uint64_t emu_f64_sub(uint64_t a, uint64_t b, unsigned how) {
  uint64_t bits = how ? emu_soft_add(&emu_f64, a, b ^ emu_f64.sign, how)
                      : emu_double_bits(emu_double(a) - emu_double(b));
  return emu_f64_result(bits, a, b, 0);
}

static inline uint64_t emu_f64_mul(uint64_t a, uint64_t b, unsigned how) {
  uint64_t bits =
      how ? emu_soft_mul(&emu_f64, a, b, how) : emu_double_bits(emu_double(a) * emu_double(b));
  return emu_f64_result(bits, a, b, 0);
}

static inline uint64_t emu_f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned how) {
  uint64_t bits = how ? emu_soft_fma(&emu_f64, a, b, c, how)
                      : emu_double_bits(fma(emu_double(a), emu_double(b), emu_double(c)));
  return emu_f64_result(bits, a, b, c);
}

static inline uint64_t emu_f64_div(uint64_t a, uint64_t b, unsigned how) {
  uint64_t bits =
      how ? emu_soft_div(&emu_f64, a, b, how) : emu_double_bits(emu_double(a) / emu_double(b));
  return emu_f64_result(bits, b, a, 0); /* a division hands on a's NaN first */
}

static inline uint64_t emu_f64_sqrt(uint64_t a, unsigned how) {
  uint64_t bits = how ? emu_soft_sqrt(&emu_f64, a, how) : emu_double_bits(sqrt(emu_double(a)));
  return emu_f64_result(bits, a, 0, 0);
}

/* ---- Order, sign, classes ------------------------------------------------------------------ */

/* What min and max can be asked for, besides EMU_FTZ. */
enum {
  EMU_NAN_WINS = 128, /* .NaN: NaN if an operand is; else the operand that is a number */
  EMU_XORSIGN = 256,  /* .xorsign.abs: of magnitudes, with the product of the signs */
};

/* The operations that need no rounding. Numbers are ordered, with -0 < +0, by a key: their pattern,
 * with all lower bits inverted if the sign is set. */
#define EMU_ORDER_OPERATIONS(name, uint, sint, SIGN, INFINITY_, NAN_, LEAST)                       \
  static inline bool emu_##name##_nan(uint a) {                                                    \
    return (a & (SIGN - 1)) > INFINITY_;                                                           \
  }                                                                                                \
  static inline uint emu_##name##_flush(uint a, unsigned how) {                                    \
    return (how & EMU_FTZ) && (a & (SIGN - 1)) < LEAST ? a & SIGN : a;                             \
  }                                                                                                \
  static inline sint emu_##name##_key(uint a) {                                                    \
    return (sint)(a & SIGN ? a ^ (SIGN - 1) : a);                                                  \
  }                                                                                                \
  static inline uint emu_##name##_select(uint a, uint b, bool larger, unsigned how) {              \
    uint sign = (a ^ b) & SIGN;                                                                    \
    a = emu_##name##_flush(a, how), b = emu_##name##_flush(b, how);                                \
    if (how & EMU_XORSIGN) a &= SIGN - 1, b &= SIGN - 1;                                           \
    bool a_nan = emu_##name##_nan(a), b_nan = emu_##name##_nan(b);                                 \
    bool take_b = larger ? emu_##name##_key(b) > emu_##name##_key(a)                               \
                         : emu_##name##_key(b) < emu_##name##_key(a);                              \
    uint chosen = a_nan ? b : b_nan ? a : take_b ? b : a;                                          \
    bool nan = (how & EMU_NAN_WINS) ? a_nan | b_nan : a_nan & b_nan;                               \
    if (how & EMU_XORSIGN) chosen |= sign;                                                         \
    return nan ? (uint)NAN_ : chosen;                                                              \
  }                                                                                                \
  static inline uint emu_##name##_min(uint a, uint b, unsigned how) {                              \
    return emu_##name##_select(a, b, false, how);                                                  \
  }                                                                                                \
  static inline uint emu_##name##_max(uint a, uint b, unsigned how) {                              \
    return emu_##name##_select(a, b, true, how);                                                   \
  }

/* abs and neg turn NaN into the canonical one... */
#define EMU_SIGN_OPERATIONS(name, uint, SIGN, NAN_)                                                \
  static inline uint emu_##name##_abs(uint a, unsigned how) {                                      \
    a = emu_##name##_flush(a, how);                                                                \
    return emu_##name##_nan(a) ? (uint)(NAN_) : a & (uint)(SIGN - 1);                              \
  }                                                                                                \
  static inline uint emu_##name##_neg(uint a, unsigned how) {                                      \
    a = emu_##name##_flush(a, how);                                                                \
    return emu_##name##_nan(a) ? (uint)(NAN_) : a ^ (uint)SIGN;                                    \
  }

EMU_ORDER_OPERATIONS(f16, uint16_t, int16_t, 0x8000, 0x7c00, 0x7fff, 0x400)
EMU_ORDER_OPERATIONS(bf16, uint16_t, int16_t, 0x8000, 0x7f80, 0x7fff, 0x80)
EMU_ORDER_OPERATIONS(f32, uint32_t, int32_t, 0x80000000, 0x7f800000, 0x7fffffff, 0x800000)
/* If two .f64 are NaN, the result is b, made quiet. */
EMU_ORDER_OPERATIONS(f64, uint64_t, int64_t, 0x8000000000000000, 0x7ff0000000000000,
                     b | 0x0008000000000000, 0x10000000000000)
#undef EMU_ORDER_OPERATIONS

EMU_SIGN_OPERATIONS(f16, uint16_t, 0x8000, 0x7fff)
EMU_SIGN_OPERATIONS(bf16, uint16_t, 0x8000, 0x7fff)
EMU_SIGN_OPERATIONS(f32, uint32_t, 0x80000000, 0x7fffffff)
/* ... but for .f64 they keep it, with its sign, and make it quiet. */
EMU_SIGN_OPERATIONS(f64, uint64_t, 0x8000000000000000, a | 0x0008000000000000)
#undef EMU_SIGN_OPERATIONS

/* setp's comparisons, as bits: less, equal, greater, unordered. */
enum emu_comparison {
  EMU_LESS = 1,
  EMU_EQUAL = 2,
  EMU_GREATER = 4,
  EMU_UNORDERED = 8,
};

#endif
