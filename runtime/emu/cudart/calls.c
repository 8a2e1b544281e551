/* What the table of calls needs beyond single calls of the driver. */
#include <string.h>

#include "emu/cudart/runtime.h"

/* ---- The device ------------------------------------------------------------------------- */

int rt_get_device(int *out) {
  return out ? cuCtxGetDevice(out) : CUDA_ERROR_INVALID_VALUE;
}

int rt_set_device(int device) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  return CUDA_SUCCESS; /* rt_ready has made its context current */
}

int rt_reset(void) {
  int result = cuDevicePrimaryCtxReset(0);
  rt_forget();
  return result;
}

static int attribute_of(int attribute) {
  int value = 0;
  cuDeviceGetAttribute(&value, attribute, 0);
  return value;
}

int rt_properties_of(rt_properties *out, int device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  *out = (rt_properties){
      .sharedMemPerBlock = (size_t)attribute_of(8),
      .regsPerBlock = attribute_of(12),
      .warpSize = attribute_of(10),
      .memPitch = (size_t)attribute_of(11),
      .maxThreadsPerBlock = attribute_of(1),
      .maxThreadsDim = {attribute_of(2), attribute_of(3), attribute_of(4)},
      .maxGridSize = {attribute_of(5), attribute_of(6), attribute_of(7)},
      .totalConstMem = (size_t)attribute_of(9),
      .major = attribute_of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
      .minor = attribute_of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
      .textureAlignment = (size_t)attribute_of(14),
      .multiProcessorCount = attribute_of(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
      .concurrentKernels = attribute_of(31),
      .asyncEngineCount = attribute_of(40),
      .unifiedAddressing = attribute_of(41),
      .memoryBusWidth = attribute_of(37),
      .l2CacheSize = attribute_of(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
      .maxThreadsPerMultiProcessor = attribute_of(39),
      .streamPrioritiesSupported = attribute_of(78),
      .globalL1CacheSupported = attribute_of(79),
      .localL1CacheSupported = attribute_of(80),
      .sharedMemPerMultiprocessor = (size_t)attribute_of(81),
      .regsPerMultiprocessor = attribute_of(82),
      .computePreemptionSupported = attribute_of(90),
      .cooperativeLaunch = attribute_of(95),
      .sharedMemPerBlockOptin = (size_t)attribute_of(97),
      .maxBlocksPerMultiProcessor = attribute_of(106),
      .reservedSharedMemPerBlock = (size_t)attribute_of(111),
      .memoryPoolsSupported = attribute_of(115),
      .clusterLaunch = attribute_of(120),
  };
#if GG_CUDART == 12
  out->clockRate = attribute_of(13);
  out->deviceOverlap = attribute_of(15);
  out->memoryClockRate = attribute_of(36);
  out->singleToDoublePrecisionPerfRatio = attribute_of(87);
#endif
  int result = cuDeviceGetName(out->name, sizeof out->name, 0);
  if (!result) result = cuDeviceGetUuid(&out->uuid, 0);
  return result ? result : cuDeviceTotalMem(&out->totalGlobalMem, 0);
}

/* The emulator has the driver's newest version of each call alone. */
int rt_entry_point(const char *symbol, void **function, unsigned version, int *status) {
  return cuGetProcAddress(symbol, function, (int)version, 0, status);
}

/* ---- Memory ----------------------------------------------------------------------------- */

/* No bytes are no error here, and no memory. */
int rt_allocate(void **out, size_t bytes) {
  CUdeviceptr address = 0;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  int result = bytes ? cuMemAlloc(&address, bytes) : CUDA_SUCCESS;
  if (!result) *out = (void *)(uintptr_t)address;
  return result;
}

int rt_allocate_rows(void **out, size_t *pitch, size_t width, size_t height) {
  CUdeviceptr address = 0;
  if (!out || !pitch) return CUDA_ERROR_INVALID_VALUE;
  int result = cuMemAllocPitch(&address, pitch, width, height, 4);
  if (!result) *out = (void *)(uintptr_t)address;
  return result;
}

/* cudaMemcpyKind: host to host 0, host to device 1, device to host 2, device to device 3, 4 as the
 * addresses say. */
static unsigned side(int kind, bool to) {
  static const unsigned char types[5][2] = {{CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
                                            {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
                                            {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
                                            {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
                                            {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED}};
  return types[kind][to];
}

static CUmemcpySide place(const void *pointer, unsigned type, size_t pitch) {
  return (CUmemcpySide){.type = type,
                        .host = (void *)(uintptr_t)pointer,
                        .device = (uintptr_t)pointer,
                        .pitch = pitch};
}

int rt_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind, CUstream stream, bool wait) {
  if (kind < 0 || kind > 4) return RT_INVALID_DIRECTION;
  if (!width || !height) return CUDA_SUCCESS;
  if (width > to_pitch || width > from_pitch) {
    return rt_refuse(12, "rows of %zu bytes, and pitches of %zu and %zu", width, to_pitch,
                     from_pitch);
  }
  CUDA_MEMCPY2D copy = {.from = place(from, side(kind, false), from_pitch),
                        .to = place(to, side(kind, true), to_pitch),
                        .width_bytes = width,
                        .height = height};
  return wait ? cuMemcpy2DUnaligned(&copy) : cuMemcpy2DAsync(&copy, stream);
}

int rt_copy(void *to, const void *from, size_t bytes, int kind, CUstream stream, bool wait) {
  return rt_copy_rows(to, bytes, from, bytes, bytes, 1, kind, stream, wait);
}

int rt_copy_symbol(const void *symbol, void *host, size_t bytes, size_t offset, int kind, bool to,
                   CUstream stream, bool wait) {
  CUdeviceptr address = 0;
  size_t size = 0;
  if (kind != (to ? 1 : 2) && kind != 3 && kind != 4) return RT_INVALID_DIRECTION;
  int result = rt_symbol(&address, &size, symbol);
  if (result) return result;
  if (offset > size || bytes > size - offset) {
    return rt_refuse(CUDA_ERROR_INVALID_VALUE,
                     "%zu bytes from byte %zu on of a variable of %zu bytes", bytes, offset, size);
  }
  void *device = (void *)(uintptr_t)(address + offset);
  return to ? rt_copy(device, host, bytes, kind, stream, wait)
            : rt_copy(host, device, bytes, kind, stream, wait);
}

/* Plane by plane. */
int rt_copy_box(const rt_box_copy *p, CUstream stream, bool wait) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (p->from_array || p->to_array)
    return rt_refuse(CUDA_ERROR_NOT_SUPPORTED, "the emulator has no arrays: copy linear memory");
  if (p->extent.depth > 1 && (p->from_pos.y + p->extent.height > p->from.ysize ||
                              p->to_pos.y + p->extent.height > p->to.ysize)) {
    return rt_refuse(CUDA_ERROR_INVALID_VALUE,
                     "planes of %zu and %zu rows, of which %zu are copied", p->from.ysize,
                     p->to.ysize, p->extent.height);
  }
  int result = CUDA_SUCCESS;
  for (size_t z = 0; z < p->extent.depth && !result; z++) {
    size_t from = p->from_pos.y + (p->from_pos.z + z) * p->from.ysize;
    size_t to = p->to_pos.y + (p->to_pos.z + z) * p->to.ysize;
    result = rt_copy_rows((char *)p->to.pointer + to * p->to.pitch + p->to_pos.x, p->to.pitch,
                          (char *)p->from.pointer + from * p->from.pitch + p->from_pos.x,
                          p->from.pitch, p->extent.width, p->extent.height, p->kind, stream, wait);
  }
  return result;
}

int rt_fill_box(rt_pitched to, int value, rt_extent extent, CUstream stream, bool wait) {
  int result = CUDA_SUCCESS;
  for (size_t z = 0; z < extent.depth && !result; z++) {
    CUdeviceptr plane = (uintptr_t)to.pointer + z * to.ysize * to.pitch;
    result = wait ? cuMemsetD2D8(plane, to.pitch, (unsigned char)value, extent.width, extent.height)
                  : cuMemsetD2D8Async(plane, to.pitch, (unsigned char)value, extent.width,
                                      extent.height, stream);
  }
  return result;
}

int rt_allocate_box(rt_pitched *out, rt_extent extent) {
  void *memory = NULL;
  size_t pitch = 0;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  int result = rt_allocate_rows(&memory, &pitch, extent.width, extent.height * extent.depth);
  if (!result) *out = (rt_pitched){memory, pitch, extent.width, extent.height};
  return result;
}

/* There is one device. */
int rt_peer(int device, int peer) {
  return device || peer ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

int rt_no_managed(void) {
  return rt_refuse(CUDA_ERROR_NOT_SUPPORTED,
                   "the emulator has no managed memory: use cudaMalloc and cudaMemcpy");
}

int rt_pointer(rt_pointer_attributes *out, const void *pointer) {
  CUdeviceptr base;
  size_t bytes;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = (rt_pointer_attributes){.device = -1, .host_pointer = (void *)(uintptr_t)pointer};
  if (cuMemGetAddressRange(&base, &bytes, (uintptr_t)pointer)) return CUDA_SUCCESS;
  *out = (rt_pointer_attributes){.type = 2, .device_pointer = (void *)(uintptr_t)pointer};
  return CUDA_SUCCESS;
}

/* ---- Kernels ---------------------------------------------------------------------------- */

int rt_function_attributes(rt_func_attributes *out, const void *host) {
  CUfunction function;
  int values[CU_FUNC_ATTRIBUTE_MAX];
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  int result = rt_function(&function, host);
  for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX && !result; i++)
    result = cuFuncGetAttribute(&values[i], i, function);
  if (result) return result;
  *out = (rt_func_attributes){.maxThreadsPerBlock = values[0],
                              .sharedSizeBytes = (size_t)values[1],
                              .constSizeBytes = (size_t)values[2],
                              .localSizeBytes = (size_t)values[3],
                              .numRegs = values[4],
                              .ptxVersion = values[5],
                              .binaryVersion = values[6],
                              .cacheModeCA = values[7],
                              .maxDynamicSharedSizeBytes = values[8],
                              .preferredShmemCarveout = values[9],
                              .clusterDimMustBeSet = values[10],
                              .requiredClusterWidth = values[11],
                              .requiredClusterHeight = values[12],
                              .requiredClusterDepth = values[13],
                              .nonPortableClusterSizeAllowed = values[14],
                              .clusterSchedulingPolicyPreference = values[15]};
  return CUDA_SUCCESS;
}

int rt_set_function_attribute(const void *host, int attribute, int value) {
  CUfunction function;
  int result = rt_function(&function, host);
  return result ? result : cuFuncSetAttribute(function, attribute, value);
}

/* What the driver calls an invalid value is an invalid configuration here. */
static bool legal(const CUlaunchConfig *config) {
  const unsigned given[] = {config->block_x, config->block_y, config->block_z,
                            config->grid_x,  config->grid_y,  config->grid_z};
  for (int i = 0; i < 6; i++) /* attributes 2 to 7 */
    if (!given[i] || given[i] > (unsigned)attribute_of(2 + i)) return false;
  return (uint64_t)given[0] * given[1] * given[2] <= (uint64_t)attribute_of(1);
}

int rt_launch_function(CUfunction function, const CUlaunchConfig *config, void **arguments) {
  if (!legal(config)) {
    return rt_refuse(RT_INVALID_CONFIGURATION,
                     "invalid configuration argument: a grid of %ux%ux%u of blocks of %ux%ux%u "
                     "threads; a block has 1 to %d",
                     config->grid_x, config->grid_y, config->grid_z, config->block_x,
                     config->block_y, config->block_z, attribute_of(1));
  }
  return cuLaunchKernelEx(config, function, arguments, NULL);
}

int rt_launch(const void *host, rt_dim3 grid, rt_dim3 block, void **arguments, size_t smem_bytes,
              CUstream stream, bool cooperative) {
  CUfunction function;
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.flag = 1};
  CUlaunchConfig config = {
      grid.x, grid.y,     grid.z,     block.x, block.y, block.z, (unsigned)smem_bytes,
      stream, &attribute, cooperative};
  int result = smem_bytes > UINT32_MAX ? CUDA_ERROR_INVALID_VALUE : rt_function(&function, host);
  return result ? result : rt_launch_function(function, &config, arguments);
}

static CUlaunchConfig driver_config(const rt_launch_config *given) {
  return (CUlaunchConfig){given->grid.x,
                          given->grid.y,
                          given->grid.z,
                          given->block.x,
                          given->block.y,
                          given->block.z,
                          (unsigned)given->smem_bytes,
                          given->stream,
                          given->attributes,
                          given->attribute_count};
}

int rt_launch_config_of(const rt_launch_config *given, const void *host, void **arguments) {
  CUfunction function;
  if (!given || given->smem_bytes > UINT32_MAX) return CUDA_ERROR_INVALID_VALUE;
  CUlaunchConfig config = driver_config(given);
  int result = rt_function(&function, host);
  return result ? result : rt_launch_function(function, &config, arguments);
}

int rt_resident(int *ctas, const void *host, int threads, size_t smem_bytes) {
  CUfunction function;
  int result = rt_function(&function, host);
  if (result) return result;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(ctas, function, threads, smem_bytes);
}

int rt_clusters(int *out, const void *host, const rt_launch_config *given, bool size) {
  CUfunction function;
  if (!given) return CUDA_ERROR_INVALID_VALUE;
  CUlaunchConfig config = driver_config(given);
  int result = rt_function(&function, host);
  if (result) return result;
  return size ? cuOccupancyMaxPotentialClusterSize(out, function, &config)
              : cuOccupancyMaxActiveClusters(out, function, &config);
}
