// How long boxes of a K take that fills no box of 64 elements, and boxes of the very K.
//
//     nvcc -arch=sm_90a -o short_k short_k.cu && ./short_k
//
// Each CTA, one a multiprocessor, copies boxes of 128 lines into six stages, each box another 128
// lines of a matrix of K columns, and nothing else.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

enum { stages = 6, lines = 128, ctas = 132 };

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

__device__ void load(unsigned to, const CUtensorMap &map, unsigned barrier, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
               "l"(&map), "r"(barrier), "r"(x), "r"(y)
               : "memory");
}

__global__ void copy(const __grid_constant__ CUtensorMap map, int bytes, int boxes, int kt,
                     int line) {
  extern __shared__ char memory[];
  __shared__ unsigned long long barriers[stages];
  if (threadIdx.x != 0) return;
  const unsigned base = (shared(memory) + 1023) / 1024 * 1024;
  for (int i = 0; i < stages; ++i)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barriers[i])) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const int steps = boxes;
  for (int step = 0; step < steps + stages; ++step) {
    const unsigned barrier = shared(&barriers[step % stages]);
    if (step >= stages) wait(barrier, step / stages - 1 & 1);
    if (step >= steps) continue;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    load(base + step % stages * 16384, map, barrier, step % kt * line,
         (step / kt * ctas + blockIdx.x) * lines);
  }
}

int main() {
  struct {
    int k, ld, box;
  } cases[] = {{64, 64, 64},   {56, 56, 64}, {56, 56, 56}, {56, 64, 64},   {56, 64, 56},
               {48, 48, 64},   {48, 48, 48}, {40, 40, 64}, {40, 40, 40},   {32, 32, 64},
               {32, 32, 32},   {24, 24, 64}, {24, 24, 24}, {80, 80, 16},   {80, 80, 64},
               {80, 80, 40},   {88, 88, 64}, {88, 88, 24}, {120, 120, 64}, {120, 120, 56},
               {128, 128, 64}, {96, 96, 32}, {96, 96, 64}, {112, 112, 64}, {104, 104, 64},
               {104, 104, 40}};
  void *function, *matrix;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
  size_t size = size_t(1) << 30;
  cudaMalloc(&matrix, size);
  cudaMemset(matrix, 0x3c, size);
  auto encode = (decltype(&cuTensorMapEncodeTiled))function;
  cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  for (int per : {4, 32})
    for (auto &c : cases) {
      CUtensorMap map;
      int rows = per * ctas * lines;
      const cuuint64_t extents[] = {cuuint64_t(c.k), cuuint64_t(rows)},
                       stride[] = {cuuint64_t(c.ld) * 2};
      const cuuint32_t box[] = {cuuint32_t(c.box), lines}, each[] = {1, 1};
      if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, extents, stride, box, each,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        printf("enc fail\n");
        continue;
      }
      int kt = (c.k + c.box - 1) / c.box;
      float best = 1e9;
      for (int i = 0; i < 7; ++i) {
        cudaEventRecord(e0);
        for (int r = 0; r < 10; ++r)
          copy<<<ctas, 32, 200000>>>(map, c.box * lines * 2, per * kt, kt, c.box);
        cudaEventRecord(e1);
        cudaEventSynchronize(e1);
        float ms;
        cudaEventElapsedTime(&ms, e0, e1);
        best = ms < best ? ms : best;
      }
      printf("per %3d k %3d ld %3d box %3d (tiles %d): %8.3f us, %7.0f GB/s\n", per, c.k, c.ld,
             c.box, kt, best * 100, double(rows) * c.k * 2 / (best / 10) * 1e-6);
    }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
