/* The driver's calls are found in the libcuda that libgemmgen has loaded. */
#include "device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

typedef int result; /* CUresult: 0 is success */

/* The CUDA driver API, as far as it is called here. */
static struct {
  void *library;
  result (*get_error_string)(result, const char **);
  result (*device_get)(int *, int ordinal);
  result (*primary_retain)(void **context, int device);
  result (*set_current)(void *context);
  result (*priority_range)(int *least, int *greatest);
  result (*memset)(unsigned long long address, unsigned char, size_t bytes);
  result (*stream_create)(stream *, unsigned flags, int priority);
  result (*stream_destroy)(stream);
  result (*stream_synchronize)(stream);
  result (*stream_wait)(stream, event, unsigned flags);
  result (*event_create)(event *, unsigned flags);
  result (*event_record)(event, stream);
  result (*event_elapsed)(float *milliseconds, event, event);
  result (*event_destroy)(event);
} cuda;

/* And what windows need of it, which the emulator's has not. */
static struct {
  result (*share)(shared_memory *, unsigned long long address);
  result (*map)(unsigned long long *address, shared_memory, unsigned flags);
  result (*unmap)(unsigned long long address);
  result (*copy)(unsigned long long to, unsigned long long from, size_t bytes, stream);
  result (*write_value)(stream, unsigned long long address, uint32_t value, unsigned flags);
  result (*wait_value)(stream, unsigned long long address, uint32_t value, unsigned flags);
} shared;

enum { STREAM_NON_BLOCKING = 1, EVENT_DISABLE_TIMING = 2, ENABLE_PEER_ACCESS = 1, WAIT_GEQ = 0 };

static void check(const char *call, result status) {
  const char *text = NULL;
  if (status == 0) return;
  if (cuda.get_error_string) cuda.get_error_string(status, &text);
  die("%s: %s", call, text ? text : "an unknown error");
}

void must(gg_status status, gg_error *err) {
  if (!status) return;
  gg_str text = GG_STR_INIT;
  gg_error_print(&text, err, NULL);
  die("%s", gg_str_text(&text));
}

static void find(void *function, const char *name) {
  *(void **)function = dlsym(cuda.library, name);
  if (!*(void **)function) die("libcuda has no %s", name);
}

static void load_driver(void) {
  cuda.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!cuda.library) die("%s", dlerror());
  find(&cuda.get_error_string, "cuGetErrorString");
  find(&cuda.device_get, "cuDeviceGet");
  find(&cuda.primary_retain, "cuDevicePrimaryCtxRetain");
  find(&cuda.set_current, "cuCtxSetCurrent");
  find(&cuda.priority_range, "cuCtxGetStreamPriorityRange");
  find(&cuda.memset, "cuMemsetD8_v2");
  find(&cuda.stream_create, "cuStreamCreateWithPriority");
  find(&cuda.stream_destroy, "cuStreamDestroy_v2");
  find(&cuda.stream_synchronize, "cuStreamSynchronize");
  find(&cuda.stream_wait, "cuStreamWaitEvent");
  find(&cuda.event_create, "cuEventCreate");
  find(&cuda.event_record, "cuEventRecord");
  find(&cuda.event_elapsed, "cuEventElapsedTime");
  find(&cuda.event_destroy, "cuEventDestroy_v2");
}

static void warn(void *user, const char *message) {
  (void)user;
  fprintf(stderr, "gemmgen: %s\n", message);
}

void device_open(device *out, int ordinal) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler_options compiler = GG_COMPILER_OPTIONS_INIT;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  compiler.warn = warn;
  options.provider = GG_PROVIDER_CUDA;
  options.device = ordinal;
  options.compiler = &compiler;
  *out = (device){0};
  must(gg_context_open(&out->context, &options, &err), &err);
  must(gg_gemm_open(&out->gemm, out->context, NULL, &err), &err);
  must(gg_workspace_alloc(&out->workspace, out->context, GG_GEMM_WORKSPACE, &err), &err);
  out->facts = gg_context_device(out->context);
  load_driver();
  int handle = 0, least = 0, greatest = 0;
  void *primary =
      NULL; /* the context that gg_context works in, and NCCL finds as the current one */
  check("cuDeviceGet", cuda.device_get(&handle, ordinal));
  check("cuDevicePrimaryCtxRetain", cuda.primary_retain(&primary, handle));
  check("cuCtxSetCurrent", cuda.set_current(primary));
  check("cuCtxGetStreamPriorityRange", cuda.priority_range(&least, &greatest));
  check("cuStreamCreateWithPriority",
        cuda.stream_create(&out->compute, STREAM_NON_BLOCKING, least));
  check("cuStreamCreateWithPriority",
        cuda.stream_create(&out->communicate, STREAM_NON_BLOCKING, greatest));
}

void device_close(device *device) {
  cuda.stream_destroy(device->compute);
  cuda.stream_destroy(device->communicate);
  gg_memory_free(device->context, device->workspace);
  gg_gemm_close(device->gemm);
  gg_context_close(device->context);
}

uint64_t device_alloc(device *device, int64_t bytes) {
  gg_error err = GG_ERROR_INIT;
  uint64_t address = 0;
  must(gg_memory_alloc(&address, device->context, (size_t)bytes, &err), &err);
  return address;
}

void device_free(device *device, uint64_t address) {
  gg_memory_free(device->context, address);
}

void device_write(device *device, uint64_t to, const void *from, int64_t bytes) {
  gg_error err = GG_ERROR_INIT;
  must(gg_memory_write(device->context, to, from, (size_t)bytes, &err), &err);
}

void device_read(device *device, void *to, uint64_t from, int64_t bytes) {
  gg_error err = GG_ERROR_INIT;
  must(gg_memory_read(device->context, to, from, (size_t)bytes, &err), &err);
}

void device_fill(device *device, uint64_t to, unsigned char byte, int64_t bytes) {
  (void)device; /* whose context is current */
  check("cuMemsetD8", cuda.memset(to, byte, (size_t)bytes));
  /* It is the default stream's, which the others do not wait for. */
  device_wait(NULL);
}

void device_wait(stream on) {
  check("cuStreamSynchronize", cuda.stream_synchronize(on));
}

event event_new(int timed) {
  event made = NULL;
  check("cuEventCreate", cuda.event_create(&made, timed ? 0 : EVENT_DISABLE_TIMING));
  return made;
}

void event_free(event event) {
  cuda.event_destroy(event);
}

void event_record(event event, stream on) {
  check("cuEventRecord", cuda.event_record(event, on));
}

void event_await(event event, stream on) {
  check("cuStreamWaitEvent", cuda.stream_wait(on, event, 0));
}

double event_milliseconds(event from, event to) {
  float milliseconds = 0;
  check("cuEventElapsedTime", cuda.event_elapsed(&milliseconds, from, to));
  return milliseconds;
}

/* ---- Memory of other GPUs ------------------------------------------------------------- */

static void find_shared(void) {
  if (shared.share) return;
  find(&shared.map, "cuIpcOpenMemHandle_v2");
  find(&shared.unmap, "cuIpcCloseMemHandle");
  find(&shared.copy, "cuMemcpyDtoDAsync_v2");
  find(&shared.write_value, "cuStreamWriteValue32_v2");
  find(&shared.wait_value, "cuStreamWaitValue32_v2");
  find(&shared.share, "cuIpcGetMemHandle");
}

int device_share(shared_memory *out, uint64_t address) {
  find_shared();
  return shared.share(out, address) == 0;
}

int device_map(uint64_t *out, const shared_memory *of) {
  unsigned long long address = 0;
  int mapped = shared.map(&address, *of, ENABLE_PEER_ACCESS) == 0;
  *out = address;
  return mapped;
}

void device_unmap(uint64_t address) {
  check("cuIpcCloseMemHandle", shared.unmap(address));
}

void device_copy(uint64_t to, uint64_t from, int64_t bytes, stream on) {
  check("cuMemcpyDtoDAsync", shared.copy(to, from, (size_t)bytes, on));
}

void device_signal(uint64_t address, uint32_t value, stream on) {
  check("cuStreamWriteValue32", shared.write_value(on, address, value, 0));
}

void device_await(uint64_t address, uint32_t value, stream on) {
  check("cuStreamWaitValue32", shared.wait_value(on, address, value, WAIT_GEQ));
}
