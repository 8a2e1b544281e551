// D = A B^T, a tile of 64 x 32 a CTA: a producer warp loads with TMA into a ring of two stages, a
// warpgroup multiplies with wgmma, the tile leaves through shared memory and a TMA store.
#include "hopper.cuh"

constexpr int tile_m = 64, tile_n = 32, tile_k = 64, stages = 2;
constexpr u32 bytes_a = tile_m * tile_k * 2, bytes_b = tile_n * tile_k * 2;

struct Shared {
  alignas(1024) char a[stages][bytes_a];
  alignas(1024) char b[stages][bytes_b];
  alignas(128) float d[tile_m][tile_n];
  u64 full[stages], empty[stages];
};

__device__ void consume(Shared &s, float (&d)[16], int tiles) {
#pragma unroll 1
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    barrier_wait(shared_address(&s.full[stage]), i / stages & 1);
    u64 a = descriptor(shared_address(s.a[stage])), b = descriptor(shared_address(s.b[stage]));
    wgmma_fence();
    for (int k = 0; k < tile_k / 16; k++) wgmma(d, a + 2 * k, b + 2 * k);
    wgmma_commit();
    wgmma_wait<0>();
    if (threadIdx.x == 0) barrier_arrive(shared_address(&s.empty[stage]));
  }
}

extern "C" __global__ void __launch_bounds__(160)
    tma_wgmma(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
              const __grid_constant__ TensorMap map_d, int tiles) {
  __shared__ Shared s;
  if (threadIdx.x == 0) {
    ring_init(s);
    barrier_init_fence();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) ring_load<tile_m, tile_n, tile_k>(s, &map_a, &map_b, tiles);
    return;
  }
  float d[16] = {};
  consume(s, d, tiles);
  for (int i = 0; i < 16; i++) {
    s.d[accumulator_row(threadIdx.x, i)][accumulator_column(threadIdx.x, i)] = d[i];
  }
  async_proxy_fence();
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (threadIdx.x == 0) {
    tensor_store(&map_d, blockIdx.x * tile_n, blockIdx.y * tile_m, shared_address(s.d));
    bulk_commit();
    bulk_wait_read();
  }
}
