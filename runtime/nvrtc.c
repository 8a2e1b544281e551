/* NVRTC: text in, cubin or PTX out. */
#include "nvrtc.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"

static const gg_symbol symbols[] = {
    {"nvrtcGetErrorString", offsetof(gg_nvrtc, get_error_string)},
    {"nvrtcVersion", offsetof(gg_nvrtc, version)},
    {"nvrtcGetNumSupportedArchs", offsetof(gg_nvrtc, arch_count)},
    {"nvrtcGetSupportedArchs", offsetof(gg_nvrtc, archs)},
    {"nvrtcCreateProgram", offsetof(gg_nvrtc, create)},
    {"nvrtcDestroyProgram", offsetof(gg_nvrtc, destroy)},
    {"nvrtcCompileProgram", offsetof(gg_nvrtc, compile)},
    {"nvrtcGetPTXSize", offsetof(gg_nvrtc, ptx_size)},
    {"nvrtcGetPTX", offsetof(gg_nvrtc, ptx)},
    {"nvrtcGetCUBINSize", offsetof(gg_nvrtc, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(gg_nvrtc, cubin)},
    {"nvrtcGetProgramLogSize", offsetof(gg_nvrtc, log_size)},
    {"nvrtcGetProgramLog", offsetof(gg_nvrtc, log)},
};

/* The newest comes first: an older toolkit beside a newer one is the exception. */
static const char *const sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};

/* NVRTC loads its built-in headers by their soname, which the loader finds only if the toolkit's
 * folder is in its configuration. So that they are found on any machine, they are loaded before,
 * from the folder of NVRTC. If they are not there NVRTC will say so itself. */
static void load_builtins(gg_nvrtc *nvrtc) {
  const char *slash = strrchr(nvrtc->library.path, '/');
  if (!slash) return;
  gg_str path = GG_STR_INIT, why = GG_STR_INIT;
  gg_str_append(&path, nvrtc->library.path, (size_t)(slash - nvrtc->library.path));
  gg_str_printf(&path, "/libnvrtc-builtins.so.%d.%d", nvrtc->major, nvrtc->minor);
  if (!path.failed) gg_library_open(&nvrtc->builtins, gg_str_text(&path), &why);
  gg_str_free(&path);
  gg_str_free(&why);
}

bool gg_nvrtc_open(gg_nvrtc *out, const char *path, gg_str *why) {
  *out = (gg_nvrtc){0};
  bool found = path ? gg_library_open(&out->library, path, why)
                    : gg_library_open_toolkit(&out->library, sonames, why);
  if (!found) return false;
  if (!gg_library_bind(&out->library, out, symbols, sizeof symbols / sizeof *symbols, why)) {
    goto fail;
  }
  int count = 0;
  if (out->version(&out->major, &out->minor) || out->arch_count(&count) || count < 1 ||
      count > GG_NVRTC_ARCHS_MAX || out->archs(out->supported)) {
    gg_str_printf(why, "%s does not tell its version and targets", out->library.path);
    goto fail;
  }
  out->supported_count = count;
  load_builtins(out);
  return true;
fail:
  gg_nvrtc_close(out);
  return false;
}

void gg_nvrtc_close(gg_nvrtc *nvrtc) {
  gg_library_close(&nvrtc->library);
  gg_library_close(&nvrtc->builtins);
  *nvrtc = (gg_nvrtc){0};
}

typedef nvrtcResult (*size_function)(nvrtcProgram, size_t *);
typedef nvrtcResult (*text_function)(nvrtcProgram, char *);

/* Appends one of a program's outputs to `out`. */
static gg_status fetch(gg_str *out, const gg_nvrtc *nvrtc, const char *call, nvrtcProgram program,
                       size_function size_of, text_function get, gg_error *err) {
  size_t size = 0;
  nvrtcResult result = size_of(program, &size);
  if (result == NVRTC_SUCCESS && size > 0) {
    char *text = gg_malloc(size);
    if (!text) return gg_fail(err, MEMORY, NULL, "");
    result = get(program, text);
    if (result == NVRTC_SUCCESS) gg_str_append(out, text, size);
    gg_free(text);
  }
  if (result != NVRTC_SUCCESS) {
    return gg_fail(err, NVRTC, NULL, call, nvrtc->get_error_string(result));
  }
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

/* Cuts off the NUL, and the ends of lines, that NVRTC gives at the end of a text. */
static void trim(gg_str *text) {
  while (text->length > 0 &&
         (text->text[text->length - 1] == '\0' || text->text[text->length - 1] == '\n')) {
    text->text[--text->length] = '\0';
  }
}

static atomic_bool has_made_cubin;

bool gg_nvrtc_has_made_cubin(void) {
  return atomic_load(&has_made_cubin);
}

gg_status gg_nvrtc_compile(gg_str *binary, gg_str *log, const gg_nvrtc *nvrtc, const char *source,
                           const char *name, const char *arch, gg_format format,
                           const char *const *options, int option_count, gg_error *err) {
  nvrtcProgram program = NULL;
  nvrtcResult result = nvrtc->create(&program, source, name, 0, NULL, NULL);
  if (result != NVRTC_SUCCESS) {
    return gg_fail(err, NVRTC, NULL, "nvrtcCreateProgram", nvrtc->get_error_string(result));
  }
  result = nvrtc->compile(program, option_count, options);
  gg_status st = fetch(log, nvrtc, "nvrtcGetProgramLog", program, nvrtc->log_size, nvrtc->log, err);
  if (st) goto done;
  trim(log);
  if (result != NVRTC_SUCCESS) {
    st = gg_fail(err, COMPILE, NULL, nvrtc->major, nvrtc->minor, name, arch);
    if (log->length == 0) gg_str_puts(log, nvrtc->get_error_string(result));
    if (err && err->code == st && !err->log) err->log = gg_str_take(log);
  } else if (format == GG_FORMAT_PTX) {
    st = fetch(binary, nvrtc, "nvrtcGetPTX", program, nvrtc->ptx_size, nvrtc->ptx, err);
    trim(binary);
    if (!st) gg_str_putc(binary, '\n');
  } else {
    st = fetch(binary, nvrtc, "nvrtcGetCUBIN", program, nvrtc->cubin_size, nvrtc->cubin, err);
  }
done:
  nvrtc->destroy(&program);
  if (format == GG_FORMAT_CUBIN) atomic_store(&has_made_cubin, true);
  return st;
}
