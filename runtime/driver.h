/* The CUDA driver API as a table of function pointers.
 *
 * A provider fills the table: NVIDIA's libcuda here, a fake in the tests. The types and constants
 * are those of cuda.h (CUDA Driver API reference), declared here so that building needs no CUDA;
 * do not include both. */
#ifndef GG_RUNTIME_DRIVER_H
#define GG_RUNTIME_DRIVER_H

#include "gemmgen_runtime.h"
#include "library.h"

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,

  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,

  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1, /* static */
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,

  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,

  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
};

typedef struct CUlaunchAttribute {
  int id;
  int pad;
  union {
    unsigned cluster[3];
    uint64_t words[8]; /* the size and alignment that the driver knows */
  } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned smem_bytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned attribute_count;
} CUlaunchConfig;

typedef struct gg_driver {
#define GG_DRIVER(name, symbol, arguments) CUresult(*name) arguments;
#include "driver.def"
#undef GG_DRIVER
  gg_library library;
} gg_driver;

/* Loads libcuda and fills the table; calls nothing. Close with gg_driver_close. */
gg_status gg_driver_open(gg_driver *out, gg_provider provider, gg_error *err);
void gg_driver_close(gg_driver *driver);

/* GG_CUDA(driver, err, cuMemAlloc, &address, bytes) calls, and turns a failure into an error that
 * names the call. */
#define GG_CUDA(driver, err, call, ...)                                                            \
  gg_driver_result((driver), #call, (driver)->call(__VA_ARGS__), (err))

gg_status gg_driver_result(const gg_driver *driver, const char *call, CUresult result,
                           gg_error *err);

#endif
