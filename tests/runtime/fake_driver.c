#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>

fake_driver fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int depth;        /* of this thread's stack of contexts */
static _Thread_local int capture_mode; /* of its calls */

void fake_reset(void) {
  fake = (fake_driver){
      .lock = PTHREAD_MUTEX_INITIALIZER,
      .device_count = 1,
      .arch = 90,
      .smem_per_cta = 232448,
      .argument_count = 18, /* what the fixture's kernel has */
  };
  depth = 0;
  capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
}

int fake_alive(void) {
  return fake.contexts + fake.modules + fake.allocations + fake.streams + fake.events +
         fake.graphs + fake.depth;
}

/* ---- Bookkeeping of every call -------------------------------------------------------- */

enum { CONTEXT = 1, ALLOCATES = 2, ASKS = 4 };

static CUresult enter(const char *name, int needs) {
  pthread_mutex_lock(&fake.lock);
  fake.calls++;
  if ((needs & CONTEXT) && depth == 0) fake.orphans++;
  if ((needs & ALLOCATES) && fake.capturing) fake.in_capture++;
  if ((needs & ASKS) && fake.capturing && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED)
    fake.in_capture++;
  CUresult result = CUDA_SUCCESS;
  if (fake.fail_call && strcmp(fake.fail_call, name) == 0 && fake.fail_after-- <= 0) {
    result = fake.fail_result;
  }
  if (result) pthread_mutex_unlock(&fake.lock);
  return result;
}

static CUresult leave(void) {
  pthread_mutex_unlock(&fake.lock);
  return CUDA_SUCCESS;
}

/* Opens the body of a fake call: the lock is held until `return leave()`. */
#define ENTER(name, needs)                                                                         \
  CUresult injected = enter(#name, needs);                                                         \
  if (injected) return injected

#define HANDLE(type, number) ((type)(uintptr_t)(number))

/* ---- Errors and devices --------------------------------------------------------------- */

static CUresult fake_cuInit(unsigned flags) {
  (void)flags;
  ENTER(cuInit, 0);
  return leave();
}

static CUresult fake_cuDriverGetVersion(int *version) {
  ENTER(cuDriverGetVersion, 0);
  *version = 13000;
  return leave();
}

static CUresult fake_cuGetErrorName(CUresult result, const char **name) {
  *name = result == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : NULL;
  return *name ? CUDA_SUCCESS : 1;
}

static CUresult fake_cuGetErrorString(CUresult result, const char **text) {
  *text = result == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : NULL;
  return *text ? CUDA_SUCCESS : 1;
}

static CUresult fake_cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount, 0);
  *count = fake.device_count;
  return leave();
}

static CUresult fake_cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(cuDeviceGet, 0);
  *device = 100 + ordinal;
  return leave();
}

static CUresult fake_cuDeviceGetName(char *name, int length, CUdevice device) {
  (void)device;
  ENTER(cuDeviceGetName, 0);
  strncpy(name, "Fake GPU", (size_t)length);
  return leave();
}

static CUresult fake_cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  (void)device;
  ENTER(cuDeviceGetAttribute, 0);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = fake.arch / 10;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = fake.arch % 10;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = fake.smem_per_cta;
    break;
  default:
    *value = 1000 + attribute;
  }
  return leave();
}

static CUresult fake_cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  (void)device;
  ENTER(cuDeviceTotalMem, 0);
  *bytes = (size_t)1 << 30;
  return leave();
}

static CUresult fake_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain, 0);
  *context = HANDLE(CUcontext, device);
  fake.contexts++;
  return leave();
}

static CUresult fake_cuDevicePrimaryCtxRelease(CUdevice device) {
  (void)device;
  ENTER(cuDevicePrimaryCtxRelease, 0);
  fake.contexts--;
  return leave();
}

static CUresult fake_cuCtxPushCurrent(CUcontext context) {
  (void)context;
  ENTER(cuCtxPushCurrent, 0);
  depth++;
  fake.depth++;
  return leave();
}

static CUresult fake_cuCtxPopCurrent(CUcontext *context) {
  ENTER(cuCtxPopCurrent, CONTEXT);
  *context = NULL;
  depth--;
  fake.depth--;
  return leave();
}

/* ---- Modules and launches ------------------------------------------------------------- */

static CUresult fake_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                        int *options, void **values) {
  (void)options;
  ENTER(cuModuleLoadDataEx, CONTEXT | ALLOCATES);
  *module = HANDLE(CUmodule, 7);
  fake.modules++;
  if (count > 0 && strcmp(image, "broken") == 0) {
    strcpy(values[0], "ptxas fatal: broken");
    fake.modules--;
    pthread_mutex_unlock(&fake.lock);
    return 218; /* CUDA_ERROR_INVALID_PTX */
  }
  return leave();
}

static CUresult fake_cuModuleLoad(CUmodule *module, const char *path) {
  (void)path;
  return fake_cuModuleLoadDataEx(module, "", 0, NULL, NULL);
}

static CUresult fake_cuModuleUnload(CUmodule module) {
  (void)module;
  ENTER(cuModuleUnload, CONTEXT);
  fake.modules--;
  return leave();
}

static CUresult fake_cuTensorMapEncodeTiled(CUtensorMap *map, int type, uint32_t rank,
                                            void *address, const uint64_t *dims,
                                            const uint64_t *strides, const uint32_t *box,
                                            const uint32_t *element_strides, int interleave,
                                            int swizzle, int promotion, int fill) {
  ENTER(cuTensorMapEncodeTiled, CONTEXT);
  fake_map made = {.type = type,
                   .interleave = interleave,
                   .swizzle = swizzle,
                   .promotion = promotion,
                   .fill = fill,
                   .rank = rank,
                   .address = (uintptr_t)address};
  memcpy(made.dims, dims, rank * sizeof *dims);
  memcpy(made.strides, strides, (rank - 1) * sizeof *strides);
  memcpy(made.box, box, rank * sizeof *box);
  memcpy(made.element_strides, element_strides, rank * sizeof *element_strides);
  memset(map, 0, sizeof *map);
  if (fake.map_count < FAKE_MAPS_MAX) {
    map->opaque[0] = (uint64_t)(FAKE_MAP_MARK + fake.map_count);
    fake.maps[fake.map_count++] = made;
  }
  return leave();
}

/* A function's handle is its name's place in the list, from 1. */
static int place_of(const char *name) {
  for (int i = 0; i < fake.name_count; i++) {
    if (strncmp(fake.names[i], name, FAKE_NAME_BYTES - 1) == 0) return i + 1;
  }
  if (fake.name_count == FAKE_NAMES_MAX) return 0;
  strncpy(fake.names[fake.name_count], name, FAKE_NAME_BYTES - 1);
  return ++fake.name_count;
}

static CUresult fake_cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  (void)module;
  ENTER(cuModuleGetFunction, CONTEXT);
  *function = HANDLE(CUfunction, place_of(name));
  return leave();
}

static CUresult fake_cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                       const char *name) {
  (void)address, (void)bytes, (void)module, (void)name;
  ENTER(cuModuleGetGlobal, CONTEXT);
  leave();
  return CUDA_ERROR_NOT_FOUND; /* its modules have no variables */
}

static CUresult fake_cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  ENTER(cuFuncGetAttribute, CONTEXT);
  bool spills = !fake.spills || function == HANDLE(CUfunction, place_of(fake.spills));
  *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 168
           : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 1024
           : spills                                           ? 16
                                                              : 0;
  return leave();
}

static CUresult fake_cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  (void)function, (void)attribute;
  ENTER(cuFuncSetAttribute, CONTEXT);
  fake.smem_limit = value;
  return leave();
}

static CUresult fake_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, CUfunction function,
                                                                 int threads, size_t smem) {
  (void)function, (void)threads;
  ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor, CONTEXT);
  *ctas = smem > 100000 ? 1 : 2;
  return leave();
}

static CUresult fake_cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                                  const CUlaunchConfig *config) {
  (void)function;
  ENTER(cuOccupancyMaxActiveClusters, CONTEXT);
  *clusters = 100 / (int)config->attributes[0].value.cluster[0];
  return leave();
}

static double *clock_of(CUstream stream) {
  return &fake.clocks[(uintptr_t)stream % FAKE_STREAMS_MAX];
}

static CUresult record(CUfunction function, fake_launch launch, void **arguments) {
  launch.name = fake.names[(uintptr_t)function - 1];
  if (fake.refuses && strncmp(fake.refuses, launch.name, FAKE_NAME_BYTES - 1) == 0) {
    leave();
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  launch.raw = arguments;
  for (size_t i = 0; i < fake.argument_count; i++) {
    memcpy(&launch.arguments[i], arguments[i], sizeof launch.arguments[i]);
  }
  if (fake.on_launch) fake.on_launch(&launch);
  if (fake.lasts) *clock_of(launch.stream) += fake.lasts(launch.name);
  if (fake.launch_count < FAKE_LAUNCHES_MAX) fake.launches[fake.launch_count++] = launch;
  return leave();
}

static CUresult fake_cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                    unsigned grid_z, unsigned block_x, unsigned block_y,
                                    unsigned block_z, unsigned smem_bytes, CUstream stream,
                                    void **arguments, void **extra) {
  (void)extra;
  ENTER(cuLaunchKernel, CONTEXT);
  fake_launch launch = {
      .grid = {grid_x, grid_y, grid_z},
      .block = {block_x, block_y, block_z},
      .smem_bytes = smem_bytes,
      .stream = stream,
  };
  return record(function, launch, arguments);
}

static CUresult fake_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                      void **arguments, void **extra) {
  (void)extra;
  ENTER(cuLaunchKernelEx, CONTEXT);
  fake_launch launch = {
      .grid = {config->grid_x, config->grid_y, config->grid_z},
      .block = {config->block_x, config->block_y, config->block_z},
      .smem_bytes = config->smem_bytes,
      .stream = config->stream,
  };
  for (unsigned i = 0; i < config->attribute_count; i++) {
    if (config->attributes[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    memcpy(launch.cluster, config->attributes[i].value.cluster, sizeof launch.cluster);
  }
  return record(function, launch, arguments);
}

/* ---- Memory --------------------------------------------------------------------------- */

static CUresult fake_cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  ENTER(cuMemAlloc, CONTEXT | ALLOCATES);
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = (CUdeviceptr)(uintptr_t)memory;
  fake.allocations++;
  return leave();
}

static CUresult fake_cuMemFree(CUdeviceptr address) {
  ENTER(cuMemFree, CONTEXT);
  free(HANDLE(void *, address));
  fake.allocations--;
  return leave();
}

static CUresult fake_cuMemGetInfo(size_t *available, size_t *total) {
  ENTER(cuMemGetInfo, CONTEXT);
  *available = *total = (size_t)1 << 30;
  return leave();
}

static CUresult fake_cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  ENTER(cuMemcpyHtoD, CONTEXT);
  memcpy(HANDLE(void *, to), from, bytes);
  return leave();
}

static CUresult fake_cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  ENTER(cuMemcpyDtoH, CONTEXT);
  memcpy(to, HANDLE(void *, from), bytes);
  return leave();
}

static CUresult fake_cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  (void)stream;
  ENTER(cuMemcpyDtoHAsync, CONTEXT);
  memcpy(to, HANDLE(void *, from), bytes);
  return leave();
}

static CUresult fake_cuMemsetD8(CUdeviceptr to, unsigned char value, size_t bytes) {
  ENTER(cuMemsetD8, CONTEXT);
  memset(HANDLE(void *, to), value, bytes);
  return leave();
}

static CUresult fake_cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                                       size_t width, size_t height, CUstream stream) {
  (void)stream;
  ENTER(cuMemsetD2D8Async, CONTEXT);
  for (size_t row = 0; row < height; row++)
    memset(HANDLE(unsigned char *, to) + row * pitch, value, width);
  return leave();
}

/* ---- Streams, graphs, events ---------------------------------------------------------- */

static CUresult fake_cuStreamCreate(CUstream *stream, unsigned flags) {
  (void)flags;
  ENTER(cuStreamCreate, CONTEXT | ALLOCATES);
  *stream = HANDLE(CUstream, 1000 + ++fake.streams);
  return leave();
}

static CUresult fake_cuStreamDestroy(CUstream stream) {
  (void)stream;
  ENTER(cuStreamDestroy, CONTEXT);
  fake.streams--;
  return leave();
}

static CUresult fake_cuStreamSynchronize(CUstream stream) {
  (void)stream;
  ENTER(cuStreamSynchronize, CONTEXT);
  return leave();
}

static CUresult fake_cuStreamBeginCapture(CUstream stream, int mode) {
  (void)mode;
  ENTER(cuStreamBeginCapture, CONTEXT);
  fake.capturing = stream;
  return leave();
}

static CUresult fake_cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  (void)stream;
  ENTER(cuStreamEndCapture, CONTEXT);
  fake.capturing = NULL;
  fake.graphs++;
  *graph = HANDLE(CUgraph, 9);
  return leave();
}

static CUresult fake_cuStreamIsCapturing(CUstream stream, int *status) {
  ENTER(cuStreamIsCapturing, CONTEXT);
  *status = stream && stream == fake.capturing;
  return leave();
}

static CUresult fake_cuThreadExchangeStreamCaptureMode(int *other) {
  ENTER(cuThreadExchangeStreamCaptureMode, 0);
  int before = capture_mode;
  capture_mode = *other;
  *other = before;
  return leave();
}

static CUresult fake_cuGraphInstantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
  (void)graph, (void)flags;
  ENTER(cuGraphInstantiate, CONTEXT);
  fake.graphs++;
  *out = HANDLE(CUgraphExec, 10);
  return leave();
}

static CUresult fake_cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  (void)graph, (void)stream;
  ENTER(cuGraphLaunch, CONTEXT);
  return leave();
}

static CUresult fake_cuGraphExecDestroy(CUgraphExec graph) {
  (void)graph;
  ENTER(cuGraphExecDestroy, CONTEXT);
  fake.graphs--;
  return leave();
}

static CUresult fake_cuGraphDestroy(CUgraph graph) {
  (void)graph;
  ENTER(cuGraphDestroy, CONTEXT);
  fake.graphs--;
  return leave();
}

static CUresult fake_cuEventCreate(CUevent *event, unsigned flags) {
  (void)flags;
  ENTER(cuEventCreate, CONTEXT);
  fake.events++;
  fake.last_event = fake.last_event % (FAKE_EVENTS_MAX - 1) + 1;
  *event = HANDLE(CUevent, fake.last_event);
  return leave();
}

static CUresult fake_cuEventRecord(CUevent event, CUstream stream) {
  ENTER(cuEventRecord, CONTEXT);
  fake.passed[(uintptr_t)event] = *clock_of(stream);
  return leave();
}

static CUresult fake_cuEventQuery(CUevent event) {
  (void)event;
  ENTER(cuEventQuery, CONTEXT | ASKS);
  bool passed = !fake.busy;
  leave();
  return passed ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult fake_cuEventSynchronize(CUevent event) {
  (void)event;
  ENTER(cuEventSynchronize, CONTEXT);
  return leave();
}

static CUresult fake_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER(cuEventElapsedTime, CONTEXT);
  double between = fake.passed[(uintptr_t)end] - fake.passed[(uintptr_t)start];
  *milliseconds = between > 0 ? (float)between : 12.5f; /* of what nothing is said */
  return leave();
}

static CUresult fake_cuEventDestroy(CUevent event) {
  (void)event;
  ENTER(cuEventDestroy, CONTEXT);
  fake.events--;
  return leave();
}

gg_driver fake_table(void) {
  return (gg_driver){
#define GG_DRIVER(name, symbol, arguments) .name = fake_##name,
#include "driver.def"
#undef GG_DRIVER
  };
}
