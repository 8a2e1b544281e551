/* Operands of tensor cores, decoded once for many products.
 *
 * A number becomes a float that has its exact value, and the exponent by which the hardware aligns
 * it: that of its leading bit, but no less than that of the format's smallest normal number. Zeros,
 * infinities, NaNs and absent elements (those of a sparse A that are not selected) have special
 * exponents, so far apart that the sum of two says what their product is. Their float is a zero of
 * their sign, which contributes nothing to a sum. */
#ifndef GG_EMU_TENSOR_OPERAND_H
#define GG_EMU_TENSOR_OPERAND_H

#include <stddef.h>
#include <stdint.h>

#include "emu/types.h"

enum {
  EMU_EXPONENT_ABSENT = -20000,
  EMU_EXPONENT_ZERO = -4000,
  EMU_EXPONENT_INFINITY = 12000,
  EMU_EXPONENT_NAN = 13000,
  /* A product is an infinity or NaN if its exponent is above the first bound, and a zero or absent
   * if it is below the second. */
  EMU_PRODUCT_SPECIAL = 1000,
  EMU_PRODUCT_NOTHING = -1000,
};

enum {
  EMU_OPERAND_NEGATE = 1, /* all signs are changed */
  EMU_OPERAND_NORMAL = 2, /* subnormal numbers, too, are aligned by their leading bit */
};

/* Decodes `count` codes (a multiple of 8), each in the low bits of a word (tf32: the whole word),
 * of f16, bf16, tf32, e4m3, e5m2, e3m2, e2m3 or e2m1. `how`: the flags above. */
void emu_operand_decode(float *value, int16_t *exponent, emu_type type, unsigned how,
                        const uint32_t *codes, size_t count);

/* The same for 4- and 8-bit integers, which have only values. `count` is a multiple of 8. */
void emu_operand_decode_integer(float *value, emu_type type, const uint32_t *codes, size_t count);

/* The same for hosts with AVX2, where the two above call these. */
void emu_operand_decode_wide(float *value, int16_t *exponent, emu_type type, unsigned how,
                             const uint32_t *codes, size_t count);
void emu_operand_decode_integer_wide(float *value, emu_type type, const uint32_t *codes,
                                     size_t count);

/* Scale factors, ue8m0 or ue4m3, each in the low bits of a word; any `count`. */
void emu_operand_decode_scale(float *value, int16_t *exponent, emu_type type, const uint32_t *codes,
                              size_t count);

/* The number that a decoded operand stands for, including infinities and NaNs. */
float emu_operand_float(float value, int exponent);

#endif
