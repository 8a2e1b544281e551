#include "raw.h"

static gg_status load(gg_raw_kernel *out, const char *name, const void *image, gg_error *err) {
  const gg_driver *driver = &out->context->driver;
  gg_status st = gg_context_enter(out->context, err);
  if (st) return st;
  st = GG_CUDA(driver, err, cuModuleLoadDataEx, &out->module, image, 0, NULL, NULL);
  if (st) out->module = NULL; /* whatever the call left there is not a module */
  if (!st) st = GG_CUDA(driver, err, cuModuleGetFunction, &out->function, out->module, name);
  gg_context_leave(out->context);
  return st;
}

gg_status gg_raw_load(gg_raw_kernel *out, gg_context *context, const char *name, const void *image,
                      gg_error *err) {
  *out = (gg_raw_kernel){.context = context};
  gg_status st = load(out, name, image, err);
  if (st) gg_raw_close(out);
  return st;
}

void gg_raw_close(gg_raw_kernel *kernel) {
  if (kernel->module && gg_context_enter(kernel->context, NULL) == GG_OK) {
    kernel->context->driver.cuModuleUnload(kernel->module);
    gg_context_leave(kernel->context);
  }
  *kernel = (gg_raw_kernel){0};
}

gg_status gg_raw_launch(const gg_raw_kernel *kernel, unsigned grid_x, unsigned grid_y,
                        unsigned threads, void **arguments, CUstream stream, gg_error *err) {
  gg_status st = gg_context_enter(kernel->context, err);
  if (st) return st;
  st = GG_CUDA(&kernel->context->driver, err, cuLaunchKernel, kernel->function, grid_x, grid_y, 1,
               threads, 1, 1, 0, stream, arguments, NULL);
  gg_context_leave(kernel->context);
  return st;
}
