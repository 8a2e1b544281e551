// How fast D is stored by boxes of 64 columns, by rows, by lanes, and by boxes of a tile's columns,
// where rows begin at whole sectors of 32 bytes (a number of columns of 16 bits that is a multiple
// of 16) and at half ones.
//
//     nvcc -arch=sm_90a -o stores stores.cu && ./stores
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

enum { lines = 128, ctas = 132 };

__device__ unsigned shared(void *p) {
  return unsigned(__cvta_generic_to_shared(p));
}

__global__ void __launch_bounds__(256)
    store(const __grid_constant__ CUtensorMap map, int way, int tn, int boxw, int tiles_n,
          int tiles, char *out, int n, int rows) {
  extern __shared__ char memory[];
  const unsigned base = (shared(memory) + 1023) / 1024 * 1024;
  for (int i = threadIdx.x; i < 65536 / 4; i += 256)
    ((int *)memory)[i] = i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int m0 = t / tiles_n * lines, n0 = t % tiles_n * tn;
    if (way == 0) {
      if (threadIdx.x == 0) {
        for (int b = 0; b < tn / boxw; ++b)
          if (n0 + b * boxw < n)
            asm volatile(
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
                    &map),
                "r"(base + b * boxw * 256), "r"(n0 + b * boxw), "r"(m0)
                : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 1;" ::: "memory");
      }
    } else if (way == 1) {
      // A copy of the engine a row.
      for (int r = threadIdx.x; r < lines; r += 256) {
        const int w = min(tn, n - n0) * 2;
        if (m0 + r < rows)
          asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                           out + (size_t(m0 + r) * n + n0) * 2),
                       "r"(base + r * tn * 2), "r"(w)
                       : "memory");
      }
      asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 1;" ::: "memory");
    } else if (way == 2) {
      // 16 bytes a lane, a row by tn / 8 lanes.
      const int per = tn / 8;
      for (int i = threadIdx.x; i < lines * per; i += 256) {
        const int r = i / per, c = i % per * 8;
        if (m0 + r < rows && n0 + c < n)
          *(int4 *)(out + (size_t(m0 + r) * n + n0 + c) * 2) = ((int4 *)memory)[i];
      }
    } else {
      // The same, but where rows begin at half a sector a tile's edges move by 16 bytes, as if what
      // lies there were its own: what stores would take that share no sector.
      const int per = tn / 8 + 1;
      for (int i = threadIdx.x; i < lines * per; i += 256) {
        const int r = i / per, c0 = i % per * 8;
        const size_t row = size_t(m0 + r) * n;
        const int odd = row * 2 % 32 ? 8 : 0;
        const int c = c0 - odd; // from -8
        if (c0 == tn && !(n0 + tn >= n)) continue;
        if (m0 + r < rows && n0 + c >= 0 && n0 + c < n)
          *(int4 *)(out + (row + n0 + c) * 2) = ((int4 *)memory)[i];
      }
    }
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main() {
  void *function;
  char *matrix;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
  size_t size = size_t(2) << 30;
  cudaMalloc(&matrix, size);
  auto encode = (decltype(&cuTensorMapEncodeTiled))function;
  cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  for (int n : {640, 632, 648, 636 + 4, 872, 880, 184, 192, 496})
    for (int way = 0; way < 5; ++way)
      for (int tn : {64, 128, 192, 256}) {
        int rows = 100000000 / n / 128 * 128;
        int boxw = way == 0 ? 64 : 32;
        int w = way == 4 ? 0 : way;
        if (way == 4) boxw = tn;
        if (way == 4 && tn > 256) continue;
        CUtensorMap map;
        const cuuint64_t extents[] = {cuuint64_t(n), cuuint64_t(rows)},
                         stride[] = {cuuint64_t(n) * 2};
        const cuuint32_t box[] = {cuuint32_t(boxw), lines}, each[] = {1, 1};
        if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, extents, stride, box, each,
                   CU_TENSOR_MAP_INTERLEAVE_NONE,
                   boxw == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
          printf("enc fail %d %d\n", n, boxw);
          continue;
        }
        int tiles_n = (n + tn - 1) / tn, tiles = tiles_n * (rows / lines);
        float best = 1e9;
        for (int i = 0; i < 5; ++i) {
          cudaEventRecord(e0);
          for (int r = 0; r < 5; ++r)
            store<<<ctas, 256, 150000>>>(map, w, tn, boxw, tiles_n, tiles, matrix, n, rows);
          cudaEventRecord(e1);
          cudaEventSynchronize(e1);
          float ms;
          cudaEventElapsedTime(&ms, e0, e1);
          best = ms < best ? ms : best;
        }
        printf("n %4d %-18s tile_n %3d: %8.3f us, %7.0f GB/s %s\n", n,
               way == 0   ? "boxes of 64"
               : way == 1 ? "bulk rows"
               : way == 2 ? "lanes 16"
               : way == 3 ? "lanes at sectors"
                          : "box of tile",
               tn, best * 200, double(rows) * n * 2 / (best / 5) * 1e-6,
               cudaGetErrorString(cudaGetLastError()));
      }
}
