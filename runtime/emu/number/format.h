/* Number formats of PTX, as constants.
 *
 * A format is a sign, an exponent and a fraction, from .e2m1 (4 bits) to .f64. The same description
 * is used to unpack numbers, to round a result once (soft.h, float.h) and in tests. Source:
 * PTX ISA, "Alternate Floating-Point Data Formats" and "Packed Data Types"; IEEE 754-2019, 3.4.
 *
 * The patterns of NaN are those the hardware writes: 0x7fffffff for .f32, 0x7fff for .f16 and
 * .bf16, 0x7f for .e4m3 and .e5m2, and 0xfff8000000000000 for .f64 (CUDART_NAN in CUDA's
 * math_constants.h). */
#ifndef GG_EMU_NUMBER_FORMAT_H
#define GG_EMU_NUMBER_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct emu_format {
  int precision;     /* bits of the significand, the hidden one included */
  int min_exponent;  /* of the smallest normal number, 1.0 * 2^min_exponent */
  int max_exponent;  /* of the largest finite number */
  int shift;         /* unused low bits: 13 for .tf32 in its 32-bit container */
  uint64_t sign;     /* the sign bit; patterns below it are magnitudes */
  uint64_t infinity; /* 0 if the format has none */
  uint64_t max;      /* the largest finite magnitude */
  uint64_t nan;      /* the canonical NaN; 0 if the format has none */
} emu_format;

/* These constants are in a header so that compilers can fold them in inlined functions.
 *                       precision  exponents  shift  sign         infinity     max         NaN */
static const emu_format emu_e2m1 = {2, 0, 2, 0, 0x8, 0, 0x7, 0};
static const emu_format emu_e2m3 = {4, 0, 2, 0, 0x20, 0, 0x1f, 0};
static const emu_format emu_e3m2 = {3, -2, 4, 0, 0x20, 0, 0x1f, 0};
static const emu_format emu_e4m3 = {4, -6, 8, 0, 0x80, 0, 0x7e, 0x7f};
static const emu_format emu_e5m2 = {3, -14, 15, 0, 0x80, 0x7c, 0x7b, 0x7f};
/* Scale factors: .e4m3 without a sign; bit 7 is ignored. .ue8m0 is in soft.h. */
static const emu_format emu_ue4m3 = {4, -6, 8, 0, 0x80, 0, 0x7e, 0x7f};
static const emu_format emu_f16 = {11, -14, 15, 0, 0x8000, 0x7c00, 0x7bff, 0x7fff};
static const emu_format emu_bf16 = {8, -126, 127, 0, 0x8000, 0x7f80, 0x7f7f, 0x7fff};
static const emu_format emu_tf32 = {11,         -126,       127,        13,
                                    0x80000000, 0x7f800000, 0x7f7fe000, 0x7fffe000};
static const emu_format emu_f32 = {24,         -126,       127,        0,
                                   0x80000000, 0x7f800000, 0x7f7fffff, 0x7fffffff};
static const emu_format emu_f64 = {53,
                                   -1022,
                                   1023,
                                   0,
                                   0x8000000000000000,
                                   0x7ff0000000000000,
                                   0x7fefffffffffffff,
                                   0xfff8000000000000};

static inline bool emu_format_is_nan(const emu_format *f, uint64_t bits) {
  uint64_t magnitude = bits & (f->sign - 1);
  if (f->infinity) return magnitude > f->infinity;
  return f->nan && magnitude == f->nan;
}

/* The `index`-th of the numbers of 4, 6 or 8 bits that are packed in `size` bytes, from the lowest
 * bits on. */
static inline uint32_t emu_packed_code(const uint8_t *bytes, int size, int index, int bits) {
  int at = index * bits, byte = at / 8;
  uint32_t two = bytes[byte] | (byte + 1 < size ? (uint32_t)bytes[byte + 1] << 8 : 0);
  return two >> at % 8 & ((UINT32_C(1) << bits) - 1);
}

/* How a result is rounded and finished: a mode, and flags or-ed to it. */
enum {
  EMU_RN,  /* to nearest, ties to even */
  EMU_RZ,  /* toward zero */
  EMU_RM,  /* toward minus infinity */
  EMU_RP,  /* toward plus infinity */
  EMU_RNA, /* to nearest, ties away from zero */
  EMU_MODE_MASK = 7,
  EMU_FTZ = 8,        /* subnormal inputs and results become zeros of their sign */
  EMU_SAT = 16,       /* into [+0, 1]; NaN becomes +0 */
  EMU_RELU = 32,      /* negative results become +0; NaN stays */
  EMU_SATFINITE = 64, /* results beyond the range, and infinities, become the largest finite */
};

#endif
