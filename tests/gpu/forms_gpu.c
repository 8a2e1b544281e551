/* Forms on a GPU, through the CUDA driver. */
#include <string.h>

#include "base/alloc.h"
#include "driver.h"
#include "forms.h"

typedef struct gpu {
  gg_driver driver;
  CUdevice device;
} gpu;

static gg_status launch(const gpu *g, CUfunction function, const form_data *data,
                        const CUdeviceptr at[3], gg_error *err) {
  void *arguments[] = {(void *)&at[0], (void *)&at[1], (void *)&at[2]};
  gg_status st = GG_CUDA(&g->driver, err, cuLaunchKernel, function, data->threads / FORM_BLOCK, 1,
                         1, FORM_BLOCK, 1, 1, 0, NULL, arguments, NULL);
  return st ? st : GG_CUDA(&g->driver, err, cuStreamSynchronize, NULL);
}

static gg_status run_function(const gpu *g, CUfunction function, form_data *data, gg_error *err) {
  CUdeviceptr at[3] = {0};
  void *host[] = {data->in, data->out, data->memory};
  const size_t bytes[] = {data->in_bytes, data->out_bytes, data->memory_bytes};
  gg_status st = GG_OK;
  for (int i = 0; i < 3 && !st; i++) {
    st = GG_CUDA(&g->driver, err, cuMemAlloc, &at[i], bytes[i] + 16);
    if (!st) st = GG_CUDA(&g->driver, err, cuMemcpyHtoD, at[i], host[i], bytes[i]);
  }
  if (!st) st = launch(g, function, data, at, err);
  for (int i = 1; i < 3 && !st; i++) {
    st = GG_CUDA(&g->driver, err, cuMemcpyDtoH, host[i], at[i], bytes[i]);
  }
  for (int i = 0; i < 3; i++) {
    if (at[i]) g->driver.cuMemFree(at[i]);
  }
  return st;
}

static gg_status run(void *self, const char *ptx, const form *f, form_data *data, gg_error *err) {
  const gpu *g = self;
  (void)f;
  CUmodule module;
  CUfunction function;
  gg_status st = GG_CUDA(&g->driver, err, cuModuleLoadDataEx, &module, ptx, 0, NULL, NULL);
  if (st) return st;
  st = GG_CUDA(&g->driver, err, cuModuleGetFunction, &function, module, "form");
  if (!st) st = run_function(g, function, data, err);
  g->driver.cuModuleUnload(module);
  return st;
}

static void close_gpu(void *self) {
  gpu *g = self;
  g->driver.cuDevicePrimaryCtxRelease(g->device);
  gg_driver_close(&g->driver);
  gg_free(g);
}

static gg_status enter(gpu *g, gg_error *err) {
  CUcontext context;
  int count = 0;
  if (g->driver.cuInit(0) || g->driver.cuDeviceGetCount(&count) || !count) {
    return gg_fail(err, NO_DEVICE, NULL, 0, count);
  }
  gg_status st = GG_CUDA(&g->driver, err, cuDeviceGet, &g->device, 0);
  if (!st) st = GG_CUDA(&g->driver, err, cuDevicePrimaryCtxRetain, &context, g->device);
  if (!st) st = GG_CUDA(&g->driver, err, cuCtxPushCurrent, context);
  return st;
}

gg_status form_gpu_open(form_machine *out, gg_error *err) {
  gpu *g = gg_malloc(sizeof *g);
  if (!g) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_driver_open(&g->driver, GG_PROVIDER_CUDA, err);
  if (!st && (st = enter(g, err))) gg_driver_close(&g->driver);
  if (st)
    gg_free(g);
  else
    *out = (form_machine){.name = "gpu", .self = g, .run = run, .close = close_gpu};
  return st;
}
