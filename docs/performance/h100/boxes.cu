// How long boxes take of which a part lies outside of their matrix.
//
//     nvcc -arch=sm_90a -o boxes docs/performance/h100/boxes.cu && ./boxes
//
// Each CTA, one a multiprocessor, copies two boxes of 128 lines by 128 bytes a step into six stages,
// and nothing else. The second one lies inside of the matrix, or partly or wholly outside.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

enum { stages = 6, line = 64, lines = 128, box_bytes = line * lines * 2, rows = 4096, columns = 4096 };
enum { ctas = 132, steps = 64 };

__device__ unsigned shared(void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void wait(unsigned barrier, unsigned parity) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again; }" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ void load(unsigned to, const CUtensorMap &map, unsigned barrier, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(&map), "r"(barrier), "r"(x), "r"(y)
               : "memory");
}

// The second box of CTAs from `from` on is at (x, y), others' at the first one's place.
__global__ void copy(const __grid_constant__ CUtensorMap map, int from, int x, int y, bool along,
                     long long *cycles) {
  extern __shared__ char memory[];
  __shared__ unsigned long long barriers[stages];
  if (threadIdx.x != 0) return;
  const unsigned base = (shared(memory) + 1023) / 1024 * 1024;
  for (int i = 0; i < stages; ++i)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barriers[i])) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const int row = blockIdx.x % 6 * lines;
  const bool other = int(blockIdx.x) >= from;
  const long long begin = clock64();
  for (int step = 0; step < steps + stages; ++step) {
    const unsigned barrier = shared(&barriers[step % stages]);
    if (step >= stages) wait(barrier, step / stages - 1 & 1);
    if (step >= steps) continue;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(2 * box_bytes) : "memory");
    const unsigned stage = base + step % stages * 2 * box_bytes;
    load(stage, map, barrier, step * line, row);
    load(stage + box_bytes, map, barrier, other && along ? x : step * line, other ? y : row);
  }
  cycles[blockIdx.x] = clock64() - begin;
}

int main() {
  struct {
    const char *what;
    int from, x, y;
    bool along;
  } cases[] = {{"all inside", ctas, 0, 0, false},
               {"8 of 128 lines outside", 0, 0, rows - 120, false},
               {"32 of 128 lines outside", 0, 0, rows - 96, false},
               {"96 of 128 lines outside", 0, 0, rows - 32, false},
               {"all lines outside", 0, 0, rows, false},
               {"all lines outside, of one CTA in six", ctas * 5 / 6, 0, rows, false},
               {"inside, the same place each step", 0, columns - 64, 0, true},
               {"16 of 64 elements of each line outside", 0, columns - 48, 0, true},
               {"48 of 64 elements of each line outside", 0, columns - 16, 0, true},
               {"56 of 64 elements of each line outside", 0, columns - 8, 0, true}};
  void *function, *matrix;
  long long *cycles, host[ctas];
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                       cudaEnableDefault, &found))
    return puts("no driver"), 1;
  cudaMalloc(&matrix, rows * columns * 2);
  cudaMemset(matrix, 0x3c, rows * columns * 2);
  cudaMalloc(&cycles, sizeof host);
  CUtensorMap map;
  const cuuint64_t extents[] = {columns, rows}, stride[] = {columns * 2};
  const cuuint32_t box[] = {line, lines}, each[] = {1, 1};
  auto encode = (decltype(&cuTensorMapEncodeTiled))function;
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, extents, stride, box, each,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  for (auto &c : cases) {
    for (int i = 0; i < 3; ++i)
      copy<<<ctas, 32, 200000>>>(map, c.from, c.x, c.y, c.along, cycles);
    if (cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost)) return puts("failed"), 1;
    long long most = 0;
    for (long long n : host) most = n > most ? n : most;
    printf("%-42s %5lld cycles a step\n", c.what, most / steps);
  }
}
