/* Numbers in memory, one at a time: for inputs and checks on the host, where clarity counts and
 * speed does not. Independent of what kernels emit. */
#ifndef GG_HARNESS_NUMBER_H
#define GG_HARNESS_NUMBER_H

#include "gemmgen.h"

/* A binary floating-point format by its parameters. */
typedef struct gg_float_format {
  int exponent_bits, fraction_bits;
  uint32_t max, over; /* largest finite; what lies beyond it: infinity, or the same again */
  uint32_t nan;
} gg_float_format;

/* Magnitudes: bits without the sign. Encoding rounds to the nearest, ties to even. */
double gg_float_decode(const gg_float_format *format, uint32_t magnitude);
uint32_t gg_float_encode(const gg_float_format *format, double magnitude);

/* Whether the functions below know the type. Elements of fewer than 8 bits lie behind each
 * other, the lowest bits first. */
bool gg_number_known(gg_dtype type);

/* The bits of elements: `count` of them from one place to another, in elements from the arrays'
 * first. */
void gg_number_copy(gg_dtype type, void *to, int64_t to_index, const void *from, int64_t from_index,
                    int64_t count);

/* Element `index` of an array; of tf32, what the f32 there is rounded to, to nearest even. */
double gg_number_get(gg_dtype type, const void *array, int64_t index);

/* Stores the nearest number of the type, ties to even (ue8m0: the power of two at or below it);
 * beyond its range infinity where the type
 * has one, else the largest. Of tf32, the nearest f32. */
void gg_number_set(gg_dtype type, void *array, int64_t index, double value);

/* The most that rounding to the type can move `value`: half the distance between its neighbours. */
double gg_number_half_ulp(gg_dtype type, double value);

/* The largest finite number, and the least. */
double gg_number_max(gg_dtype type);
double gg_number_least(gg_dtype type);

/* Bits of the significand, the hidden one included; of an integer, those of its magnitude. */
int gg_number_precision(gg_dtype type);

bool gg_number_is_integer(gg_dtype type);
int gg_number_bytes(gg_dtype type);

#endif
