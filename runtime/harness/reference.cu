// The reference on the device: sums of A * B and of |A * B| in f64, 16 x 16 sampled elements a CTA,
// 16 of K at a time. Compiled by NVRTC behind #defines of TYPE_A and TYPE_B; shares nothing with
// the kernels that it judges.

template <int exponent_bits, int fraction_bits, int bytes, unsigned max_finite, unsigned over>
struct Float {
  static __device__ double get(const unsigned char* p, long long index) {
    p += index * bytes;
    unsigned bits = 0;
    for (int i = 0; i < bytes; i++) bits |= (unsigned)p[i] << (8 * i);
    unsigned sign = 1u << (8 * bytes - 1);
    unsigned magnitude = bits & (sign - 1);
    unsigned one = 1u << fraction_bits;
    int exponent = magnitude >> fraction_bits;
    unsigned fraction = magnitude & (one - 1);
    if (exponent) fraction |= one;
    else exponent = 1;
    int scale = exponent - ((1 << (exponent_bits - 1)) - 1) - fraction_bits;
    double power = __longlong_as_double((long long)(scale + 1023) << 52);
    double value = fraction * power;
    if (magnitude > max_finite) {
      value = __longlong_as_double(magnitude == over ? 0x7ffll << 52 : -1ll);  // infinity, NaN
    }
    return bits & sign ? -value : value;
  }
};

template <typename T>
struct Plain {
  static __device__ double get(const unsigned char* p, long long index) {
    return (double)((const T*)p)[index];
  }
};

// An f32 in memory, rounded to nearest even at 10 fraction bits.
struct Tf32 {
  static __device__ double get(const unsigned char* p, long long index) {
    unsigned bits = ((const unsigned*)p)[index];
    if ((bits & 0x7fffffff) <= 0x7f800000) bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    return (double)__uint_as_float(bits);
  }
};

using f16 = Float<5, 10, 2, 0x7bff, 0x7c00>;
using bf16 = Float<8, 7, 2, 0x7f7f, 0x7f80>;
using tf32 = Tf32;
using f32 = Plain<float>;
using f64 = Plain<double>;
using e4m3 = Float<4, 3, 1, 0x7e, 0xff>;
using e5m2 = Float<5, 2, 1, 0x7b, 0x7c>;
using s8 = Plain<signed char>;
using u8 = Plain<unsigned char>;
using s32 = Plain<int>;

struct Operand {
  const unsigned char* memory;
  long long outer, k, batch;  // strides in elements
};

extern "C" __global__ void __launch_bounds__(256)
reference(Operand a, Operand b, long long k_extent, const long long* rows, long long row_count,
          const long long* cols, long long col_count, const long long* batches, double* sums,
          double* magnitudes) {
  __shared__ double sA[16][17], sB[16][17];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  long long tiles_n = (col_count + 15) / 16;
  long long i0 = blockIdx.x / tiles_n * 16, j0 = blockIdx.x % tiles_n * 16;
  long long i = i0 + ty, j = j0 + tx, batch = batches[blockIdx.y];
  // Each thread loads one element of either tile: row ty of it, depth tx.
  long long row = i0 + ty < row_count ? rows[i0 + ty] : -1;
  long long col = j0 + ty < col_count ? cols[j0 + ty] : -1;
  double sum = 0, magnitude = 0;
  for (long long k0 = 0; k0 < k_extent; k0 += 16) {
    long long k = k0 + tx;
    bool inside = k < k_extent;
    long long at_a = batch * a.batch + row * a.outer + k * a.k;
    long long at_b = batch * b.batch + col * b.outer + k * b.k;
    sA[ty][tx] = inside && row >= 0 ? TYPE_A::get(a.memory, at_a) : 0;
    sB[ty][tx] = inside && col >= 0 ? TYPE_B::get(b.memory, at_b) : 0;
    __syncthreads();
    for (int d = 0; d < 16; d++) {
      double product = sA[ty][d] * sB[tx][d];
      sum += product;
      magnitude += fabs(product);
    }
    __syncthreads();
  }
  if (i < row_count && j < col_count) {
    long long at = (blockIdx.y * row_count + i) * col_count + j;
    sums[at] = sum;
    magnitudes[at] = magnitude;
  }
}
