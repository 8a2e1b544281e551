// D = A B^T by clusters of two CTAs, a tile of 64 x 32 each, one above the other: each loads its
// A and one half of the B that both need, which goes to both. A stage is free once the consumers
// of both CTAs have released it. A is fed to wgmma from registers.
#include "hopper.cuh"

constexpr int tile_m = 64, tile_n = 32, tile_k = 64, stages = 3;
constexpr u32 bytes_a = tile_m * tile_k * 2, bytes_b = tile_n * tile_k * 2;

struct Shared {
  alignas(1024) char a[stages][bytes_a];
  alignas(1024) char b[stages][bytes_b];
  u64 full[stages], empty[stages];
};

__device__ void produce(Shared &s, const TensorMap *map_a, const TensorMap *map_b, int tiles) {
  u32 rank = cluster_rank();
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    u32 full = shared_address(&s.full[stage]);
    barrier_wait(shared_address(&s.empty[stage]), (i / stages & 1) ^ 1);
    barrier_expect(full, bytes_a + bytes_b);
    tensor_load(shared_address(s.a[stage]), map_a, i * tile_k, blockIdx.y * tile_m, full);
    tensor_load_multicast(shared_address(s.b[stage]) + rank * bytes_b / 2, map_b, i * tile_k,
                          blockIdx.x * tile_n + rank * tile_n / 2, full, 3);
  }
}

// Four matrices of 8 x 8 of the warp's 16 rows, column 16 k, of a tile swizzled by 128 bytes.
__device__ void load_a(u32 (&a)[4], u32 tile, int k) {
  int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16, chunk = 2 * k + lane / 16;
  u32 address = tile + row * 128 + ((chunk ^ row % 8) << 4);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(address)
               : "memory");
}

__device__ void release(Shared &s, int stage) {
  if (threadIdx.x < 2) barrier_arrive_at(shared_address(&s.empty[stage]), threadIdx.x);
}

__device__ void consume(Shared &s, float (&d)[16], int tiles) {
#pragma unroll 1
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages;
    barrier_wait(shared_address(&s.full[stage]), i / stages & 1);
    u32 a[tile_k / 16][4];
    for (int k = 0; k < tile_k / 16; k++) load_a(a[k], shared_address(s.a[stage]), k);
    u64 b = descriptor(shared_address(s.b[stage]));
    wgmma_fence();
    for (int k = 0; k < tile_k / 16; k++) wgmma(d, a[k], b + 2 * k);
    wgmma_commit();
    wgmma_wait<0>();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    release(s, stage);
  }
}

extern "C" __global__ void __launch_bounds__(160) __cluster_dims__(1, 2, 1)
    cluster_multicast(const __grid_constant__ TensorMap map_a,
                      const __grid_constant__ TensorMap map_b, float *out, int n, int tiles) {
  __shared__ Shared s;
  if (threadIdx.x == 0) {
    ring_init(s, 2);
    barrier_init_fence();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) produce(s, &map_a, &map_b, tiles);
  } else {
    float d[16] = {};
    consume(s, d, tiles);
    float *tile = out + blockIdx.y * tile_m * n + blockIdx.x * tile_n;
    for (int i = 0; i < 16; i++) {
      tile[accumulator_row(threadIdx.x, i) * n + accumulator_column(threadIdx.x, i)] = d[i];
    }
  }
  cluster_arrive(); // the other CTA still arrives at this one's barriers
  cluster_wait();
}
