// What the kernels with tcgen05 share, by a CTA (ctas: 1) or by a pair of them (2): tensor memory,
// MMAs of bf16 with f32 sums, their commits, and a ring of stages of A and B that they read.
#pragma once

#include "hopper.cuh"

// ---- Tensor memory

template <int ctas> __device__ inline void tensor_allocate(u32 *columns, u32 count) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                   shared_address(columns)),
               "r"(count), "n"(ctas)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(ctas));
}

template <int ctas> __device__ inline void tensor_free(u32 columns, u32 count) {
  asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(columns), "r"(count),
               "n"(ctas));
}

// Eight columns of the warp's 32 lanes.
__device__ inline void load_sums(u32 (&x)[8], u32 address) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]),
                 "=r"(x[6]), "=r"(x[7])
               : "r"(address));
}

__device__ inline void load_wait() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }

__device__ inline void fence_before() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ inline void fence_after() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// ---- MMAs

// A matrix of rows of 128 bytes, swizzled by 128 bytes: stride 1024 between groups of 8 rows.
__device__ inline u64 umma_descriptor(u32 address) {
  return u64(2) << 61 | u64(1) << 46 | u64(1024 >> 4) << 32 | u64(1) << 16 |
         ((address & 0x3ffff) >> 4);
}

// D f32, A and B bf16, N / 8, M / 16.
template <int m, int n>
constexpr u32 umma_instruction = 1 << 4 | 1 << 7 | 1 << 10 | (n / 8) << 17 | (m / 16) << 24;

template <int ctas>
__device__ inline void umma(u32 d, u64 a, u64 b, u32 instruction, u32 accumulate) {
  asm volatile("{\n\t.reg .pred p;\n\t"
               "setp.ne.u32 p, %4, 0;\n\t"
               "tcgen05.mma.cta_group::%5.kind::f16 [%0], %1, %2, %3, p;\n\t}" ::"r"(d),
               "l"(a), "l"(b), "r"(instruction), "r"(accumulate), "n"(ctas)
               : "memory");
}

// Of a pair, on the barriers of both.
template <int ctas> __device__ inline void umma_commit(u32 barrier) {
  if constexpr (ctas == 1) {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
        : "memory");
  } else {
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
                 ".multicast::cluster.b64 [%0], %1;" ::"r"(barrier),
                 "h"((unsigned short)3)
                 : "memory");
  }
}

// ---- Copies of a pair

// Completes on the barrier of the pair's first CTA.
__device__ inline void pair_load(u32 to, const TensorMap *map, int x, int y, u32 barrier) {
  asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier & 0xfeffffff)
               : "memory");
}

// ---- A ring of stages, and the sums of what it brings

template <int stages, u32 bytes_a, u32 bytes_b> struct Ring {
  alignas(1024) char a[stages][bytes_a];
  alignas(1024) char b[stages][bytes_b];
  u64 full[stages], empty[stages], done; // done: the sums are there
  u32 columns;                           // of tensor memory
};

template <class Shared> __device__ inline void sums_init(Shared &s) {
  ring_init(s);
  barrier_init(shared_address(&s.done), 1);
  barrier_init_fence();
}

// By one thread: `tiles` of tile_m x tile_n x 64, rows of 128 bytes.
template <int ctas, int tile_m, int tile_n, class Shared>
__device__ inline void multiply(Shared &s, u32 d, int tiles) {
  constexpr u32 instruction = umma_instruction<tile_m, tile_n>;
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages_of<Shared>;
    barrier_wait(shared_address(&s.full[stage]), i / stages_of<Shared> & 1);
    fence_after();
    u64 a = umma_descriptor(shared_address(s.a[stage]));
    u64 b = umma_descriptor(shared_address(s.b[stage]));
    for (int k = 0; k < 4; k++) umma<ctas>(d, a + 2 * k, b + 2 * k, instruction, i > 0 || k > 0);
    umma_commit<ctas>(shared_address(&s.empty[stage]));
  }
  umma_commit<ctas>(shared_address(&s.done));
}

// The thread's row, one of 128, of tile_n sums, to `row`.
template <int tile_n> __device__ inline void store(float *row, u32 columns) {
  u32 lane = threadIdx.x / 32 * 32;
  for (int i = 0; i < tile_n; i += 8) {
    u32 x[8];
    load_sums(x, (lane << 16) + columns + i);
    load_wait();
    for (int j = 0; j < 8; j++) row[i + j] = __uint_as_float(x[j]);
  }
}
