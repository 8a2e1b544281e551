// ---- Blocks of D with a factor each -------------------------------------------------------------

// Two numbers as neighbouring elements of D, rounded to the nearest; beyond its largest, that.
__device__ __forceinline__ unsigned d_elements(float x, float y) {
//@ if packed_d
  unsigned elements;
  asm volatile("{ .reg .b8 byte; cvt.rn.satfinite.e2m1x2.f32 byte, %2, %1; cvt.u32.u8 %0, byte; }"
               : "=r"(elements)
               : "f"(x), "f"(y));
//@ else
  unsigned short elements;
  asm volatile("cvt.rn.satfinite.${d_ptx}x2.f32 %0, %2, %1;" : "=h"(elements) : "f"(x), "f"(y));
//@ end
  return elements;
}

//@ if powers
// The bits of a factor: x rounded up to a power of two, so that no element is too large for D.
__device__ __forceinline__ unsigned factor_of(float x) {
  unsigned short bits;
  asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %2, %1;" : "=h"(bits) : "f"(x), "f"(0.0f));
  return bits;
}

// What elements are multiplied by: 2^(127 - factor), of the largest factor a subnormal number.
__device__ __forceinline__ float reciprocal_of(unsigned factor) {
  return __uint_as_float(max((254 - factor) << 23, 1u << 22));
}
//@ else
// The bits of a factor: x rounded to the nearest number of e4m3.
__device__ __forceinline__ unsigned factor_of(float x) {
  unsigned short bits;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(bits) : "f"(x), "f"(0.0f));
  return bits;
}

// What elements are multiplied by: where the factor is 0, a finite number, so that 0 stays 0.
__device__ __forceinline__ float reciprocal_of(unsigned factor) {
  unsigned halves;
  float x;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"((unsigned short)factor));
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"((unsigned short)halves));
  return fminf(1.0f / x, __uint_as_float(0x7f7fffff));
}
//@ end

// Columns beyond D have no part in a factor.
__device__ __forceinline__ pair within(pair x, tile_place at) {
  if (!partial_tiles) return x;
  return {at.col < at.cols ? x.x : 0.0f, at.col + 1 < at.cols ? x.y : 0.0f};
}

// As unsigned integers magnitudes are in order, NaN above infinity.
__device__ __forceinline__ unsigned magnitude(float x) {
  return __float_as_uint(x) & 0x7fffffff;
}

// The columns of a block, from column `col` of the box on, in two rows: a lane has two of every
// eight, four neighbouring lanes have all. Divided by their factor they are elements of D.
__device__ __forceinline__ void scale_block(finished_box &out, const pair (&x)[scaled_block / 8][2],
                                            int col) {
  const int at = col / scaled_block;
#pragma unroll
  for (int down = 0; down < 2; ++down) {
    unsigned largest = 0;
#pragma unroll
    for (int i = 0; i < scaled_block / 8; ++i)
      largest = max(largest, max(magnitude(x[i][down].x), magnitude(x[i][down].y)));
    largest = max(largest, __shfl_xor_sync(~0u, largest, 1));
    largest = max(largest, __shfl_xor_sync(~0u, largest, 2));
    const unsigned factor = factor_of(__uint_as_float(largest) * (1.0f / ${d_largest}));
    const float reciprocal = reciprocal_of(factor);
#pragma unroll
    for (int i = 0; i < scaled_block / 8; ++i)
      out.d[col / 8 + i][down] =
          d_elements(x[i][down].x * reciprocal, x[i][down].y * reciprocal);
    factors_t &word = out.factors[at / factors_a_word][down];
    const int place = at % factors_a_word;
    word = factors_t(place == 0 ? factor : word | factor << place * 8);
  }
}
