/* Decoding operands. The loops have constant trip counts and no branches,
 * so that compilers make vector code of them at any optimisation level that does so. */
#include "emu/tensor/operand.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "emu/number/format.h"

enum { block = 8 };

static const emu_format *format_of(emu_type type) {
  switch (type) {
  case EMU_F16:
    return &emu_f16;
  case EMU_BF16:
    return &emu_bf16;
  case EMU_TF32:
    return &emu_tf32;
  case EMU_E4M3:
    return &emu_e4m3;
  case EMU_E5M2:
    return &emu_e5m2;
  case EMU_E3M2:
    return &emu_e3m2;
  case EMU_E2M3:
    return &emu_e2m3;
  default:
    assert(type == EMU_E2M1);
    return &emu_e2m1;
  }
}

/* The smallest magnitude that is no number. */
static uint32_t first_special(const emu_format *f) {
  return (uint32_t)(f->infinity ? f->infinity : f->nan ? f->nan : f->sign);
}

static float bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A format of fewer exponent bits than f32's: its subnormal numbers are normal floats. */
static void decode_narrow(float *restrict value, int16_t *restrict exponent,
                          const uint32_t *restrict codes, const emu_format *f, uint32_t negate,
                          bool normal) {
  int fraction = f->precision - 1, widen = 23 - fraction, sign_bit = __builtin_ctzll(f->sign);
  uint32_t magnitude_mask = (uint32_t)f->sign - 1, special = first_special(f);
  uint32_t rebias = (uint32_t)(127 - 1 + f->min_exponent) << 23;
  float subnormal_unit = bits_float((uint32_t)(127 + f->min_exponent - fraction) << 23);
  int lowest = normal ? -127 : f->min_exponent;
  for (int i = 0; i < block; i++) {
    uint32_t code = codes[i], magnitude = code & magnitude_mask;
    uint32_t sign = ((code >> sign_bit) ^ negate) << 31;
    float small = (float)(int32_t)magnitude * subnormal_unit;
    uint32_t small_bits;
    memcpy(&small_bits, &small, sizeof small_bits);
    uint32_t bits = magnitude >> fraction ? (magnitude << widen) + rebias : small_bits;
    int e = (int)(bits >> 23) - 127;
    e = e < lowest ? lowest : e;
    e = magnitude ? e : EMU_EXPONENT_ZERO;
    int no_number = magnitude == f->infinity ? EMU_EXPONENT_INFINITY : EMU_EXPONENT_NAN;
    e = magnitude >= special ? no_number : e;
    bits = (magnitude >= special ? 0 : bits) | sign;
    memcpy(&value[i], &bits, sizeof bits);
    exponent[i] = (int16_t)e;
  }
}

/* A format with f32's exponent: its codes are the upper bits of floats. */
static void decode_wide(float *restrict value, int16_t *restrict exponent,
                        const uint32_t *restrict codes, const emu_format *f, uint32_t negate) {
  int widen = 24 - f->precision, drop = f->shift;
  for (int i = 0; i < block; i++) {
    uint32_t bits = (codes[i] >> drop << widen) ^ negate << 31;
    uint32_t magnitude = bits & 0x7fffffff;
    int field = (int)(magnitude >> 23);
    int e = (field ? field : 1) - 127;
    e = magnitude ? e : EMU_EXPONENT_ZERO;
    int no_number = magnitude > 0x7f800000 ? EMU_EXPONENT_NAN : EMU_EXPONENT_INFINITY;
    e = magnitude >= 0x7f800000 ? no_number : e;
    bits = magnitude >= 0x7f800000 ? bits & 0x80000000 : bits;
    memcpy(&value[i], &bits, sizeof bits);
    exponent[i] = (int16_t)e;
  }
}

void emu_operand_decode(float *value, int16_t *exponent, emu_type type, unsigned how,
                        const uint32_t *codes, size_t count) {
  const emu_format *f = format_of(type);
  bool normal = how & EMU_OPERAND_NORMAL;
  uint32_t negate = how & EMU_OPERAND_NEGATE ? 1 : 0;
  assert(count % block == 0);
  for (size_t i = 0; i < count; i += block) {
    if (f->min_exponent == emu_f32.min_exponent) {
      decode_wide(value + i, exponent + i, codes + i, f, negate);
    } else {
      decode_narrow(value + i, exponent + i, codes + i, f, negate, normal);
    }
  }
}

void emu_operand_decode_integer(float *value, emu_type type, const uint32_t *codes, size_t count) {
  int unused = 32 - emu_type_of(type)->bits;
  bool is_signed = emu_type_of(type)->kind == 's';
  for (size_t i = 0; i < count; i++) {
    uint32_t high = codes[i] << unused;
    value[i] =
        is_signed ? (float)((int32_t)high / (INT32_C(1) << unused)) : (float)(high >> unused);
  }
}

float emu_operand_float(float value, int exponent) {
  switch (exponent) {
  case EMU_EXPONENT_INFINITY:
    return copysignf(INFINITY, value);
  case EMU_EXPONENT_NAN:
    return NAN;
  default:
    return value;
  }
}
