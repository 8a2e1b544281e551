/* Launches: arguments into the block of parameters, attributes, the limits that the driver checks
 * before a GPU is asked; occupancy. */
#include <string.h>

#include "base/alloc.h"
#include "emu/driver/process.h"

enum { portable_cluster = 8 };

/* ---- Attributes ------------------------------------------------------------------------- */

CUresult emu_read_attributes(emu_process *process, emu_launch_config *out,
                             const CUlaunchConfig *config) {
  memset(out->cluster, 0, sizeof out->cluster);
  out->cooperative = out->beside = false;
  if (config->attribute_count && !config->attributes) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config->attribute_count; i++) {
    const CUlaunchAttribute *attribute = &config->attributes[i];
    if (attribute->id < 0 || attribute->id >= CU_LAUNCH_ATTRIBUTE_MAX) {
      return emu_refuse(process, CUDA_ERROR_INVALID_VALUE, "unknown launch attribute %d",
                        attribute->id);
    }
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      memcpy(out->cluster, attribute->value.cluster, sizeof out->cluster);
    } else if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      out->cooperative = attribute->value.flag != 0;
    } else if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      out->beside = attribute->value.flag != 0;
    }
    /* The others are hints, or let launches of other streams overlap (programmatic events), which
     * one after the other is a legal case of. */
  }
  return CUDA_SUCCESS;
}

/* ---- Occupancy -------------------------------------------------------------------------- */

int emu_resident(const emu_process *process, CUfunction function, int threads, size_t smem_bytes) {
  int warp_threads = (threads + EMU_LANES - 1) / EMU_LANES * EMU_LANES;
  int most = emu_attribute(process, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  int ctas = emu_attribute(process, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  size_t smem =
      (size_t)emu_attribute(process, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  /* Each CTA takes 1 KiB for the system; what is left is given out by 128 bytes. */
  size_t each = emu_kernel_facts_of(function->kernel).static_smem_bytes + 1024;
  if (smem_bytes > smem) return 0;
  each = (each + smem_bytes + 127) / 128 * 128;
  if (most / warp_threads < ctas) ctas = most / warp_threads;
  if (smem / each < (size_t)ctas) ctas = (int)(smem / each);
  return ctas;
}

CUresult emu_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, CUfunction function,
                                                         int threads, size_t smem_bytes) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && (!ctas || threads < 1)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *ctas = emu_resident(process, function, threads, smem_bytes);
  return emu_leave(process, result);
}

CUresult emu_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas, CUfunction function,
                                                                  int threads, size_t smem_bytes,
                                                                  unsigned flags) {
  (void)flags;
  return emu_cuOccupancyMaxActiveBlocksPerMultiprocessor(ctas, function, threads, smem_bytes);
}

/* The block size that keeps most threads on an SM; the larger of equals. */
CUresult emu_cuOccupancyMaxPotentialBlockSize(int *grid, int *threads, CUfunction function,
                                              size_t (*smem_of)(int), size_t smem_bytes,
                                              int limit) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && (!grid || !threads)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    int most = emu_kernel_facts_of(function->kernel).max_threads, best = 0;
    if (limit > 0 && limit < most) most = limit;
    *grid = *threads = 0;
    for (int size = most; size > 0; size = (size - 1) / EMU_LANES * EMU_LANES) {
      int ctas = emu_resident(process, function, size, smem_of ? smem_of(size) : smem_bytes);
      if (ctas * size <= best) continue;
      best = ctas * size;
      *threads = size;
      *grid = ctas * emu_attribute(process, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    }
  }
  return emu_leave(process, result);
}

static int cluster_limit(CUfunction function) {
  return function->attributes[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED]
             ? EMU_CLUSTER_MAX
             : portable_cluster;
}

CUresult emu_cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
                                                const CUlaunchConfig *config) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && (!size || !config)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *size = cluster_limit(function);
  return emu_leave(process, result);
}

CUresult emu_cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                          const CUlaunchConfig *config) {
  emu_process *process;
  emu_launch_config asked;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && (!clusters || !config)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) result = emu_read_attributes(process, &asked, config);
  if (!result) {
    unsigned size = asked.cluster[0] * asked.cluster[1] * asked.cluster[2];
    unsigned threads = config->block_x * config->block_y * config->block_z;
    int ctas = emu_resident(process, function, threads ? (int)threads : 1, config->smem_bytes);
    *clusters = ctas * emu_attribute(process, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) /
                (int)(size ? size : 1);
  }
  return emu_leave(process, result);
}

/* ---- Launches --------------------------------------------------------------------------- */

/* One block of bytes from `extra`. */
static CUresult copy_extra(unsigned char *out, uint64_t bytes, void **extra) {
  const void *buffer = NULL;
  size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = *(const size_t *)extra[1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes && (!buffer || size < bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (bytes) memcpy(out, buffer, bytes);
  return CUDA_SUCCESS;
}

static CUresult copy_arguments(unsigned char *out, const emu_kernel *kernel, void **arguments) {
  uint64_t offset, bytes;
  for (int i = 0; emu_kernel_param(&offset, &bytes, kernel, i); i++) {
    if (!arguments || !arguments[i]) return CUDA_ERROR_INVALID_VALUE;
    memcpy(out + offset, arguments[i], bytes);
  }
  return CUDA_SUCCESS;
}

static CUresult pack(emu_work *work, emu_process *process, CUfunction function, void **arguments,
                     void **extra) {
  uint64_t bytes = emu_kernel_facts_of(function->kernel).param_bytes;
  work->launch.params = gg_malloc(bytes ? bytes : 1);
  if (!work->launch.params) return CUDA_ERROR_OUT_OF_MEMORY;
  memset(work->launch.params, 0, bytes);
  work->launch.config.params = work->launch.params;
  CUresult result = extra && !arguments
                        ? copy_extra(work->launch.params, bytes, extra)
                        : copy_arguments(work->launch.params, function->kernel, arguments);
  if (!result) return result;
  return emu_refuse(process, result, "the arguments are not the %d parameters, %llu bytes, of %s",
                    emu_kernel_facts_of(function->kernel).param_count, (unsigned long long)bytes,
                    emu_kernel_facts_of(function->kernel).name);
}

/* What a driver refuses without a GPU; the emulator itself checks the rest. */
static CUresult check_limits(emu_process *process, CUfunction function,
                             const emu_launch_config *config) {
  const char *name = emu_kernel_facts_of(function->kernel).name;
  int most = function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES];
  if (config->smem_bytes > (uint64_t)most) {
    return emu_refuse(process, CUDA_ERROR_INVALID_VALUE,
                      "%s: %llu B of dynamic shared memory > %d B; "
                      "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises that",
                      name, (unsigned long long)config->smem_bytes, most);
  }
  uint64_t size = (uint64_t)config->cluster[0] * config->cluster[1] * config->cluster[2];
  if (size > (uint64_t)cluster_limit(function)) {
    return emu_refuse(process, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                      "%s: a cluster of %llu CTAs > %d; up to %d with "
                      "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
                      name, (unsigned long long)size, cluster_limit(function), EMU_CLUSTER_MAX);
  }
  uint64_t threads = (uint64_t)config->block[0] * config->block[1] * config->block[2];
  uint64_t ctas = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
  if (!config->cooperative || threads == 0 || threads > 1024) return CUDA_SUCCESS;
  uint64_t resident = (uint64_t)emu_resident(process, function, (int)threads, config->smem_bytes) *
                      (uint64_t)emu_attribute(process, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  if (ctas <= resident) return CUDA_SUCCESS;
  return emu_refuse(process, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                    "%s: %llu CTAs > %llu that the device takes at a time", name,
                    (unsigned long long)ctas, (unsigned long long)resident);
}

static CUresult launch(emu_process *process, const CUlaunchConfig *config, CUfunction function,
                       void **arguments, void **extra) {
  emu_work work = {
      .kind = EMU_WORK_LAUNCH,
      .launch.function = function,
      .launch.stream = config->stream,
      .launch.config = {.grid = {config->grid_x, config->grid_y, config->grid_z},
                        .block = {config->block_x, config->block_y, config->block_z},
                        .smem_bytes = config->smem_bytes},
  };
  if (!emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = emu_read_attributes(process, &work.launch.config, config);
  if (!result) result = check_limits(process, function, &work.launch.config);
  if (!result) result = pack(&work, process, function, arguments, extra);
  if (!result) return emu_submit(process, config->stream, &work);
  emu_work_free(&work);
  return result;
}

CUresult emu_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                              void **extra) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !config) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) result = launch(process, config, function, arguments, extra);
  return emu_leave(process, result);
}

CUresult emu_cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned smem_bytes, CUstream stream, void **arguments, void **extra) {
  CUlaunchConfig config = {grid_x,  grid_y,     grid_z, block_x, block_y,
                           block_z, smem_bytes, stream, NULL,    0};
  return emu_cuLaunchKernelEx(&config, function, arguments, extra);
}

CUresult emu_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned smem_bytes, CUstream stream,
                                       void **arguments) {
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.flag = 1};
  CUlaunchConfig config = {grid_x,  grid_y,     grid_z, block_x,    block_y,
                           block_z, smem_bytes, stream, &attribute, 1};
  return emu_cuLaunchKernelEx(&config, function, arguments, NULL);
}
