// The register-only rate of mma.sync: every warp multiplies the same random fragments over and over,
// eight independent accumulators deep; no memory is touched. Compiled by NVRTC behind #defines of
// SHAPE ("m16n8k16"), INPUT and ACCUMULATOR (types as PTX names them), REGISTERS (what a fragment of D
// takes: 2, 4, or 8 for four of f64), of an operand's word BASE and FRACTION, its random bits, and
// OPERATION, what stands behind the types: ".and.popc" of single bits.

static __device__ unsigned mix(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Numbers of magnitude 1/32 to 1/8 (of integers any), with random signs and fractions: sums stay finite.
static __device__ unsigned fragment(unsigned seed) {
  return BASE ^ (mix(seed) & FRACTION);
}

#define MMA "mma.sync.aligned." SHAPE ".row.col." ACCUMULATOR "." INPUT "." INPUT "." ACCUMULATOR OPERATION

#if REGISTERS == 8
using word = double;
constexpr int a_words = 8, b_words = 4, d_words = 4;

static __device__ double operand(unsigned seed) {
  return __hiloint2double(int(fragment(seed)), int(mix(seed + 1)));
}

static __device__ void mma(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
  asm volatile(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, "
                   "{%0, %1, %2, %3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                 "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}

static __device__ unsigned bits(double x) { return __double2loint(x) ^ __double2hiint(x); }
#else
using word = unsigned;
constexpr int a_words = 4, b_words = 2, d_words = REGISTERS;

static __device__ unsigned operand(unsigned seed) { return fragment(seed); }

static __device__ void mma(unsigned (&d)[REGISTERS], const unsigned (&a)[4],
                           const unsigned (&b)[2]) {
#if REGISTERS == 4
  asm volatile(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  asm volatile(MMA " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

static __device__ unsigned bits(unsigned x) { return x; }
#endif

extern "C" __global__ void __launch_bounds__(256) ceiling(int iterations, unsigned* sink) {
  unsigned thread = blockIdx.x * 256 + threadIdx.x;
  word a[2][a_words], b[4][b_words], d[2][4][d_words] = {};
  for (int i = 0; i < 2 * a_words; i++) a[i / a_words][i % a_words] = operand(thread * 64 + 2 * i);
  for (int i = 0; i < 4 * b_words; i++)
    b[i / b_words][i % b_words] = operand(thread * 64 + 32 + 2 * i);
  for (int step = 0; step < iterations; step++) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
      for (int j = 0; j < 4; j++) mma(d[i][j], a[i], b[j]);
    }
  }
  unsigned all = 0;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 4; j++) {
      for (int r = 0; r < d_words; r++) all ^= bits(d[i][j][r]);
    }
  }
  if (all == 0xdeadbeef && iterations < 0) *sink = all;
}
