/* Binary floating point by its parameters (IEEE 754; for e4m3 and e5m2: OCP 8-bit Floating Point
 * Specification; for narrower ones, which are finite: OCP Microscaling Formats), and integers. A
 * float's bits, without the sign, count its magnitudes in order: rounding is done on that count, so
 * that subnormals, carries and overflow need no cases.
 *
 * Of scale factors, ue4m3 is e4m3 without its sign, and ue8m0 a power of two, or NaN.
 *
 * An element of tf32 is an f32 in memory; it counts as what it is rounded to, to nearest even. */
#include "number.h"

#include <math.h>
#include <string.h>

#include "atom/dtype.h"

static const gg_float_format formats[GG_DTYPE_COUNT] = {
    [GG_DTYPE_f16] = {5, 10, 0x7bff, 0x7c00, 0x7fff},
    [GG_DTYPE_bf16] = {8, 7, 0x7f7f, 0x7f80, 0x7fff},
    [GG_DTYPE_tf32] = {8, 10, 0x3fbff, 0x3fc00, 0x3ffff},
    [GG_DTYPE_f32] = {8, 23, 0x7f7fffff, 0x7f800000, 0x7fffffff},
    [GG_DTYPE_e4m3] = {4, 3, 0x7e, 0x7e, 0x7f},
    [GG_DTYPE_e5m2] = {5, 2, 0x7b, 0x7c, 0x7f},
    [GG_DTYPE_e3m2] = {3, 2, 0x1f, 0x1f, 0x1f},
    [GG_DTYPE_e2m3] = {2, 3, 0x1f, 0x1f, 0x1f},
    [GG_DTYPE_e2m1] = {2, 1, 0x07, 0x07, 0x07},
    [GG_DTYPE_ue4m3] = {4, 3, 0x7e, 0x7e, 0x7f},
};

enum { ue8m0_bias = 127, ue8m0_nan = 0xff };

static bool is_small_float(gg_dtype type) {
  return formats[type].exponent_bits != 0;
}

bool gg_number_is_integer(gg_dtype type) {
  char kind = gg_dtype_info_of(type)->kind;
  return kind == 'i' || kind == 'u';
}

bool gg_number_known(gg_dtype type) {
  return is_small_float(type) || type == GG_DTYPE_ue8m0 || type == GG_DTYPE_f64 ||
         gg_number_is_integer(type);
}

int gg_number_bytes(gg_dtype type) {
  return (int)gg_dtype_bytes(type, 1);
}

static int bias_of(const gg_float_format *format) {
  return (1 << (format->exponent_bits - 1)) - 1;
}

/* ---- Bits ----------------------------------------------------------------------------- */

static int bits_of(gg_dtype type) {
  return gg_dtype_info_of(type)->bits;
}

/* Whole bytes that hold `width` bits from bit `at` on, four at most. */
static int bytes_around(int64_t at, int width) {
  return (int)((at % 8 + width + 7) / 8);
}

static uint32_t load(const void *array, int64_t index, int width) {
  int64_t at = index * width;
  const unsigned char *bytes = (const unsigned char *)array + at / 8;
  uint32_t bits = 0;
  for (int i = 0; i < bytes_around(at, width); i++)
    bits |= (uint32_t)bytes[i] << (8 * i);
  bits >>= at % 8;
  return width < 32 ? bits & (((uint32_t)1 << width) - 1) : bits;
}

static void store(void *array, int64_t index, int width, uint32_t bits) {
  int64_t at = index * width;
  unsigned char *bytes = (unsigned char *)array + at / 8;
  uint32_t mask = (width < 32 ? ((uint32_t)1 << width) - 1 : UINT32_MAX) << at % 8;
  bits <<= at % 8;
  for (int i = 0; i < bytes_around(at, width); i++) {
    uint32_t own = mask >> (8 * i) & 0xff;
    bytes[i] = (unsigned char)((bytes[i] & ~own) | (bits >> (8 * i) & own));
  }
}

void gg_number_copy(gg_dtype type, void *to, int64_t to_index, const void *from, int64_t from_index,
                    int64_t count) {
  int width = bits_of(type), bytes = width / 8;
  if (width % 8 == 0) {
    memcpy((char *)to + to_index * bytes, (const char *)from + from_index * bytes,
           (size_t)(count * bytes));
    return;
  }
  for (int64_t i = 0; i < count; i++)
    store(to, to_index + i, width, load(from, from_index + i, width));
}

double gg_float_decode(const gg_float_format *format, uint32_t magnitude) {
  if (magnitude > format->max) return magnitude == format->over ? (double)INFINITY : (double)NAN;
  uint32_t one = (uint32_t)1 << format->fraction_bits;
  int exponent = (int)(magnitude >> format->fraction_bits);
  uint32_t fraction = magnitude & (one - 1);
  if (exponent == 0)
    exponent = 1;
  else
    fraction |= one;
  return ldexp(fraction, exponent - bias_of(format) - format->fraction_bits);
}

uint32_t gg_float_encode(const gg_float_format *format, double magnitude) {
  if (isnan(magnitude)) return format->nan;
  if (isinf(magnitude)) return format->over;
  int exponent, least = 1 - bias_of(format);
  frexp(magnitude, &exponent);
  exponent -= 1; /* magnitude is in [1, 2) * 2^exponent */
  if (exponent < least || magnitude == 0) exponent = least;
  if (exponent > bias_of(format) + 1) return format->over;
  double count = rint(ldexp(magnitude, format->fraction_bits - exponent));
  uint32_t base = (uint32_t)(exponent - least) << format->fraction_bits;
  uint32_t bits = base + (uint32_t)count;
  return bits > format->max ? format->over : bits;
}

/* ---- Elements ------------------------------------------------------------------------- */

/* The magnitude of a tf32 from that of the f32 in memory. What is not finite keeps to itself. */
static uint32_t round_tf32(uint32_t magnitude) {
  enum { shift = 13 };
  const gg_float_format *f32 = &formats[GG_DTYPE_f32];
  if (magnitude > f32->over) return formats[GG_DTYPE_tf32].nan;
  return (magnitude + (1 << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
}

double gg_number_get(gg_dtype type, const void *array, int64_t index) {
  if (type == GG_DTYPE_f64) {
    double value;
    memcpy(&value, (const char *)array + index * 8, sizeof value);
    return value;
  }
  int width = bits_of(type);
  uint32_t bits = load(array, index, width);
  if (type == GG_DTYPE_ue8m0)
    return bits == ue8m0_nan ? (double)NAN : ldexp(1, (int)bits - ue8m0_bias);
  uint32_t sign = (uint32_t)1 << (width - 1);
  if (gg_dtype_info_of(type)->kind == 'u') return bits;
  if (gg_number_is_integer(type)) return (double)(bits & (sign - 1)) - (double)(bits & sign);
  uint32_t count = bits & (sign - 1);
  if (type == GG_DTYPE_tf32) count = round_tf32(count);
  double magnitude = gg_float_decode(&formats[type], count);
  return bits & sign ? -magnitude : magnitude;
}

static double clamp(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

double gg_number_least(gg_dtype type) {
  if (!gg_number_is_integer(type)) return -gg_number_max(type);
  return gg_dtype_info_of(type)->kind == 'u' ? 0 : -gg_number_max(type) - 1;
}

void gg_number_set(gg_dtype type, void *array, int64_t index, double value) {
  if (type == GG_DTYPE_f64) {
    memcpy((char *)array + index * 8, &value, sizeof value);
    return;
  }
  int width = bits_of(type), exponent;
  if (type == GG_DTYPE_ue8m0) {
    frexp(value, &exponent);
    store(array, index, width, isnan(value) ? ue8m0_nan : (uint32_t)(exponent - 1 + ue8m0_bias));
    return;
  }
  if (gg_number_is_integer(type)) {
    double whole =
        clamp(isnan(value) ? 0 : rint(value), gg_number_least(type), gg_number_max(type));
    store(array, index, width, (uint32_t)(int64_t)whole);
    return;
  }
  gg_dtype stored = type == GG_DTYPE_tf32 ? GG_DTYPE_f32 : type;
  uint32_t bits = gg_float_encode(&formats[stored], fabs(value));
  if (signbit(value)) bits |= (uint32_t)1 << (width - 1);
  store(array, index, width, bits);
}

/* ---- Facts ---------------------------------------------------------------------------- */

double gg_number_max(gg_dtype type) {
  if (type == GG_DTYPE_f64) return 1.7976931348623157e308;
  if (type == GG_DTYPE_ue8m0) return 0x1p127;
  if (gg_number_is_integer(type)) return ldexp(1, gg_number_precision(type)) - 1;
  return gg_float_decode(&formats[type], formats[type].max);
}

int gg_number_precision(gg_dtype type) {
  if (type == GG_DTYPE_f64) return 53;
  if (is_small_float(type)) return formats[type].fraction_bits + 1;
  return gg_dtype_info_of(type)->bits - (gg_dtype_info_of(type)->kind == 'i');
}

double gg_number_half_ulp(gg_dtype type, double value) {
  if (gg_number_is_integer(type)) return 0.5;
  int exponent = 0, least = type == GG_DTYPE_f64 ? -1022 : 1 - bias_of(&formats[type]);
  frexp(value, &exponent);
  exponent -= 1;
  if (exponent < least || value == 0) exponent = least;
  return ldexp(0.5, exponent - gg_number_precision(type) + 1);
}
