/* Holds the emulator's approximate functions to the hardware's, over all inputs.
 *
 *     approx_check                     both, every input of every form; needs a GPU
 *     approx_check --golden FILE       the emulator's functions, against what the hardware gave:
 *                                      samples; with --all, hashes of every input
 *     approx_check --write-golden FILE the hardware alone: samples and hashes
 *     approx_check --measure DIR       the hardware alone: what tables are made from; with
 *                                      --functions, the emulator's functions, of binades alone
 *     approx_check --emu               the emulator's kernels against its functions
 *
 * --only TEXT: opcodes with it; --first I, --count N: inputs; --threads N. Ends with the forms, the
 * results and those that differ. Exit status 0, 1, or 77 without a GPU. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approx.h"
#include "base/alloc.h"
#include "base/file.h"

enum { EXAMPLES = 8, SKIPPED = 77, USAGE = 2 };

typedef struct settings {
  const char *golden, *write, *measure, *only;
  uint64_t first, count;
  unsigned threads;
  bool all, emulated, functions;
} settings;

typedef struct totals {
  pthread_mutex_t lock; /* of the results and of `told`, while threads compare */
  unsigned told;        /* examples of a form */
  unsigned forms, differing, failed, missing;
  uint64_t results, mismatches;
} totals;

/* ---- The device's results, one by one ------------------------------------------------- */

static bool tell_another(totals *t) {
  pthread_mutex_lock(&t->lock);
  bool another = t->told < EXAMPLES;
  t->told += another;
  pthread_mutex_unlock(&t->lock);
  return another;
}

static gg_status compare(void *self, const approx_form *form, uint32_t first, uint32_t count,
                         const uint32_t *results, gg_error *err) {
  totals *t = self;
  uint64_t mismatches = 0;
  (void)err;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t operand = approx_operand_of(form, first + i), expected = form->emulator(operand);
    if (results[i] == expected) continue;
    if (mismatches++ >= EXAMPLES || !tell_another(t)) continue;
    printf("DIFFERS %s: of %08" PRIx32 " the device makes %08" PRIx32 ", the emulator %08" PRIx32
           "\n",
           form->opcode, operand, results[i], expected);
  }
  pthread_mutex_lock(&t->lock);
  t->results += count;
  t->mismatches += mismatches;
  pthread_mutex_unlock(&t->lock);
  return GG_OK;
}

static gg_status check_device(totals *t, const approx_device *device, const approx_form *form,
                              const settings *s, gg_error *err) {
  uint64_t before = t->mismatches, results = t->results;
  t->told = 0;
  gg_status st = approx_run(device, form, s->first, s->count, s->threads, compare, t, err);
  t->differing += t->mismatches != before;
  if (!st) {
    printf("%s: %" PRIu64 " of %" PRIu64 " results differ\n", form->opcode, t->mismatches - before,
           t->results - results);
  }
  return st;
}

/* ---- Golden data ---------------------------------------------------------------------- */

static gg_status golden_from(approx_golden *out, const approx_device *device,
                             const approx_form *form, const settings *s, gg_error *err) {
  approx_record record;
  gg_status st = approx_record_open(&record, form, err);
  if (st) return st;
  st = approx_run(device, form, 0, UINT64_MAX, s->threads, approx_record_chunk, &record, err);
  if (!st) approx_golden_of(out, &record);
  approx_record_close(&record);
  return st;
}

static uint64_t differing_samples(const approx_golden *expected, const approx_form *form) {
  uint64_t mismatches = 0;
  for (unsigned i = 0; i < APPROX_SAMPLES; i++) {
    uint32_t operand = approx_operand_of(form, approx_sample_input(form, i));
    uint32_t got = form->emulator(operand);
    if (got == expected->samples[i] || mismatches++ >= EXAMPLES) continue;
    printf("DIFFERS %s: of %08" PRIx32 " the hardware made %08" PRIx32 ", the emulator %08" PRIx32
           "\n",
           form->opcode, operand, expected->samples[i], got);
  }
  return mismatches;
}

/* Parts that differ, by their hashes. */
static uint64_t differing_parts(const approx_golden *expected, const approx_golden *got,
                                const approx_form *form) {
  uint64_t mismatches = 0;
  for (unsigned i = 0; i < expected->parts; i++) {
    if (expected->hashes[i] == got->hashes[i]) continue;
    uint64_t part = approx_input_count(form) / expected->parts;
    printf("DIFFERS %s: among the inputs from %08" PRIx64 " on\n", form->opcode, i * part);
    mismatches++;
  }
  return mismatches;
}

static gg_status check_golden(totals *t, const char *text, const approx_form *form,
                              const settings *s, gg_error *err) {
  approx_golden expected, got;
  if (!approx_golden_find(&expected, text, form)) {
    t->missing++;
    return GG_OK;
  }
  uint64_t mismatches = differing_samples(&expected, form);
  t->results += s->all ? approx_input_count(form) : APPROX_SAMPLES;
  gg_status st = s->all ? golden_from(&got, NULL, form, s, err) : GG_OK;
  if (s->all && !st) mismatches += differing_parts(&expected, &got, form);
  t->mismatches += mismatches;
  t->differing += mismatches != 0;
  if (s->all && !st) printf("%s: %" PRIu64 " samples and parts differ\n", form->opcode, mismatches);
  return st;
}

static gg_status write_golden(totals *t, gg_str *out, const approx_device *device,
                              const approx_form *form, const settings *s, gg_error *err) {
  approx_golden golden;
  gg_status st = golden_from(&golden, device, form, s, err);
  if (!st) approx_golden_write(out, form, &golden);
  if (!st) t->results += approx_input_count(form);
  return st;
}

/* ---- All forms ------------------------------------------------------------------------ */

static void check_forms(totals *t, gg_str *text, const approx_device *device, const settings *s) {
  for (unsigned i = 0; i < approx_form_count; i++) {
    const approx_form *form = &approx_forms[i];
    if (s->only && !strstr(form->opcode, s->only)) continue;
    gg_error err = GG_ERROR_INIT;
    gg_status st = s->golden  ? check_golden(t, gg_str_text(text), form, s, &err)
                   : s->write ? write_golden(t, text, device, form, s, &err)
                              : check_device(t, device, form, s, &err);
    t->forms++;
    if (st) printf("FAILED %s: %s\n", form->opcode, err.message);
    t->failed += st != GG_OK;
    gg_error_clear(&err);
    fflush(stdout);
  }
  printf("forms: %u, results: %" PRIu64 ", mismatches: %" PRIu64
         " in %u forms; failed: %u, not in the golden data: %u\n",
         t->forms, t->results, t->mismatches, t->differing, t->failed, t->missing);
}

static gg_status run(totals *t, const approx_device *device, const settings *s, gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  if (s->golden) {
    size_t length;
    char *golden = NULL;
    st = gg_file_read(&golden, &length, s->golden, SIZE_MAX - 1, err);
    if (!st) gg_str_puts(&text, golden);
    gg_free(golden);
  }
  if (s->measure)
    st = approx_measure(device, s->measure, s->only, s->threads, err);
  else if (!st)
    check_forms(t, &text, device, s);
  if (s->write && !gg_file_replace(s->write, gg_str_text(&text), text.length, 0644, false)) {
    fprintf(stderr, "approx_check: cannot write %s\n", s->write);
    t->failed++;
  }
  gg_str_free(&text);
  return st;
}

/* ---- The command line ----------------------------------------------------------------- */

static bool parse_number(uint64_t *out, const char *text) {
  char *end;
  *out = strtoull(text, &end, 0);
  return *text && !*end;
}

static bool parse(settings *s, int argc, char **argv) {
  uint64_t threads = s->threads;
  for (int i = 1; i < argc; i++) {
    const char *flag = argv[i];
    const char **text = !strcmp(flag, "--golden")         ? &s->golden
                        : !strcmp(flag, "--write-golden") ? &s->write
                        : !strcmp(flag, "--measure")      ? &s->measure
                        : !strcmp(flag, "--only")         ? &s->only
                                                          : NULL;
    uint64_t *number = !strcmp(flag, "--first")     ? &s->first
                       : !strcmp(flag, "--count")   ? &s->count
                       : !strcmp(flag, "--threads") ? &threads
                                                    : NULL;
    if (!strcmp(flag, "--all"))
      s->all = true;
    else if (!strcmp(flag, "--emu"))
      s->emulated = true;
    else if (!strcmp(flag, "--functions"))
      s->functions = true;
    else if ((!text && !number) || i + 1 == argc)
      return false;
    else if (text)
      *text = argv[++i];
    else if (!parse_number(number, argv[++i]))
      return false;
  }
  s->threads = threads > 0 && threads < 1024 ? (unsigned)threads : 1;
  return s->first % APPROX_BLOCK == 0 && (s->count % APPROX_BLOCK == 0 || s->count == UINT64_MAX);
}

int main(int argc, char **argv) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  settings s = {.count = UINT64_MAX, .threads = cores > 0 ? (unsigned)cores : 1};
  totals t = {.lock = PTHREAD_MUTEX_INITIALIZER};
  gg_error err = GG_ERROR_INIT;
  approx_device device;
  if (!parse(&s, argc, argv)) {
    fprintf(
        stderr,
        "usage: approx_check [--golden FILE [--all] | --write-golden FILE | "
        "--measure DIR [--functions] | --emu] [--only TEXT] [--first I] [--count N] [--threads N]\n"
        "       I and N of inputs are multiples of 65536\n");
    return USAGE;
  }
  bool offline = s.golden || (s.measure && s.functions);
  gg_status st = GG_OK;
  if (!offline &&
      approx_device_open(&device, s.emulated ? GG_PROVIDER_EMU : GG_PROVIDER_CUDA, &err)) {
    printf("approx_check: skipped: %s\n", err.message);
    gg_error_clear(&err);
    return SKIPPED;
  }
  st = run(&t, offline ? NULL : &device, &s, &err);
  if (st) fprintf(stderr, "approx_check: %s\n", err.message);
  if (!offline) approx_device_close(&device);
  gg_error_clear(&err);
  return st || t.failed || t.mismatches ? EXIT_FAILURE : EXIT_SUCCESS;
}
