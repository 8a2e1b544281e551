// What the Hopper test kernels share: barriers, copies, wgmma, each a line of PTX. No headers.
#pragma once

using u32 = unsigned;
using u64 = unsigned long long;

struct alignas(64) TensorMap {
  char opaque[128];
};

__device__ inline u32 shared_address(const void *p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}

// ---- mbarriers

__device__ inline void barrier_init(u32 barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ inline void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void barrier_expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ inline void barrier_arrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives at the same barrier of another CTA of the cluster.
__device__ inline void barrier_arrive_at(u32 barrier, u32 rank) {
  asm volatile("{\n\t.reg .b32 remote;\n\t"
               "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n\t}" ::"r"(barrier),
               "r"(rank)
               : "memory");
}

__device__ inline void barrier_wait(u32 barrier, u32 parity) {
  u32 done;
  do {
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.b32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  } while (!done);
}

// ---- Copies

__device__ inline void tensor_load(u32 to, const TensorMap *map, int x, int y, u32 barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

__device__ inline void tensor_load_multicast(u32 to, const TensorMap *map, int x, int y, u32 barrier,
                                             unsigned short ctas) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(ctas)
               : "memory");
}

__device__ inline void tensor_store(const TensorMap *map, int x, int y, u32 from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(from)
               : "memory");
}

__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

__device__ inline void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ inline void async_proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Clusters

__device__ inline u32 cluster_rank() {
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- A ring of stages: `Shared` has a[stages], b[stages], full[stages], empty[stages]

template <class Shared> constexpr int stages_of = sizeof(Shared::full) / sizeof(u64);

// By one thread, before the threads of the CTA meet; `releases`: who empties a stage.
template <class Shared> __device__ inline void ring_init(Shared &s, u32 releases = 1) {
  for (int i = 0; i < stages_of<Shared>; i++) {
    barrier_init(shared_address(&s.full[i]), 1);
    barrier_init(shared_address(&s.empty[i]), releases);
  }
}

// By one thread: `tiles` of A and of B along K, tile_m x tile_k and tile_n x tile_k.
template <int tile_m, int tile_n, int tile_k, class Shared>
__device__ inline void ring_load(Shared &s, const TensorMap *map_a, const TensorMap *map_b, int tiles) {
  for (int i = 0; i < tiles; i++) {
    int stage = i % stages_of<Shared>;
    u32 full = shared_address(&s.full[stage]);
    barrier_wait(shared_address(&s.empty[stage]), (i / stages_of<Shared> & 1) ^ 1);
    barrier_expect(full, sizeof s.a[0] + sizeof s.b[0]);
    tensor_load(shared_address(s.a[stage]), map_a, i * tile_k, blockIdx.y * tile_m, full);
    tensor_load(shared_address(s.b[stage]), map_b, i * tile_k, blockIdx.x * tile_n, full);
  }
}

// ---- wgmma

// A matrix of rows of 128 bytes, swizzled by 128 bytes: stride 1024 between groups of 8 rows.
__device__ inline u64 descriptor(u32 address) {
  return u64(1) << 62 | u64(1024 >> 4) << 32 | u64(1) << 16 | ((address & 0x3ffff) >> 4);
}

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int groups> __device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// d += A B for a tile of 64 x 32 x 16.
__device__ inline void wgmma(float (&d)[16], u64 a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16"
               " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15},"
               " %16, %17, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
                 "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]),
                 "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
               : "l"(a), "l"(b));
}

// The same with A in registers.
__device__ inline void wgmma(float (&d)[16], const u32 (&a)[4], u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16"
               " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15},"
               " {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
                 "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]),
                 "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Element i of thread t's accumulators stands in row accumulator_row, column accumulator_column.
__device__ inline int accumulator_row(int thread, int i) {
  return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
__device__ inline int accumulator_column(int thread, int i) {
  return i / 4 * 8 + thread % 4 * 2 + i % 2;
}
