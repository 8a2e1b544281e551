/* Providers of the driver API: NVIDIA's libcuda, and the emulator. Each is a function that fills
 * the table. */
#include "driver.h"
#include "emu/driver/api.h"

gg_status gg_driver_open(gg_driver *out, gg_provider provider, gg_error *err) {
  if (provider != GG_PROVIDER_EMU) return gg_driver_open_cuda(out, err);
  *out = (gg_driver){0};
  emu_driver_fill(out);
  return GG_OK;
}
