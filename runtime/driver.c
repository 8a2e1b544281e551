/* Providers of the driver API. Another one is another function that fills the table. */
#include "driver.h"

#include "emu/driver/api.h"

static const gg_symbol symbols[] = {
#define GG_DRIVER(name, symbol, arguments) {symbol, offsetof(gg_driver, name)},
#include "driver.def"
#undef GG_DRIVER
};

static gg_status open_cuda(gg_driver *out, gg_error *err) {
  gg_str why = GG_STR_INIT;
  gg_status st = GG_OK;
  if (!gg_library_open(&out->library, "libcuda.so.1", &why) ||
      !gg_library_bind(&out->library, out, symbols, sizeof symbols / sizeof *symbols, &why)) {
    st = gg_fail(err, NO_DRIVER, NULL, gg_str_shown(&why));
  }
  gg_str_free(&why);
  return st;
}

gg_status gg_driver_open(gg_driver *out, gg_provider provider, gg_error *err) {
  *out = (gg_driver){0};
  gg_status st = GG_OK;
  switch (provider) {
  case GG_PROVIDER_AUTO:
  case GG_PROVIDER_CUDA:
    st = open_cuda(out, err);
    break;
  case GG_PROVIDER_EMU:
    emu_driver_fill(out);
    break;
  }
  if (st) gg_driver_close(out);
  return st;
}

void gg_driver_close(gg_driver *driver) {
  gg_library_close(&driver->library);
  *driver = (gg_driver){0};
}

gg_status gg_driver_result(const gg_driver *driver, const char *call, CUresult result,
                           gg_error *err) {
  if (result == CUDA_SUCCESS) return GG_OK;
  const char *name = NULL, *text = NULL;
  driver->cuGetErrorName(result, &name);
  driver->cuGetErrorString(result, &text);
  return gg_fail(err, DRIVER, NULL, call, name ? name : "unknown error", result, text ? text : "");
}
