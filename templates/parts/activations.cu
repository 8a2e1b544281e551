// ---- Activations --------------------------------------------------------------------------------

// Each, where nothing else is said, is within 1.5 * 2^-24 * (|x| + |result|) of the exact value,
// for every x: the special function unit's 2^t and 1 / d have all but the last bit or two of an
// f32. NaN stays NaN.

// +0 also where x is -0.
__device__ __forceinline__ epi_t relu(epi_t x) { return x <= epi_t(0) ? epi_t(0) : x; }

__device__ __forceinline__ epi_t at_least(epi_t x, epi_t least) { return x < least ? least : x; }
__device__ __forceinline__ epi_t at_most(epi_t x, epi_t most) { return x > most ? most : x; }

__device__ __forceinline__ epi_t leaky_relu(epi_t x, epi_t slope) {
  return x < epi_t(0) ? x * slope : x;
}

// Infinite from t = 128 on.
__device__ __forceinline__ float exp2_of(float t) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(t));
  return power;
}

// Phi(-y), y from 0 to 6, beyond which it is less than 1e-9: -log2 Phi(-y) is smooth, 1 + y * q(y),
// q a polynomial fitted there.
__device__ __forceinline__ float normal_tail(float y) {
  float q = -1.4026842e-7f;
  q = __fmaf_rn(q, y, 3.5825350e-6f);
  q = __fmaf_rn(q, y, -3.5964523e-5f);
  q = __fmaf_rn(q, y, 1.5138086e-4f);
  q = __fmaf_rn(q, y, 2.3851948e-4f);
  q = __fmaf_rn(q, y, -7.2010477e-3f);
  q = __fmaf_rn(q, y, 5.2586461e-2f);
  q = __fmaf_rn(q, y, 4.5918224e-1f);
  q = __fmaf_rn(q, y, 1.1511076f);
  return exp2_of(__fmaf_rn(-q, y, -1.0f));
}

// x * Phi(x) = max(x, 0) - |x| * Phi(-|x|).
__device__ __forceinline__ float gelu(float x) {
  const float y = fminf(fabsf(x), 6.0f);
  return __fmaf_rn(-y, normal_tail(y), x < 0.0f ? 0.0f : x);
}

// Within (1.5 |x| + 4) * 2^-24 of the result, or 2^-126.
__device__ __forceinline__ float exp_of(float x) { return exp2_of(__fmul_rn(x, 1.4426950f)); }

// Within 4 * 2^-24 and 6 * 2^-24 of the result.
__device__ __forceinline__ float log_of(float x) {
  float power;
  asm("lg2.approx.f32 %0, %1;" : "=f"(power) : "f"(x));
  return __fmul_rn(power, 0.69314718f);
}

// Each within 3 * 2^-24 of the result.
__device__ __forceinline__ float sqrt_of(float x) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}

__device__ __forceinline__ float rsqrt_of(float x) {
  float root;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
}

// Within 5 * 2^-24 of the result.
__device__ __forceinline__ float quotient(float x, float y) {
  float ratio;
  asm("div.full.f32 %0, %1, %2;" : "=f"(ratio) : "f"(x), "f"(y));
  return ratio;
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

// 1 / (1 + e^-x), within 3 * 2^-24 * (|x| + result).
__device__ __forceinline__ float sigmoid(float x) {
  return times_sigmoid(1.0f, __fmul_rn(x, 1.4426950f));
}

// Where |x| is below 0.6, this is x + x^3 p(x^2), with p a polynomial fitted there; else it is
// 1 - 2 / (1 + e^2|x|) with the sign of x, which is not precise near 0.
__device__ __forceinline__ float tanh_of(float x) {
  const float y = fabsf(x), square = __fmul_rn(x, x);
  float p = -6.2691197e-3f;
  p = __fmaf_rn(p, square, 2.1110959e-2f);
  p = __fmaf_rn(p, square, -5.3873949e-2f);
  p = __fmaf_rn(p, square, 1.3332915e-1f);
  p = __fmaf_rn(p, square, -3.3333330e-1f);
  const float small = __fmaf_rn(__fmul_rn(p, square), x, x);
  const float large = __fadd_rn(1.0f, -times_sigmoid(2.0f, __fmul_rn(y, -2.8853900f)));
  return y < 0.6f ? small : x < 0.0f ? -large : large;
}

// x * min(max(x + 3, 0), 6) / 6: x, or a zero, beyond 3. Infinite x are treated like large finite
// ones.
__device__ __forceinline__ float hardswish(float x) {
  const float share = at_least(at_most(__fmaf_rn(x, 0.16666667f, 0.5f), 1.0f), 0.0f);
  return x < -3.0f ? 0.0f : __fmul_rn(x, share);
}

// x / 2 * (1 + tanh(u)) = x / (1 + e^-2u), u = sqrt(2 / pi) * (x + 0.044715 x^3). Below -9 the
// result is less than 1e-26.
__device__ __forceinline__ float gelu_tanh(float x) {
  x = x < -9.0f ? -9.0f : x;
  const float cubic = __fmaf_rn(__fmul_rn(x, x), 0.10294324f, 2.3022082f);  // * log2(e)
  return times_sigmoid(x, __fmul_rn(x, cubic));
}

// PTX promises a relative error of 2^-11 at most.
__device__ __forceinline__ float tanh_approx(float x) {
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// x / 2 * (1 + tanh(u)), u = sqrt(2 / pi) * (x + 0.044715 x^3): one result of the special function
// unit in place of two. Its tanh may be off by a share of 2^-11, so this by 2^-12 |x|.
__device__ __forceinline__ float gelu_tanh_approx(float x) {
  const float u = __fmul_rn(x, __fmaf_rn(__fmul_rn(x, x), 0.035677408f, 0.79788456f));
  const float half = __fmul_rn(x, 0.5f);
  return __fmaf_rn(half, tanh_approx(u), half);
}

