#include "types.h"

#include <math.h>
#include <string.h>

#include "number.h"

typedef struct type_row {
  const char *name;
  int bits, sign;
  gg_float_format format;
  int tensor_map;
} type_row;

static const type_row rows[GG_RECIPE_TYPE_COUNT] = {
#define RECIPE_TYPE(name, bits, sign, exponent, fraction, max, over, nan, map)                     \
  [GG_RECIPE_##name] = {#name, bits, sign, {exponent, fraction, max, over, nan}, map},
#include "types.def"
#undef RECIPE_TYPE
};

gg_recipe_type_info gg_recipe_type_of(gg_recipe_type type) {
  const type_row *row = &rows[type];
  return (gg_recipe_type_info){row->name, row->bits, row->sign != 0, row->format.exponent_bits != 0,
                               row->tensor_map};
}

/* ---- Bits ------------------------------------------------------------------------------- */

/* Elements of less than a byte: of the byte or two that they lie in. */
static uint64_t load(const type_row *row, const void *array, int64_t index) {
  const unsigned char *bytes = array;
  uint64_t bits = 0;
  int64_t first = index * row->bits;
  int shift = (int)(first % 8), count = (shift + row->bits + 7) / 8;
  for (int i = 0; i < count; i++)
    bits |= (uint64_t)bytes[first / 8 + i] << (8 * i);
  bits >>= shift;
  return row->bits == 64 ? bits : bits & (((uint64_t)1 << row->bits) - 1);
}

static void store(const type_row *row, void *array, int64_t index, uint64_t bits) {
  unsigned char *bytes = array;
  int64_t first = index * row->bits;
  int shift = (int)(first % 8), count = (shift + row->bits + 7) / 8;
  uint64_t mask = row->bits == 64 ? UINT64_MAX : ((uint64_t)1 << row->bits) - 1;
  for (int i = 0; i < count; i++) {
    unsigned char keep = (unsigned char)~(mask << shift >> (8 * i));
    bytes[first / 8 + i] =
        (unsigned char)((bytes[first / 8 + i] & keep) | (unsigned char)(bits << shift >> (8 * i)));
  }
}

/* ---- Values ----------------------------------------------------------------------------- */

/* What a tf32 lies in is an f32, whose low bits the tensor cores do not look at. */
static int shift_of(gg_recipe_type type) {
  return type == GG_RECIPE_tf32 ? 13 : 0;
}

/* Powers of two have no zero, and no hidden bit to lose. */
static double decode_power(uint64_t bits) {
  return bits == 0xff ? (double)NAN : ldexp(1, (int)bits - 127);
}

static uint64_t encode_power(double value) {
  if (isnan(value)) return 0xff;
  if (value == 0) return 0;
  double power = rint(log2(value));
  return (uint64_t)(fmin(fmax(power, -127), 127) + 127);
}

double gg_recipe_get(gg_recipe_type type, const void *array, int64_t index) {
  const type_row *row = &rows[type];
  uint64_t bits = load(row, array, index);
  if (type == GG_RECIPE_f64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (type == GG_RECIPE_ue8m0) return decode_power(bits);
  uint64_t sign = row->sign ? (uint64_t)1 << (row->bits - 1) : 0;
  if (!row->format.exponent_bits) {
    return bits & sign ? -(double)((~bits + 1) & (sign | (sign - 1))) : (double)bits;
  }
  uint32_t magnitude = (uint32_t)(bits & ~sign) >> shift_of(type);
  double value = gg_float_decode(&row->format, magnitude);
  return bits & sign ? -value : value;
}

static uint64_t encode_integer(const type_row *row, double value) {
  double most = ldexp(1, row->bits - row->sign), whole = isnan(value) ? 0 : rint(value);
  double least = row->sign ? -most : 0;
  if (whole >= most) return row->sign ? ((uint64_t)1 << (row->bits - 1)) - 1 : UINT64_MAX;
  if (whole < least) whole = least;
  return whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

void gg_recipe_set(gg_recipe_type type, void *array, int64_t index, double value) {
  const type_row *row = &rows[type];
  uint64_t bits;
  if (type == GG_RECIPE_f64) {
    memcpy(&bits, &value, sizeof bits);
  } else if (type == GG_RECIPE_ue8m0) {
    bits = encode_power(fabs(value));
  } else if (!row->format.exponent_bits) {
    bits = encode_integer(row, value);
    if (row->bits < 64) bits &= ((uint64_t)1 << row->bits) - 1;
  } else {
    bits = (uint64_t)gg_float_encode(&row->format, fabs(value)) << shift_of(type);
    if (row->sign && signbit(value)) bits |= (uint64_t)1 << (row->bits - 1);
  }
  store(row, array, index, bits);
}

double gg_recipe_half_ulp(gg_recipe_type type, double value) {
  const gg_float_format *format = &rows[type].format;
  if (!format->exponent_bits) return 0.5;
  int exponent, least = 2 - (1 << (format->exponent_bits - 1));
  frexp(value, &exponent);
  exponent -= 1;
  if (exponent < least || value == 0) exponent = least;
  return ldexp(0.5, exponent - format->fraction_bits);
}
