// D = A B^T, a tile of 128 x 64 a CTA: a warp loads with TMA into a ring of two stages, another one
// multiplies with tcgen05 into tensor memory, four take the sums from there and store them.
#include "hopper.cuh"

constexpr int tile_m = 128, tile_n = 64, tile_k = 64, stages = 2;
constexpr u32 bytes_a = tile_m * tile_k * 2, bytes_b = tile_n * tile_k * 2;
// D f32, A and B bf16, N / 8, M / 16.
constexpr u32 instruction = 1 << 4 | 1 << 7 | 1 << 10 | (tile_n / 8) << 17 | (tile_m / 16) << 24;

struct Shared {
  alignas(1024) char a[stages][bytes_a];
  alignas(1024) char b[stages][bytes_b];
  u64 full[stages], empty[stages], done;
  u32 columns;
};

// A matrix of rows of 128 bytes, swizzled by 128 bytes: stride 1024 between groups of 8 rows.
__device__ inline u64 umma_descriptor(u32 address) {
  return u64(2) << 61 | u64(1) << 46 | u64(1024 >> 4) << 32 | u64(1) << 16 |
         ((address & 0x3ffff) >> 4);
}

__device__ inline void umma(u32 d, u64 a, u64 b, u32 accumulate) {
  asm volatile("{\n\t.reg .pred p;\n\t"
               "setp.ne.u32 p, %4, 0;\n\t"
               "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t}" ::"r"(d),
               "l"(a), "l"(b), "r"(instruction), "r"(accumulate)
               : "memory");
}

__device__ inline void umma_commit(u32 barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                   barrier)
               : "memory");
}

__device__ inline void fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ inline void fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ void produce(Shared &s, const TensorMap *map_a, const TensorMap *map_b, int tiles) {
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    u32 full = shared_address(&s.full[stage]);
    barrier_wait(shared_address(&s.empty[stage]), (i / stages & 1) ^ 1);
    barrier_expect(full, bytes_a + bytes_b);
    tensor_load(shared_address(s.a[stage]), map_a, i * tile_k, blockIdx.y * tile_m, full);
    tensor_load(shared_address(s.b[stage]), map_b, i * tile_k, blockIdx.x * tile_n, full);
  }
}

__device__ void multiply(Shared &s, u32 d, int tiles) {
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    barrier_wait(shared_address(&s.full[stage]), i / stages & 1);
    fence_after();
    u64 a = umma_descriptor(shared_address(s.a[stage]));
    u64 b = umma_descriptor(shared_address(s.b[stage]));
    for (int k = 0; k < tile_k / 16; k++) umma(d, a + 2 * k, b + 2 * k, i > 0 || k > 0);
    umma_commit(shared_address(&s.empty[stage]));
  }
  umma_commit(shared_address(&s.done));
}

// Eight columns of the warp's 32 lanes.
__device__ inline void load_sums(u32 (&x)[8], u32 address) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]),
                 "=r"(x[6]), "=r"(x[7])
               : "r"(address));
}

__device__ void store(float *d, u32 columns, int n) {
  u32 lane = threadIdx.x / 32 * 32;
  float *row = d + (u64)(blockIdx.y * tile_m + threadIdx.x) * n + blockIdx.x * tile_n;
  for (int i = 0; i < tile_n; i += 8) {
    u32 x[8];
    load_sums(x, (lane << 16) + columns + i);
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    for (int j = 0; j < 8; j++) row[i + j] = __uint_as_float(x[j]);
  }
}

extern "C" __global__ void __launch_bounds__(192)
    tma_tcgen05(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
                float *d, int tiles, int n) {
  __shared__ Shared s;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; i++) {
      barrier_init(shared_address(&s.full[i]), 1);
      barrier_init(shared_address(&s.empty[i]), 1);
    }
    barrier_init(shared_address(&s.done), 1);
    barrier_init_fence();
  }
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     shared_address(&s.columns)),
                 "r"(tile_n)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  __syncthreads();
  u32 columns = s.columns;
  if (warp == 4 && threadIdx.x % 32 == 0) produce(s, &map_a, &map_b, tiles);
  if (warp == 5 && threadIdx.x % 32 == 0) multiply(s, columns, tiles);
  if (warp < 4) {
    barrier_wait(shared_address(&s.done), 0);
    fence_after();
    store(d, columns, n);
    fence_before();
  }
  __syncthreads();
  if (warp == 0) {
    fence_after();
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(columns), "r"(tile_n));
  }
}
