/* A device through a driver. The context is the device's primary context. So what the CUDA runtime
 * and other libraries allocate in it is usable here, and the other way round. Calls that need it
 * push it and pop it again, so that a thread's current context stays the same. */
#include "context.h"

#include <string.h>

#include "base/alloc.h"
#include "base/need.h"
#include "base/sized.h"

static gg_status read_facts(gg_context *context, gg_error *err) {
  const gg_driver *driver = &context->driver;
  gg_device_facts *facts = &context->facts;
  int major = 0, minor = 0, l2 = 0;
  const struct {
    int attribute;
    int *value;
  } attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &facts->sm_count},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &facts->threads_per_sm},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &facts->clock_khz},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &facts->smem_per_cta},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &facts->smem_per_sm},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &l2},
  };
  gg_status st;
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    st = GG_CUDA(driver, err, cuDeviceGetAttribute, attributes[i].value, attributes[i].attribute,
                 context->device);
    if (st) return st;
  }
  size_t memory = 0;
  if ((st = GG_CUDA(driver, err, cuDeviceTotalMem, &memory, context->device))) return st;
  if ((st = GG_CUDA(driver, err, cuDriverGetVersion, &facts->driver_version))) return st;
  facts->arch = 10 * major + minor;
  facts->l2_bytes = l2;
  facts->memory_bytes = (int64_t)memory;
  facts->emulated = driver->emulated;
  return GG_CUDA(driver, err, cuDeviceGetName, facts->name, (int)sizeof facts->name - 1,
                 context->device);
}

static gg_status find_device(gg_context *context, int ordinal, gg_error *err) {
  const gg_driver *driver = &context->driver;
  int count = 0;
  CUresult result = driver->cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE) return gg_fail(err, NO_DEVICE, NULL, ordinal, 0);
  gg_status st = gg_driver_result(driver, "cuInit", result, err);
  if (st || (st = GG_CUDA(driver, err, cuDeviceGetCount, &count))) return st;
  if (ordinal < 0 || ordinal >= count) return gg_fail(err, NO_DEVICE, NULL, ordinal, count);
  if ((st = GG_CUDA(driver, err, cuDeviceGet, &context->device, ordinal))) return st;
  if ((st = read_facts(context, err))) return st;
  return GG_CUDA(driver, err, cuDevicePrimaryCtxRetain, &context->primary, context->device);
}

gg_status gg_context_open_device(gg_context **out, gg_driver *driver, int ordinal, gg_error *err) {
  *out = NULL;
  gg_context *context = gg_malloc(sizeof *context);
  if (!context) {
    gg_driver_close(driver);
    return gg_fail(err, MEMORY, NULL, "");
  }
  *context = (gg_context){.driver = *driver, .gpcs_lock = PTHREAD_MUTEX_INITIALIZER};
  gg_status st = find_device(context, ordinal, err);
  if (st) {
    gg_context_close(context);
    return st;
  }
  *out = context;
  return GG_OK;
}

void gg_context_close(gg_context *context) {
  if (!context) return;
  if (context->compiler) context->close_compiler(context->compiler);
  if (context->primary) context->driver.cuDevicePrimaryCtxRelease(context->device);
  gg_driver_close(&context->driver);
  pthread_mutex_destroy(&context->gpcs_lock);
  gg_free(context);
}

const gg_device_facts *gg_context_device(const gg_context *context) {
  return context ? &context->facts : NULL;
}

gg_status gg_context_enter(const gg_context *context, gg_error *err) {
  return GG_CUDA(&context->driver, err, cuCtxPushCurrent, context->primary);
}

void gg_context_leave(const gg_context *context) {
  CUcontext popped;
  context->driver.cuCtxPopCurrent(&popped);
}

enum { no_mode = -1 };

int gg_capture_allow(const gg_context *context) {
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  return context->driver.cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS ? mode : no_mode;
}

void gg_capture_forbid(const gg_context *context, int before) {
  if (before != no_mode) context->driver.cuThreadExchangeStreamCaptureMode(&before);
}

/* ---- Memory and streams --------------------------------------------------------------- */

/* Makes one call of the driver with the context current. */
#define WITHIN(context, err, call, ...)                                                            \
  gg_status st = gg_context_enter((context), (err));                                               \
  if (st) return st;                                                                               \
  st = GG_CUDA(&(context)->driver, (err), call, __VA_ARGS__);                                      \
  gg_context_leave(context);                                                                       \
  return st

gg_status gg_memory_alloc(uint64_t *out, gg_context *context, size_t bytes, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  *out = 0;
  CUdeviceptr address = 0;
  gg_status st = gg_context_enter(context, err);
  if (st) return st;
  st = GG_CUDA(&context->driver, err, cuMemAlloc, &address, bytes ? bytes : 1);
  gg_context_leave(context);
  *out = address;
  return st;
}

void gg_memory_free(gg_context *context, uint64_t address) {
  if (!context || !address || gg_context_enter(context, NULL)) return;
  context->driver.cuMemFree(address);
  gg_context_leave(context);
}

gg_status gg_memory_write(gg_context *context, uint64_t to, const void *from, size_t bytes,
                          gg_error *err) {
  GG_NEED(err, context);
  if (bytes) GG_NEED(err, from);
  WITHIN(context, err, cuMemcpyHtoD, to, from, bytes);
}

gg_status gg_memory_read(gg_context *context, void *to, uint64_t from, size_t bytes,
                         gg_error *err) {
  GG_NEED(err, context);
  if (bytes) GG_NEED(err, to);
  WITHIN(context, err, cuMemcpyDtoH, to, from, bytes);
}

/* The stream is ordered with the default stream, in which the copies above run, so that a copy
 * never overtakes a launch. */
gg_status gg_stream_open(struct CUstream_st **out, gg_context *context, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  *out = NULL;
  WITHIN(context, err, cuStreamCreate, out, 0);
}

void gg_stream_close(gg_context *context, struct CUstream_st *stream) {
  if (!context || !stream || gg_context_enter(context, NULL)) return;
  context->driver.cuStreamDestroy(stream);
  gg_context_leave(context);
}

gg_status gg_synchronize(gg_context *context, struct CUstream_st *stream, gg_error *err) {
  GG_NEED(err, context);
  WITHIN(context, err, cuStreamSynchronize, stream);
}
