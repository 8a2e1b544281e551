/* The entry points: the table's, registration, `<<<>>>`, names of results. */
#include "emu/cudart/entry.h"

#define CUDART_CALL(name, arguments, result)                                                       \
  int name arguments {                                                                             \
    int first = rt_ready();                                                                        \
    return rt_end(first ? first : (result));                                                       \
  }
#define CUDART_PLAIN(name, arguments, result)                                                      \
  int name arguments {                                                                             \
    return result;                                                                                 \
  }
#include "emu/cudart/calls.def"
#undef CUDART_CALL
#undef CUDART_PLAIN

void **__cudaRegisterFatBinary(void *image) {
  return rt_register_image(image);
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle; /* it is loaded when it is used */
}

void __cudaUnregisterFatBinary(void **handle) {
  rt_unregister_image(handle);
}

char __cudaInitModule(void **handle) {
  (void)handle;
  return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, rt_dim3 *block, rt_dim3 *grid,
                            int *warp) {
  (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  rt_register_kernel(handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t bytes, int constant, int global) {
  (void)device, (void)ext, (void)bytes, (void)constant, (void)global;
  rt_register_variable(handle, host, name, false);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global) {
  (void)device, (void)ext, (void)bytes, (void)constant, (void)global;
  rt_register_variable(handle, host, name, true);
}

/* ---- <<<grid, block, smem, stream>>> ---------------------------------------------------- */

/* Arguments of a launch may launch kernels themselves, so that configurations nest. */
enum { nested_max = 16 };
static _Thread_local struct {
  rt_dim3 grid, block;
  size_t smem_bytes;
  CUstream stream;
} configurations[nested_max];
static _Thread_local int nested;

unsigned __cudaPushCallConfiguration(rt_dim3 grid, rt_dim3 block, size_t smem_bytes,
                                     CUstream stream) {
  if (nested == nested_max) return (unsigned)rt_end(RT_INVALID_CONFIGURATION);
  configurations[nested].grid = grid;
  configurations[nested].block = block;
  configurations[nested].smem_bytes = smem_bytes;
  configurations[nested].stream = stream;
  nested++;
  return 0;
}

int __cudaPopCallConfiguration(rt_dim3 *grid, rt_dim3 *block, size_t *smem_bytes,
                               CUstream *stream) {
  if (!nested) return rt_end(52); /* cudaErrorMissingConfiguration */
  nested--;
  *grid = configurations[nested].grid;
  *block = configurations[nested].block;
  *smem_bytes = configurations[nested].smem_bytes;
  *stream = configurations[nested].stream;
  return CUDA_SUCCESS;
}

/* ---- Names of results ------------------------------------------------------------------- */

const char *cudaGetErrorName(int result) {
  switch (result) {
#define CUDART_ERROR(value, name)                                                                  \
  case value:                                                                                      \
    return #name;
#include "emu/cudart/errors.def"
#undef CUDART_ERROR
  default:
    return "unrecognized error code";
  }
}

const char *cudaGetErrorString(int result) {
  const char *text = rt_message(result);
  if (text) return text;
  switch (result) { /* the runtime's own */
  case RT_INVALID_CONFIGURATION:
    return "invalid configuration argument";
  case RT_INVALID_SYMBOL:
    return "invalid device symbol";
  case RT_INVALID_DIRECTION:
    return "invalid copy direction for memcpy";
  case RT_INVALID_FUNCTION:
    return "invalid device function";
  default:
    return cuGetErrorString(result, &text) || !text ? cudaGetErrorName(result) : text;
  }
}
