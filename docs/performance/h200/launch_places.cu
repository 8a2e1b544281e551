/* Where the CTAs of launches beside each other are placed, and what that costs those that read
 * DRAM.
 *
 *     nvcc -arch=sm_90a -o launch_places launch_places.cu && ./launch_places
 *
 * A launch of N CTAs, one a multiprocessor, reads 19 MiB that no launch before it has read, by bulk
 * copies of 16 KiB. Sixty launches follow each other in a graph: apart, so that each begins when
 * the one before it has ended, and beside, by programmatic stream serialization, so that its CTAs
 * are placed while that one still runs, and wait for its end. For each N it prints microseconds a
 * launch, and of ten launches beside how many pairs of neighbouring multiprocessors (TPCs) have two
 * CTAs. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

enum { piece = 16384, stages = 12, launches = 60, most = 132, samples = 5 };
static const size_t pool_bytes = (size_t)2 << 30, read_bytes = 19 << 20;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s\n", cudaGetErrorString(status));                                         \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)

__device__ void await(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
}

__global__ void read_pieces(const char *from, int pieces, unsigned *places) {
  extern __shared__ __align__(128) char ring[];
  __shared__ uint64_t full[stages];
  if (threadIdx.x > 0) return;
  const unsigned to = (unsigned)__cvta_generic_to_shared(ring);
  const unsigned barriers = (unsigned)__cvta_generic_to_shared(full);
  for (int i = 0; i < stages; ++i)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barriers + 8 * i));
  asm volatile("fence.mbarrier_init.release.cluster;");
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm("mov.u32 %0, %%smid;" : "=r"(places[blockIdx.x]));
  from += (size_t)blockIdx.x * pieces * piece;
  for (int i = 0; i < pieces + stages; ++i) {
    const unsigned barrier = barriers + 8 * (i % stages);
    if (i >= stages) await(barrier, (i - stages) / stages & 1);
    if (i >= pieces) continue;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(piece));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to + piece * (i % stages)),
        "l"(from + (size_t)i * piece), "r"(piece), "r"(barrier)
        : "memory");
  }
}

static float microseconds(cudaStream_t stream, const char *pool, unsigned *places, int ctas,
                          bool beside) {
  const int pieces = (int)(read_bytes / piece / ctas);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = ctas, config.blockDim = 32, config.dynamicSmemBytes = stages * piece;
  config.stream = stream, config.attrs = &attribute, config.numAttrs = beside;
  cudaGraph_t graph;
  cudaGraphExec_t runs;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < launches; ++i) {
    const char *from = pool + i * read_bytes % (pool_bytes - read_bytes) / piece * piece;
    CHECK(cudaLaunchKernelEx(&config, read_pieces, from, pieces, places + i * most));
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&runs, graph, 0));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float least = INFINITY;
  for (int i = 0; i < samples; ++i) {
    float ms;
    CHECK(cudaEventRecord(begin, stream));
    CHECK(cudaGraphLaunch(runs, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    least = std::min(least, ms * 1000 / launches);
  }
  CHECK(cudaGraphExecDestroy(runs));
  CHECK(cudaGraphDestroy(graph));
  return least;
}

int main(void) {
  static unsigned places[launches * most];
  const int numbers[] = {50, 60, 64, 66, 68, 72, 80, 91, 100, 110, 121, 132};
  char *pool;
  unsigned *on_device;
  cudaStream_t stream;
  CHECK(cudaMalloc(&pool, pool_bytes));
  CHECK(cudaMemset(pool, 1, pool_bytes));
  CHECK(cudaMalloc(&on_device, sizeof places));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaFuncSetAttribute(read_pieces, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             stages * piece));
  for (int ctas : numbers) {
    float apart = microseconds(stream, pool, on_device, ctas, false);
    float beside = microseconds(stream, pool, on_device, ctas, true);
    CHECK(cudaMemcpy(places, on_device, sizeof places, cudaMemcpyDeviceToHost));
    int pairs = 0;
    for (int i = 40; i < 50; ++i) {
      int in_pair[most / 2] = {};
      for (int j = 0; j < ctas; ++j)
        pairs += ++in_pair[places[i * most + j] / 2] == 2;
    }
    printf("%3d CTAs: apart %.2f us, beside %.2f us, %.1f TPCs with two\n", ctas, apart, beside,
           pairs / 10.0);
  }
}
