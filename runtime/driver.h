/* The CUDA driver API as a table of function pointers.
 *
 * A provider fills the table: NVIDIA's libcuda, the emulator, a fake in the tests. */
#ifndef GG_RUNTIME_DRIVER_H
#define GG_RUNTIME_DRIVER_H

#include "cuda_api.h"
#include "gemmgen_launch.h"
#include "library.h"

typedef struct gg_driver {
#define GG_DRIVER(name, symbol, arguments) CUresult(*name) arguments;
#include "driver.def"
#undef GG_DRIVER
  gg_library library; /* libcuda; empty if the driver is emulated */
  bool emulated;
} gg_driver;

/* Fills the table from libcuda or from the emulator, and calls nothing. With GG_PROVIDER_AUTO it
 * fills it from libcuda, and the caller tries another provider. Close with gg_driver_close. */
gg_status gg_driver_open(gg_driver *out, gg_provider provider, gg_error *err);
gg_status gg_driver_open_cuda(gg_driver *out, gg_error *err);
void gg_driver_close(gg_driver *driver);

/* GG_CUDA(driver, err, cuMemAlloc, &address, bytes) calls, and turns a failure into an error that
 * names the call. */
#define GG_CUDA(driver, err, call, ...)                                                            \
  gg_driver_result((driver), #call, (driver)->call(__VA_ARGS__), (err))

gg_status gg_driver_result(const gg_driver *driver, const char *call, CUresult result,
                           gg_error *err);

#endif
