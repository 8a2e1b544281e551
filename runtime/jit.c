/* From a kernel's text to a binary: which target, which options, from the cache or from NVRTC.
 *
 * The text is self-contained, so the compiler gets no header and no include path. Besides the text,
 * only the options below, the compiler's version, the target and the format decide the outcome:
 * together they are the cache's key. (NVRTC documentation, "Supported Compile
 * Options"; binary compatibility: CUDA C++ Programming Guide, "Binary Compatibility" and
 * "Family-Specific Features".) */
#include "jit.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/need.h"
#include "base/sized.h"

/* ---- The compiler --------------------------------------------------------------------- */

/* Warns that the user named a toolkit, but another one is used. */
static void warn_passed_over(const gg_compiler *compiler, const gg_str *why) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "NVRTC is %s; %s", gg_str_shown(why), compiler->nvrtc.library.path);
  gg_str_puts(&text, " is used");
  if (compiler->warn && !text.failed) compiler->warn(compiler->user, gg_str_text(&text));
  gg_str_free(&text);
}

static gg_compiler_facts facts_of(const gg_compiler *compiler) {
  const gg_nvrtc *nvrtc = &compiler->nvrtc;
  return (gg_compiler_facts){
      .nvrtc = nvrtc->library.path,
      .nvrtc_version = nvrtc->major * 100 + nvrtc->minor * 10,
      .archs = nvrtc->supported,
      .arch_count = (size_t)nvrtc->supported_count,
      .why_not = compiler->why_not,
      .cache = compiler->cache.directory,
  };
}

gg_status gg_compiler_open(gg_compiler **out, const gg_compiler_options *options, gg_error *err) {
  GG_NEED(err, out);
  gg_compiler_options own = GG_COMPILER_OPTIONS_INIT;
  *out = NULL;
  gg_status st =
      options ? gg_sized_read(&own, sizeof own, options, "gg_compiler_options", err) : GG_OK;
  if (st) return st;
  gg_compiler *compiler = gg_malloc(sizeof *compiler);
  if (!compiler) return gg_fail(err, MEMORY, NULL, "");
  *compiler = (gg_compiler){.warn = own.warn, .user = own.user};
  atomic_flag_clear(&compiler->said_unkept);
  atomic_flag_clear(&compiler->said_distrust);
  atomic_flag_clear(&compiler->said_damaged);
  st = gg_cache_open(&compiler->cache, own.cache, own.cache_bytes, err);
  if (!st) st = gg_edits_open(&compiler->edits, own.warn, own.user, err);
  gg_str why = GG_STR_INIT;
  if (!st && !gg_nvrtc_open(&compiler->nvrtc, own.nvrtc, &why)) {
    compiler->why_not = gg_str_take(&why);
    if (!compiler->why_not) st = gg_fail(err, MEMORY, NULL, "");
  } else if (!st && why.length) {
    warn_passed_over(compiler, &why);
  }
  gg_str_free(&why);
  if (st) {
    gg_compiler_close(compiler);
    return st;
  }
  compiler->facts = facts_of(compiler);
  *out = compiler;
  return GG_OK;
}

void gg_compiler_close(gg_compiler *compiler) {
  if (!compiler) return;
  gg_nvrtc_close(&compiler->nvrtc);
  gg_cache_close(&compiler->cache);
  gg_edits_close(&compiler->edits);
  gg_free(compiler->why_not);
  gg_free(compiler);
}

const gg_compiler_facts *gg_compiler_facts_of(const gg_compiler *compiler) {
  return compiler ? &compiler->facts : NULL;
}

/* ---- Targets -------------------------------------------------------------------------- */

static bool compiles_for(const gg_nvrtc *nvrtc, int number) {
  for (int i = 0; i < nvrtc->supported_count; i++) {
    if (nvrtc->supported[i] == number) return true;
  }
  return false;
}

/* The newest target from `least` to `most`; 0 when there is none. */
static int newest_between(const gg_nvrtc *nvrtc, int least, int most) {
  int newest = 0;
  for (int i = 0; i < nvrtc->supported_count; i++) {
    int number = nvrtc->supported[i];
    if (number >= least && number <= most && number > newest) newest = number;
  }
  return newest;
}

gg_status gg_jit_target(gg_arch *arch, gg_format *format, const char *name, const char *kernel,
                        int device, const gg_nvrtc *nvrtc, gg_error *err) {
  gg_arch least;
  if (!gg_arch_parse(&least, kernel)) return gg_fail(err, ARCH_NAME, NULL, kernel);
  if (!gg_arch_serves(least, device)) {
    return gg_fail(err, DEVICE_ARCH, NULL, name, kernel, device);
  }
  *arch = (gg_arch){.number = device, .suffix = least.suffix};
  *format = GG_FORMAT_CUBIN;
  if (compiles_for(nvrtc, device)) return GG_OK;
  if (!least.suffix) {
    int first_of_major = device / 10 * 10;
    int from = least.number > first_of_major ? least.number : first_of_major;
    arch->number = newest_between(nvrtc, from, device);
    if (arch->number) return GG_OK;
    *format = GG_FORMAT_PTX;
    arch->number = newest_between(nvrtc, least.number, device);
    if (arch->number) return GG_OK;
  }
  int count = nvrtc->supported_count;
  return gg_fail(err, COMPILER_ARCH, NULL, name, kernel, device, nvrtc->major, nvrtc->minor,
                 count ? nvrtc->supported[0] : 0, count ? nvrtc->supported[count - 1] : 0);
}

/* ---- Compiling ------------------------------------------------------------------------ */

enum { options_max = 3 };

typedef struct option_list {
  char arch[32];
  const char *list[options_max];
  int count;
} option_list;

/* A cubin is made for a real architecture, PTX for a virtual one. */
static void make_options(option_list *out, const char *arch, gg_format format, bool line_info) {
  const char *number = strchr(arch, '_') + 1;
  snprintf(out->arch, sizeof out->arch, "--gpu-architecture=%s_%s",
           format == GG_FORMAT_PTX ? "compute" : "sm", number);
  out->count = 0;
  out->list[out->count++] = out->arch;
  out->list[out->count++] = "--std=c++17";
  if (line_info) out->list[out->count++] = "--generate-line-info";
}

/* The result under construction: the public struct, and the texts that it points to. */
typedef struct owned_binary {
  gg_binary binary;
  gg_str data, log, options;
} owned_binary;

void gg_binary_free(gg_binary *binary) {
  if (!binary) return;
  owned_binary *owned = (owned_binary *)binary; /* the first member */
  gg_str_free(&owned->data);
  gg_str_free(&owned->log);
  gg_str_free(&owned->options);
  gg_free(owned);
}

static owned_binary *new_binary(gg_format format, const char *arch, const option_list *options) {
  owned_binary *owned = gg_malloc(sizeof *owned);
  if (!owned) return NULL;
  *owned = (owned_binary){.binary.format = format};
  snprintf(owned->binary.arch, sizeof owned->binary.arch, "%s", arch);
  for (int i = 0; i < options->count; i++) {
    gg_str_printf(&owned->options, "%s%s", i ? " " : "", options->list[i]);
  }
  return owned;
}

/* A binary's key in the cache and in packs: of all that decides what the compiler makes. */
static gg_cache_key key_of(int major, int minor, const gg_kernel *kernel, gg_format format,
                           const char *arch, const char *options) {
  char version[32];
  snprintf(version, sizeof version, "NVRTC %d.%d", major, minor);
  const char *texts[] = {
      version,        format == GG_FORMAT_PTX ? "ptx" : "cubin", arch, options, kernel->name,
      kernel->source,
  };
  return gg_cache_key_of(texts, sizeof texts / sizeof *texts);
}

gg_cache_key gg_compiled_key(const gg_compiler *compiler, const gg_kernel *kernel,
                             const gg_binary *binary) {
  return key_of(compiler->nvrtc.major, compiler->nvrtc.minor, kernel, binary->format, binary->arch,
                binary->options);
}

static gg_cache_key own_key(const owned_binary *owned, int major, int minor,
                            const gg_kernel *kernel) {
  return key_of(major, minor, kernel, owned->binary.format, owned->binary.arch,
                gg_str_text(&owned->options));
}

static void warn_once(gg_compiler *compiler, atomic_flag *said, const char *what,
                      const gg_str *why) {
  if (!compiler->warn || atomic_flag_test_and_set(said)) return;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%s: %s", what, gg_str_text(why));
  compiler->warn(compiler->user, text.failed ? what : gg_str_text(&text));
  gg_str_free(&text);
}

static bool find_cached(owned_binary *owned, gg_compiler *compiler, const gg_cache_key *key) {
  gg_str distrust = GG_STR_INIT;
  owned->binary.cached = gg_cache_get(&owned->data, &owned->log, &compiler->cache, key, &distrust);
  if (distrust.length) {
    warn_once(compiler, &compiler->said_distrust, "a compiled kernel of others is not used",
              &distrust);
  }
  gg_str_free(&distrust);
  return owned->binary.cached;
}

static gg_status build(owned_binary *owned, gg_compiler *compiler, const gg_kernel *kernel,
                       const option_list *options, const gg_cache_key *key, gg_error *err) {
  gg_str name = GG_STR_INIT, why = GG_STR_INIT;
  gg_str_printf(&name, "%s.cu", kernel->name);
  gg_status st = name.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  if (!st)
    st = gg_nvrtc_compile(&owned->data, &owned->log, &compiler->nvrtc, kernel->source,
                          gg_str_text(&name), owned->binary.arch, owned->binary.format,
                          options->list, options->count, err);
  if (!st && !gg_cache_put(&compiler->cache, key, &owned->data, &owned->log, &why)) {
    warn_once(compiler, &compiler->said_unkept, "compiled kernels are not kept", &why);
  }
  gg_str_free(&name);
  gg_str_free(&why);
  return st;
}

void gg_compiler_warm_up(const gg_compiler *compiler) {
  if (gg_nvrtc_has_made_cubin()) return;
  static const char source[] = "extern \"C\" __global__ void nothing() {}\n";
  gg_str binary = GG_STR_INIT, log = GG_STR_INIT;
  char arch[32];
  option_list options = {.count = 0};
  snprintf(arch, sizeof arch, "sm_%d",
           compiler->nvrtc.supported[compiler->nvrtc.supported_count - 1]);
  make_options(&options, arch, GG_FORMAT_CUBIN, false);
  (void)gg_nvrtc_compile(&binary, &log, &compiler->nvrtc, source, "nothing.cu", arch,
                         GG_FORMAT_CUBIN, options.list, options.count, NULL);
  gg_str_free(&binary);
  gg_str_free(&log);
}

/* Hands the binary to the caller, or frees it. */
static gg_status finish(gg_binary **out, owned_binary *owned, gg_status st, gg_error *err) {
  bool failed = owned->data.failed || owned->log.failed || owned->options.failed;
  if (!st && failed) st = gg_fail(err, MEMORY, NULL, "");
  if (st) {
    gg_binary_free(&owned->binary);
    return st;
  }
  if (!owned->binary.data) { /* else a pack owns it */
    owned->binary.data = gg_str_text(&owned->data);
    owned->binary.size = owned->data.length;
  }
  owned->binary.options = gg_str_text(&owned->options);
  owned->binary.log = gg_str_text(&owned->log);
  *out = &owned->binary;
  return GG_OK;
}

/* Whether an architecture that is asked for runs the kernel. */
static gg_status check_arch(char name[GG_ARCH_NAME_MAX], const gg_kernel *kernel, const char *arch,
                            gg_error *err) {
  gg_arch parsed, least;
  if (!gg_arch_parse(&parsed, arch)) return gg_fail(err, ARCH_NAME, NULL, arch);
  if (!gg_arch_parse(&least, kernel->arch)) return gg_fail(err, ARCH_NAME, NULL, kernel->arch);
  gg_arch_name(name, parsed);
  if (gg_arch_runs(parsed, least)) return GG_OK;
  return gg_fail(err, COMPILE_ARCH, NULL, kernel->name, kernel->arch, name);
}

/* For what a kernel is compiled, how, and whether at all. */
typedef struct order {
  const char *arch;
  gg_format format;
  bool line_info;
  bool at_hand; /* nothing is compiled: *out is NULL if the kernel is not there */
} order;

static gg_status compile(gg_binary **out, gg_compiler *compiler, const gg_kernel *kernel,
                         const order *asked, gg_error *err) {
  *out = NULL;
  if (compiler->why_not && asked->at_hand) return GG_OK;
  if (compiler->why_not) return gg_fail(err, NO_NVRTC, NULL, compiler->why_not);
  char name[GG_ARCH_NAME_MAX];
  gg_status st = check_arch(name, kernel, asked->arch ? asked->arch : kernel->arch, err);
  if (st) return st;
  option_list options;
  make_options(&options, name, asked->format, asked->line_info);
  owned_binary *owned = new_binary(asked->format, name, &options);
  if (!owned) return gg_fail(err, MEMORY, NULL, "");
  gg_cache_key key = own_key(owned, compiler->nvrtc.major, compiler->nvrtc.minor, kernel);
  if (!find_cached(owned, compiler, &key)) {
    if (asked->at_hand) {
      gg_binary_free(&owned->binary);
      return GG_OK;
    }
    st = build(owned, compiler, kernel, &options, &key, err);
  }
  return finish(out, owned, st, err);
}

/* ---- For a device --------------------------------------------------------------------- */

static void say_damaged(gg_compiler *compiler, const gg_error *why) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, why->message);
  warn_once(compiler, &compiler->said_damaged, "a packed kernel is not used", &text);
  gg_str_free(&text);
}

/* Looks in the packs for a kernel, with each pack's own NVRTC in the key. Leaves *out NULL if it is
 * in none of them; if it is damaged in one, `why` says so. */
static gg_status find_packed(gg_binary **out, const gg_packs *packs, const gg_kernel *kernel,
                             const gg_device_facts *device, gg_error *why, gg_error *err) {
  gg_arch least;
  char name[GG_ARCH_NAME_MAX];
  option_list options;
  if (!packs || packs->count == 0 || !gg_arch_parse(&least, kernel->arch)) return GG_OK;
  if (!gg_arch_serves(least, device->arch)) return GG_OK;
  gg_format format = device->emulated ? GG_FORMAT_PTX : GG_FORMAT_CUBIN;
  gg_arch_name(name, (gg_arch){.number = device->arch, .suffix = least.suffix});
  make_options(&options, name, format, device->emulated);
  owned_binary *owned = new_binary(format, name, &options);
  if (!owned) return gg_fail(err, MEMORY, NULL, "");
  owned->binary.cached = true;
  for (size_t i = 0; i < packs->count && !owned->options.failed; i++) {
    int major, minor;
    gg_pack_file_nvrtc(&major, &minor, packs->list[i]);
    gg_cache_key key = own_key(owned, major, minor, kernel);
    gg_packed_state state =
        gg_pack_file_find(&owned->binary.data, &owned->binary.size, packs->list[i], &key);
    if (state == GG_PACKED_WHOLE) return finish(out, owned, GG_OK, err);
    if (state == GG_PACKED_DAMAGED) {
      gg_error_clear(why);
      (void)gg_fail(why, PACK_DAMAGED, NULL, gg_pack_file_path(packs->list[i]), "the binary",
                    kernel->name, "is");
    }
  }
  gg_status st = owned->options.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  gg_binary_free(&owned->binary);
  return st;
}

/* Takes a binary from the packs, the cache or NVRTC, in this order. No other place decides this. */
static gg_status get_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                                const gg_kernel *kernel, const gg_device_facts *device,
                                bool at_hand, gg_error *err) {
  *out = NULL;
  gg_error damage = GG_ERROR_INIT;
  gg_status st = find_packed(out, packs, kernel, device, &damage, err);
  if (st || *out) {
    gg_error_clear(&damage);
    return st;
  }
  if (damage.code) say_damaged(compiler, &damage);
  gg_arch arch;
  gg_format format;
  char name[GG_ARCH_NAME_MAX];
  if (compiler->why_not && at_hand) {
    st = GG_OK;
  } else if (compiler->why_not && damage.code) {
    st = damage.code;
    if (err && err->code == GG_OK) *err = damage, damage = (gg_error)GG_ERROR_INIT;
  } else if (compiler->why_not) {
    st = gg_fail(err, NO_NVRTC, NULL, compiler->why_not);
  } else if (!(st = gg_jit_target(&arch, &format, kernel->name, kernel->arch, device->arch,
                                  &compiler->nvrtc, err))) {
    st = compile(out, compiler, kernel,
                 &(order){.arch = gg_arch_name(name, arch),
                          .format = device->emulated ? GG_FORMAT_PTX : format,
                          .line_info = device->emulated,
                          .at_hand = at_hand},
                 err);
  }
  gg_error_clear(&damage);
  return st;
}

/* ---- Texts that are studied ----------------------------------------------------------- */

/* Gives a text that is PTX to the driver as it is: of a template, or an edited one. */
static gg_status take_ptx(gg_binary **out, const gg_kernel *kernel, gg_error *err) {
  static const option_list none = {.count = 0};
  owned_binary *owned = new_binary(GG_FORMAT_PTX, kernel->arch, &none);
  if (!owned) return gg_fail(err, MEMORY, NULL, "");
  gg_str_append(&owned->data, kernel->source, kernel->source_length);
  return finish(out, owned, GG_OK, err);
}

/* The same for a device. A template's PTX names its target, which the device must be able to run.
 */
static gg_status take_ptx_for_device(gg_binary **out, const gg_edit *edit,
                                     const gg_device_facts *device, gg_error *err) {
  const gg_kernel *kernel = &edit->kernel;
  gg_arch least;
  if (edit->path) return take_ptx(out, kernel, err);
  if (!gg_arch_parse(&least, kernel->arch)) return gg_fail(err, ARCH_NAME, NULL, kernel->arch);
  if (!gg_arch_serves(least, device->arch))
    return gg_fail(err, DEVICE_ARCH, NULL, kernel->name, kernel->arch, device->arch);
  return take_ptx(out, kernel, err);
}

/* Writes what was made to files, if somebody wants to read it (edits.h). */
static void dump(gg_compiler *compiler, const gg_edit *edit, const gg_binary *binary) {
  gg_edits *edits = &compiler->edits;
  gg_binary *ptx = NULL;
  gg_edits_dump(edits, edit, binary);
  if (!edits->keep || binary->format == GG_FORMAT_PTX) return;
  if (compile(&ptx, compiler, &edit->kernel,
              &(order){.arch = binary->arch, .format = GG_FORMAT_PTX}, NULL) == GG_OK)
    gg_edits_dump_ptx(edits, edit, ptx);
  gg_binary_free(ptx);
}

gg_status gg_compile(gg_binary **out, gg_compiler *compiler, const gg_kernel *kernel,
                     const char *arch, gg_format format, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, compiler);
  GG_NEED(err, kernel);
  *out = NULL;
  gg_edit edit;
  gg_status st = gg_edit_open(&edit, &compiler->edits, kernel, err);
  if (st) return st;
  if (!edit.ptx) {
    st = compile(out, compiler, &edit.kernel, &(order){.arch = arch, .format = format}, err);
  } else if (format == GG_FORMAT_PTX && (edit.path || !arch || strcmp(arch, kernel->arch) == 0)) {
    st = take_ptx(out, &edit.kernel, err);
  } else if (!edit.path) {
    st = gg_fail(err, COMPILE_PTX, NULL, kernel->name, kernel->arch);
  } else {
    st = gg_fail(err, EDIT, NULL, edit.path, kernel->name,
                 "no cubin is made of PTX here: the driver compiles it where it is loaded");
  }
  if (!st) dump(compiler, &edit, *out);
  gg_edit_close(&edit);
  return st;
}

gg_status gg_compile_lined(gg_binary **out, gg_str *source, gg_compiler *compiler,
                           const gg_kernel *kernel, const char *arch, gg_error *err) {
  *out = NULL;
  gg_edit edit;
  gg_status st = gg_edit_open(&edit, &compiler->edits, kernel, err);
  if (st) return st;
  if (!edit.ptx) {
    const order lined = {.arch = arch, .format = GG_FORMAT_PTX, .line_info = true};
    gg_str_append(source, edit.kernel.source, edit.kernel.source_length);
    st = compile(out, compiler, &edit.kernel, &lined, err);
  }
  gg_edit_close(&edit);
  return st;
}

/* Gives a binary of the kernel, or of its edited text, which no pack has because its key differs.
 */
static gg_status give_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                                 const gg_kernel *kernel, const gg_device_facts *device,
                                 bool at_hand, gg_error *err) {
  *out = NULL;
  gg_edit edit;
  gg_status st = gg_edit_open(&edit, &compiler->edits, kernel, err);
  if (st) return st;
  st = edit.ptx ? take_ptx_for_device(out, &edit, device, err)
                : get_for_device(out, compiler, packs, &edit.kernel, device, at_hand, err);
  if (!st && *out) dump(compiler, &edit, *out);
  gg_edit_close(&edit);
  return st;
}

gg_status gg_compile_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                                const gg_kernel *kernel, const gg_device_facts *device,
                                gg_error *err) {
  return give_for_device(out, compiler, packs, kernel, device, false, err);
}

gg_status gg_find_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                             const gg_kernel *kernel, const gg_device_facts *device,
                             gg_error *err) {
  return give_for_device(out, compiler, packs, kernel, device, true, err);
}
