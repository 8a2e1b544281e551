// ---- Activations --------------------------------------------------------------------------------

// In f64, by the compiler's own functions, which are within two units in the last place. Below the
// limits that x is raised to, results are 0, or less than 1e-320.

// +0 also where x is -0.
__device__ __forceinline__ epi_t relu(epi_t x) { return x <= epi_t(0) ? epi_t(0) : x; }

__device__ __forceinline__ epi_t at_least(epi_t x, epi_t least) { return x < least ? least : x; }
__device__ __forceinline__ epi_t at_most(epi_t x, epi_t most) { return x > most ? most : x; }

__device__ __forceinline__ epi_t leaky_relu(epi_t x, epi_t slope) {
  return x < epi_t(0) ? x * slope : x;
}

__device__ __forceinline__ double exp_of(double x) { return exp(x); }
__device__ __forceinline__ double log_of(double x) { return log(x); }
__device__ __forceinline__ double sqrt_of(double x) { return __dsqrt_rn(x); }
__device__ __forceinline__ double rsqrt_of(double x) { return 1 / __dsqrt_rn(x); }
__device__ __forceinline__ double quotient(double x, double y) { return __ddiv_rn(x, y); }

// x * Phi(x).
__device__ __forceinline__ double gelu(double x) {
  x = x < -40.0 ? -40.0 : x;
  return x * normcdf(x);
}

// x / (1 + e^-x).
__device__ __forceinline__ double silu(double x) {
  x = x < -745.0 ? -745.0 : x;
  return x / (1 + exp(-x));
}

// 1 / (1 + e^-x).
__device__ __forceinline__ double sigmoid(double x) { return 1 / (1 + exp(-x)); }

__device__ __forceinline__ double tanh_of(double x) { return tanh(x); }

// x * min(max(x + 3, 0), 6) / 6: x, or a zero, beyond 3. Infinite x are treated like large finite
// ones.
__device__ __forceinline__ double hardswish(double x) {
  const double share = at_least(at_most(__fma_rn(x, 1.0 / 6, 0.5), 1.0), 0.0);
  return x < -3.0 ? 0.0 : x * share;
}

// x / 2 * (1 + tanh(u)) = x / (1 + e^-2u), u = sqrt(2 / pi) * (x + 0.044715 x^3).
__device__ __forceinline__ double gelu_tanh(double x) {
  x = x < -40.0 ? -40.0 : x;
  const double u = 0.79788456080286535588 * x * (1 + 0.044715 * x * x);
  return x / (1 + exp(-2 * u));
}

// There is no approximate tanh of f64.
__device__ __forceinline__ double gelu_tanh_approx(double x) { return gelu_tanh(x); }
