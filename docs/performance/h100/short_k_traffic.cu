// The copies of a batch of products of a short K, with nothing computed: boxes of A and B to a ring
// of stages, boxes of D from shared memory, in the order of tiles; with and without hints for the
// L2 cache.
//
//     nvcc -arch=sm_90a -o short_k_traffic short_k_traffic.cu && ./short_k_traffic
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
enum { ctas = 132, K = 64 };

__device__ unsigned shared(void *p) {
  return unsigned(__cvta_generic_to_shared(p));
}

__device__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

template <int hint>
__device__ void load(unsigned to, const CUtensorMap &map, unsigned barrier, int x, int y, int z) {
  if (hint) {
    unsigned long long p;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "l"(p)
                 : "memory");
  } else
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

template <int hint>
__device__ void store(unsigned from, const CUtensorMap &map, int x, int y, int z) {
  if (hint) {
    unsigned long long p;
    if (hint == 1)
      asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p));
    else
      asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(p));
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group.L2::cache_hint"
                 " [%0, {%2, %3, %4}], [%1], %5;" ::"l"(&map),
                 "r"(from), "r"(x), "r"(y), "r"(z), "l"(p)
                 : "memory");
  } else
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
            &map),
        "r"(from), "r"(x), "r"(y), "r"(z)
        : "memory");
}

struct shape {
  int m, n, batch, tm, tn, stages, rows, buffers, order;
  bool loads, stores;
};

// Warp 0 copies A and B to stages; the others store rows of D, each its own.
template <int lh, int sh>
__global__ void __launch_bounds__(288)
    run(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
        const __grid_constant__ CUtensorMap d, shape s) {
  extern __shared__ char memory[];
  __shared__ unsigned long long full[16], empty[16];
  const unsigned base = (shared(memory) + 1023) / 1024 * 1024;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32,
            storers = s.tm / s.rows < 8 ? s.tm / s.rows : 8;
  if (threadIdx.x == 0)
    for (int i = 0; i < s.stages; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[i])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&empty[i])), "r"(storers)
                   : "memory");
    }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  const int stage_bytes = (s.tm + s.tn) * 128, tm_n = (s.m + s.tm - 1) / s.tm,
            tn_n = (s.n + s.tn - 1) / s.tn, tiles = tm_n * tn_n * s.batch;
  if (lane) return;
  int stage = 0, parity = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    int bt, tm, tn;
    const int per = tm_n * tn_n;
    bt = t / per;
    int r = t % per;
    if (s.order == 0) {
      tn = r / tm_n;
      tm = r % tm_n;
    } else {
      tm = r / tn_n;
      tn = r % tn_n;
    }
    if (warp == 0) {
      wait(shared(&empty[stage]), parity ^ 1);
      if (s.loads) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full[stage])),
            "r"(stage_bytes)
            : "memory");
        load<lh>(base + stage * stage_bytes, a, shared(&full[stage]), 0, tm * s.tm, bt);
        load<lh>(base + stage * stage_bytes + s.tm * 128, b, shared(&full[stage]), 0, tn * s.tn,
                 bt);
      } else
        arrive(shared(&full[stage]));
    } else if (warp <= storers) {
      wait(shared(&full[stage]), parity);
      arrive(shared(&empty[stage]));
      if (s.stores)
        for (int row = (warp - 1) * s.rows; row < s.tm; row += storers * s.rows)
          for (int c = 0; c < s.tn; c += 64) {
            // Any place that is a multiple of 1024 bytes does for what is stored.
            if (tn * s.tn + c < s.n && tm * s.tm + row < s.m)
              store<sh>(base + (warp - 1) * 4096, d, tn * s.tn + c, tm * s.tm + row, bt);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            if (s.buffers == 1)
              asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            else if (s.buffers == 2)
              asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            else
              asm volatile("cp.async.bulk.wait_group.read 3;" ::: "memory");
          }
    }
    if (++stage == s.stages) stage = 0, parity ^= 1;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static decltype(&cuTensorMapEncodeTiled) encode;
static CUtensorMap map_of(void *p, int line, int rows, int batch, int bw, int bh) {
  CUtensorMap map;
  const cuuint64_t extents[] = {cuuint64_t(line), cuuint64_t(rows), cuuint64_t(batch)},
                   stride[] = {cuuint64_t(line) * 2, cuuint64_t(line) * rows * 2};
  const cuuint32_t box[] = {cuuint32_t(bw), cuuint32_t(bh), 1}, each[] = {1, 1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, p, extents, stride, box, each,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    puts("encode failed");
  return map;
}

int main() {
  void *function;
  char *pa, *pb, *pd;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
  encode = (decltype(encode))function;
  size_t sets = 2, A = size_t(64) << 20, D = size_t(256) << 20;
  cudaMalloc(&pa, A * sets);
  cudaMalloc(&pb, A * sets);
  cudaMalloc(&pd, D * sets);
  cudaMemset(pa, 0, A * sets);
  cudaMemset(pb, 0, A * sets);
  auto k00 = run<0, 0>, k10 = run<1, 0>, k01 = run<0, 1>, k11 = run<1, 1>, k02 = run<0, 2>;
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  struct {
    int m, n, batch;
  } shapes[] = {{640, 512, 258}, {609, 496, 258}, {1012, 880, 99}};
  for (auto &sh : shapes)
    for (int tile = 0; tile < 2; ++tile)
      for (int v = 0; v < 14; ++v) {
        int tms[] = {128, 64}, tns[] = {128, 256};
        shape s = {sh.m, sh.n, sh.batch, tms[tile], tns[tile], 5, 16, 2, 0, true, true};
        const char *what = "as it is: 16 rows, two buffers";
        auto k = k00;
        if (v == 1) s.loads = false, what = "no loads";
        if (v == 2) s.stores = false, what = "no stores";
        if (v == 3) s.order = 1, what = "order by rows";
        if (v == 4) s.rows = 32, what = "32 rows a box";
        if (v == 5) s.rows = 64, what = "64 rows a box";
        if (v == 6) s.buffers = 1, what = "one buffer";
        if (v == 7) s.buffers = 4, what = "four buffers";
        if (v == 8) k = k01, what = "stores evict_first";
        if (v == 9) k = k10, what = "loads evict_last";
        if (v == 10) k = k11, what = "both hints";
        if (v == 11) k = k02, what = "stores evict_unchanged";
        if (v == 12) s.stages = 2, what = "two stages";
        if (v == 13) s.rows = 64, s.order = 1, what = "64 rows, order by rows";
        for (auto q : {k00, k10, k01, k11, k02})
          cudaFuncSetAttribute(q, cudaFuncAttributeMaxDynamicSharedMemorySize, 215000);
        float best = 1e9;
        CUtensorMap ma[2], mb[2], md[2];
        for (int i = 0; i < 2; ++i)
          ma[i] = map_of(pa + i * A, K, s.m, s.batch, 64, s.tm),
          mb[i] = map_of(pb + i * A, K, s.n, s.batch, 64, s.tn),
          md[i] = map_of(pd + i * D, s.n, s.m, s.batch, 64, s.rows);
        for (int i = 0; i < 4; ++i) {
          cudaEventRecord(e0);
          for (int r = 0; r < 6; ++r)
            k<<<ctas, 288, 215000>>>(ma[r % 2], mb[r % 2], md[r % 2], s);
          cudaEventRecord(e1);
          cudaEventSynchronize(e1);
          float ms;
          cudaEventElapsedTime(&ms, e0, e1);
          best = ms < best ? ms : best;
        }
        double bytes = s.batch * ((s.stores ? double(s.m) * s.n * 2 : 0) +
                                  (s.loads ? (s.m + s.n) * 128.0 : 0));
        printf("%4dx%4d b%d tile %3dx%3d %-32s %7.2f us %6.0f GB/s %s\n", s.m, s.n, s.batch, s.tm,
               s.tn, what, best * 1000 / 6, bytes / (best / 6) * 1e-6,
               cudaGetErrorString(cudaGetLastError()));
      }
}
