/* Floating point on bit patterns, for loops over lanes.
 *
 * .f16, .bf16 and .f32 are computed in double and rounded once, in any mode. That is exact: a
 * product of two such numbers fits in a double; a sum is rounded to odd (Boldo and Melquiond,
 * "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008),
 * which leaves the one rounding that follows right, since a double has more than two bits over
 * the 24; and a quotient or a root of 24-bit numbers that is not exact is further from any number
 * of 25 bits than a double's rounding moves it, so that the second rounding sees the right side.
 * There are no branches: `how` is constant where a loop is made, and compilers vectorise the
 * rest. It takes the host's arithmetic to round to nearest, and no contraction of a * b + c
 * (-ffp-contract=off).
 *
 * .f64 uses the host's operations for .rn and soft.c for the directed modes.
 *
 * NaN: what .f16, .bf16, .f32 operations make is the canonical NaN. .f64 operations hand on the
 * first operand that is NaN, made quiet; the PTX ISA leaves both open. */
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
  /* As a float whose exponent is 112 too small; the product makes subnormal numbers normal. */
  uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13;
  uint32_t scaled = emu_float_bits(emu_float(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000;
  uint32_t flushed = (how & EMU_FTZ) && (bits & 0x7c00) == 0 ? 0 : scaled;
  return emu_float((magnitude >= 0x0f800000 ? special : flushed) | (uint32_t)(bits & 0x8000) << 16);
}

static inline double emu_f64_value(uint64_t bits, unsigned how) {
  (void)how;
  return emu_double(bits);
}

/* ---- From double --------------------------------------------------------------------------- */

/* sat and relu of a pattern of 1 at `one`. */
static inline uint64_t emu_finish(const emu_format *f, uint64_t bits, uint64_t one, bool nan,
                                  unsigned how) {
  bool negative = (bits & f->sign) != 0;
  if (how & EMU_SAT) bits = nan || negative ? 0 : bits > one ? one : bits;
  if (how & EMU_RELU) bits = negative && !nan ? 0 : bits;
  return bits;
}

/* How many of its last units the rounded magnitude is off: `rounded` is |x| to nearest even, `half`
 * half a unit. */
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

/* x rounded to a format of at most 16 bits of precision and at most 32 bits of pattern. Adding a
 * power of two so large that the unit of the sum is the unit of the result rounds x; the low bits
 * of the sum are the result's significand. */
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
  if (how & EMU_FTZ) result = result >> fraction_bits ? result : 0;
  result |= negative ? (uint32_t)f->sign : 0;
  result = nan ? (uint32_t)(f->nan ? f->nan : f->max) : result;
  uint64_t one = (uint64_t)(1 - f->min_exponent) << fraction_bits;
  return (uint32_t)emu_finish(f, result, one, nan, how);
}

static inline uint32_t emu_f16_round(double x, unsigned how) {
  return emu_narrow(&emu_f16, x, how);
}

static inline uint32_t emu_bf16_round(double x, unsigned how) {
  return emu_narrow(&emu_bf16, x, how);
}

/* A double in the range of infinity rounds to infinity as a cast does; toward zero one unit back
 * from there is the largest finite number, so that only true infinities need care. */
static inline uint32_t emu_f32_round(double x, unsigned how) {
  float rounded = (float)x;
  uint32_t bits = emu_float_bits(rounded);
  bool negative = signbit(x) != 0, nan = x != x;
  if (how & EMU_MODE_MASK) {
    bits += (uint32_t)emu_correction(fabs(x), fabs((double)rounded), 0, negative, how);
  }
  if (how & EMU_FTZ) bits = (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
  bits = nan ? 0x7fffffff : bits;
  return (uint32_t)emu_finish(&emu_f32, bits, 0x3f800000, nan, how);
}

/* A double as an .f64: NaN keeps its sign and payload, made quiet. */
static inline uint64_t emu_f64_finish(double x, unsigned how) {
  uint64_t bits = emu_double_bits(x) | (x != x ? 0x0008000000000000 : 0);
  return emu_finish(&emu_f64, bits, 0x3ff0000000000000, x != x, how);
}

/* To the nearest integer of the mode's kind, of x's sign where it is 0. Where the unit is one
 * already, x is an integer. */
static inline double emu_integral(double x, unsigned how) {
  double magnitude = fabs(x), rounded = (magnitude + 0x1p52) - 0x1p52;
  rounded += emu_correction(magnitude, rounded, 0.5, signbit(x) != 0, how);
  return copysign(magnitude < 0x1p52 ? rounded : magnitude, x);
}

/* ---- Operations in double, for one rounding to follow -------------------------------------- */

/* x + y rounded to odd: exact, or with the last bit set. An exact zero has the mode's sign. */
static inline double emu_add_odd(double x, double y, unsigned how) {
  double s = x + y;
  double part = s - x;
  double lost = (x - (s - part)) + (y - part);
  uint64_t bits = emu_double_bits(s);
  bool inexact = lost > 0 || lost < 0;
  bool outward = (lost > 0) == (s > 0);
  uint64_t odd = outward ? bits + 1 : bits - 1;
  bits = inexact && !(bits & 1) ? odd : bits;
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

/* ---- .f64 ---------------------------------------------------------------------------------- */

static inline bool emu_f64_is_nan(uint64_t a) {
  return (a & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

/* What an operation on operands of which one may be NaN gives. */
static inline uint64_t emu_f64_result(uint64_t result, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t quiet = 0x0008000000000000;
  if (!emu_f64_is_nan(result)) return result;
  if (emu_f64_is_nan(a)) return a | quiet;
  if (emu_f64_is_nan(b)) return b | quiet;
  if (emu_f64_is_nan(c)) return c | quiet;
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
  return emu_f64_result(bits, a, b, 0);
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

/* The operations that need no rounding. In an order where -0 < +0 the pattern of a number is its
 * key: as it stands, or with all lower bits turned where the sign is set. */
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

/* Of NaN, abs and neg make the canonical one... */
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
EMU_ORDER_OPERATIONS(f64, uint64_t, int64_t, 0x8000000000000000, 0x7ff0000000000000,
                     0xfff8000000000000, 0x10000000000000)
#undef EMU_ORDER_OPERATIONS

EMU_SIGN_OPERATIONS(f16, uint16_t, 0x8000, 0x7fff)
EMU_SIGN_OPERATIONS(bf16, uint16_t, 0x8000, 0x7fff)
EMU_SIGN_OPERATIONS(f32, uint32_t, 0x80000000, 0x7fffffff)
/* ... but of an .f64 they keep it, its sign too, and make it quiet. */
EMU_SIGN_OPERATIONS(f64, uint64_t, 0x8000000000000000, a | 0x0008000000000000)
#undef EMU_SIGN_OPERATIONS

/* setp's comparisons: what holds of less, equal, greater, unordered. */
enum emu_comparison {
  EMU_LESS = 1,
  EMU_EQUAL = 2,
  EMU_GREATER = 4,
  EMU_UNORDERED = 8,
};

static inline bool emu_compares(double x, double y, unsigned comparison) {
  bool less = x<y, equal = x == y, greater = x> y;
  bool unordered = !(less | equal | greater);
  return (((comparison & EMU_LESS) != 0) & less) | (((comparison & EMU_EQUAL) != 0) & equal) |
         (((comparison & EMU_GREATER) != 0) & greater) |
         (((comparison & EMU_UNORDERED) != 0) & unordered);
}

#endif
