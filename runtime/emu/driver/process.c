/* The process's state: lock, results, handles, options, the device's life. */
#include "emu/driver/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/sized.h"

static emu_process the_process = {.lock = PTHREAD_MUTEX_INITIALIZER};

emu_process *emu_lock(void) {
  pthread_mutex_lock(&the_process.lock);
  return &the_process;
}

CUresult emu_begin(emu_process **out) {
  const emu_process *process = *out = emu_lock();
  if (process->gone) return CUDA_ERROR_DEINITIALIZED;
  return process->initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult emu_enter(emu_process **out) {
  CUresult result = emu_begin(out);
  const emu_process *process = *out;
  if (result) return result;
  if (!process->device || !emu_handle_is(process, emu_current(), EMU_HANDLE_CONTEXT)) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return process->fault;
}

CUresult emu_leave(emu_process *process, CUresult result) {
  pthread_mutex_unlock(&process->lock);
  return result;
}

/* ---- Results ---------------------------------------------------------------------------- */

static const struct {
  CUresult value;
  const char *name, *text;
} results[] = {
#define EMU_RESULT(value, name, text) {value, name, text},
#include "emu/driver/results.def"
#undef EMU_RESULT
};
enum { result_count = sizeof results / sizeof *results, HAZARDS_WHY = 256 };

CUresult emu_cuGetErrorName(CUresult result, const char **name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = NULL;
  for (int i = 0; i < result_count; i++) {
    if (results[i].value == result) *name = results[i].name;
  }
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult emu_cuGetErrorString(CUresult result, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = NULL;
  for (int i = 0; i < result_count; i++) {
    if (results[i].value == result) *text = results[i].text;
  }
  emu_process *process = emu_lock();
  if (result && result == process->message_of) *text = process->message;
  return emu_leave(process, *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

const char *gg_emu_message(void) {
  return the_process.message;
}

CUresult emu_refuse(emu_process *process, CUresult result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(process->message, sizeof process->message, format, arguments);
  va_end(arguments);
  process->message_of = result;
  return result;
}

/* What a GPU's driver calls it. */
static CUresult result_of(gg_status status) {
  switch (status) {
#define EMU_FAULT_CODE(code, class, result)                                                        \
  case GG_E_EMU_##code:                                                                            \
    return CUDA_ERROR_##result;
#include "emu/faults.def"
  case GG_OK:
    return CUDA_SUCCESS;
  case GG_E_MEMORY:
    return CUDA_ERROR_OUT_OF_MEMORY;
  case GG_E_FILE_READ:
    return CUDA_ERROR_FILE_NOT_FOUND;
  case GG_E_EMU_LAUNCH:
  case GG_E_EMU_ADDRESS:
    return CUDA_ERROR_INVALID_VALUE;
  default:
    return CUDA_ERROR_INVALID_PTX;
  }
}

CUresult emu_result(emu_process *process, gg_status status, gg_error *err) {
  CUresult result = result_of(status);
  if (!result) return result;
  const gg_error_info *info = gg_error_info_of(status);
  char place[560] = "";
  if (err->file[0]) {
    snprintf(place, sizeof place, "%s:%d:%d: ", err->file, err->line, err->column);
  }
  emu_refuse(process, result, "%s%s [%s]", place, err->message, info->name);
  gg_error_clear(err);
  if (result >= CUDA_ERROR_ILLEGAL_ADDRESS) process->fault = result;
  return result;
}

/* ---- Handles ---------------------------------------------------------------------------- */

void *emu_handle_new(emu_process *process, emu_handle_kind kind, size_t bytes) {
  emu_handle *handle = gg_malloc(bytes);
  if (!handle) return NULL;
  memset(handle, 0, bytes);
  *handle = (emu_handle){process->handles, kind};
  process->handles = handle;
  return handle;
}

bool emu_handle_is(const emu_process *process, const void *handle, emu_handle_kind kind) {
  const emu_handle *at = process->handles;
  while (at && at != handle)
    at = at->next;
  return at && at->kind == kind;
}

static void drop_functions(emu_process *process, CUmodule module) {
  emu_handle *next;
  for (emu_handle *at = process->handles; at; at = next) {
    next = at->next;
    if (at->kind == EMU_HANDLE_FUNCTION && ((CUfunction)(void *)at)->module == module) {
      emu_handle_drop(process, at);
      next = process->handles; /* the list is another now */
    }
  }
}

static void close_handle(emu_process *process, emu_handle *handle) {
  void *any = handle;
  if (handle->kind == EMU_HANDLE_FUNCTION) {
    emu_keep_counters(process, any);
    emu_counters_close(&((CUfunction)any)->counters);
  } else if (handle->kind == EMU_HANDLE_MODULE) {
    drop_functions(process, any);
    emu_module_unload(process->device, ((CUmodule)any)->module);
  } else if (handle->kind == EMU_HANDLE_GRAPH) {
    CUgraph graph = any;
    for (size_t i = 0; i < graph->count; i++)
      emu_work_free(&graph->list[i]);
    gg_free(graph->list);
  } else if (handle->kind == EMU_HANDLE_STREAM) {
    CUgraph capture = ((CUstream)any)->capture;
    if (emu_handle_is(process, capture, EMU_HANDLE_GRAPH)) emu_handle_drop(process, capture);
  } else if (handle->kind == EMU_HANDLE_HOST && ((emu_host *)any)->owned) {
    gg_free(((emu_host *)any)->memory);
  }
}

void emu_handle_drop(emu_process *process, void *handle) {
  close_handle(process, handle);
  emu_handle **at = &process->handles;
  while (*at && *at != handle)
    at = &(*at)->next;
  if (*at) *at = (*at)->next;
  gg_free(handle);
}

/* ---- The device ------------------------------------------------------------------------- */

/* `hazards` has been checked. */
static emu_options device_options(const gg_emu_options *given) {
  char why[HAZARDS_WHY];
  emu_options options = {
      .arch = given->arch,
      .threads = given->threads,
      .random = given->random != 0,
      .seed = given->seed,
      .max_steps = given->max_steps,
  };
  if (given->hazards) emu_severities_read(&options.severities, given->hazards, why, sizeof why);
  return options;
}

static bool counting(const emu_process *process) {
  return process->options.counters || process->options.counters_file;
}

static void forget_names(emu_process *process) {
  for (size_t i = 0; i < process->name_count; i++) {
    gg_free((char *)process->names[i].kernel);
    gg_free((char *)process->names[i].name);
  }
  gg_free(process->names);
  process->names = NULL;
  process->name_count = 0;
}

static void close_at_exit(void) {
  emu_process *process = emu_lock();
  if (process->device) emu_process_close(process);
  forget_names(process);
  emu_follow_close(process->follow);
  process->follow = NULL;
  gg_str_free(&process->label);
  process->gone = true;
  emu_leave(process, CUDA_SUCCESS);
}

void emu_process_at_exit(void) {
  static bool registered; /* the lock is held */
  if (!registered) registered = atexit(close_at_exit) == 0;
}

CUresult emu_process_open(emu_process *process) {
  gg_error err = GG_ERROR_INIT;
  if (!process->configured) {
    CUresult result = emu_environment(&process->options);
    if (result) return result;
  }
  emu_options options = device_options(&process->options);
  gg_status st = emu_device_open(&process->device, &options, &err);
  if (!st && process->options.trace_file) {
    st = emu_trace_open(&process->trace, process->options.trace_file, &err);
  }
  if (st) {
    CUresult result = emu_result(process, st, &err);
    emu_device_close(process->device);
    process->device = NULL;
    return result;
  }
  process->fault = CUDA_SUCCESS;
  return CUDA_SUCCESS;
}

static void all_counters(gg_str *out, const emu_process *process, bool json) {
  if (json) gg_str_puts(out, "{\"kernels\": [\n");
  const gg_str *kept = json ? &process->json : &process->text;
  gg_str_append(out, gg_str_text(kept), kept->length);
  bool first = kept->length == 0;
  for (const emu_handle *at = process->handles; at; at = at->next) {
    const emu_counters *counters = &((const struct CUfunc_st *)(const void *)at)->counters;
    if (at->kind != EMU_HANDLE_FUNCTION || !counters->ctas || !counting(process)) continue;
    if (json && !first) gg_str_puts(out, ",\n");
    (json ? emu_counters_json : emu_counters_text)(out, counters);
    first = false;
  }
  if (json) gg_str_puts(out, "\n]}\n");
}

/* A line each. */
static void put_warnings(gg_str *out, const emu_warnings *warnings) {
  for (const emu_warning *w = warnings->first; w; w = w->next) {
    emu_warning_text(out, w);
    gg_str_putc(out, '\n');
  }
}

void emu_keep_counters(emu_process *process, CUfunction function) {
  put_warnings(&process->warnings, &function->counters.warnings);
  if (!function->counters.ctas || !counting(process)) return;
  if (process->json.length) gg_str_puts(&process->json, ",\n");
  emu_counters_json(&process->json, &function->counters);
  emu_counters_text(&process->text, &function->counters);
}

void emu_tell_warnings(emu_process *process, const emu_warnings *warnings) {
  for (emu_warning *w = warnings->first; w; w = w->next) {
    gg_str text = GG_STR_INIT;
    if (w->told) continue;
    emu_warning_text(&text, w);
    if (process->options.warn) {
      process->options.warn(process->options.warn_user, gg_str_text(&text));
    } else {
      fprintf(stderr, "gemmgen emulator: warning: %s\n", gg_str_text(&text));
    }
    gg_str_free(&text);
    w->told = true;
  }
}

size_t gg_emu_warnings(char *buffer, size_t size) {
  emu_process *process = emu_lock();
  gg_str text = GG_STR_INIT;
  gg_str_append(&text, gg_str_text(&process->warnings), process->warnings.length);
  for (const emu_handle *at = process->handles; at; at = at->next) {
    if (at->kind != EMU_HANDLE_FUNCTION) continue;
    put_warnings(&text, &((const struct CUfunc_st *)(const void *)at)->counters.warnings);
  }
  size_t length = text.length;
  if (size > 0) snprintf(buffer, size, "%s", gg_str_text(&text));
  gg_str_free(&text);
  emu_leave(process, CUDA_SUCCESS);
  return length;
}

static CUresult write_counters(emu_process *process) {
  const char *path = process->options.counters_file;
  CUresult result = CUDA_SUCCESS;
  if (!path || !counting(process)) return result;
  gg_str text = GG_STR_INIT;
  all_counters(&text, process, true);
  if (text.failed)
    result = emu_refuse(process, CUDA_ERROR_OUT_OF_MEMORY, "no memory is left for the counters");
  else if (!gg_file_write(path, text.text, text.length))
    result = emu_refuse(process, CUDA_ERROR_OPERATING_SYSTEM, "cannot write '%s': %s", path,
                        strerror(errno));
  gg_str_free(&text);
  return result;
}

static CUresult write_timeline(emu_process *process) {
  gg_error err = GG_ERROR_INIT;
  CUresult result = CUDA_SUCCESS;
  if (process->trace && emu_trace_close(process->trace, &err)) {
    result = emu_refuse(process, CUDA_ERROR_OPERATING_SYSTEM, "%s", err.message);
    gg_error_clear(&err);
  }
  process->trace = NULL;
  return result;
}

CUresult gg_emu_write_reports(void) {
  emu_process *process = emu_lock();
  CUresult result = process->gone ? CUDA_ERROR_DEINITIALIZED : write_counters(process);
  if (!result) result = write_timeline(process);
  return emu_leave(process, result);
}

/* Nobody is left who could be told of a failure but the user. */
static void tell(const emu_process *process, CUresult result) {
  if (result) fprintf(stderr, "gemmgen emulator: %s\n", process->message);
}

void emu_process_close(emu_process *process) {
  tell(process, write_counters(process));
  tell(process, write_timeline(process));
  while (process->handles)
    emu_handle_drop(process, process->handles);
  emu_device_close(process->device);
  emu_settle(process);
  gg_str_free(&process->text);
  gg_str_free(&process->json);
  gg_str_free(&process->warnings);
  process->device = NULL;
  process->primary = NULL;
  process->contexts = process->primary_users = 0;
  process->fault = CUDA_SUCCESS;
}

size_t gg_emu_counters(char *buffer, size_t size, int json) {
  emu_process *process = emu_lock();
  gg_str text = GG_STR_INIT;
  all_counters(&text, process, json != 0);
  size_t length = text.length;
  if (size > 0) snprintf(buffer, size, "%s", gg_str_text(&text));
  gg_str_free(&text);
  emu_leave(process, CUDA_SUCCESS);
  return length;
}

/* ---- Followed bytes --------------------------------------------------------------------- */

CUresult gg_emu_follow(CUdeviceptr address, int on) {
  emu_process *process = emu_lock();
  gg_error err = GG_ERROR_INIT;
  CUresult result = process->gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
  emu_follow_close(process->follow);
  process->follow = NULL;
  if (!result && on)
    result = emu_result(process, emu_follow_open(&process->follow, address, &err), &err);
  return emu_leave(process, result);
}

size_t gg_emu_followed(char *buffer, size_t size) {
  emu_process *process = emu_lock();
  gg_str text = GG_STR_INIT;
  if (process->follow) emu_follow_json(&text, process->follow);
  size_t length = text.length;
  if (size > 0) snprintf(buffer, size, "%s", gg_str_text(&text));
  gg_str_free(&text);
  emu_leave(process, CUDA_SUCCESS);
  return length;
}

/* ---- Names ------------------------------------------------------------------------------ */

/* A copy; *out is NULL for NULL. False when memory is out. */
static bool copy_text(const char **out, const char *text) {
  *out = NULL;
  if (!text) return true;
  size_t bytes = strlen(text) + 1;
  char *copy = gg_malloc(bytes);
  if (copy) memcpy(copy, text, bytes);
  *out = copy;
  return copy;
}

static CUresult add_name(emu_process *process, const gg_part_name *given) {
  gg_part_name name = *given, *list;
  list = gg_realloc(process->names, (process->name_count + 1) * sizeof *list);
  if (!list) return CUDA_ERROR_OUT_OF_MEMORY;
  process->names = list;
  if (!copy_text(&name.kernel, given->kernel) || !copy_text(&name.name, given->name)) {
    gg_free((char *)name.kernel);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  list[process->name_count++] = name;
  return CUDA_SUCCESS;
}

CUresult gg_emu_name(const char *kernel, gg_emu_name_kind what, const char *name, unsigned first,
                     unsigned count, unsigned each) {
  static const gg_part_kind kinds[] = {[GG_EMU_NAME_SHARED] = GG_PART_SHARED,
                                       [GG_EMU_NAME_WARPS] = GG_PART_WARPS,
                                       [GG_EMU_NAME_BARRIERS] = GG_PART_BARRIERS};
  emu_process *process = emu_lock();
  CUresult result = process->gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
  if (!result && ((unsigned)what > GG_EMU_NAME_BARRIERS || !name || !count || !each)) {
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (!result)
    result = add_name(process, &(gg_part_name){kernel, name, kinds[what], first, count, each});
  return emu_leave(process, result);
}

CUresult gg_emu_label(const char *label) {
  emu_process *process = emu_lock();
  CUresult result = process->gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
  process->label.length = 0;
  if (!result && label) gg_str_puts(&process->label, label);
  if (!result && process->label.failed) result = CUDA_ERROR_OUT_OF_MEMORY;
  return emu_leave(process, result);
}

/* ---- Options ---------------------------------------------------------------------------- */

/* A whole number from the environment; false where it is none. Unset: *out stays. */
static bool read_number(int64_t *out, const char *name, int64_t least, int64_t most) {
  const char *text = getenv(name);
  if (!text || !*text) return true;
  char *end;
  errno = 0;
  int64_t value = strtoll(text, &end, 10);
  if (end == text || *end || errno || value < least || value > most) {
    emu_refuse(&the_process, CUDA_ERROR_INVALID_VALUE,
               "%s takes a whole number from %" PRId64 " to %" PRId64 ", not '%s'", name, least,
               most, text);
    return false;
  }
  *out = value;
  return true;
}

static const char *read_text(const char *name) {
  const char *text = getenv(name);
  return text && *text ? text : NULL;
}

/* NULL is allowed. */
static bool check_hazards(const char *text, const char *name) {
  char why[HAZARDS_WHY];
  emu_severities severities = {0};
  if (!text || emu_severities_read(&severities, text, why, sizeof why)) return true;
  emu_refuse(&the_process, CUDA_ERROR_INVALID_VALUE, "%s: %s", name, why);
  return false;
}

/* The architectures that there are, 0 among them: that of an H100. */
static bool check_arch(int64_t arch, const char *name) {
  static const int known[] = {0, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i] == arch) return true;
  }
  emu_refuse(&the_process, CUDA_ERROR_INVALID_VALUE,
             "%s is 80, 86, 87, 89, 90, 100, 103, 110, 120 or 121, not %" PRId64, name, arch);
  return false;
}

CUresult emu_environment(gg_emu_options *out) {
  int64_t arch = 90, threads = 0, seed = -1, max_steps = 0;
  *out = (gg_emu_options)GG_EMU_OPTIONS_INIT;
  if (!read_number(&arch, "GEMMGEN_EMU_ARCH", 1, INT32_MAX) ||
      !check_arch(arch, "GEMMGEN_EMU_ARCH") ||
      !read_number(&threads, "GEMMGEN_EMU_THREADS", 0, 4096) ||
      !read_number(&seed, "GEMMGEN_EMU_SEED", 0, INT64_MAX) ||
      !read_number(&max_steps, "GEMMGEN_EMU_MAX_STEPS", -1, INT64_MAX) ||
      !check_hazards(read_text("GEMMGEN_EMU_HAZARDS"), "GEMMGEN_EMU_HAZARDS")) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  out->arch = (int)arch;
  out->threads = (int)threads;
  out->random = seed >= 0;
  out->seed = seed >= 0 ? (uint64_t)seed : 0;
  out->max_steps = max_steps;
  out->hazards = read_text("GEMMGEN_EMU_HAZARDS");
  out->counters_file = read_text("GEMMGEN_EMU_COUNTERS");
  out->trace_file = read_text("GEMMGEN_EMU_TRACE");
  return CUDA_SUCCESS;
}

static CUresult refuse_struct(gg_error *err) {
  CUresult result = emu_refuse(&the_process, CUDA_ERROR_INVALID_VALUE, "%s", err->message);
  gg_error_clear(err);
  return result;
}

CUresult gg_emu_options_init(gg_emu_options *out) {
  gg_error err = GG_ERROR_INIT;
  gg_emu_options options;
  if (!out)
    return emu_refuse(&the_process, CUDA_ERROR_INVALID_VALUE, "there is no room for options");
  CUresult result = emu_environment(&options);
  if (gg_sized_write(out, &options, sizeof options, "gg_emu_options", &err))
    return refuse_struct(&err);
  return result;
}

static const char *keep_text(gg_str *own, const char *text) {
  own->length = 0;
  if (!text) return NULL;
  gg_str_puts(own, text);
  return own->failed ? NULL : own->text;
}

CUresult gg_emu_configure(const gg_emu_options *options) {
  emu_process *process = emu_lock();
  if (process->gone) return emu_leave(process, CUDA_ERROR_DEINITIALIZED);
  if (process->device) {
    return emu_leave(process, emu_refuse(process, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE,
                                         "the emulator's options cannot change while it has a "
                                         "context"));
  }
  gg_error err = GG_ERROR_INIT;
  gg_emu_options own = GG_EMU_OPTIONS_INIT;
  if (options && gg_sized_read(&own, sizeof own, options, "gg_emu_options", &err))
    return emu_leave(process, refuse_struct(&err));
  if (!check_arch(own.arch, "arch") || !check_hazards(own.hazards, "hazards"))
    return emu_leave(process, CUDA_ERROR_INVALID_VALUE);
  process->configured = options != NULL;
  if (options) {
    process->options = own;
    process->options.counters_file = keep_text(&process->counters_file, own.counters_file);
    process->options.trace_file = keep_text(&process->trace_file, own.trace_file);
    process->options.hazards = keep_text(&process->hazards, own.hazards);
  }
  return emu_leave(process, CUDA_SUCCESS);
}
