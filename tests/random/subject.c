#include "subject.h"

#include <string.h>

#include "atom/arch.h"
#include "base/hash.h"
#include "gemmgen_emu.h"
#include "plan/operation.h"
#include "trial.h"

enum { columns_most = 100 };

bool subject_fail(subject *s, const char *what, gg_error *err) {
  gg_str_printf(&s->why, "%s%s%s%s%s", what, err->code ? ": " : "", err->message,
                err->log ? "\n" : "", err->log ? err->log : "");
  gg_error_clear(err);
  return false;
}

/* ---- The kernel ----------------------------------------------------------------------- */

static bool lines_fit(const gg_kernel *kernel) {
  for (const char *line = kernel->source; *line; line += strspn(line, "\n")) {
    size_t length = strcspn(line, "\n");
    if (length > columns_most) return false;
    line += length;
  }
  return true;
}

bool subject_check_columns(subject *s) {
  gg_error none = GG_ERROR_INIT;
  if (!lines_fit(s->kernel)) return subject_fail(s, "a line of more than 100 columns", &none);
  if (s->ptx && !lines_fit(s->ptx))
    return subject_fail(s, "a line of PTX of more than 100 columns", &none);
  return true;
}

/* What its plan has no PTX template for is no failure. */
static bool generate_ptx(subject *s, const gg_spec *spec) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_kernel_generate_ptx(&s->ptx, spec, &err);
  if (st && st != GG_E_EMIT_PTX) return subject_fail(s, "PTX", &err);
  gg_error_clear(&err);
  return true;
}

bool subject_generate(subject *s) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  gg_status st =
      gg_spec_file_parse(&file, gg_str_text(&s->text), s->text.length, "random.yaml", &err);
  if (!st) st = gg_kernel_generate(&s->kernel, gg_spec_file_get(file, 0), &err);
  bool whole = st || generate_ptx(s, gg_spec_file_get(file, 0));
  gg_spec_file_free(file);
  if (!st) return whole;
  bool refused = err.stage == GG_STAGE_PLAN || err.stage == GG_STAGE_DERIVE;
  if (!refused || err.line == 0) return subject_fail(s, "no diagnostic of the plan", &err);
  gg_error_clear(&err);
  return true;
}

bool subject_compile(subject *s, gg_compiler *compiler) {
  gg_error err = GG_ERROR_INIT;
  if (gg_compile(&s->binary, compiler, s->kernel, NULL, GG_FORMAT_PTX, &err))
    return subject_fail(s, "compile", &err);
  return s->binary->log[0] ? subject_fail(s, s->binary->log, &err) : true;
}

void subject_free(subject *s) {
  gg_binary_free(s->binary);
  gg_kernel_free(s->kernel);
  gg_kernel_free(s->ptx);
  gg_str_free(&s->text);
  gg_str_free(&s->why);
}

/* ---- One problem ---------------------------------------------------------------------- */

static uint64_t hash(uint64_t from, const gg_trial_buffer *buffer) {
  return gg_hash_bytes(from, buffer->host, (size_t)buffer->bytes);
}

/* Of everything that the kernel may write, read back. */
static gg_status read_bits(uint64_t *out, gg_trial *trial, gg_error *err) {
  *out = GG_HASH_BEGIN;
  gg_status st = GG_OK;
  for (size_t i = 0; i <= trial->kernel->operation_count && !st; i++) {
    bool is_d = i == trial->kernel->operation_count;
    if (!is_d && !gg_operation_writes(&trial->kernel->operations[i])) continue;
    gg_trial_buffer *buffer = is_d ? &trial->d : &trial->extras[i];
    st = gg_memory_read(trial->context, buffer->host, buffer->device, (size_t)buffer->bytes, err);
    *out = hash(*out, buffer);
  }
  gg_trial_buffer *factors = &trial->scale_d;
  if (st || !factors->device) return st;
  st = gg_memory_read(trial->context, factors->host, factors->device, (size_t)factors->bytes, err);
  *out = hash(*out, factors);
  return st;
}

static gg_status read_counters(bool *zero, const gg_trial *trial, gg_error *err) {
  static unsigned char counters[GG_WORKSPACE_COUNTERS];
  *zero = true;
  if (trial->workspace == 0) return GG_OK;
  gg_status st = gg_memory_read(trial->context, counters, trial->workspace, sizeof counters, err);
  for (size_t i = 0; i < sizeof counters; i++)
    *zero = *zero && counters[i] == 0;
  return st;
}

static gg_status judge(bool *right, gg_str *why, gg_trial *trial, gg_error *err) {
  gg_sample sample = {0};
  gg_reference reference = {0};
  gg_verdict v = {0};
  gg_status st =
      gg_sample_choose_for(&sample, trial->kernel, &trial->problem, INT64_MAX / 2, 1, err);
  if (!st) {
    st = gg_reference_on_host(&reference, trial->kernel, &trial->problem,
                              gg_trial_host_inputs(trial), &sample, err);
  }
  if (!st) st = gg_trial_check(&v, trial, &sample, &reference, err);
  *right = gg_verdict_passed(&v);
  if (!*right) {
    gg_str_printf(why,
                  "%lld of %lld beyond their bound, %lld unwritten, %lld stray; [%lld, %lld] of "
                  "batch %lld, operation %d, is %.9g, should be %.9g +- %.3g",
                  (long long)v.failed, (long long)v.checked, (long long)v.unwritten,
                  (long long)v.stray, (long long)v.worst.row, (long long)v.worst.col,
                  (long long)v.worst.batch, v.worst.operation, v.worst.got, v.worst.want,
                  v.worst.bound);
  }
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  return st;
}

/* Launches on one workspace again and again. */
static bool repeat(subject *s, gg_trial *trial, const gg_module *module, uint64_t want) {
  gg_error err = GG_ERROR_INIT;
  uint64_t got = want;
  bool zero = true;
  for (int64_t i = 0; i < s->launches && got == want && zero; i++) {
    gg_status st = i > 0 ? gg_trial_run(trial, module, NULL, &err) : GG_OK;
    if (!st) st = read_bits(&got, trial, &err);
    if (!st) st = read_counters(&zero, trial, &err);
    if (st) return subject_fail(s, "again", &err);
  }
  if (got != want) return subject_fail(s, "other bits", &err);
  return zero ? true : subject_fail(s, "counters that are not zero", &err);
}

static bool try_problem(subject *s, gg_context *context, const gg_module *module, int index,
                        uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_trial_inputs inputs = {0};
  gg_trial trial = {0};
  const gg_problem *shape = &s->problems[index];
  int way = index + s->first_way;
  gg_trial_options layout = {.padding = way, .least_aligned = true, .bare = way > 0, .shift = way};
  bool good = true;
  gg_input_kind kind = way == 0 ? GG_INPUTS_INTEGERS : GG_INPUTS_NORMAL;
  gg_status st = gg_trial_inputs_make(&inputs, s->kernel, kind, shape->k, 1, &err);
  if (!st) st = gg_trial_open(&trial, context, s->kernel, shape, &layout, &inputs, &err);
  trial.problem.overlap = shape->overlap;
  if (!st) st = gg_trial_run(&trial, module, NULL, &err);
  if (!st && seed == 0) st = judge(&good, &s->why, &trial, &err);
  if (!st && seed == 0) st = read_bits(&s->bits[index], &trial, &err);
  if (st)
    good = subject_fail(s, "run", &err);
  else if (good)
    good = repeat(s, &trial, module, s->bits[index]);
  gg_trial_close(&trial);
  gg_trial_inputs_free(&inputs);
  if (!good) {
    gg_str_printf(&s->why,
                  "\n  M %lld, N %lld, K %lld, batch %lld, alpha %g, beta %g, overlap %d, padding "
                  "%d, emulator's seed %llu",
                  (long long)shape->m, (long long)shape->n, (long long)shape->k,
                  (long long)shape->batch, (double)shape->alpha, (double)shape->beta,
                  shape->overlap, way, (unsigned long long)seed);
  }
  return good;
}

bool subject_run(subject *s, gg_context *context, const gg_module *module, uint64_t seed) {
  bool good = true;
  for (int i = 0; i < s->problem_count && good; i++)
    good = try_problem(s, context, module, i, seed);
  return good;
}

/* An H100, but for kernels of a later architecture. */
static int device_of(const gg_kernel *kernel) {
  gg_arch arch = {.number = 0};
  gg_arch_parse(&arch, kernel->arch);
  return arch.number > 90 ? arch.number : 90;
}

bool subject_emulate(subject *s, uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_module *module;
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_emu_options emulator = GG_EMU_OPTIONS_INIT;
  gg_emu_options_init(&emulator);
  emulator.arch = device_of(s->kernel);
  emulator.threads = seed ? 1 : 2;
  emulator.random = seed != 0;
  emulator.seed = seed;
  gg_emu_configure(&emulator);
  if (gg_context_open(&context, &opt, &err)) return subject_fail(s, "context", &err);
  bool good = gg_module_load_binary(&module, context, s->kernel, s->binary, &err) == GG_OK;
  if (!good) subject_fail(s, "load", &err);
  good = good && subject_run(s, context, module, seed);
  gg_module_free(module);
  gg_context_close(context);
  return good;
}

bool subject_emulate_ptx(subject *s, gg_compiler *compiler, uint64_t seed) {
  if (!s->ptx) return true;
  gg_kernel *kernel = s->kernel;
  gg_binary_free(s->binary);
  s->binary = NULL;
  s->kernel = s->ptx;
  bool good = subject_compile(s, compiler) && subject_emulate(s, seed);
  s->kernel = kernel;
  if (!good) gg_str_puts(&s->why, "\n  by its PTX template");
  return good;
}
