#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

void numbers_seed(void) {
  const char *text = getenv("GEMMGEN_SEED");
  state = text ? strtoull(text, NULL, 0) : 20261121;
  printf("seed %llu\n", (unsigned long long)state);
}

uint64_t numbers_random(void) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static uint64_t some_magnitude(const emu_format *f) {
  uint64_t least_normal = (uint64_t)1 << (f->precision - 1 + f->shift);
  uint64_t one = (uint64_t)(1 - f->min_exponent) << (f->precision - 1 + f->shift);
  const uint64_t corners[] = {0,
                              1,
                              2,
                              least_normal - 1,
                              least_normal,
                              least_normal + 1,
                              one - 1,
                              one,
                              one + 1,
                              f->max,
                              f->max - 1,
                              f->infinity ? f->infinity : f->max,
                              f->nan ? f->nan : f->max};
  uint64_t r = numbers_random();
  switch (r % 8) {
  case 0:
    return corners[(r >> 8) % (sizeof corners / sizeof *corners)];
  case 1:
    return (r >> 8) % least_normal; /* subnormal */
  case 2:
    return one + (r >> 8) % (8 * least_normal) - 4 * least_normal; /* around 1 */
  case 3:
    return (r >> 8) & (f->sign - 1) & ~((least_normal >> f->precision / 2) - 1); /* short */
  default:
    return (r >> 8) & (f->sign - 1);
  }
}

uint64_t numbers_operand(const emu_format *f) {
  uint64_t magnitude = some_magnitude(f) & (f->sign - 1);
  uint64_t sign = numbers_random() & 1 ? f->sign : 0;
  return (magnitude & ~(((uint64_t)1 << f->shift) - 1)) | sign;
}

double numbers_value(const emu_format *f, uint64_t bits) {
  uint64_t magnitude = (bits & (f->sign - 1)) >> f->shift;
  uint64_t hidden = (uint64_t)1 << (f->precision - 1);
  int field = (int)(magnitude / hidden);
  double significand = (double)(magnitude % hidden) + (field ? (double)hidden : 0);
  int exponent = f->min_exponent - (f->precision - 1) + (field ? field - 1 : 0);
  double value = ldexp(significand, exponent);
  return bits & f->sign ? -value : value;
}

/* The largest pattern that is not above |x|; f->max where all are below. */
static uint64_t below(const emu_format *f, double magnitude) {
  uint64_t low = 0, high = f->max;
  while (low < high) {
    uint64_t middle = (low + high + 1) / 2;
    if (numbers_value(f, middle) <= magnitude) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

uint64_t numbers_nearest(const emu_format *f, double x, unsigned how) {
  double magnitude = fabs(x);
  bool negative = signbit(x);
  uint64_t down = below(f, magnitude), sign = negative ? f->sign : 0;
  unsigned mode = how & EMU_MODE_MASK;
  double low = numbers_value(f, down);
  /* Past the largest finite number the next one is where it would be, were there more exponents. */
  double high = down == f->max ? 2 * low - numbers_value(f, down - 1) : numbers_value(f, down + 1);
  double middle = low + (high - low) / 2;
  bool up = false;
  if (magnitude != low) {
    up = mode == EMU_RN    ? magnitude > middle || (magnitude == middle && (down & 1))
         : mode == EMU_RNA ? magnitude >= middle
                           : (mode == EMU_RP && !negative) || (mode == EMU_RM && negative);
  }
  if (!up) return down | sign;
  if (down != f->max) return (down + 1) | sign;
  uint64_t beyond = f->infinity ? f->infinity : f->nan;
  return ((how & EMU_SATFINITE) || !beyond ? f->max : beyond) | sign;
}
