/* Arithmetic on unpacked numbers (soft.h).
 *
 * Products and aligned sums are held in 128 bits. A product of two 64-bit significands with at
 * most 53 bits set at their tops leaves at least 22 zero bits below; the smaller operand of a
 * sum loses bits (to the sticky bit) only when its shift exceeds them, and then a subtraction
 * cancels at most one leading bit, so that the sticky bit never rises into what is kept.
 * Source: IEEE 754-2019, 4.3, 6 and 7. */
#include "emu/number/soft.h"

/* A gnu extension: C11 has no 128-bit integer. */
__extension__ typedef unsigned __int128 u128;

/* ---- Unpack and pack ----------------------------------------------------------------------- */

static int leading_zeros(uint64_t x) {
  return __builtin_clzll(x);
}

static emu_real special(enum emu_class class, bool negative) {
  return (emu_real){.class = class, .negative = negative};
}

emu_real emu_real_from_u64(uint64_t magnitude, bool negative) {
  if (!magnitude) return special(EMU_ZERO, negative);
  int zeros = leading_zeros(magnitude);
  return (emu_real){EMU_FINITE, negative, 63 - zeros, magnitude << zeros};
}

emu_real emu_real_unpack(const emu_format *f, uint64_t bits, bool ftz) {
  bool negative = bits & f->sign;
  uint64_t magnitude = bits & (f->sign - 1);
  if (emu_format_is_nan(f, bits)) return special(EMU_NAN, false);
  if (f->infinity && magnitude == f->infinity) return special(EMU_INFINITY, negative);
  magnitude >>= f->shift;
  int fraction_bits = f->precision - 1;
  uint64_t hidden = (uint64_t)1 << fraction_bits;
  int field = (int)(magnitude >> fraction_bits);
  uint64_t fraction = magnitude & (hidden - 1);
  if (field == 0 && (ftz || !fraction)) return special(EMU_ZERO, negative);
  emu_real x = emu_real_from_u64(field ? fraction | hidden : fraction, negative);
  x.exponent += f->min_exponent - fraction_bits + (field ? field - 1 : 0);
  return x;
}

/* What is decided by the bits below the last one kept: `rest` holds them from its top bit on. */
static bool rounds_up(unsigned how, bool negative, bool odd, uint64_t rest) {
  const uint64_t half = (uint64_t)1 << 63;
  switch (how & EMU_MODE_MASK) {
  case EMU_RN:
    return rest > half || (rest == half && odd);
  case EMU_RNA:
    return rest >= half;
  case EMU_RM:
    return negative && rest;
  case EMU_RP:
    return !negative && rest;
  default:
    return false;
  }
}

/* The significand without its last `discard` bits, and those bits. */
static uint64_t split(uint64_t significand, int discard, uint64_t *rest) {
  if (discard == 0) {
    *rest = 0;
    return significand;
  }
  if (discard > 64) {
    *rest = significand != 0;
    return 0;
  }
  *rest = significand << (64 - discard);
  return discard == 64 ? 0 : significand >> discard;
}

/* The magnitude of what lies beyond the largest finite number. */
static uint64_t overflow(const emu_format *f, bool negative, unsigned how) {
  unsigned mode = how & EMU_MODE_MASK;
  if (how & EMU_SATFINITE) return f->max;
  if (mode == EMU_RZ || (mode == EMU_RM && !negative) || (mode == EMU_RP && negative)) {
    return f->max;
  }
  return f->infinity ? f->infinity : f->nan;
}

static uint64_t one(const emu_format *f) {
  return (uint64_t)(1 - f->min_exponent) << (f->precision - 1 + f->shift);
}

static uint64_t finish(const emu_format *f, uint64_t magnitude, bool negative, unsigned how) {
  if ((how & EMU_FTZ) && magnitude >> (f->precision - 1 + f->shift) == 0) magnitude = 0;
  if ((how & EMU_SAT) && (negative || magnitude > one(f))) return negative ? 0 : one(f);
  if ((how & EMU_RELU) && negative) return 0;
  return negative ? magnitude | f->sign : magnitude;
}

static uint64_t pack_special(const emu_format *f, emu_real x, unsigned how) {
  if (x.class == EMU_ZERO) return finish(f, 0, x.negative, how);
  if (x.class == EMU_INFINITY) {
    uint64_t magnitude = (how & EMU_SATFINITE) ? f->max : f->infinity ? f->infinity : f->nan;
    return finish(f, magnitude, x.negative, how);
  }
  if (how & EMU_SAT) return 0;
  return f->nan ? f->nan : f->max;
}

/* The magnitude of kept * 2^(exponent of x): the carry of a rounding runs into the exponent. */
static uint64_t encode(const emu_format *f, emu_real x, uint64_t kept, unsigned how) {
  uint64_t magnitude = kept;
  if (x.exponent > f->min_exponent) {
    if (x.exponent > f->max_exponent) return overflow(f, x.negative, how);
    magnitude += (uint64_t)(x.exponent - f->min_exponent) << (f->precision - 1);
  }
  magnitude <<= f->shift;
  return magnitude > f->max ? overflow(f, x.negative, how) : magnitude;
}

static int discarded(const emu_format *f, emu_real x) {
  int below = f->min_exponent - x.exponent;
  return 64 - f->precision + (below > 0 ? below : 0);
}

/* As emu_is_tiny of float.h. */
static bool is_tiny(const emu_format *f, emu_real x, unsigned how) {
  uint64_t rest, kept = split(x.significand, 64 - f->precision, &rest);
  kept += rounds_up(how, x.negative, kept & 1, rest);
  return x.exponent + (int)(kept >> f->precision) < f->min_exponent;
}

uint64_t emu_real_pack(const emu_format *f, emu_real x, unsigned how) {
  uint64_t rest;
  if (x.class != EMU_FINITE) return pack_special(f, x, how);
  if ((how & EMU_FTZ) && is_tiny(f, x, how)) return finish(f, 0, x.negative, how);
  uint64_t kept = split(x.significand, discarded(f, x), &rest);
  kept += rounds_up(how, x.negative, kept & 1, rest);
  return finish(f, encode(f, x, kept, how), x.negative, how);
}

uint64_t emu_real_pack_random(const emu_format *f, emu_real x, unsigned how, uint32_t random,
                              int width) {
  uint64_t rest;
  if (x.class != EMU_FINITE) return pack_special(f, x, how);
  uint64_t kept = split(x.significand, discarded(f, x), &rest);
  kept += ((rest >> (64 - width)) + (random & (((uint64_t)1 << width) - 1))) >> width;
  return finish(f, encode(f, x, kept, how), x.negative, how);
}

/* ---- Integers ------------------------------------------------------------------------------ */

static uint64_t round_integer(emu_real x, unsigned how) {
  uint64_t rest;
  uint64_t kept = split(x.significand, 63 - x.exponent, &rest);
  return kept + rounds_up(how, x.negative, kept & 1, rest);
}

emu_real emu_real_to_integral(emu_real x, unsigned how) {
  if (x.class != EMU_FINITE || x.exponent >= 63) return x;
  return emu_real_from_u64(round_integer(x, how), x.negative);
}

uint64_t emu_real_to_int(emu_real x, unsigned how, uint64_t low, uint64_t high) {
  uint64_t most = x.negative ? low : high, magnitude = most;
  if (x.class == EMU_ZERO) return 0;
  if (x.class == EMU_FINITE && x.exponent <= 63) {
    magnitude = round_integer(x, how);
    if (magnitude > most) magnitude = most;
  }
  return x.negative ? 0 - magnitude : magnitude;
}

/* ---- Operations ---------------------------------------------------------------------------- */

static int leading_zeros_128(u128 x) {
  return x >> 64 ? leading_zeros((uint64_t)(x >> 64)) : 64 + leading_zeros((uint64_t)x);
}

/* From 128 bits whose top bit weighs 2^exponent; x is not 0. */
static emu_real normalise(u128 x, int exponent, bool negative) {
  int zeros = leading_zeros_128(x);
  x <<= zeros;
  uint64_t sticky = (uint64_t)x != 0;
  return (emu_real){EMU_FINITE, negative, exponent - zeros, (uint64_t)(x >> 64) | sticky};
}

static u128 shift_right_sticky(u128 x, int n) {
  if (n == 0) return x;
  if (n > 127) return x != 0;
  return x >> n | ((x << (128 - n)) != 0);
}

/* Sums two numbers whose leading bit is bit 126, of weight 2^exponent. */
static emu_real sum(u128 a, int a_exponent, bool a_negative, u128 b, int b_exponent,
                    bool b_negative, unsigned how) {
  if (a_exponent < b_exponent || (a_exponent == b_exponent && a < b)) {
    return sum(b, b_exponent, b_negative, a, a_exponent, a_negative, how);
  }
  b = shift_right_sticky(b, a_exponent - b_exponent);
  u128 total = a_negative == b_negative ? a + b : a - b;
  if (!total) return special(EMU_ZERO, (how & EMU_MODE_MASK) == EMU_RM);
  return normalise(total, a_exponent + 1, a_negative);
}

static emu_real product_special(emu_real a, emu_real b) {
  bool negative = a.negative != b.negative;
  bool zero = a.class == EMU_ZERO || b.class == EMU_ZERO;
  bool infinite = a.class == EMU_INFINITY || b.class == EMU_INFINITY;
  if (a.class == EMU_NAN || b.class == EMU_NAN || (zero && infinite)) {
    return special(EMU_NAN, false);
  }
  return special(infinite ? EMU_INFINITY : EMU_ZERO, negative);
}

emu_real emu_real_mul(emu_real a, emu_real b) {
  if (a.class != EMU_FINITE || b.class != EMU_FINITE) return product_special(a, b);
  u128 product = (u128)a.significand * b.significand;
  return normalise(product, a.exponent + b.exponent + 1, a.negative != b.negative);
}

/* p + c where one of them is no finite number other than zero. */
static emu_real sum_special(emu_real p, emu_real c, unsigned how) {
  if (p.class == EMU_NAN || c.class == EMU_NAN) return special(EMU_NAN, false);
  if (p.class == EMU_INFINITY && c.class == EMU_INFINITY && p.negative != c.negative) {
    return special(EMU_NAN, false);
  }
  if (p.class == EMU_INFINITY || c.class == EMU_ZERO) {
    bool both_zero = p.class == EMU_ZERO && c.class == EMU_ZERO;
    if (both_zero && p.negative != c.negative) p.negative = (how & EMU_MODE_MASK) == EMU_RM;
    return p;
  }
  return c;
}

emu_real emu_real_fma(emu_real a, emu_real b, emu_real c, unsigned how) {
  emu_real p = emu_real_mul(a, b);
  if (p.class != EMU_FINITE || c.class == EMU_INFINITY || c.class == EMU_NAN ||
      c.class == EMU_ZERO) {
    return sum_special(p, c, how);
  }
  /* The factors have at most 53 bits: shifting their product by one bit loses none. */
  u128 product = (u128)a.significand * b.significand;
  product = product >> 127 ? product >> 1 : product;
  return sum(product, p.exponent, p.negative, (u128)c.significand << 63, c.exponent, c.negative,
             how);
}

emu_real emu_real_div(emu_real a, emu_real b) {
  bool negative = a.negative != b.negative;
  if (a.class == EMU_NAN || b.class == EMU_NAN) return special(EMU_NAN, false);
  if (a.class == b.class && a.class != EMU_FINITE) return special(EMU_NAN, false);
  if (a.class == EMU_INFINITY || b.class == EMU_ZERO) return special(EMU_INFINITY, negative);
  if (a.class == EMU_ZERO || b.class == EMU_INFINITY) return special(EMU_ZERO, negative);
  /* Halving the dividend keeps the quotient under 2^64; its last bit is 0, as of any format. */
  u128 dividend = (u128)(a.significand >> 1) << 64;
  u128 quotient = dividend / b.significand;
  u128 sticky = dividend % b.significand != 0;
  return normalise(quotient << 64 | sticky, a.exponent - b.exponent, negative);
}

emu_real emu_real_sqrt(emu_real a) {
  if (a.class == EMU_NAN || a.class == EMU_ZERO) return a;
  if (a.negative) return special(EMU_NAN, false);
  if (a.class == EMU_INFINITY) return a;
  /* value = radicand * 2^(exponent - 126) with an even exponent: its root has 63 or 64 bits. */
  bool odd = a.exponent & 1;
  u128 radicand = (u128)a.significand << (odd ? 64 : 63);
  u128 root = 0;
  for (u128 bit = (u128)1 << 63; bit; bit >>= 1) {
    if ((root | bit) * (root | bit) <= radicand) root |= bit;
  }
  u128 sticky = root * root != radicand;
  int half = (a.exponent - odd) / 2;
  return normalise(root << 64 | sticky, half, false);
}

/* ---- On bit patterns ----------------------------------------------------------------------- */

uint64_t emu_soft_fma(const emu_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned how) {
  bool ftz = how & EMU_FTZ;
  return emu_real_pack(f,
                       emu_real_fma(emu_real_unpack(f, a, ftz), emu_real_unpack(f, b, ftz),
                                    emu_real_unpack(f, c, ftz), how),
                       how);
}

uint64_t emu_soft_add(const emu_format *f, uint64_t a, uint64_t b, unsigned how) {
  return emu_soft_fma(f, a, one(f), b, how);
}

uint64_t emu_soft_mul(const emu_format *f, uint64_t a, uint64_t b, unsigned how) {
  bool ftz = how & EMU_FTZ;
  return emu_real_pack(f, emu_real_mul(emu_real_unpack(f, a, ftz), emu_real_unpack(f, b, ftz)),
                       how);
}

uint64_t emu_soft_div(const emu_format *f, uint64_t a, uint64_t b, unsigned how) {
  bool ftz = how & EMU_FTZ;
  return emu_real_pack(f, emu_real_div(emu_real_unpack(f, a, ftz), emu_real_unpack(f, b, ftz)),
                       how);
}

uint64_t emu_soft_sqrt(const emu_format *f, uint64_t a, unsigned how) {
  return emu_real_pack(f, emu_real_sqrt(emu_real_unpack(f, a, how & EMU_FTZ)), how);
}

uint64_t emu_soft_convert(const emu_format *to, const emu_format *from, uint64_t a, unsigned how) {
  return emu_real_pack(to, emu_real_unpack(from, a, how & EMU_FTZ), how);
}

/* ---- .ue8m0 -------------------------------------------------------------------------------- */

uint8_t emu_ue8m0_pack(emu_real x, unsigned how) {
  if (x.class == EMU_NAN) return 0xff;
  if (x.class == EMU_INFINITY) return (how & EMU_SATFINITE) ? 0xfe : 0xff;
  if (x.class == EMU_ZERO) return 0;
  bool exact = x.significand << 1 == 0;
  int power = x.exponent + 127 + ((how & EMU_MODE_MASK) == EMU_RP && !exact);
  if (power < 0) return 0;
  if (power > 0xfe) return (how & EMU_SATFINITE) ? 0xfe : 0xff;
  return (uint8_t)power;
}

emu_real emu_ue8m0_unpack(uint8_t bits) {
  if (bits == 0xff) return special(EMU_NAN, false);
  return (emu_real){EMU_FINITE, false, bits - 127, (uint64_t)1 << 63};
}
