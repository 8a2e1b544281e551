// ---- Derivatives of activations -----------------------------------------------------------------

// x where the derivative of relu is 1, or `before` is not a number.
__device__ __forceinline__ epi_t where_positive(epi_t x, epi_t before) {
  return before <= epi_t(0) ? epi_t(0) : x;
}

// Phi(x) + x * Phi'(x).
__device__ __forceinline__ double gelu_slope(double x) {
  x = at_most(at_least(x, -40.0), 40.0);
  return __fma_rn(x, 0.39894228040143267794 * exp(-0.5 * x * x), normcdf(x));
}

// With u = sqrt(2 / pi) * (x + 0.044715 x^3) and s = 1 / (1 + e^-2u): s + x * 2u' * s * (1 - s).
__device__ __forceinline__ double gelu_tanh_slope(double x) {
  x = at_most(at_least(x, -15.0), 15.0);
  const double square = x * x;
  const double power = exp(-1.59576912160573071176 * x * (1 + 0.044715 * square));
  const double s = 1 / (1 + power);
  const double steepness = 1.59576912160573071176 * x * (1 + 0.134145 * square);
  return __fma_rn(steepness, s * (power * s), s);
}

__device__ __forceinline__ double gelu_tanh_approx_slope(double x) { return gelu_tanh_slope(x); }

// With s = 1 / (1 + e^-x): s * (1 + x * (1 - s)).
__device__ __forceinline__ double silu_slope(double x) {
  x = at_most(at_least(x, -700.0), 700.0);
  const double power = exp(-x), s = 1 / (1 + power);
  return s * __fma_rn(x, power * s, 1.0);
}
