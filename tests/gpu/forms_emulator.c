/* Forms in the emulator. */
#include <string.h>

#include "base/alloc.h"
#include "emu/emu.h"
#include "forms.h"

static gg_status launch(emu_device *device, const emu_module *module, const form_data *data,
                        const uint64_t at[3], gg_error *err) {
  emu_launch_config config = {
      .grid = {data->threads / FORM_BLOCK, 1, 1}, .block = {FORM_BLOCK, 1, 1}, .params = at};
  return emu_launch(device, emu_module_kernel(module, "form"), &config, err);
}

static gg_status run_module(emu_device *device, const emu_module *module, form_data *data,
                            gg_error *err) {
  uint64_t at[3] = {0};
  void *host[] = {data->in, data->out, data->memory};
  const size_t bytes[] = {data->in_bytes, data->out_bytes, data->memory_bytes};
  gg_status st = GG_OK;
  for (int i = 0; i < 3 && !st; i++) {
    st = emu_memory_alloc(&at[i], device, bytes[i] + 16, 256, err);
    if (!st && bytes[i]) st = emu_memory_write(device, at[i], host[i], bytes[i], err);
  }
  if (!st) st = launch(device, module, data, at, err);
  for (int i = 1; i < 3 && !st; i++) {
    if (bytes[i]) st = emu_memory_read(device, host[i], at[i], bytes[i], err);
  }
  for (int i = 0; i < 3; i++) {
    if (at[i]) emu_memory_free(device, at[i], NULL);
  }
  return st;
}

static gg_status run(void *self, const char *ptx, const form *f, form_data *data, gg_error *err) {
  emu_device *device = self;
  emu_module *module;
  gg_status st = emu_module_load(&module, device, f->text, ptx, strlen(ptx), err);
  if (st) return st;
  st = run_module(device, module, data, err);
  emu_module_unload(device, module);
  return st;
}

static void close_emulator(void *self) {
  emu_device_close(self);
}

gg_status form_emulator_open(form_machine *out, int threads, gg_error *err) {
  emu_device *device;
  emu_options options = EMU_OPTIONS_INIT;
  options.threads = threads;
  gg_status st = emu_device_open(&device, &options, err);
  if (st) return st;
  *out = (form_machine){.name = "emulator", .self = device, .run = run, .close = close_emulator};
  return GG_OK;
}
