/* gg_context_open of libgemmgen-launch, which has no compiler and no emulator: its driver is what
 * the loader finds as libcuda.so.1. */
#include "base/need.h"
#include "base/sized.h"
#include "context.h"

gg_status gg_context_open(gg_context **out, const gg_context_options *options, gg_error *err) {
  GG_NEED(err, out);
  gg_context_options own = GG_CONTEXT_OPTIONS_INIT;
  gg_driver driver;
  *out = NULL;
  gg_status st =
      options ? gg_sized_read(&own, sizeof own, options, "gg_context_options", err) : GG_OK;
  if (st) return st;
  if (own.provider == GG_PROVIDER_EMU) {
    return gg_fail(err, NO_DRIVER, NULL,
                   "libgemmgen-launch has no emulator of its own; link libgemmgen, or let the "
                   "loader find libgemmgen-emu as libcuda.so.1");
  }
  st = gg_driver_open_cuda(&driver, err);
  return st ? st : gg_context_open_device(out, &driver, own.device, err);
}
