/* gg_context_open of libgemmgen: with a compiler, and with the emulator if there is no GPU.
 * libgemmgen-launch has neither, and has open_launch.c in place of this. */
#include "base/need.h"
#include "base/sized.h"
#include "context.h"
#include "jit.h"

gg_status gg_context_open_on(gg_context **out, gg_driver *driver, const gg_context_options *options,
                             gg_error *err) {
  gg_status st = gg_context_open_device(out, driver, options->device, err);
  if (st) return st;
  (*out)->close_compiler = gg_compiler_close;
  if ((st = gg_compiler_open(&(*out)->compiler, options->compiler, err))) {
    gg_context_close(*out);
    *out = NULL;
  }
  return st;
}

static gg_status open_provider(gg_context **out, gg_provider provider,
                               const gg_context_options *options, gg_error *err) {
  gg_driver driver;
  gg_status st = gg_driver_open(&driver, provider, err);
  return st ? st : gg_context_open_on(out, &driver, options, err);
}

gg_status gg_context_open(gg_context **out, const gg_context_options *options, gg_error *err) {
  GG_NEED(err, out);
  gg_context_options own = GG_CONTEXT_OPTIONS_INIT;
  *out = NULL;
  gg_status st =
      options ? gg_sized_read(&own, sizeof own, options, "gg_context_options", err) : GG_OK;
  if (st) return st;
  if (own.provider != GG_PROVIDER_AUTO || own.device > 0)
    return open_provider(out, own.provider, &own, err);
  gg_error none = GG_ERROR_INIT;
  st = open_provider(out, GG_PROVIDER_CUDA, &own, &none);
  if (st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE) {
    st = open_provider(out, GG_PROVIDER_EMU, &own, err);
  } else if (st && err) {
    *err = none;
    return st;
  }
  gg_error_clear(&none);
  return st;
}

gg_compiler *gg_context_compiler(const gg_context *context) {
  return context ? context->compiler : NULL;
}
