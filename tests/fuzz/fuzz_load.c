/* Fuzz target: any bytes as a module end in one that the emulator has decoded, or in one error that
 * can be printed. */
#include <stdint.h>
#include <stdlib.h>

#include "launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  emu_module *module;
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  emu_options options = {.arch = fuzz_read_launch(data, size).arch};
  emu_device *device = fuzz_open_device(&options);
  gg_status st = emu_module_load(&module, device, "fuzz", (const char *)data, size, &err);
  require(st == err.code);
  gg_error_print(&text, &err, NULL);
  require((st != GG_OK) == (text.length > 0) && text.length < 8192);
  gg_str_free(&text);
  gg_error_clear(&err);
  emu_device_close(device);
  return 0;
}
