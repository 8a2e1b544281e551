/* A program that uses the CUDA runtime, as users write them: run on the emulator by programs.sh.
 * Its argument names what it does; it prints what came out and ends with 0 where that is right. */
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t result = (call);                                                                   \
    if (result != cudaSuccess) {                                                                   \
      printf("%s: %s: %s\n", #call, cudaGetErrorName(result), cudaGetErrorString(result));         \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("line %d: not %s\n", __LINE__, #condition);                                           \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

enum { n = 1000 };
__constant__ int weights[4];
__device__ int total;

__global__ void add(float *c, const float *a, const float *b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

template <typename T> __global__ void scale(T *x, T by) {
  x[threadIdx.x] *= by;
}

__global__ void reduce(const int *x) {
  extern __shared__ int sum[];
  sum[threadIdx.x] = x[threadIdx.x] * weights[threadIdx.x % 4];
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) sum[threadIdx.x] += sum[threadIdx.x + step];
  }
  if (threadIdx.x == 0) atomicAdd(&total, sum[0]);
}

__global__ void rank(unsigned *out) {
  unsigned value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
  out[blockIdx.x] = value;
}

static int vector_add() {
  static float a[n], b[n], c[n];
  float *da, *db, *dc;
  for (int i = 0; i < n; i++)
    a[i] = i, b[i] = 2 * i;
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof a));
  CHECK(cudaMalloc(&dc, sizeof a));
  CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, sizeof a, cudaMemcpyDefault));
  add<<<(n + 255) / 256, 256>>>(dc, da, db, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c, dc, sizeof a, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    EXPECT(c[i] == 3 * i);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return 0;
}

static int symbols() {
  int host[64], w[4] = {1, 2, 3, 4}, zero = 0, got = 0, *x;
  size_t bytes;
  void *address;
  for (int i = 0; i < 64; i++)
    host[i] = i;
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  CHECK(cudaMemcpyToSymbol(total, &zero, sizeof zero));
  reduce<<<1, 64, 64 * sizeof(int)>>>(x);
  CHECK(cudaMemcpyFromSymbol(&got, total, sizeof got));
  EXPECT(got == 5120);
  CHECK(cudaGetSymbolSize(&bytes, weights));
  EXPECT(bytes == 16);
  CHECK(cudaGetSymbolAddress(&address, weights));
  EXPECT(address);
  EXPECT(cudaMemcpyToSymbol(weights, host, 20) == cudaErrorInvalidValue);
  return 0;
}

static int streams() {
  double host[32], *x;
  float ms = -1;
  cudaStream_t s;
  cudaEvent_t from, to;
  for (int i = 0; i < 32; i++)
    host[i] = i;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  CHECK(cudaMallocAsync((void **)&x, sizeof host, s));
  CHECK(cudaEventRecord(from, s));
  CHECK(cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, s));
  scale<double><<<1, 32, 0, s>>>(x, 3.0);
  CHECK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, s));
  CHECK(cudaEventRecord(to, s));
  CHECK(cudaStreamSynchronize(s));
  CHECK(cudaEventElapsedTime(&ms, from, to));
  EXPECT(ms >= 0);
  for (int i = 0; i < 32; i++)
    EXPECT(host[i] == 3 * i);
  return 0;
}

static int clusters() {
  unsigned *out, host[8];
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  CHECK(cudaMalloc(&out, sizeof host));
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.gridDim = 8;
  config.blockDim = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, rank, out));
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 8; i++)
    EXPECT(host[i] == i % 4);
  return 0;
}

/* A kernel that may begin before the one ahead of it has ended, and waits for it in time or not. */
__global__ void leave(unsigned *x) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  x[threadIdx.x] = 5;
}

__global__ void find(unsigned *to, const unsigned *x, bool early) {
  unsigned found = early ? x[threadIdx.x] : 0;
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  to[threadIdx.x] = early ? found : x[threadIdx.x];
}

static int find_beside(bool early) {
  unsigned *x, host[32] = {};
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  CHECK(cudaMalloc(&x, 2 * sizeof host));
  CHECK(cudaMemset(x, 0, 2 * sizeof host));
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, leave, x));
  CHECK(cudaGetLastError());
  CHECK(cudaLaunchKernelEx(&config, find, x + 32, (const unsigned *)x, early));
  CHECK(cudaMemcpy(host, x + 32, sizeof host, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 32; i++)
    EXPECT(host[i] == 5);
  return 0;
}

static int beside() {
  return find_beside(false);
}

static int early() {
  return find_beside(true);
}

/* Boxes of three dimensions, memory pools, callbacks. */
static void CUDART_CB tell(cudaStream_t, cudaError_t status, void *user) {
  *(int *)user = status == cudaSuccess ? 7 : -1;
}

static int memory() {
  unsigned char host[4 * 3 * 8], back[4 * 3 * 8];
  cudaExtent extent = make_cudaExtent(8, 3, 4);
  cudaPitchedPtr box;
  for (int i = 0; i < 96; i++)
    host[i] = (unsigned char)i;
  CHECK(cudaMalloc3D(&box, extent));
  EXPECT(box.pitch >= 8 && box.ysize == 3);
  CHECK(cudaMemset3D(box, 200, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, 8, 8, 3);
  copy.dstPtr = box;
  copy.srcPos = copy.dstPos = make_cudaPos(2, 1, 1);
  copy.extent = make_cudaExtent(4, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(back, 8, 8, 3);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&copy, 0));
  for (int i = 0; i < 96; i++) {
    int x = i % 8, y = i / 8 % 3, z = i / 24;
    bool inside = x >= 2 && x < 6 && y >= 1 && z >= 1 && z < 3;
    EXPECT(back[i] == (inside ? i : 200));
  }

  cudaMemPool_t usual, pool;
  cudaMemPoolProps props = {};
  unsigned long long used = 1, threshold = 1 << 20, read = 0;
  void *a, *b;
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaDeviceGetDefaultMemPool(&usual, 0));
  CHECK(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &read));
  EXPECT(read == threshold);
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&pool, &props));
  CHECK(cudaMallocFromPoolAsync(&a, 1000, pool, s));
  CHECK(cudaMallocAsync(&b, 24, s));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 1000);
  CHECK(cudaFreeAsync(a, s));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &read));
  EXPECT(used == 0 && read == 1000);
  CHECK(cudaMemPoolDestroy(pool));
  EXPECT(cudaMemPoolTrimTo(pool, 0) == cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(b, s));

  int told = 0;
  CHECK(cudaStreamAddCallback(s, tell, &told, 0));
  CHECK(cudaStreamSynchronize(s));
  EXPECT(told == 7);
  return 0;
}

/* A graph made node by node: fill, copy, kernel, call, copy back. */
static void CUDART_CB count(void *user) {
  ++*(int *)user;
}

static int graphs() {
  float host[64], *x, factor = 3;
  int calls = 0;
  size_t nodes = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node[6], none = (cudaGraphNode_t)(size_t)99;
  for (int i = 0; i < 64; i++)
    host[i] = (float)i;
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill = {};
  fill.dst = x;
  fill.elementSize = 4;
  fill.width = 64;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&node[0], graph, NULL, 0, &fill));
  CHECK(cudaGraphAddMemcpyNode1D(&node[1], graph, &node[0], 1, x, host, sizeof host / 2,
                                 cudaMemcpyHostToDevice));
  void *arguments[] = {&x, &factor};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)scale<float>;
  kernel.gridDim = 1;
  kernel.blockDim = 64;
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&node[2], graph, &node[1], 1, &kernel));
  cudaHostNodeParams call = {count, &calls};
  CHECK(cudaGraphAddHostNode(&node[3], graph, &node[2], 1, &call));
  CHECK(cudaGraphAddEmptyNode(&node[4], graph, &node[3], 1));
  CHECK(cudaGraphAddMemcpyNode1D(&node[5], graph, node, 5, host, x, sizeof host,
                                 cudaMemcpyDeviceToHost));
  EXPECT(cudaGraphAddHostNode(NULL, graph, &none, 1, &call) == cudaErrorInvalidValue);
  CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
  EXPECT(nodes == 6);
  EXPECT(calls == 0);
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, clone, 0));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(calls == 2);
  for (int i = 0; i < 64; i++)
    EXPECT(host[i] == (i < 32 ? 9.0f * (float)i : 0));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  return 0;
}

static int facts() {
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  int major, ctas;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT(properties.major == major && properties.warpSize == 32);
  EXPECT(properties.clusterLaunch == 1 && properties.sharedMemPerBlockOptin == 232448);
  CHECK(cudaFuncSetAttribute(reduce, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  CHECK(cudaFuncGetAttributes(&attributes, reduce));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 100000 && attributes.binaryVersion == 90);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, reduce, 1024, 0));
  EXPECT(ctas == 2);
  return 0;
}

static int errors() {
  float *x;
  EXPECT(cudaMalloc(&x, (size_t)1 << 60) == cudaErrorMemoryAllocation);
  EXPECT(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaSuccess);
  add<<<1, 2048>>>(NULL, NULL, NULL, 0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaLaunchKernel((const void *)"none", 1, 1, NULL, 0, 0) == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidDeviceFunction), "cudaErrorInvalidDeviceFunction"));
  return 0;
}

/* Faults stay. */
static int outside() {
  float *x;
  CHECK(cudaMalloc(&x, 16));
  scale<float><<<1, 32>>>(x, 2.0f);
  cudaError_t result = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(result));
  EXPECT(result == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset());
  return vector_add();
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)();
  } parts[] = {{"add", vector_add},   {"symbols", symbols}, {"streams", streams},
               {"clusters", clusters}, {"facts", facts},     {"errors", errors},
               {"memory", memory},     {"graphs", graphs},   {"outside", outside},
               {"beside", beside},     {"early", early}};
  for (const auto &part : parts)
    if (argc > 1 && !strcmp(argv[1], part.name)) return part.run();
  printf("what?\n");
  return 2;
}
