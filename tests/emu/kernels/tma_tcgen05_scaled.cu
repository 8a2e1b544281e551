// D = A B^T with scale factors (mxf8f6f4: e4m3, a ue8m0 for 32 elements of k), a tile of 128 x 128 a
// CTA: a warp loads operands and scale factors with TMA into a ring of two stages, another one copies
// the factors to tensor memory and multiplies, four take the sums from there and store them.
#include "tcgen05.cuh"

constexpr int tile_m = 128, tile_n = 128, tile_k = 128, stages = 2, blocks = tile_k / 32;
constexpr u32 bytes_a = tile_m * tile_k, bytes_b = tile_n * tile_k, bytes_scale = 128 * blocks;
constexpr int columns_scale = 4, columns_all = 256;
// A and B e4m3, N / 8, ue8m0, M / 128.
constexpr u32 instruction = (tile_n / 8) << 17 | 1 << 23 | (tile_m / 128) << 27;

struct Shared {
  alignas(1024) char a[stages][bytes_a];
  alignas(1024) char b[stages][bytes_b];
  alignas(128) char a_scale[stages][bytes_scale];
  alignas(128) char b_scale[stages][bytes_scale];
  u64 full[stages], empty[stages], done;
  u32 columns;
};

// ---- Quantising

// 32 elements of a row with their scale factor, a power of two that says nothing about them, so that
// who takes another's gets another result. Factors of 128 rows and 4 blocks stand together as
// tcgen05.cp.32x128b takes them: those of rows 32 apart are neighbours.
__device__ void quantise_block(const unsigned short *x, unsigned char *codes, unsigned char *scales,
                               int row, int block, int k, int step) {
  int exponent = (row * step + block * 3 + row / 32) % 5 - 2;
  int tiles = k / tile_k, tile = row / 128 * tiles + block / blocks;
  scales[tile * bytes_scale + row % 32 * 16 + row % 128 / 32 * 4 + block % blocks] = 127 + exponent;
  for (int i = block * 32; i < block * 32 + 32; i++) {
    u32 bits = x[row * k + i];
    u32 code = ((bits >> 7 & 0xff) - 127 - exponent + 7) << 3 | (bits >> 4 & 7);
    codes[row * k + i] = (bits >> 15) << 7 | (bits & 0x7fff ? code : 0);
  }
}

extern "C" __global__ void quantise(const unsigned short *x, unsigned char *codes,
                                    unsigned char *scales, int k, int step) {
  for (int block = 0; block < k / 32; block++)
    quantise_block(x, codes, scales, blockIdx.x * 128 + threadIdx.x, block, k, step);
}

// ---- The product

// 32 rows of 16 bytes, not swizzled: stride 128 between groups of 8.
__device__ inline u64 scale_descriptor(u32 address) {
  return u64(1) << 46 | u64(128 >> 4) << 32 | ((address & 0x3ffff) >> 4);
}

__device__ inline void copy_scales(u32 to, u64 from) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(from) : "memory");
}

// Block k of a tile: byte k of the words of scale factors.
__device__ inline void umma(u32 d, u64 a, u64 b, u32 a_scale, u32 b_scale, int k, u32 accumulate) {
  asm volatile("{\n\t.reg .pred p;\n\t"
               "setp.ne.u32 p, %6, 0;\n\t"
               "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32"
               " [%0], %1, %2, %3, [%4], [%5], p;\n\t}" ::"r"(d),
               "l"(a), "l"(b), "r"(instruction | k << 29 | k << 4), "r"(a_scale), "r"(b_scale),
               "r"(accumulate)
               : "memory");
}

struct Maps {
  TensorMap a, b, a_scale, b_scale;
};

__device__ void produce(Shared &s, const Maps &maps, int tiles) {
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    u32 full = shared_address(&s.full[stage]);
    barrier_wait(shared_address(&s.empty[stage]), (i / stages & 1) ^ 1);
    barrier_expect(full, bytes_a + bytes_b + 2 * bytes_scale);
    tensor_load(shared_address(s.a[stage]), &maps.a, i * tile_k, blockIdx.y * tile_m, full);
    tensor_load(shared_address(s.b[stage]), &maps.b, i * tile_k, blockIdx.x * tile_n, full);
    tensor_load(shared_address(s.a_scale[stage]), &maps.a_scale, 0, blockIdx.y * tiles + i, full);
    tensor_load(shared_address(s.b_scale[stage]), &maps.b_scale, 0, blockIdx.x * tiles + i, full);
  }
}

__device__ void multiply(Shared &s, u32 d, int tiles) {
  u32 a_scale = d + tile_n, b_scale = a_scale + columns_scale;
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    barrier_wait(shared_address(&s.full[stage]), i / stages & 1);
    fence_after();
    copy_scales(a_scale, scale_descriptor(shared_address(s.a_scale[stage])));
    copy_scales(b_scale, scale_descriptor(shared_address(s.b_scale[stage])));
    u64 a = umma_descriptor(shared_address(s.a[stage]));
    u64 b = umma_descriptor(shared_address(s.b[stage]));
    for (int k = 0; k < blocks; k++) umma(d, a + 2 * k, b + 2 * k, a_scale, b_scale, k, i > 0 || k > 0);
    umma_commit<1>(shared_address(&s.empty[stage]));
  }
  umma_commit<1>(shared_address(&s.done));
}

extern "C" __global__ void __launch_bounds__(192)
    tma_tcgen05_scaled(const __grid_constant__ Maps maps, float *d, int tiles, int n) {
  extern __shared__ char memory[];
  Shared &s = *reinterpret_cast<Shared *>(memory + (-shared_address(memory) & 1023));
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) sums_init(s);
  if (warp == 0) tensor_allocate<1>(&s.columns, columns_all);
  __syncthreads();
  u32 columns = s.columns;
  if (warp == 4 && threadIdx.x % 32 == 0) produce(s, maps, tiles);
  if (warp == 5 && threadIdx.x % 32 == 0) multiply(s, columns, tiles);
  if (warp < 4) {
    barrier_wait(shared_address(&s.done), 0);
    fence_after();
    float *row = d + (u64)(blockIdx.y * tile_m + threadIdx.x) * n + blockIdx.x * tile_n;
    store<tile_n>(row, columns);
    fence_before();
  }
  __syncthreads();
  if (warp == 0) {
    fence_after();
    tensor_free<1>(columns, columns_all);
  }
}
