/* The driver API from NVIDIA's libcuda, and errors made of what its calls return. */
#include "driver.h"

static const gg_symbol symbols[] = {
#define GG_DRIVER(name, symbol, arguments) {symbol, offsetof(gg_driver, name)},
#include "driver.def"
#undef GG_DRIVER
};

/* Whether libgemmgen-emu was found in place of libcuda (`gemmgen emu -- PROGRAM`). It takes PTX,
 * not cubins. */
static bool is_emulator(const gg_library *library) {
  static const gg_symbol mark = {"gg_emu_message", 0};
  const char *(*message)(void);
  gg_str why = GG_STR_INIT;
  bool found = gg_library_bind(library, &message, &mark, 1, &why);
  gg_str_free(&why);
  return found;
}

gg_status gg_driver_open_cuda(gg_driver *out, gg_error *err) {
  *out = (gg_driver){0};
  gg_str why = GG_STR_INIT;
  gg_status st = GG_OK;
  if (!gg_library_open(&out->library, "libcuda.so.1", &why) ||
      !gg_library_bind(&out->library, out, symbols, sizeof symbols / sizeof *symbols, &why)) {
    st = gg_fail(err, NO_DRIVER, NULL, gg_str_shown(&why));
    gg_driver_close(out);
  } else {
    out->emulated = is_emulator(&out->library);
  }
  gg_str_free(&why);
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
