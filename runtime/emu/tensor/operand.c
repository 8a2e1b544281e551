/* Decoding operands, four at a time: the vectors that every processor has, as gcc makes scalar code
 * of comparisons of longer ones. With EMU_WIDE, eight at a time, for processors with AVX2. */
#include "emu/tensor/operand.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "emu/number/float.h"
#include "emu/tensor/vector.h"

#ifdef EMU_WIDE
enum { block = 8 };
typedef v8f vf;
typedef v8i vi;
typedef v8u vu;
typedef v8h vh;
#else
enum { block = 4 };
typedef v4f vf;
typedef v4i vi;
typedef v4u vu;
typedef v4h vh;
#endif

/* Loops are made once for each format, by inlining. */
#define INLINE static inline __attribute__((always_inline))

/* The smallest magnitude that is no number. */
INLINE uint32_t first_special(const emu_format *f) {
  return (uint32_t)(f->infinity ? f->infinity : f->nan ? f->nan : f->sign);
}

/* A format of fewer exponent bits than f32's: its subnormal numbers are normal floats. */
INLINE void decode_narrow(vu *value, vi *exponent, const vu *code, const emu_format *f,
                          unsigned how) {
  int fraction = f->precision - 1, sign_bit = __builtin_ctzll(f->sign);
  int lowest = how & EMU_OPERAND_NORMAL ? -127 : f->min_exponent;
  uint32_t rebias = (uint32_t)(127 - 1 + f->min_exponent) << 23;
  float subnormal_unit = emu_float((uint32_t)(127 + f->min_exponent - fraction) << 23);
  vu magnitude = *code & ((uint32_t)f->sign - 1);
  vu sign = ((*code >> sign_bit) ^ (how & EMU_OPERAND_NEGATE)) << 31;
  vu small = (vu)(__builtin_convertvector((vi)magnitude, vf) * subnormal_unit);
  vu normal = (magnitude << (23 - fraction)) + rebias;
  vu bits = CHOOSE((vu)(magnitude >> fraction != 0), normal, small);
  vi e = (vi)(bits >> 23) - 127, floor = (vi){0} + lowest;
  e = CHOOSE(e < floor, floor, e);
  e = CHOOSE(magnitude == 0, (vi){0} + EMU_EXPONENT_ZERO, e);
  vi no_number = CHOOSE(magnitude == (uint32_t)f->infinity, (vi){0} + EMU_EXPONENT_INFINITY,
                        (vi){0} + EMU_EXPONENT_NAN);
  vi special = magnitude >= first_special(f);
  *exponent = CHOOSE(special, no_number, e);
  *value = (bits & ~(vu)special) | sign;
}

/* A format with f32's exponent: its codes are the upper bits of floats. */
INLINE void decode_wide(vu *value, vi *exponent, const vu *code, const emu_format *f,
                        unsigned how) {
  vu bits = *code >> f->shift << (24 - f->precision);
  bits ^= (vu){0} + ((how & EMU_OPERAND_NEGATE) << 31);
  vi magnitude = (vi)(bits & 0x7fffffff), e = (magnitude >> 23) - 127;
  vi floor = (vi){0} + emu_f32.min_exponent;
  e = CHOOSE(e < floor, floor, e);
  e = CHOOSE(magnitude == 0, (vi){0} + EMU_EXPONENT_ZERO, e);
  vi no_number =
      CHOOSE(magnitude == 0x7f800000, (vi){0} + EMU_EXPONENT_INFINITY, (vi){0} + EMU_EXPONENT_NAN);
  vi special = magnitude >= 0x7f800000;
  *exponent = CHOOSE(special, no_number, e);
  *value = bits & ~((vu)special & 0x7fffffff);
}

INLINE void decode_format(float *value, int16_t *exponent, const emu_format *f, unsigned how,
                          const uint32_t *codes, size_t count) {
  bool wide = f->min_exponent == emu_f32.min_exponent;
  assert(count % block == 0);
  for (size_t i = 0; i < count; i += block) {
    vu code, bits;
    vi e;
    memcpy(&code, codes + i, sizeof code);
    if (wide) {
      decode_wide(&bits, &e, &code, f, how);
    } else {
      decode_narrow(&bits, &e, &code, f, how);
    }
    vh narrow = __builtin_convertvector(e, vh);
    memcpy(value + i, &bits, sizeof bits);
    memcpy(exponent + i, &narrow, sizeof narrow);
  }
}

/* The parameters of emu_operand_decode. */
static void decode_floats(float *value, int16_t *exponent, emu_type type, unsigned how,
                          const uint32_t *codes, size_t count) {
  switch (type) {
  case EMU_F16:
    decode_format(value, exponent, &emu_f16, how, codes, count);
    return;
  case EMU_BF16:
    decode_format(value, exponent, &emu_bf16, how, codes, count);
    return;
  case EMU_TF32:
    decode_format(value, exponent, &emu_tf32, how, codes, count);
    return;
  case EMU_E4M3:
    decode_format(value, exponent, &emu_e4m3, how, codes, count);
    return;
  case EMU_E5M2:
    decode_format(value, exponent, &emu_e5m2, how, codes, count);
    return;
  case EMU_E3M2:
    decode_format(value, exponent, &emu_e3m2, how, codes, count);
    return;
  case EMU_E2M3:
    decode_format(value, exponent, &emu_e2m3, how, codes, count);
    return;
  default:
    assert(type == EMU_E2M1);
    decode_format(value, exponent, &emu_e2m1, how, codes, count);
  }
}

/* The parameters of emu_operand_decode_integer. */
static void decode_integers(float *value, emu_type type, const uint32_t *codes, size_t count) {
  int unused = 32 - emu_type_of(type)->bits;
  bool is_signed = emu_type_of(type)->kind == 's';
  assert(count % block == 0);
  for (size_t i = 0; i < count; i += block) {
    vu code;
    memcpy(&code, codes + i, sizeof code);
    code <<= unused;
    /* Of fewer than 32 bits: what is shifted in from the left decides the sign. */
    vi number = is_signed ? (vi)code >> unused : (vi)(code >> unused);
    vf result = __builtin_convertvector(number, vf);
    memcpy(value + i, &result, sizeof result);
  }
}

#ifdef EMU_WIDE

void emu_operand_decode_wide(float *value, int16_t *exponent, emu_type type, unsigned how,
                             const uint32_t *codes, size_t count) {
  decode_floats(value, exponent, type, how, codes, count);
}

void emu_operand_decode_integer_wide(float *value, emu_type type, const uint32_t *codes,
                                     size_t count) {
  decode_integers(value, type, codes, count);
}

#else

typedef void floats(float *, int16_t *, emu_type, unsigned, const uint32_t *, size_t);
typedef void integers(float *, emu_type, const uint32_t *, size_t);

/* What this processor runs. */
static void choose(floats **of_floats, integers **of_integers) {
  *of_floats = decode_floats;
  *of_integers = decode_integers;
#ifdef EMU_HAVE_WIDE
  if (!__builtin_cpu_supports("avx2")) return;
  *of_floats = emu_operand_decode_wide;
  *of_integers = emu_operand_decode_integer_wide;
#endif
}

void emu_operand_decode(float *value, int16_t *exponent, emu_type type, unsigned how,
                        const uint32_t *codes, size_t count) {
  floats *decode;
  integers *unused;
  choose(&decode, &unused);
  decode(value, exponent, type, how, codes, count);
}

void emu_operand_decode_integer(float *value, emu_type type, const uint32_t *codes, size_t count) {
  floats *unused;
  integers *decode;
  choose(&unused, &decode);
  decode(value, type, codes, count);
}

void emu_operand_decode_scale(float *value, int16_t *exponent, emu_type type, const uint32_t *codes,
                              size_t count) {
  bool powers = type == EMU_UE8M0;
  int smallest = emu_ue4m3.min_exponent, fraction = emu_ue4m3.precision - 1;
  assert(powers || type == EMU_UE4M3);
  for (size_t i = 0; i < count; i++) {
    int code = (int)(codes[i] & (powers ? 0xff : 0x7f)), field = powers ? code : code >> fraction;
    int significand = powers ? 1 : (code & 7) | (field ? 8 : 0);
    int e = powers ? code - 127 : smallest + (field ? field - 1 : 0);
    bool nan = code == (powers ? 0xff : (int)emu_ue4m3.nan);
    value[i] = nan ? 0 : ldexpf((float)significand, powers ? e : e - fraction);
    exponent[i] = (int16_t)(nan ? EMU_EXPONENT_NAN : significand ? e : EMU_EXPONENT_ZERO);
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

#endif
