/* Floating-point arithmetic: the functions and forms of float.def. */
#include "emu/number/float.h"
#include "emu/isa/scalar.h"
#include "emu/number/approx.h"

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* A function of halves on both, and one of .f32 on both words. */
#define PAIR1(f) ((u32)f((u16)a, how) | (u32)f((u16)(a >> 16), how) << 16)
#define PAIR(f)  ((u32)f((u16)a) | (u32)f((u16)(a >> 16)) << 16)
#define PAIR2(f) ((u32)f((u16)a, (u16)b, how) | (u32)f((u16)(a >> 16), (u16)(b >> 16), how) << 16)
#define PAIR3(f)                                                                                   \
  ((u32)f((u16)a, (u16)b, (u16)c, how) |                                                           \
   (u32)f((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16), how) << 16)
#define FLUSH(a)     emu_f32_flush(a, EMU_FTZ)
#define FLUSHED(a)   emu_float(FLUSH(a))
#define MAGNITUDE(a) emu_f32_abs(a, 0)
#define TWO2(f)      (f((u32)a, (u32)b, how) | (u64)f((u32)(a >> 32), (u32)(b >> 32), how) << 32)
#define TWO3(f)                                                                                    \
  (f((u32)a, (u32)b, (u32)c, how) | (u64)f((u32)(a >> 32), (u32)(b >> 32), (u32)(c >> 32), how)    \
                                        << 32)

static inline u16 bf16_mul_rn(u16 a, u16 b) {
  return emu_bf16_mul(a, b, EMU_RN);
}

static inline u16 bf16_fma_rn(u16 a, u16 b, u16 c) {
  return emu_bf16_fma(a, b, c, EMU_RN);
}

/* The host's own fused operation where it is one instruction. */
static inline u32 f32_fma(u32 a, u32 b, u32 c) {
#ifdef __FMA__
  return emu_f32_result(fmaf(emu_float(a), emu_float(b), emu_float(c)));
#else
  return emu_f32_fma(a, b, c, EMU_RN);
#endif
}

/* Mixed precision: halves enter exactly, the result is rounded to .f32. */
#define MIXED(type)                                                                                \
  static u32 type##_add_f32(u16 a, u32 b, unsigned how) {                                          \
    double x = emu_##type##_value(a, 0), y = emu_f32_value(b, 0);                                  \
    return emu_f32_round(emu_add_odd(x, y, how), how);                                             \
  }                                                                                                \
  static u32 type##_sub_f32(u16 a, u32 b, unsigned how) {                                          \
    double x = emu_##type##_value(a, 0), y = emu_f32_value(b, 0);                                  \
    return emu_f32_round(emu_add_odd(x, -y, how), how);                                            \
  }                                                                                                \
  static u32 type##_fma_f32(u16 a, u16 b, u32 c, unsigned how) {                                   \
    double x = emu_##type##_value(a, 0) * emu_##type##_value(b, 0), y = emu_f32_value(c, 0);       \
    return emu_f32_round(emu_add_odd(x, y, how), how);                                             \
  }
MIXED(f16)
MIXED(bf16)

/* fma.oob: 0 where a factor is the NaN that TMA fills elements out of bounds with, of either sign.
 * The pattern is undocumented. */
#define OOB_FUNCTION(type)                                                                         \
  static u16 type##_fma_oob(u16 a, u16 b, u16 c, unsigned how) {                                   \
    const u16 out_of_bounds = 0x7ff7;                                                              \
    bool zero = (a & 0x7fff) == out_of_bounds || (b & 0x7fff) == out_of_bounds;                    \
    return zero ? 0 : emu_##type##_fma(a, b, c, how);                                              \
  }
OOB_FUNCTION(f16)
OOB_FUNCTION(bf16)

#define TEST_LANES(name, uint, infinity_bits, least_bits, test)                                    \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    const uint *in = EMU_AT(uint, warp, &op->operands[1]);                                         \
    const uint infinity = infinity_bits, least = least_bits;                                       \
    u32 holds = 0;                                                                                 \
    (void)infinity, (void)least;                                                                   \
    for (int i = 0; i < EMU_LANES; i++) {                                                          \
      uint magnitude = in[i] & ((uint) ~(uint)0 >> 1);                                             \
      holds |= (u32)(test) << i;                                                                   \
    }                                                                                              \
    emu_set_predicate(warp, &op->operands[0], lanes, holds);                                       \
    return EMU_NEXT;                                                                               \
  }
#define TEST2(name, modifier, test)                                                                \
  TEST_LANES(name##_f32, u32, 0x7f800000, 0x800000, test)                                          \
  TEST_LANES(name##_f64, u64, 0x7ff0000000000000, 0x10000000000000, test)
/* Two halves a lane, as 64 numbers of 16 bits. */
#define EACH_HALF(lanes, statement)                                                                \
  if ((lanes) == UINT32_MAX) {                                                                     \
    EMU_INDEPENDENT for (int i = 0; i < 2 * EMU_LANES; i++) {                                      \
      statement;                                                                                   \
    }                                                                                              \
  } else {                                                                                         \
    for (int i = 0; i < 2 * EMU_LANES; i++) {                                                      \
      if ((lanes) >> i / 2 & 1) {                                                                  \
        statement;                                                                                 \
      }                                                                                            \
    }                                                                                              \
  }
#define HALF2(name, opcode, types, needs, allows, f)                                               \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    u16 *out = EMU_AT(u16, warp, &op->operands[0]);                                                \
    const u16 *a = EMU_AT(u16, warp, &op->operands[1]);                                            \
    const u16 *b = EMU_AT(u16, warp, &op->operands[2]);                                            \
    EACH_HALF(lanes, out[i] = f(a[i], b[i]))                                                       \
    return EMU_NEXT;                                                                               \
  }
#define HALF3(name, opcode, types, needs, allows, f)                                               \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    u16 *out = EMU_AT(u16, warp, &op->operands[0]);                                                \
    const u16 *a = EMU_AT(u16, warp, &op->operands[1]);                                            \
    const u16 *b = EMU_AT(u16, warp, &op->operands[2]);                                            \
    const u16 *c = EMU_AT(u16, warp, &op->operands[3]);                                            \
    EACH_HALF(lanes, out[i] = f(a[i], b[i], c[i]))                                                 \
    return EMU_NEXT;                                                                               \
  }
#include "emu/isa/rows.h"

#include "emu/isa/float.def"
#undef TEST2
#undef HALF2
#undef HALF3

#define TEST2(name, modifier, test)                                                                \
  EMU_FORM_OF(name##_f32, "testp", T(F32), 0, M(modifier), 0, "Pa")                                \
  EMU_FORM_OF(name##_f64, "testp", T(F64), 0, M(modifier), 0, "Pa")
#define HALF2(name, opcode, types, needs, allows, f)                                               \
  EMU_FORM_OF(name, opcode, types, 0, needs, allows, "daa")
#define HALF3(name, opcode, types, needs, allows, f)                                               \
  EMU_FORM_OF(name, opcode, types, 0, needs, allows, "daaa")
#include "emu/isa/rows.h"
static const emu_form forms[] = {
#include "emu/isa/float.def"
};

const emu_form_table EMU_ROWS(float) = {forms, sizeof forms / sizeof *forms};
