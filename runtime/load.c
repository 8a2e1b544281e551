/* Compiles a kernel and loads it, for the device of a context. */
#include "load.h"
#include "base/need.h"
#include "context.h"
#include "emit/template.h"
#include "jit.h"
#include "packer.h"

extern const gg_template_file gg_packer_files[];

/* Compiles for the context's device. A context of libgemmgen-launch has no compiler. */
static gg_status compile(gg_binary **out, const gg_context *context, const gg_packs *packs,
                         const gg_kernel *kernel, gg_error *err) {
  if (context->compiler)
    return gg_compile_for_device(out, context->compiler, packs, kernel, &context->facts, err);
  return gg_fail(err, NO_NVRTC, NULL, "libgemmgen-launch opened the context, without a compiler");
}

static gg_status load(gg_module **out, gg_context *context, const gg_kernel *kernel,
                      gg_binary *binary, gg_error *err) {
  gg_status st = gg_module_load_binary(out, context, kernel, binary, err);
  gg_binary_free(binary);
  return st;
}

gg_status gg_module_load_packed(gg_module **out, gg_context *context, const gg_packs *packs,
                                const gg_kernel *kernel, gg_error *err) {
  gg_binary *binary;
  *out = NULL;
  gg_status st = compile(&binary, context, packs, kernel, err);
  return st ? st : load(out, context, kernel, binary, err);
}

gg_status gg_module_load_at_hand(gg_module **out, gg_context *context, const gg_packs *packs,
                                 const gg_kernel *kernel, gg_error *err) {
  gg_binary *binary = NULL;
  *out = NULL;
  if (!context->compiler) return GG_OK;
  gg_status st =
      gg_find_for_device(&binary, context->compiler, packs, kernel, &context->facts, err);
  return st || !binary ? st : load(out, context, kernel, binary, err);
}

gg_status gg_module_load(gg_module **out, gg_context *context, const gg_kernel *kernel,
                         gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  GG_NEED(err, kernel);
  return gg_module_load_packed(out, context, NULL, kernel, err);
}

gg_status gg_raw_open(gg_raw_kernel *out, gg_context *context, const char *name, const char *source,
                      const char *least, gg_error *err) {
  *out = (gg_raw_kernel){.context = context};
  gg_binary *binary = NULL;
  gg_kernel kernel = {.name = name, .arch = least, .source = source};
  gg_status st = compile(&binary, context, NULL, &kernel, err);
  if (!st) st = gg_raw_load(out, context, name, binary->data, err);
  gg_binary_free(binary);
  return st;
}

const char *gg_packer_source(void) {
  return gg_packer_files[0].text;
}

gg_status gg_packer_open(gg_packer **out, gg_context *context, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  *out = NULL;
  gg_binary *binary = NULL;
  gg_kernel kernel = {.name = GG_PACKER_NAME, .arch = GG_PACKER_ARCH, .source = gg_packer_source()};
  gg_status st = compile(&binary, context, NULL, &kernel, err);
  if (!st) st = gg_packer_load(out, context, binary->data, err);
  gg_binary_free(binary);
  return st;
}
