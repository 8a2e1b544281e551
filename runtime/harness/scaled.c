/* As CUTLASS has it: the largest magnitude of a block, times 1 / the largest number of D's type, is
 * rounded to the factors' type; of ue8m0 up. Elements are multiplied by the factor's reciprocal, of
 * 0 by the largest number, and saturate. All in f32. Each step is monotonous: of a number within
 * bounds the ends are what becomes of the bounds. */
#include "scaled.h"

#include <float.h>
#include <math.h>

#include "number.h"

static gg_expected between(double low, double high) {
  return (gg_expected){(low + high) / 2, (high - low) / 2};
}

/* ---- Factors ----------------------------------------------------------------------------- */

static double round_factor(gg_dtype factors, float value) {
  const double least = 0x1p-127, most = 0x1p127;
  if (factors == GG_DTYPE_ue8m0) {
    int exponent;
    if (value <= least) return least;
    double fraction = frexp(value, &exponent);
    return fmin(ldexp(1, fraction > 0.5 ? exponent : exponent - 1), most);
  }
  unsigned char bits;
  gg_number_set(factors, &bits, 0, value);
  return gg_number_get(factors, &bits, 0);
}

static double factor_of(gg_dtype d, gg_dtype factors, double largest) {
  return round_factor(factors, (float)largest * (1.0F / (float)gg_number_max(d)));
}

/* Nothing is known of a block, or of an element, that may have what is not a number. */
static const gg_expected unknown = {0, (double)INFINITY};

gg_expected gg_scaled_factor(gg_dtype d, gg_dtype factors, const gg_expected *x, int64_t count) {
  double low = 0, high = 0;
  for (int64_t i = 0; i < count; i++) {
    if (isnan(x[i].value) || !isfinite(x[i].bound)) return unknown;
    low = fmax(low, fabs(x[i].value) - x[i].bound);
    high = fmax(high, fabs(x[i].value) + x[i].bound);
  }
  return between(factor_of(d, factors, low), factor_of(d, factors, high));
}

/* ---- Elements ---------------------------------------------------------------------------- */

static double element_of(gg_dtype d, double x, float reciprocal) {
  unsigned char bits[1] = {0};
  double most = gg_number_max(d), product = (float)x * reciprocal;
  gg_number_set(d, bits, 0, fmin(fmax(product, -most), most));
  return gg_number_get(d, bits, 0);
}

gg_expected gg_scaled_element(gg_dtype d, gg_dtype factors, unsigned char factor, gg_expected x) {
  float scale = (float)gg_number_get(factors, &factor, 0);
  if (isnan(x.value) || !isfinite(x.bound) || isnan(scale)) return unknown;
  float reciprocal = fminf(1.0F / scale, FLT_MAX);
  return between(element_of(d, x.value - x.bound, reciprocal),
                 element_of(d, x.value + x.bound, reciprocal));
}
