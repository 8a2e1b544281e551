/* Integer and bit operations of PTX, where C's operators are not enough.
 *
 * All take and return unsigned patterns, and wrap around as unsigned arithmetic does. Source: PTX
 * ISA, "Integer Arithmetic", "Extended-Precision Integer Arithmetic", "Logic and Shift". The PTX
 * ISA leaves division by zero open; here its quotient and remainder are all ones, as in the code
 * that ptxas generates for a division. */
#ifndef GG_EMU_NUMBER_INTEGER_H
#define GG_EMU_NUMBER_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- Each width ---------------------------------------------------------------------------- */

/* Operations on numbers of `bits` bits, whose types are sint and uint. A shift by `bits` or more
 * moves every bit out. The quotient of the least number and -1 is the least number. */
#define EMU_INTEGER_OPERATIONS(bits, uint, sint)                                                   \
  static inline uint emu_div_u##bits(uint a, uint b) {                                             \
    return b ? (uint)(a / b) : (uint) ~(uint)0;                                                    \
  }                                                                                                \
  static inline uint emu_rem_u##bits(uint a, uint b) {                                             \
    return b ? (uint)(a % b) : (uint) ~(uint)0;                                                    \
  }                                                                                                \
  static inline uint emu_div_s##bits(uint a, uint b) {                                             \
    if (b == (uint) ~(uint)0) return (uint)(0 - a);                                                \
    return b ? (uint)((sint)a / (sint)b) : (uint) ~(uint)0;                                        \
  }                                                                                                \
  static inline uint emu_rem_s##bits(uint a, uint b) {                                             \
    if (b == (uint) ~(uint)0) return 0;                                                            \
    return b ? (uint)((sint)a % (sint)b) : (uint) ~(uint)0;                                        \
  }                                                                                                \
  static inline uint emu_abs_s##bits(uint a) {                                                     \
    return (sint)a < 0 ? (uint)(0 - a) : a;                                                        \
  }                                                                                                \
  static inline uint emu_min_u##bits(uint a, uint b) {                                             \
    return a < b ? a : b;                                                                          \
  }                                                                                                \
  static inline uint emu_max_u##bits(uint a, uint b) {                                             \
    return a > b ? a : b;                                                                          \
  }                                                                                                \
  static inline uint emu_min_s##bits(uint a, uint b) {                                             \
    return (sint)a < (sint)b ? a : b;                                                              \
  }                                                                                                \
  static inline uint emu_max_s##bits(uint a, uint b) {                                             \
    return (sint)a > (sint)b ? a : b;                                                              \
  }                                                                                                \
  static inline uint emu_sad_u##bits(uint a, uint b, uint c) {                                     \
    return (uint)(c + (a < b ? b - a : a - b));                                                    \
  }                                                                                                \
  static inline uint emu_sad_s##bits(uint a, uint b, uint c) {                                     \
    return (uint)(c + ((sint)a < (sint)b ? b - a : a - b));                                        \
  }                                                                                                \
  static inline uint emu_shl_b##bits(uint a, uint32_t n) {                                         \
    return n < bits ? (uint)(a << (n & (bits - 1))) : 0;                                           \
  }                                                                                                \
  static inline uint emu_shr_u##bits(uint a, uint32_t n) {                                         \
    return n < bits ? (uint)(a >> (n & (bits - 1))) : 0;                                           \
  }                                                                                                \
  static inline uint emu_shr_s##bits(uint a, uint32_t n) {                                         \
    return (uint)((sint)a >> (n < bits ? n : bits - 1));                                           \
  }

EMU_INTEGER_OPERATIONS(16, uint16_t, int16_t)
EMU_INTEGER_OPERATIONS(32, uint32_t, int32_t)
EMU_INTEGER_OPERATIONS(64, uint64_t, int64_t)
#undef EMU_INTEGER_OPERATIONS

/* ---- Multiplication and addition ----------------------------------------------------------- */

static inline uint32_t emu_mulhi_u32(uint32_t a, uint32_t b) {
  return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t emu_mulhi_s32(uint32_t a, uint32_t b) {
  return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
}

static inline uint16_t emu_mulhi_u16(uint16_t a, uint16_t b) {
  return (uint16_t)((uint32_t)a * b >> 16);
}

static inline uint16_t emu_mulhi_s16(uint16_t a, uint16_t b) {
  return (uint16_t)((int32_t)(int16_t)a * (int16_t)b >> 16);
}

static inline uint64_t emu_mulhi_u64(uint64_t a, uint64_t b) {
  uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
  uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  uint64_t other = a_low * b_high + (uint32_t)middle;
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

static inline uint64_t emu_mulhi_s64(uint64_t a, uint64_t b) {
  uint64_t high = emu_mulhi_u64(a, b);
  return high - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}

/* The product of the low 24 bits, 48 bits wide. */
static inline uint64_t emu_mul24_u32(uint32_t a, uint32_t b) {
  return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}

static inline uint64_t emu_mul24_s32(uint32_t a, uint32_t b) {
  return (uint64_t)((int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8));
}

static inline uint32_t emu_saturate_s32(int64_t x) {
  return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static inline uint32_t emu_addsat_s32(uint32_t a, uint32_t b) {
  return emu_saturate_s32((int64_t)(int32_t)a + (int32_t)b);
}

static inline uint32_t emu_subsat_s32(uint32_t a, uint32_t b) {
  return emu_saturate_s32((int64_t)(int32_t)a - (int32_t)b);
}

/* Byte i of x as a signed or unsigned number. */
static inline int32_t emu_byte(uint32_t x, int i, bool is_signed) {
  uint32_t byte = x >> 8 * i & 0xff;
  return is_signed ? (int8_t)byte : (int32_t)byte;
}

static inline uint32_t emu_dp4a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
  for (int i = 0; i < 4; i++) {
    c += (uint32_t)(emu_byte(a, i, a_signed) * emu_byte(b, i, b_signed));
  }
  return c;
}

/* Multiplies the halves of a by two bytes of b: the low two, or with `high` the others. */
static inline uint32_t emu_dp2a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed,
                                bool high) {
  for (int i = 0; i < 2; i++) {
    uint32_t half = a >> 16 * i & 0xffff;
    int32_t factor = a_signed ? (int16_t)half : (int32_t)half;
    c += (uint32_t)(factor * emu_byte(b, i + 2 * high, b_signed));
  }
  return c;
}

/* ---- Two halves ---------------------------------------------------------------------------- */

/* d = op of the low halves and op of the high ones. */
#define EMU_HALVES(name, operation)                                                                \
  static inline uint32_t name(uint32_t a, uint32_t b) {                                            \
    uint16_t low = operation((uint16_t)a, (uint16_t)b);                                            \
    uint16_t high = operation((uint16_t)(a >> 16), (uint16_t)(b >> 16));                           \
    return low | (uint32_t)high << 16;                                                             \
  }
EMU_HALVES(emu_min_u16x2, emu_min_u16)
EMU_HALVES(emu_max_u16x2, emu_max_u16)
EMU_HALVES(emu_min_s16x2, emu_min_s16)
EMU_HALVES(emu_max_s16x2, emu_max_s16)
#undef EMU_HALVES

static inline uint32_t emu_add_16x2(uint32_t a, uint32_t b) {
  return ((a + (b & 0xffff0000)) & 0xffff0000) | ((a + b) & 0xffff);
}

/* ---- Bits ---------------------------------------------------------------------------------- */

static inline uint32_t emu_popc(uint64_t a) {
  a -= a >> 1 & 0x5555555555555555;
  a = (a & 0x3333333333333333) + (a >> 2 & 0x3333333333333333);
  a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (uint32_t)(a * 0x0101010101010101 >> 56);
}

/* The position of the highest set bit; 0xffffffff if there is none. */
static inline uint32_t emu_bfind_u64(uint64_t a) {
  a |= a >> 1, a |= a >> 2, a |= a >> 4, a |= a >> 8, a |= a >> 16, a |= a >> 32;
  return emu_popc(a) - 1;
}

static inline uint32_t emu_brev_b32(uint32_t a) {
  a = (a & 0x55555555) << 1 | (a >> 1 & 0x55555555);
  a = (a & 0x33333333) << 2 | (a >> 2 & 0x33333333);
  a = (a & 0x0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f);
  a = (a & 0x00ff00ff) << 8 | (a >> 8 & 0x00ff00ff);
  return a << 16 | a >> 16;
}

static inline uint64_t emu_brev_b64(uint64_t a) {
  return (uint64_t)emu_brev_b32((uint32_t)a) << 32 | emu_brev_b32((uint32_t)(a >> 32));
}

/* `bits` is 32 or 64. Position and length have 32 bits. For fields of 32 bits only the low eight
 * count, as the PTX ISA says; for fields of 64 bits all of them do on hardware. */
static inline uint64_t emu_bfe(uint64_t a, uint32_t position, uint32_t length, int bits,
                               bool is_signed) {
  uint64_t part = bits == 32 ? 0xff : 0xffffffff, top = (uint64_t)bits - 1;
  uint64_t from = position & part, count = length & part;
  if (count == 0) return 0;
  uint64_t last = from + count - 1 > top ? top : from + count - 1;
  uint64_t fill = is_signed && (a >> last & 1) ? ~(uint64_t)0 : 0;
  if (from > top) return fill;
  uint64_t mask = ~(uint64_t)0 >> (63 - (last - from));
  return (a >> from & mask) | (fill & ~mask);
}

static inline uint64_t emu_bfi(uint64_t a, uint64_t b, uint32_t position, uint32_t length,
                               int bits) {
  uint32_t part = bits == 32 ? 0xff : 0xffffffff, from = position & part, count = length & part;
  if (count == 0 || from >= (uint32_t)bits) return b;
  uint64_t mask = (count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1) << from;
  return (b & ~mask) | (a << from & mask);
}

/* The position of the |offset|-th set bit of `mask` from `base` on, upward or downward. */
static inline uint32_t emu_fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffff;
  uint32_t count = offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset;
  for (uint32_t at = base; at < 32; at += offset < 0 ? 0xffffffff : 1) {
    if ((mask >> at & 1) && --count == 0) return at;
  }
  return 0xffffffff;
}

static inline uint32_t emu_shf_l(uint32_t low, uint32_t high, uint32_t n, bool clamp) {
  n = clamp ? (n > 32 ? 32 : n) : n & 31;
  return (uint32_t)((((uint64_t)high << 32 | low) << n) >> 32);
}

static inline uint32_t emu_shf_r(uint32_t low, uint32_t high, uint32_t n, bool clamp) {
  n = clamp ? (n > 32 ? 32 : n) : n & 31;
  return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}

static inline uint32_t emu_bmsk(uint32_t position, uint32_t width, bool clamp) {
  uint32_t from = position & 31, end = from + (width & 31);
  bool open = end >= 32 || (clamp && width >= 32);
  uint32_t below_end = open ? 0xffffffff : (1u << end) - 1;
  if (clamp && position >= 32) return 0;
  return 0xffffffffu << from & below_end;
}

/* The low n bits of a, extended with zeros or with the sign. */
static inline uint32_t emu_szext(uint32_t a, uint32_t n, bool is_signed, bool clamp) {
  if (clamp && n >= 32) return a;
  n &= 31;
  if (n == 0) return 0;
  uint32_t shifted = a << (32 - n);
  return is_signed ? (uint32_t)((int32_t)shifted >> (32 - n)) : shifted >> (32 - n);
}

/* Selects bit by bit: `set` if the selector's bit is set, else `clear`. */
static inline uint32_t emu_mux(uint32_t selector, uint32_t set, uint32_t clear) {
  return (selector & set) | (~selector & clear);
}

/* Entry i of the table, as 32 bits. */
static inline uint32_t emu_lop3_entry(unsigned table, int i) {
  return 0u - (table >> i & 1);
}

static inline uint32_t emu_lop3(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t d0 = emu_mux(c, emu_lop3_entry(table, 1), emu_lop3_entry(table, 0));
  uint32_t d1 = emu_mux(c, emu_lop3_entry(table, 3), emu_lop3_entry(table, 2));
  uint32_t d2 = emu_mux(c, emu_lop3_entry(table, 5), emu_lop3_entry(table, 4));
  uint32_t d3 = emu_mux(c, emu_lop3_entry(table, 7), emu_lop3_entry(table, 6));
  return emu_mux(a, emu_mux(b, d3, d2), emu_mux(b, d1, d0));
}

/* prmt: each byte of the result is a byte of b:a, or eight times that byte's sign. */
enum emu_prmt { EMU_PRMT, EMU_F4E, EMU_B4E, EMU_RC8, EMU_ECL, EMU_ECR, EMU_RC16 };

static inline uint32_t emu_prmt(uint32_t a, uint32_t b, uint32_t selector, enum emu_prmt mode) {
  uint64_t bytes = (uint64_t)b << 32 | a;
  uint32_t d = 0, s = selector & 3;
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t from;
    switch (mode) {
    case EMU_F4E:
      from = i + s;
      break;
    case EMU_B4E:
      from = (s - i) & 7;
      break;
    case EMU_RC8:
      from = s;
      break;
    case EMU_ECL:
      from = i > s ? i : s;
      break;
    case EMU_ECR:
      from = i < s ? i : s;
      break;
    case EMU_RC16:
      from = (i & 1) + 2 * (s & 1);
      break;
    default:
      from = selector >> 4 * i & 15;
      break;
    }
    uint32_t byte = bytes >> 8 * (from & 7) & 0xff;
    if (from & 8) byte = byte & 0x80 ? 0xff : 0;
    d |= byte << 8 * i;
  }
  return d;
}

#endif
