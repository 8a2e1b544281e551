// ---- Derivatives of activations -----------------------------------------------------------------

// Each, where nothing else is said, is within 8 * 2^-24 of the exact value, for every x. NaN stays
// NaN.

// x where the derivative of relu is 1, or `before` is not a number.
__device__ __forceinline__ epi_t where_positive(epi_t x, epi_t before) {
  return before <= epi_t(0) ? epi_t(0) : x;
}

// Phi(x) + x * Phi'(x), Phi' = 2^(-x^2 / ln 4) / sqrt(2 pi). Beyond 6 it is 0, or 1.
__device__ __forceinline__ float gelu_slope(float x) {
  x = at_most(at_least(x, -6.0f), 6.0f);
  const float tail = normal_tail(fabsf(x));
  const float density = exp2_of(__fmaf_rn(__fmul_rn(x, x), -0.72134752f, -1.3257481f));
  return __fmaf_rn(x, density, x < 0.0f ? tail : __fadd_rn(1.0f, -tail));
}

// 1 / (1 + 2^-t) = s; gives s, and in `rest` 2^-t * s = 1 - s, which 1 - s itself would have lost
// where s is near 1.
__device__ __forceinline__ float sigmoid_and_rest(float &rest, float t) {
  const float power = exp2_of(-t);
  float s;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"(__fadd_rn(1.0f, power)));
  rest = __fmul_rn(power, s);
  return s;
}

// With u = sqrt(2 / pi) * (x + 0.044715 x^3) and s = 1 / (1 + e^-2u): s + x * 2u' * s * (1 - s).
// Beyond 9 it is 0, or 1.
__device__ __forceinline__ float gelu_tanh_slope(float x) {
  x = at_most(at_least(x, -9.0f), 9.0f);
  const float square = __fmul_rn(x, x);
  float rest;
  const float cubic = __fmaf_rn(square, 0.10294324f, 2.3022082f);  // * log2(e)
  const float s = sigmoid_and_rest(rest, __fmul_rn(x, cubic));
  const float steepness = __fmul_rn(x, __fmaf_rn(square, 0.21406445f, 1.5957691f));
  return __fmaf_rn(steepness, __fmul_rn(s, rest), s);
}

// (1 + t) / 2 + x / 2 * u' * (1 - t^2), t = tanh(u), u = sqrt(2 / pi) * (x + 0.044715 x^3). Beyond
// 5 it is within 2^-19 of 0, or 1. The special function unit's tanh may be off by a share of 2^-11;
// so this may be off by 2^-11 * |t / 2 - x * u' * t^2|.
__device__ __forceinline__ float gelu_tanh_approx_slope(float x) {
  x = at_most(at_least(x, -5.0f), 5.0f);
  const float square = __fmul_rn(x, x);
  const float t = tanh_approx(__fmul_rn(x, __fmaf_rn(square, 0.035677408f, 0.79788456f)));
  const float steepness = __fmul_rn(x, __fmaf_rn(square, 0.053516112f, 0.39894228f));
  return __fmaf_rn(steepness, __fmaf_rn(-t, t, 1.0f), __fmaf_rn(t, 0.5f, 0.5f));
}

// With s = 1 / (1 + e^-x): s * (1 + x * (1 - s)). Beyond 80 it is 0, or 1.
__device__ __forceinline__ float silu_slope(float x) {
  x = at_most(at_least(x, -80.0f), 80.0f);
  float rest;
  const float s = sigmoid_and_rest(rest, __fmul_rn(x, 1.4426950f));
  return __fmul_rn(s, __fmaf_rn(x, rest, 1.0f));
}

