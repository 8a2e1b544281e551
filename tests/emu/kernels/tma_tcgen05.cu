// D = A B^T, a tile of 128 x 64 a CTA: a warp loads with TMA into a ring of two stages, another one
// multiplies with tcgen05 into tensor memory, four take the sums from there and store them.
#include "tcgen05.cuh"

constexpr int tile_m = 128, tile_n = 64, tile_k = 64, stages = 2;
constexpr u32 bytes_a = tile_m * tile_k * 2, bytes_b = tile_n * tile_k * 2;

using Shared = Ring<stages, bytes_a, bytes_b>;

extern "C" __global__ void __launch_bounds__(192)
    tma_tcgen05(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
                float *d, int tiles, int n) {
  __shared__ Shared s;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) sums_init(s);
  if (warp == 0) tensor_allocate<1>(&s.columns, tile_n);
  __syncthreads();
  u32 columns = s.columns;
  if (warp == 4 && threadIdx.x % 32 == 0)
    ring_load<tile_m, tile_n, tile_k>(s, &map_a, &map_b, tiles);
  if (warp == 5 && threadIdx.x % 32 == 0) multiply<1, tile_m, tile_n>(s, columns, tiles);
  if (warp < 4) {
    barrier_wait(shared_address(&s.done), 0);
    fence_after();
    store<tile_n>(d + (u64)(blockIdx.y * tile_m + threadIdx.x) * n + blockIdx.x * tile_n, columns);
    fence_before();
  }
  __syncthreads();
  if (warp == 0) {
    fence_after();
    tensor_free<1>(columns, tile_n);
  }
}
