/* Swizzles: linear maps over the bits of an index. Because xor is linear, two such maps are equal
 * when they agree on each single bit, which is how merged ones are checked. */
#include "layout/swizzle.h"

#include <stdio.h>

#include "layout/calc.h"

enum { address_bits = 62 };

gg_status gg_swizzle_make(gg_swizzle *out, int64_t bits, int64_t base, int64_t shift,
                          gg_error *err) {
  char why[96] = "";
  int64_t distance = shift < 0 ? -shift : shift;
  bool huge =
      bits > address_bits || base > address_bits || shift > address_bits || shift < -address_bits;
  if (bits < 0) {
    snprintf(why, sizeof why, "B must not be negative");
  } else if (base < 0) {
    snprintf(why, sizeof why, "M must not be negative");
  } else if (!huge && distance < bits) {
    snprintf(why, sizeof why, "|S| must be at least B, %lld < %lld", (long long)distance,
             (long long)bits);
  } else if (huge || bits + base + distance > address_bits) {
    snprintf(why, sizeof why, "the masks must fit in %d bits", (int)address_bits);
  }
  if (why[0]) {
    return gg_fail(err, LAYOUT_SWIZZLE, NULL, (long long)bits, (long long)base, (long long)shift,
                   why);
  }
  *out = (gg_swizzle){(int)bits, (int)base, (int)shift};
  return GG_OK;
}

static uint64_t mask(gg_swizzle sw, int distance) {
  return (((uint64_t)1 << sw.bits) - 1) << (sw.base + distance);
}

uint64_t gg_swizzle_y_mask(gg_swizzle sw) {
  return mask(sw, sw.shift > 0 ? sw.shift : 0);
}

uint64_t gg_swizzle_z_mask(gg_swizzle sw) {
  return mask(sw, sw.shift < 0 ? -sw.shift : 0);
}

bool gg_swizzle_equal(gg_swizzle a, gg_swizzle b) {
  return a.bits == b.bits && a.base == b.base && a.shift == b.shift;
}

gg_status gg_swizzle_of_masks(gg_swizzle *out, uint64_t y, uint64_t z, gg_error *err) {
  int bits = __builtin_popcountll(y);
  gg_swizzle sw = {0, 0, 0};
  bool legal = bits == __builtin_popcountll(z);
  if (legal && y) {
    int low_y = __builtin_ctzll(y), low_z = __builtin_ctzll(z);
    int base = low_y < low_z ? low_y : low_z;
    legal = !gg_swizzle_make(&sw, bits, base, low_y - low_z, NULL);
    legal = legal && gg_swizzle_y_mask(sw) == y && gg_swizzle_z_mask(sw) == z;
  }
  if (!legal) {
    return gg_fail(err, LAYOUT_SWIZZLE_MASKS, NULL, (unsigned long long)y, (unsigned long long)z);
  }
  *out = sw;
  return GG_OK;
}

gg_status gg_swizzle_composition(gg_swizzle *out, gg_swizzle a, gg_swizzle b, gg_error *err) {
  if (a.shift != b.shift) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "composition",
                   "only swizzles of the same shift S can be merged");
  }
  gg_swizzle r;
  gg_status st = gg_swizzle_of_masks(&r, gg_swizzle_y_mask(a) ^ gg_swizzle_y_mask(b),
                                     gg_swizzle_z_mask(a) ^ gg_swizzle_z_mask(b), err);
  if (st) return st;
  for (int i = 0; i < address_bits; i++) {
    int64_t bit = (int64_t)1 << i;
    if (gg_swizzle_apply(r, bit) == gg_swizzle_apply(a, gg_swizzle_apply(b, bit))) continue;
    return gg_fail(err, LAYOUT_FUNCTION, NULL, "composition", "the first swizzle", "the second",
                   "the merged swizzle is another function: one changes bits the other reads");
  }
  *out = r;
  return GG_OK;
}

/* Gives log2 of a power of two; an error for any other number. */
static gg_status log2_of(int *out, const char *op, int64_t n, gg_error *err) {
  if (n < 1 || (n & (n - 1))) {
    return gg_fail(err, LAYOUT_VALUE, NULL, op, "a swizzle scales by powers of two alone");
  }
  *out = __builtin_ctzll((uint64_t)n);
  return GG_OK;
}

gg_status gg_swizzle_upcast(gg_swizzle *out, gg_swizzle sw, int64_t n, gg_error *err) {
  int log;
  gg_status st = log2_of(&log, "upcast", n, err);
  if (st) return st;
  int base = sw.base - log, bits = base >= 0 ? sw.bits : sw.bits + base;
  *out = (gg_swizzle){bits > 0 ? bits : 0, base > 0 ? base : 0, sw.shift};
  return GG_OK;
}

gg_status gg_swizzle_downcast(gg_swizzle *out, gg_swizzle sw, int64_t n, gg_error *err) {
  int log;
  gg_status st = log2_of(&log, "downcast", n, err);
  return st ? st : gg_swizzle_make(out, sw.bits, sw.base + log, sw.shift, err);
}

gg_status gg_swizzle_recast(gg_swizzle *out, gg_swizzle sw, int64_t old_bits, int64_t new_bits,
                            gg_error *err) {
  if (old_bits < 1 || new_bits < 1) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "recast", "element sizes are at least 1 bit");
  }
  int64_t common = gg_gcd(old_bits, new_bits);
  gg_status st = gg_swizzle_upcast(&sw, sw, new_bits / common, err);
  return st ? st : gg_swizzle_downcast(out, sw, old_bits / common, err);
}

void gg_swizzle_print(gg_str *out, gg_swizzle sw) {
  gg_str_printf(out, "Sw<%d,%d,%d>", sw.bits, sw.base, sw.shift);
}
