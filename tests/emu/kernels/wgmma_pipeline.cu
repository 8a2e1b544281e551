// D = A B^T without TMA: cp.async brings A and stores of threads bring B into a ring of three swizzled
// stages, wgmma reads them through the async proxy, and the wgmmas of one stage stay in flight while
// the next is awaited.
#include "hopper.cuh"

constexpr int tile_m = 64, tile_n = 32, tile_k = 64, stages = 3;

struct Shared {
  alignas(1024) char a[stages][tile_m * tile_k * 2];
  alignas(1024) char b[stages][tile_n * tile_k * 2];
};

// Rows of 128 bytes, 16 bytes a copy, swizzled by 128 bytes.
template <int rows> __device__ void load(char *to, const char *from, int pitch) {
#pragma unroll
  for (int first = 0; first < rows; first += 16) {
    int row = first + threadIdx.x / 8, chunk = threadIdx.x % 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(to + row * 128 + ((chunk ^ row % 8) << 4))),
                 "l"(from + row * pitch + chunk * 16)
                 : "memory");
  }
}

struct alignas(16) Chunk {
  u32 words[4];
};

// The same with the thread's own loads and stores.
template <int rows> __device__ void copy(char *to, const char *from, int pitch) {
#pragma unroll
  for (int first = 0; first < rows; first += 16) {
    int row = first + threadIdx.x / 8, chunk = threadIdx.x % 8;
    *reinterpret_cast<Chunk *>(to + row * 128 + ((chunk ^ row % 8) << 4)) =
        *reinterpret_cast<const Chunk *>(from + row * pitch + chunk * 16);
  }
}

extern "C" __global__ void __launch_bounds__(128)
    wgmma_pipeline(const char *a, const char *b, float *out, int n, int k) {
  __shared__ Shared s;
  a += blockIdx.y * tile_m * k * 2;
  b += blockIdx.x * tile_n * k * 2;
  int tiles = k / tile_k;
  float d[16] = {};
  auto fetch = [&](int i) {
    if (i < tiles) {
      load<tile_m>(s.a[i % stages], a + i * tile_k * 2, k * 2);
      copy<tile_n>(s.b[i % stages], b + i * tile_k * 2, k * 2);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  fetch(1);
#pragma unroll 1
  for (int i = 0; i < tiles; i++) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    async_proxy_fence();
    __syncthreads();
    u64 da = descriptor(shared_address(s.a[i % stages]));
    u64 db = descriptor(shared_address(s.b[i % stages]));
    wgmma_fence();
#pragma unroll
    for (int j = 0; j < tile_k / 16; j++) wgmma(d, da + 2 * j, db + 2 * j);
    wgmma_commit();
    wgmma_wait<1>();
    fetch(i + 2);
  }
  wgmma_wait<0>();
  float *tile = out + blockIdx.y * tile_m * n + blockIdx.x * tile_n;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    tile[accumulator_row(threadIdx.x, i) * n + accumulator_column(threadIdx.x, i)] = d[i];
  }
}
