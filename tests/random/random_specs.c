/* random_specs [--family sm100|sm120|simt] [--seed S] [--first I] [--count N] [--launches L]
 * [--keep FOLDER] SPEC...: specs from a seed (of sm100, of sm120, of simt, or of the others), and
 * those of files, each refused by the plan in so many words, or generated, compiled to PTX and run
 * in the emulator on small ragged problems, against sums in f64, with guard zones. Each runs twice:
 * with asynchronous work as late as it may be on two threads of the host, then at random moments on
 * one; and on one workspace again and again. All must give the same bits, and leave the counters
 * zero.
 *
 * `--launches 0` only generates. A failure prints the spec, its number and the problem: `--seed S
 * --first I --count 1` has it again. The legal specs are kept in FOLDER, where tests/cli/compile.sh
 * finds spills and warnings. Ends with "N passed, N refused, N failed". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/arch.h"
#include "base/alloc.h"
#include "base/file.h"
#include "draw.h"
#include "gemmgen_emu.h"
#include "plan/operation.h"
#include "trial.h"

enum { problem_count = 2, columns_most = 100 };

typedef struct options {
  uint64_t seed;
  int64_t first, count, launches;
  const char *keep;
  void (*draw)(gg_str *out, draws *from); /* a spec */
  char **paths;                           /* ends with NULL */
} options;

typedef struct totals {
  int64_t passed, refused, failed;
} totals;

/* One spec on its way. */
typedef struct subject {
  const options *given;
  int64_t number;
  gg_str text, why;
  gg_kernel *kernel;
  gg_binary *binary;
  gg_problem problems[problem_count];
  uint64_t bits[problem_count]; /* of what the first run wrote */
} subject;

static bool fail(subject *s, const char *what, gg_error *err) {
  gg_str_printf(&s->why, "%s%s%s%s%s", what, err->code ? ": " : "", err->message,
                err->log ? "\n" : "", err->log ? err->log : "");
  gg_error_clear(err);
  return false;
}

/* ---- One problem ---------------------------------------------------------------------- */

static uint64_t hash(uint64_t from, const gg_trial_buffer *buffer) {
  const uint64_t prime = 1099511628211u; /* FNV-1a */
  for (int64_t i = 0; i < buffer->bytes; i++)
    from = (from ^ buffer->host[i]) * prime;
  return from;
}

/* Of everything that the kernel may write, read back. */
static gg_status read_bits(uint64_t *out, gg_trial *trial, gg_error *err) {
  *out = 14695981039346656037u;
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
  gg_status st = gg_sample_choose(&sample, &trial->problem, 0, INT64_MAX / 2, 1, err);
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
  for (int64_t i = 0; i < s->given->launches && got == want && zero; i++) {
    gg_status st = i > 0 ? gg_trial_run(trial, module, NULL, &err) : GG_OK;
    if (!st) st = read_bits(&got, trial, &err);
    if (!st) st = read_counters(&zero, trial, &err);
    if (st) return fail(s, "again", &err);
  }
  if (got != want) return fail(s, "other bits", &err);
  return zero ? true : fail(s, "counters that are not zero", &err);
}

/* `seed` is that of the emulator; 0: the first run. */
static bool try_problem(subject *s, gg_context *context, const gg_module *module, int index,
                        uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_trial_inputs inputs = {0};
  gg_trial trial = {0};
  const gg_problem *shape = &s->problems[index];
  gg_trial_options layout = {
      .padding = index, .least_aligned = true, .bare = index > 0, .shift = index};
  bool good = true;
  gg_input_kind kind = index == 0 ? GG_INPUTS_INTEGERS : GG_INPUTS_NORMAL;
  gg_status st = gg_trial_inputs_make(&inputs, s->kernel, kind, shape->k, 1, &err);
  if (!st) st = gg_trial_open(&trial, context, s->kernel, shape, &layout, &inputs, &err);
  trial.problem.overlap = shape->overlap;
  if (!st) st = gg_trial_run(&trial, module, NULL, &err);
  if (!st && seed == 0) st = judge(&good, &s->why, &trial, &err);
  if (!st && seed == 0) st = read_bits(&s->bits[index], &trial, &err);
  if (st)
    good = fail(s, "run", &err);
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
                  shape->overlap, index, (unsigned long long)seed);
  }
  return good;
}

/* An H100, but for kernels of a later architecture. */
static int device_of(const gg_kernel *kernel) {
  gg_arch arch = {.number = 0};
  gg_arch_parse(&arch, kernel->arch);
  return arch.number > 90 ? arch.number : 90;
}

static bool try_emulator(subject *s, uint64_t seed) {
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
  if (gg_context_open(&context, &opt, &err)) return fail(s, "context", &err);
  bool good = gg_module_load_binary(&module, context, s->kernel, s->binary, &err) == GG_OK;
  if (!good) fail(s, "load", &err);
  for (int i = 0; i < problem_count && good; i++)
    good = try_problem(s, context, module, i, seed);
  gg_module_free(module);
  gg_context_close(context);
  return good;
}

/* ---- One spec ------------------------------------------------------------------------- */

static bool check_columns(subject *s) {
  gg_error none = GG_ERROR_INIT;
  for (const char *line = s->kernel->source; *line; line += strspn(line, "\n")) {
    size_t length = strcspn(line, "\n");
    if (length > columns_most) return fail(s, "a line of more than 100 columns", &none);
    line += length;
  }
  return true;
}

/* Under a name of its own. */
static bool keep(subject *s) {
  gg_error err = GG_ERROR_INIT;
  gg_str path = GG_STR_INIT, text = GG_STR_INIT;
  if (!s->given->keep) return true;
  gg_str_printf(&path, "%s/%06lld.yaml", s->given->keep, (long long)s->number);
  gg_str_printf(&text, "name: random_%lld\n%s", (long long)s->number, gg_str_text(&s->text));
  bool good = gg_file_replace(gg_str_text(&path), text.text, text.length, 0644, false);
  gg_str_free(&path);
  gg_str_free(&text);
  return good ? true : fail(s, strerror(errno), &err);
}

/* A kernel, or nothing where the plan has said what it lacks. */
static bool generate(subject *s) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  gg_status st =
      gg_spec_file_parse(&file, gg_str_text(&s->text), s->text.length, "random.yaml", &err);
  if (!st) st = gg_kernel_generate(&s->kernel, gg_spec_file_get(file, 0), &err);
  gg_spec_file_free(file);
  if (!st) return true;
  bool refused = err.stage == GG_STAGE_PLAN || err.stage == GG_STAGE_DERIVE;
  if (!refused || err.line == 0) return fail(s, "no diagnostic of the plan", &err);
  gg_error_clear(&err);
  return true;
}

static bool compile(subject *s, gg_compiler *compiler) {
  gg_error err = GG_ERROR_INIT;
  if (gg_compile(&s->binary, compiler, s->kernel, NULL, GG_FORMAT_PTX, &err))
    return fail(s, "compile", &err);
  return s->binary->log[0] ? fail(s, s->binary->log, &err) : true;
}

static bool try_kernel(subject *s, gg_compiler *compiler, draws *from) {
  for (int i = 0; i < problem_count; i++)
    s->problems[i] = draw_problem(from, s->kernel);
  if (!check_columns(s) || !keep(s)) return false;
  return s->given->launches == 0 ||
         (compile(s, compiler) && try_emulator(s, 0) && try_emulator(s, 1 + (uint64_t)s->number));
}

static void check_spec(totals *out, subject *s, draws *from, gg_compiler *compiler) {
  bool good = generate(s);
  if (good && !s->kernel) {
    out->refused++;
  } else if (good && try_kernel(s, compiler, from)) {
    out->passed++;
  } else {
    out->failed++;
    printf("FAILED --seed %llu --first %lld: %s\n%s\n", (unsigned long long)s->given->seed,
           (long long)s->number, gg_str_text(&s->why), gg_str_text(&s->text));
  }
  fflush(stdout);
  gg_binary_free(s->binary);
  gg_kernel_free(s->kernel);
  gg_str_free(&s->text);
  gg_str_free(&s->why);
}

static void check_drawn(totals *out, const options *given, gg_compiler *compiler) {
  for (int64_t i = given->first; i < given->first + given->count; i++) {
    subject s = {.given = given, .number = i};
    draws from = {.seed = gg_random(given->seed, (uint64_t)i)};
    given->draw(&s.text, &from);
    check_spec(out, &s, &from, compiler);
  }
}

/* Those of files must be legal. */
static void check_files(totals *out, const options *given, gg_compiler *compiler) {
  for (char **path = given->paths; *path; path++) {
    gg_error err = GG_ERROR_INIT;
    subject s = {.given = given, .number = path - given->paths};
    draws from = {.seed = gg_random(given->seed, (uint64_t)s.number)};
    totals one = {0};
    char *text;
    size_t length;
    if (gg_file_read(&text, &length, *path, 1 << 16, &err)) {
      printf("FAILED: %s\n", err.message);
      gg_error_clear(&err);
      out->failed++;
      continue;
    }
    gg_str_append(&s.text, text, length);
    gg_free(text);
    check_spec(&one, &s, &from, compiler);
    if (one.refused) printf("FAILED: %s is refused\n", *path);
    out->passed += one.passed;
    out->failed += one.failed + one.refused;
  }
}

/* ---- The command line ----------------------------------------------------------------- */

static bool read_number(int64_t *out, const char *text) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return end != text && !*end && !errno && *out >= 0;
}

static bool read_options(options *out, int argc, char **argv) {
  *out = (options){.seed = 1, .launches = 2, .draw = draw_spec};
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; at += 2) {
    int64_t number = 0;
    const char *name = argv[at] + strspn(argv[at], "-"), *value = argv[at + 1];
    if (!value) return false;
    if (strcmp(name, "keep") == 0)
      out->keep = value;
    else if (strcmp(name, "family") == 0 && strcmp(value, "sm100") == 0)
      out->draw = draw_spec_of_sm100;
    else if (strcmp(name, "family") == 0 && strcmp(value, "sm120") == 0)
      out->draw = draw_spec_of_sm120;
    else if (strcmp(name, "family") == 0 && strcmp(value, "simt") == 0)
      out->draw = draw_spec_of_simt;
    else if (!read_number(&number, value))
      return false;
    else if (strcmp(name, "seed") == 0)
      out->seed = (uint64_t)number;
    else if (strcmp(name, "first") == 0)
      out->first = number;
    else if (strcmp(name, "count") == 0)
      out->count = number;
    else if (strcmp(name, "launches") == 0)
      out->launches = number;
    else
      return false;
  }
  out->paths = argv + at;
  return true;
}

int main(int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler *compiler;
  gg_compiler_options opt = {.size = sizeof(gg_compiler_options), .cache = ""};
  options given;
  totals all = {0};
  if (!read_options(&given, argc, argv)) {
    fprintf(stderr,
            "usage: random_specs [--family sm100|sm120|simt] [--seed S] [--first I] [--count N] "
            "[--launches L] [--keep FOLDER] SPEC...\n");
    return 2;
  }
  if (gg_compiler_open(&compiler, &opt, &err)) {
    printf("%s\n", err.message);
    return EXIT_FAILURE;
  }
  printf("seed %llu\n", (unsigned long long)given.seed);
  check_files(&all, &given, compiler);
  check_drawn(&all, &given, compiler);
  gg_compiler_close(compiler);
  printf("%lld passed, %lld refused, %lld failed\n", (long long)all.passed, (long long)all.refused,
         (long long)all.failed);
  return all.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
