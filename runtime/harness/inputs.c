/* Inputs are drawn by counter, so that an element depends on nothing but seed and index.
 * (SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014; normal
 * deviates: Box and Muller, 1958.) */
#include "inputs.h"

#include <math.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "number.h"

enum { cycle_length = 262139, largest_integer = 4 };

uint64_t gg_random(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* In (0, 1]. */
static double unit(uint64_t bits) {
  return ((double)(bits >> 11) + 1) * 0x1p-53;
}

double gg_random_normal(uint64_t seed, uint64_t index) {
  double radius = sqrt(-2 * log(unit(gg_random(seed, 2 * index))));
  return radius * cos(6.283185307179586 * unit(gg_random(seed, 2 * index + 1)));
}

static double integer(uint64_t seed, uint64_t index, int range) {
  return (double)(gg_random(seed, index) % (uint64_t)(2 * range + 1)) - range;
}

int gg_inputs_range(int precision, int64_t k) {
  double limit = ldexp(1, precision);
  int range = largest_integer;
  while (range > 1 && (double)k * range * range > limit)
    range--;
  return range;
}

gg_status gg_inputs_make(gg_inputs *out, gg_dtype type, gg_input_kind kind, int range,
                         uint64_t seed, gg_error *err) {
  *out = (gg_inputs){.type = type, .length = cycle_length};
  out->cycle = gg_malloc((size_t)gg_dtype_bytes(type, cycle_length));
  if (!out->cycle) return gg_fail(err, MEMORY, NULL, "");
  if (kind == GG_INPUTS_NORMAL && gg_number_is_integer(type)) {
    kind = GG_INPUTS_INTEGERS;
    range = 8;
  }
  for (int64_t i = 0; i < cycle_length; i++) {
    uint64_t index = (uint64_t)i;
    double value =
        kind == GG_INPUTS_NORMAL ? gg_random_normal(seed, index) : integer(seed, index, range);
    gg_number_set(type, out->cycle, i, value);
  }
  return GG_OK;
}

gg_status gg_inputs_make_scales(gg_inputs *out, gg_dtype type, gg_input_kind kind, uint64_t seed,
                                gg_error *err) {
  *out = (gg_inputs){.type = type, .length = cycle_length};
  out->cycle = gg_malloc((size_t)gg_dtype_bytes(type, cycle_length));
  if (!out->cycle) return gg_fail(err, MEMORY, NULL, "");
  for (int64_t i = 0; i < cycle_length; i++) {
    uint64_t random = gg_random(seed, (uint64_t)i);
    double value = kind == GG_INPUTS_INTEGERS ? (double)(1 + random % 2)
                   : type == GG_DTYPE_ue8m0   ? ldexp(1, (int)(random % 8) - 4)
                                              : fabs(gg_random_normal(seed, (uint64_t)i));
    gg_number_set(type, out->cycle, i, value);
  }
  return GG_OK;
}

void gg_inputs_free(gg_inputs *inputs) {
  gg_free(inputs->cycle);
  *inputs = (gg_inputs){0};
}

void gg_inputs_fill(void *array, int64_t index, const gg_inputs *inputs, int64_t first,
                    int64_t count) {
  for (int64_t at = first % inputs->length; count > 0; at = 0) {
    int64_t run = inputs->length - at < count ? inputs->length - at : count;
    gg_number_copy(inputs->type, array, index, inputs->cycle, at, run);
    index += run;
    count -= run;
  }
}
