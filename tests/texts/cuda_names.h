// The names of CUDA C++ that emitted kernels use without a header, for a compiler that only reads
// them: what is declared here has its types, not its meaning.
#define __device__             __attribute__((device))
#define __global__             __attribute__((global, used))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __forceinline__        inline __attribute__((always_inline))
#define __align__(bytes)       __attribute__((aligned(bytes)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__

using size_t = decltype(sizeof 0);

struct dim3 {
  unsigned x, y, z;
};
extern const __device__ dim3 threadIdx, blockIdx, blockDim, gridDim;

struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

__device__ void __syncthreads();
__device__ void __syncwarp(unsigned mask = ~0u);
__device__ void __threadfence();
__device__ void __nanosleep(unsigned ns);
__device__ void __trap();
__device__ unsigned long long __cvta_generic_to_shared(const void *);

template <class T> __device__ T __shfl_sync(unsigned mask, T x, int lane, int width = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T x, int lanes, int width = 32);
template <class T>
__device__ T __shfl_down_sync(unsigned mask, T x, unsigned lanes, int width = 32);
template <class T> __device__ T atomicAdd(T *at, T x);
template <class T> __device__ T atomicExch(T *at, T x);
__device__ unsigned __ballot_sync(unsigned mask, int x);
__device__ int __all_sync(unsigned mask, int x);
__device__ int __any_sync(unsigned mask, int x);

template <class T> __device__ constexpr T min(T a, T b) {
  return a < b ? a : b;
}
template <class T> __device__ constexpr T max(T a, T b) {
  return a < b ? b : a;
}
__device__ int abs(int x);
__device__ float fminf(float a, float b);
__device__ float fmaxf(float a, float b);
__device__ float fabsf(float x);
__device__ double fabs(double x);
__device__ float __fmaf_rn(float a, float b, float c);
__device__ double __fma_rn(double a, double b, double c);
__device__ double __dadd_rn(double a, double b);
__device__ double __dsub_rn(double a, double b);
__device__ double __dmul_rn(double a, double b);
__device__ double __ddiv_rn(double a, double b);
__device__ double __dsqrt_rn(double x);
__device__ double normcdf(double x);
__device__ double exp(double x);
__device__ float __fadd_rn(float a, float b);
__device__ float __fmul_rn(float a, float b);
__device__ float __fsub_rn(float a, float b);
__device__ int __float2int_rn(float x);
__device__ float __int2float_rn(int x);
__device__ float __uint_as_float(unsigned x);
__device__ unsigned __float_as_uint(float x);
__device__ float __int_as_float(int x);
__device__ int __float_as_int(float x);
__device__ unsigned __byte_perm(unsigned x, unsigned y, unsigned selector);
__device__ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift);
__device__ int __ffs(int x);
__device__ int __popc(unsigned x);
__device__ int __popcll(unsigned long long x);
__device__ int __clz(int x);
__device__ unsigned __umulhi(unsigned x, unsigned y);
