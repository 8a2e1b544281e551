/* Conversions as rows: the functions and forms of packed.def. */
#include "emu/isa/scalar.h"
#include "emu/number/float.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define HALVES(round, high, low)    ((u32)round(low, how) | (u32)round(high, how) << 16)
#define HALVES_RN(round, high, low) ((u32)round(low, EMU_RN) | (u32)round(high, EMU_RN) << 16)
#define BYTES(format, high, low, bits)                                                             \
  (emu_narrow_float(&format, low, how) | emu_narrow_float(&format, high, how) << (bits))
#define POWERS(format, high, low)                                                                  \
  (emu_ue8m0_pack(emu_real_unpack(&format, low, false), how) |                                     \
   emu_ue8m0_pack(emu_real_unpack(&format, high, false), how) << 8)
#define WIDEN(format, bits)      widen(&format, a, bits, how)
#define WIDEN_BF16(format, bits) widen_bf16(&format, a, bits, how)
#define SCALED(format, bits)     scaled(&format, a, b, bits, how)
#define FROM_POWERS(a)           (power((a)&0xff) | power((a) >> 8) << 16)
#define HALF_FLOAT(a)            emu_widen_float(&emu_f16, (a)&0xffff)
#define BF16_BYTES(format, bits) BYTES(format, a & 0xffff0000, a << 16, bits)

/* Two numbers, `bits` apart, as halves. */
static inline u32 widen(const emu_format *from, u32 a, int bits, unsigned how) {
  const u32 mask = (u32)(from->sign | (from->sign - 1));
  u32 low = emu_narrow_float(&emu_f16, emu_widen_float(from, a & mask), how);
  u32 high = emu_narrow_float(&emu_f16, emu_widen_float(from, a >> bits & mask), how);
  return low | high << 16;
}

/* As .bf16, which has every number of these types: the upper half of a float. */
static inline u32 bf16_of(const emu_format *from, u32 code, unsigned how) {
  u32 bits = emu_widen_float(from, code) >> 16, magnitude = bits & 0x7fff;
  if (magnitude > 0x7f80) return 0x7fff;
  if (how & EMU_RELU && bits & 0x8000) return 0;
  return how & EMU_SATFINITE && magnitude == 0x7f80 ? bits - 1 : bits;
}

static inline u32 widen_bf16(const emu_format *from, u32 a, int bits, unsigned how) {
  const u32 mask = (u32)(from->sign | (from->sign - 1));
  return bf16_of(from, a & mask, how) | bf16_of(from, a >> bits & mask, how) << 16;
}

/* The same as .bf16, times a power of two each. */
static u32 scaled(const emu_format *from, u32 a, u32 factors, int bits, unsigned how) {
  u32 result = 0;
  for (int i = 0; i < 2; i++) {
    u32 code = a >> i * bits & (u32)(from->sign | (from->sign - 1));
    emu_real power = emu_ue8m0_unpack((uint8_t)(factors >> 8 * i));
    emu_real product = emu_real_mul(emu_real_unpack(from, code, false), power);
    result |= (u32)emu_real_pack(&emu_bf16, product, how) << 16 * i;
  }
  return result;
}

static u32 power(unsigned bits) {
  return (u32)emu_real_pack(&emu_bf16, emu_ue8m0_unpack((uint8_t)bits), EMU_RN);
}

/* cvt.rna.tf32: the hardware adds half a unit to the pattern and cuts it off. NaN is cut off alone,
 * and so may become infinity; satfinite takes one unit from whatever has infinity's exponent. */
static u32 tf32_rna(u32 a, unsigned how) {
  u32 bits = emu_f32_nan(a) ? a : a + 0x1000;
  bits &= 0xffffe000;
  bool beyond = (bits & 0x7f800000) == 0x7f800000;
  return (how & EMU_SATFINITE) && beyond ? bits - 0x2000 : bits;
}

/* The upper half of `random` is for a, the lower for b; `width` of its low bits count. */
static u32 stochastic(const emu_format *to, u32 a, u32 b, u32 random, int width, unsigned how) {
  emu_real high = emu_real_unpack(&emu_f32, a, false), low = emu_real_unpack(&emu_f32, b, false);
  return (u32)emu_real_pack_random(to, low, how, random & 0xffff, width) |
         (u32)emu_real_pack_random(to, high, how, random >> 16, width) << 16;
}

#include "emu/isa/rows.h"

#include "emu/isa/packed.def"

#include "emu/isa/rows.h"
static const emu_form forms[] = {
#include "emu/isa/packed.def"
};

const emu_form_table EMU_ROWS(packed) = {forms, sizeof forms / sizeof *forms};
