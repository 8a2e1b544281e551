/* Arithmetic on unpacked numbers, one rounding at the end.
 *
 * An `emu_real` is a number of any format, or the result of one operation on such numbers, with 64
 * bits of significand. The last bit is sticky: it is set if anything below it was lost. 64 bits are
 * at least 11 more than any format's precision, so rounding such a result gives the same as
 * rounding the exact one. This is the plain path for every format, every mode, and integers of 64
 * bits. float.h has fast paths, and tests check that they give the same. */
#ifndef GG_EMU_NUMBER_SOFT_H
#define GG_EMU_NUMBER_SOFT_H

#include "emu/number/format.h"

enum emu_class { EMU_ZERO, EMU_FINITE, EMU_INFINITY, EMU_NAN };

typedef struct emu_real {
  enum emu_class class;
  bool negative;
  int exponent;         /* the value is significand * 2^(exponent - 63) */
  uint64_t significand; /* bit 63 is set if the class is EMU_FINITE */
} emu_real;

/* `ftz` reads subnormal numbers as zeros of their sign. */
emu_real emu_real_unpack(const emu_format *f, uint64_t bits, bool ftz);
emu_real emu_real_from_u64(uint64_t magnitude, bool negative);

/* Rounds to `f` as `how` says, and finishes: ftz, sat, relu, satfinite (see format.h). Without
 * EMU_SATFINITE, what overflows a format that has no infinity becomes its NaN. In formats without
 * NaN (.e2m1, .e2m3, .e3m2), NaN becomes the largest positive number. */
uint64_t emu_real_pack(const emu_format *f, emu_real x, unsigned how);

/* As emu_real_pack, but rounds up when `random`, a number of `width` bits, carries out of the
 * bits it is added to: the first `width` bits below the last one kept (cvt.rs). */
uint64_t emu_real_pack_random(const emu_format *f, emu_real x, unsigned how, uint32_t random,
                              int width);

/* Rounds to an integer as the mode says; the result is exact. */
emu_real emu_real_to_integral(emu_real x, unsigned how);

/* The value, rounded to an integer and clamped to [-low, high]; not for NaN. */
uint64_t emu_real_to_int(emu_real x, unsigned how, uint64_t low, uint64_t high);

/* `how` decides the sign of an exact zero: -0 toward minus infinity. */
emu_real emu_real_fma(emu_real a, emu_real b, emu_real c, unsigned how);
emu_real emu_real_mul(emu_real a, emu_real b);
emu_real emu_real_div(emu_real a, emu_real b);
emu_real emu_real_sqrt(emu_real a);

/* On bit patterns of one format. */
uint64_t emu_soft_fma(const emu_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned how);
uint64_t emu_soft_add(const emu_format *f, uint64_t a, uint64_t b, unsigned how);
uint64_t emu_soft_mul(const emu_format *f, uint64_t a, uint64_t b, unsigned how);
uint64_t emu_soft_div(const emu_format *f, uint64_t a, uint64_t b, unsigned how);
uint64_t emu_soft_sqrt(const emu_format *f, uint64_t a, unsigned how);
uint64_t emu_soft_convert(const emu_format *to, const emu_format *from, uint64_t a, unsigned how);

/* .ue8m0: 2^(bits - 127), 255 is NaN; the sign of what is converted is dropped, zero becomes
 * the smallest power. EMU_RZ or EMU_RP. */
uint8_t emu_ue8m0_pack(emu_real x, unsigned how);
emu_real emu_ue8m0_unpack(uint8_t bits);

#endif
