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
               {"outside", outside}};
  for (const auto &part : parts)
    if (argc > 1 && !strcmp(argv[1], part.name)) return part.run();
  printf("what?\n");
  return 2;
}
