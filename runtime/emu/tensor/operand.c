/* Decoding operands, four at a time: the vectors that every processor has, as gcc makes scalar code
 * of comparisons of longer ones. */
#include "emu/tensor/operand.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "emu/number/float.h"
#include "emu/tensor/vector.h"

enum { block = 4 };

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

/* A format of fewer exponent bits than f32's: its subnormal numbers are normal floats. */
static void decode_narrow(v4u *value, v4i *exponent, const v4u *code, const emu_format *f,
                          unsigned how) {
  int fraction = f->precision - 1, sign_bit = __builtin_ctzll(f->sign);
  int lowest = how & EMU_OPERAND_NORMAL ? -127 : f->min_exponent;
  uint32_t rebias = (uint32_t)(127 - 1 + f->min_exponent) << 23;
  float subnormal_unit = emu_float((uint32_t)(127 + f->min_exponent - fraction) << 23);
  v4u magnitude = *code & ((uint32_t)f->sign - 1);
  v4u sign = ((*code >> sign_bit) ^ (how & EMU_OPERAND_NEGATE)) << 31;
  v4u small = (v4u)(__builtin_convertvector((v4i)magnitude, v4f) * subnormal_unit);
  v4u normal = (magnitude << (23 - fraction)) + rebias;
  v4u bits = CHOOSE((v4u)(magnitude >> fraction != 0), normal, small);
  v4i e = (v4i)(bits >> 23) - 127, floor = (v4i){0} + lowest;
  e = CHOOSE(e < floor, floor, e);
  e = CHOOSE(magnitude == 0, (v4i){0} + EMU_EXPONENT_ZERO, e);
  v4i no_number = CHOOSE(magnitude == (uint32_t)f->infinity, (v4i){0} + EMU_EXPONENT_INFINITY,
                         (v4i){0} + EMU_EXPONENT_NAN);
  v4i special = magnitude >= first_special(f);
  *exponent = CHOOSE(special, no_number, e);
  *value = (bits & ~(v4u)special) | sign;
}

/* A format with f32's exponent: its codes are the upper bits of floats. */
static void decode_wide(v4u *value, v4i *exponent, const v4u *code, const emu_format *f,
                        unsigned how) {
  v4u bits = *code >> f->shift << (24 - f->precision);
  bits ^= (v4u){0} + ((how & EMU_OPERAND_NEGATE) << 31);
  v4i magnitude = (v4i)(bits & 0x7fffffff), e = (magnitude >> 23) - 127;
  v4i floor = (v4i){0} + emu_f32.min_exponent;
  e = CHOOSE(e < floor, floor, e);
  e = CHOOSE(magnitude == 0, (v4i){0} + EMU_EXPONENT_ZERO, e);
  v4i no_number = CHOOSE(magnitude == 0x7f800000, (v4i){0} + EMU_EXPONENT_INFINITY,
                         (v4i){0} + EMU_EXPONENT_NAN);
  v4i special = magnitude >= 0x7f800000;
  *exponent = CHOOSE(special, no_number, e);
  *value = bits & ~((v4u)special & 0x7fffffff);
}

void emu_operand_decode(float *value, int16_t *exponent, emu_type type, unsigned how,
                        const uint32_t *codes, size_t count) {
  const emu_format *f = format_of(type);
  bool wide = f->min_exponent == emu_f32.min_exponent;
  assert(count % block == 0);
  for (size_t i = 0; i < count; i += block) {
    v4u code, bits;
    v4i e;
    memcpy(&code, codes + i, sizeof code);
    if (wide) {
      decode_wide(&bits, &e, &code, f, how);
    } else {
      decode_narrow(&bits, &e, &code, f, how);
    }
    v4h narrow = __builtin_convertvector(e, v4h);
    memcpy(value + i, &bits, sizeof bits);
    memcpy(exponent + i, &narrow, sizeof narrow);
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
