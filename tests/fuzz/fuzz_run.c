/* Fuzz target: whatever the emulator has decoded runs to an end or to one error, its writes held to
 * its own memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emu/module.h"
#include "launch.h"

enum { param_most = 4096, memory_bytes = 4096, steps = 5000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void drop_print(void *user, const char *text, size_t length) {
  (void)user, (void)text, (void)length;
}

/* Every parameter is the address of the same few kilobytes. */
static void launch(emu_device *device, const emu_kernel *kernel, emu_launch_config config,
                   uint64_t memory) {
  uint64_t params[param_most / sizeof(uint64_t)];
  gg_error err = GG_ERROR_INIT;
  if (kernel->facts.param_bytes > sizeof(params)) return;
  for (size_t i = 0; i < sizeof(params) / sizeof(*params); i++) {
    params[i] = memory;
  }
  config.smem_bytes = 1024;
  config.params = params;
  gg_status st = emu_launch(device, kernel, &config, &err);
  require(st == err.code);
  gg_error_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  emu_module *module;
  fuzz_launch how = fuzz_read_launch(data, size);
  emu_options options = {.arch = how.arch,
                         .threads = 1,
                         .random = size & 1,
                         .seed = size,
                         .max_steps = steps,
                         .print = drop_print};
  gg_error err = GG_ERROR_INIT;
  uint64_t memory;
  emu_device *device = fuzz_open_device(&options);
  require(emu_memory_alloc(&memory, device, memory_bytes, 0, NULL) == GG_OK);
  require(emu_memory_fill(device, memory, 0, memory_bytes / 2, NULL) == GG_OK);
  if (emu_module_load(&module, device, "fuzz", (const char *)data, size, &err) == GG_OK) {
    for (uint32_t i = 0; i < module->kernel_count && i < 2; i++) {
      launch(device, &module->kernels[i], how.config, memory);
    }
  }
  gg_error_clear(&err);
  emu_device_close(device);
  return 0;
}
