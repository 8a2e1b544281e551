/* A program that ends with its context open: what handlers find that run before the driver is gone,
 * and after. Its exit status says whether all was as it should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gemmgen_emu.h"

static CUcontext context;
static CUmodule module;
static CUdeviceptr address;

static void expect(CUresult wanted, CUresult got, const char *what) {
  if (got == wanted) return;
  printf("%s: %d, not %d\n", what, got, wanted);
  fflush(stdout);
  _exit(1);
}

/* Registered before cuInit, as a static object's destructor may be: runs when the driver is gone.
 */
static void late(void) {
  CUcontext other = NULL;
  CUstream stream = NULL;
  CUdevice device = 0;
  const char *name = NULL;
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  int count = 0, value = 0;
  unsigned char map[128] = {0};
  expect(CUDA_ERROR_DEINITIALIZED, cuMemFree(address), "cuMemFree");
  expect(CUDA_ERROR_DEINITIALIZED, cuMemcpyDtoH(&value, address, 4), "cuMemcpyDtoH");
  expect(CUDA_ERROR_DEINITIALIZED, cuModuleUnload(module), "cuModuleUnload");
  expect(CUDA_ERROR_DEINITIALIZED, cuStreamCreate(&stream, 0), "cuStreamCreate");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxSynchronize(), "cuCtxSynchronize");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxGetCurrent(&other), "cuCtxGetCurrent");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxSetCurrent(context), "cuCtxSetCurrent");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxPushCurrent(context), "cuCtxPushCurrent");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxPopCurrent(&other), "cuCtxPopCurrent");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxDestroy(context), "cuCtxDestroy");
  expect(CUDA_ERROR_DEINITIALIZED, cuCtxCreate(&other, NULL, 0, 0), "cuCtxCreate");
  expect(CUDA_ERROR_DEINITIALIZED, cuDevicePrimaryCtxRetain(&other, 0), "cuDevicePrimaryCtxRetain");
  expect(CUDA_ERROR_DEINITIALIZED, cuDeviceGetCount(&count), "cuDeviceGetCount");
  expect(CUDA_ERROR_DEINITIALIZED, cuDeviceGet(&device, 0), "cuDeviceGet");
  expect(CUDA_ERROR_DEINITIALIZED, cuInit(0), "cuInit");
  expect(CUDA_ERROR_DEINITIALIZED, gg_emu_configure(&options), "gg_emu_configure");
  expect(CUDA_ERROR_DEINITIALIZED, cuTensorMapReplaceAddress((CUtensorMap *)(void *)map, &options),
         "cuTensorMapReplaceAddress");
  expect(CUDA_SUCCESS, cuGetErrorName(CUDA_ERROR_DEINITIALIZED, &name), "cuGetErrorName");
  if (strcmp(name, "CUDA_ERROR_DEINITIALIZED")) _exit(1);
  if (gg_emu_counters(NULL, 0, 0)) _exit(1);
}

/* Registered after cuInit: runs while all is there. */
static void early(void) {
  int value = 0;
  expect(CUDA_SUCCESS, cuMemcpyDtoH(&value, address, 4), "cuMemcpyDtoH, earlier");
  expect(CUDA_SUCCESS, cuMemFree(address), "cuMemFree, earlier");
  if (value != 7) _exit(1);
}

int main(void) {
  static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
  int value = 7;
  atexit(late);
  expect(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context), "cuCtxGetCurrent, before cuInit");
  expect(CUDA_SUCCESS, cuInit(0), "cuInit");
  atexit(early);
  expect(CUDA_SUCCESS, cuCtxCreate(&context, NULL, 0, 0), "cuCtxCreate");
  expect(CUDA_SUCCESS, cuModuleLoadData(&module, ptx), "cuModuleLoadData");
  expect(CUDA_SUCCESS, cuMemAlloc(&address, 4), "cuMemAlloc");
  expect(CUDA_SUCCESS, cuMemcpyHtoD(address, &value, 4), "cuMemcpyHtoD");
  return 0;
}
