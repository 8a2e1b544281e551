/* Random operands: the same for a seed, on any machine. */
#ifndef GG_HARNESS_INPUTS_H
#define GG_HARNESS_INPUTS_H

#include "gemmgen.h"

typedef enum gg_input_kind {
  GG_INPUTS_NORMAL,   /* mean 0, deviation 1; of integer types, integers from -8 to 8 */
  GG_INPUTS_INTEGERS, /* small enough, where K allows it, that every sum is exact */
} gg_input_kind;

/* The largest magnitude of an input such that `k` products add up without rounding in `precision`
 * bits; at least 1. */
int gg_inputs_range(int precision, int64_t k);

/* Values for an array of any length: a cycle of `length` elements, a prime, so that no row of
 * a matrix is another's copy. */
typedef struct gg_inputs {
  gg_dtype type;
  void *cycle;
  int64_t length;
} gg_inputs;

/* `range` is for GG_INPUTS_INTEGERS. Free with gg_inputs_free. */
gg_status gg_inputs_make(gg_inputs *out, gg_dtype type, gg_input_kind kind, int range,
                         uint64_t seed, gg_error *err);
/* Scale factors: of GG_INPUTS_INTEGERS 1 and 2, else powers of two from 1/16 to 8, and numbers
 * about those of a normal deviate. */
gg_status gg_inputs_make_scales(gg_inputs *out, gg_dtype type, gg_input_kind kind, uint64_t seed,
                                gg_error *err);
void gg_inputs_free(gg_inputs *inputs);

/* Fills `count` elements of the array from `index` on, beginning at element `first` of the cycle.
 */
void gg_inputs_fill(void *array, int64_t index, const gg_inputs *inputs, int64_t first,
                    int64_t count);

/* A well-mixed 64-bit number for each (seed, index): SplitMix64. */
uint64_t gg_random(uint64_t seed, uint64_t index);

/* A normal deviate for each (seed, index): mean 0, deviation 1. */
double gg_random_normal(uint64_t seed, uint64_t index);

#endif
