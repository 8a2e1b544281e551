// ---- Activations --------------------------------------------------------------------------------

// Each, where nothing else is said, is within 1.5 * 2^-24 * (|x| + |result|) of the exact value,
// for every x: the special function unit's 2^t and 1 / d have all but the last bit or two of an
// f32. What is not a number stays so.

// +0 also where x is -0.
__device__ __forceinline__ epi_t relu(epi_t x) { return x <= epi_t(0) ? epi_t(0) : x; }

// Infinite from t = 128 on.
__device__ __forceinline__ float exp2_of(float t) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(t));
  return power;
}

// x * Phi(x) = max(x, 0) - |x| * Phi(-|x|), and -log2 Phi(-y) is smooth: 1 + y * q(y), q a
// polynomial fitted from 0 to 6, beyond which Phi(-y) is less than 1e-9.
__device__ __forceinline__ float gelu(float x) {
  const float y = fminf(fabsf(x), 6.0f);
  float q = -1.4026842e-7f;
  q = __fmaf_rn(q, y, 3.5825350e-6f);
  q = __fmaf_rn(q, y, -3.5964523e-5f);
  q = __fmaf_rn(q, y, 1.5138086e-4f);
  q = __fmaf_rn(q, y, 2.3851948e-4f);
  q = __fmaf_rn(q, y, -7.2010477e-3f);
  q = __fmaf_rn(q, y, 5.2586461e-2f);
  q = __fmaf_rn(q, y, 4.5918224e-1f);
  q = __fmaf_rn(q, y, 1.1511076f);
  const float tail = exp2_of(__fmaf_rn(-q, y, -1.0f));
  return __fmaf_rn(-y, tail, x < 0.0f ? 0.0f : x);
}

// x / (1 + 2^-t).
__device__ __forceinline__ float times_sigmoid(float x, float t) {
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(__fadd_rn(1.0f, exp2_of(-t))));
  return __fmul_rn(x, reciprocal);
}

// x / (1 + e^-x). Below -80 the result is less than 1e-32.
__device__ __forceinline__ float silu(float x) {
  x = x < -80.0f ? -80.0f : x;
  return times_sigmoid(x, __fmul_rn(x, 1.4426950f));
}

// x / 2 * (1 + tanh(u)) = x / (1 + e^-2u), u = sqrt(2 / pi) * (x + 0.044715 x^3). Below -9 the
// result is less than 1e-26.
__device__ __forceinline__ float gelu_tanh(float x) {
  x = x < -9.0f ? -9.0f : x;
  const float cubic = __fmaf_rn(__fmul_rn(x, x), 0.10294324f, 2.3022082f);  // * log2(e)
  return times_sigmoid(x, __fmul_rn(x, cubic));
}

// x / 2 * (1 + tanh(u)), u = sqrt(2 / pi) * (x + 0.044715 x^3): one result of the special function
// unit in place of two. Its tanh may be off by a share of 2^-11, so this by 2^-12 |x|.
__device__ __forceinline__ float gelu_tanh_approx(float x) {
  const float u = __fmul_rn(x, __fmaf_rn(__fmul_rn(x, x), 0.035677408f, 0.79788456f));
  float tanh_u;
  asm("tanh.approx.f32 %0, %1;" : "=f"(tanh_u) : "f"(u));
  const float half = __fmul_rn(x, 0.5f);
  return __fmaf_rn(half, tanh_u, half);
}

