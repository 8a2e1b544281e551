// D = A B^T, a tile of 256 x 64 a pair of CTAs: each loads its half of A's rows and of B's with TMA,
// the first multiplies for both with tcgen05, and each takes its rows of the sums from tensor memory.
#include "tcgen05.cuh"

constexpr int tile_m = 256, tile_n = 64, tile_k = 64, stages = 2;
constexpr u32 bytes_a = tile_m / 2 * tile_k * 2, bytes_b = tile_n / 2 * tile_k * 2;

using Shared = Ring<stages, bytes_a, bytes_b>;

__device__ void produce(Shared &s, const TensorMap *map_a, const TensorMap *map_b, int tiles) {
  int rank = cluster_rank();
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    u32 full = shared_address(&s.full[stage]);
    barrier_wait(shared_address(&s.empty[stage]), (i / stages & 1) ^ 1);
    if (rank == 0) barrier_expect(full, 2 * (bytes_a + bytes_b));
    pair_load(shared_address(s.a[stage]), map_a, i * tile_k, blockIdx.y * (tile_m / 2), full);
    pair_load(shared_address(s.b[stage]), map_b, i * tile_k,
              blockIdx.x * tile_n + rank * (tile_n / 2), full);
  }
}

extern "C" __global__ void __launch_bounds__(192) __cluster_dims__(1, 2, 1)
    tma_tcgen05_pair(const __grid_constant__ TensorMap map_a,
                     const __grid_constant__ TensorMap map_b, float *d, int tiles, int n) {
  __shared__ Shared s;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) sums_init(s);
  if (warp == 0) tensor_allocate<2>(&s.columns, tile_n);
  cluster_arrive();
  cluster_wait();
  u32 columns = s.columns;
  if (warp == 4 && threadIdx.x % 32 == 0) produce(s, &map_a, &map_b, tiles);
  if (warp == 5 && threadIdx.x % 32 == 0 && cluster_rank() == 0)
    multiply<2, tile_m, tile_n>(s, columns, tiles);
  if (warp < 4) {
    barrier_wait(shared_address(&s.done), 0);
    fence_after();
    u64 row = blockIdx.y * (tile_m / 2) + threadIdx.x;
    store<tile_n>(d + row * n + blockIdx.x * tile_n, columns);
    fence_before();
  }
  cluster_arrive();
  cluster_wait();
  if (warp == 0) {
    fence_after();
    tensor_free<2>(columns, tile_n);
  }
}
