/* Holds the emulator to the hardware, one instruction form of forms.def at a time.
 *
 *     forms_check                     both, on the same operands; needs a GPU
 *     forms_check --golden FILE       the emulator, against what the hardware gave
 *     forms_check --write-golden FILE the hardware alone: what it gives
 *     forms_check --list | --ptx DIR  the forms; their kernels
 *
 * Says every few seconds how far it is. Ends with the forms tested, the operands, and the forms and
 * results that differ, by any bit. `--shard I/N` does every Nth form from the Ith on, 0 being the
 * first, so that N processes share the work; `--times` says how long each form took. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "forms.h"
#include "forms_golden.h"

enum { ALL_THREADS = 128 * 1024, EXAMPLES = 4, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct settings {
  const char *only, *golden, *write, *ptx;
  bool list, all, times;
  unsigned shard, shards;
  int emu_threads; /* 0: one a core */
  size_t words;    /* of results that a line of golden data holds */
  char *golden_text;
} settings;

typedef struct totals {
  unsigned forms, skipped, differing, failed;
  uint64_t operands, results, mismatches;
} totals;

/* When the run began, and when it last said how far it is; seconds. */
typedef struct progress {
  double begin, told;
  size_t forms; /* to be tested */
} progress;

/* ---- How much ------------------------------------------------------------------------- */

/* At least 100,000 results, and every way that operands are made. */
static unsigned all_threads(const form *f) {
  if (!f->matrices) return ALL_THREADS;
  unsigned ctas = ALL_THREADS / (unsigned)(FORM_BLOCK * f->out_words);
  return FORM_BLOCK * (ctas < 36 ? 36 : ctas);
}

static unsigned sample_threads(const form *f) {
  return f->matrices ? 9 * FORM_BLOCK : 512;
}

/* ---- Comparing ------------------------------------------------------------------------ */

/* A thread's operands, for a form of single threads; else where the result stands. */
static void print_operands(const form *f, const form_data *data, size_t index) {
  size_t registers = data->out_bytes / 4;
  size_t thread =
      index < registers ? index % data->threads : (index - registers) * 4 / (size_t)f->memory_bytes;
  printf("    thread %zu", thread);
  if (index < registers)
    printf(" word %zu", index / data->threads);
  else
    printf(" memory byte %zu", (index - registers) * 4 % (size_t)f->memory_bytes);
  if (f->unit > 1)
    printf(" unit %zu way %zu", thread / (size_t)f->unit, thread / (size_t)f->unit % 9);
  for (int w = 0; f->unit == 1 && w < f->in_words; w++) {
    printf(" %08" PRIx32, data->in[(size_t)w * data->threads + thread]);
  }
}

typedef uint32_t result_at(const void *results, size_t index);

static uint32_t result_of_data(const void *results, size_t index) {
  return form_result(results, index);
}

static uint32_t result_of_golden(const void *results, size_t index) {
  return ((const form_golden *)results)->words[index];
}

static uint64_t compare(const form *f, const form_data *got, const void *expected, result_at *at,
                        size_t count) {
  uint64_t mismatches = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t hardware = at(expected, i), emulator = form_result(got, i);
    if (hardware == emulator) continue;
    if (!mismatches) printf("DIFFERS %s: %s\n", f->group, f->text);
    if (mismatches++ >= EXAMPLES) continue;
    print_operands(f, got, i);
    printf(": hardware %08" PRIx32 " emulator %08" PRIx32 "\n", hardware, emulator);
  }
  return mismatches;
}

static void count_mismatches(totals *t, const form *f, uint64_t mismatches, size_t results) {
  t->results += results;
  t->mismatches += mismatches;
  t->differing += mismatches != 0;
  if (mismatches)
    printf("    %" PRIu64 " of %zu results differ: %s\n", mismatches, results, f->text);
}

/* ---- One form ------------------------------------------------------------------------- */

static gg_status run_on(const form_machine *m, form_data *data, const form *f, unsigned threads,
                        gg_error *err) {
  gg_str ptx = GG_STR_INIT;
  form_ptx(&ptx, f);
  gg_status st = ptx.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  if (!st) st = form_data_open(data, f, threads, err);
  if (!st && (st = m->run(m->self, gg_str_text(&ptx), f, data, err))) form_data_close(data);
  gg_str_free(&ptx);
  return st;
}

static gg_status check_both(totals *t, const form_machine *machines, const form *f, gg_error *err) {
  form_data expected, got;
  unsigned threads = all_threads(f);
  gg_status st = run_on(&machines[0], &expected, f, threads, err);
  if (st) return st;
  st = run_on(&machines[1], &got, f, threads, err);
  if (!st) {
    size_t count = form_result_count(f, &got);
    count_mismatches(t, f, compare(f, &got, &expected, result_of_data, count), count);
    t->operands += form_operand_values(f, threads);
    form_data_close(&got);
  }
  form_data_close(&expected);
  return st;
}

static gg_status check_golden(totals *t, const settings *s, const form_machine *m, const form *f,
                              gg_error *err) {
  form_golden golden;
  form_data got;
  if (!form_golden_find(&golden, s->golden_text, f)) {
    t->skipped++;
    return GG_OK;
  }
  unsigned threads = s->all ? golden.all_threads : golden.threads;
  gg_status st = run_on(m, &got, f, threads, err);
  if (!st) {
    size_t count = form_result_count(f, &got);
    uint64_t bad = s->all ? 0
                          : compare(f, &got, &golden, result_of_golden,
                                    golden.count < count ? golden.count : count);
    if (!bad && form_hash(f, &got) != (s->all ? golden.all_hash : golden.hash)) {
      printf("DIFFERS %s: %s\n    in none of the first %zu results\n", f->group, f->text,
             golden.count);
      bad = 1;
    }
    count_mismatches(t, f, bad, count);
    t->operands += form_operand_values(f, threads);
    form_data_close(&got);
  }
  form_golden_close(&golden);
  return st;
}

static gg_status write_golden(totals *t, gg_str *out, const settings *s, const form_machine *m,
                              const form *f, gg_error *err) {
  form_data sample, all;
  gg_status st = run_on(m, &sample, f, sample_threads(f), err);
  if (st) return st;
  st = run_on(m, &all, f, all_threads(f), err);
  if (!st) {
    form_golden_write(out, f, &sample, &all, s->words);
    t->operands += form_operand_values(f, all_threads(f));
    t->results += form_result_count(f, &all);
    form_data_close(&all);
  }
  form_data_close(&sample);
  return st;
}

/* ---- All forms ------------------------------------------------------------------------ */

static bool chosen(const settings *s, const form *f, size_t index) {
  if (s->shards && index % s->shards != s->shard) return false;
  return !s->only || strstr(f->text, s->only) || !strcmp(f->group, s->only);
}

static gg_status run_form(totals *t, gg_str *out, const settings *s, const form_machine *machines,
                          const form *f, gg_error *err) {
  if (s->golden) return check_golden(t, s, &machines[1], f, err);
  if (s->write) return write_golden(t, out, s, &machines[0], f, err);
  return check_both(t, machines, f, err);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t count_chosen(const settings *s, const form_list *list) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++)
    count += chosen(s, &list->forms[i], i);
  return count;
}

/* Thousands of forms take minutes: whoever waits learns every few seconds that they go on. */
static void tell_progress(progress *p, const totals *t) {
  enum { seconds_between = 5 };
  double time = now();
  if (time - p->told < seconds_between) return;
  p->told = time;
  printf("%u of %zu forms in %.0f s: %u differ, %u failed\n", t->forms, p->forms, time - p->begin,
         t->differing, t->failed);
}

static void run_forms(totals *t, gg_str *out, const settings *s, const form_machine *machines,
                      const form_list *list) {
  progress p = {.begin = now(), .forms = count_chosen(s, list)};
  p.told = p.begin;
  for (size_t i = 0; i < list->count; i++) {
    const form *f = &list->forms[i];
    if (!chosen(s, f, i)) continue;
    gg_error err = GG_ERROR_INIT;
    double begin = now();
    t->forms++;
    if (run_form(t, out, s, machines, f, &err)) {
      printf("FAILED %s: %s\n    %s\n", f->group, f->text, err.message);
      t->failed++;
    }
    gg_error_clear(&err);
    if (s->times) printf("%.3f s %s: %s\n", now() - begin, f->group, f->text);
    tell_progress(&p, t);
    fflush(stdout);
  }
}

static void print_totals(const totals *t) {
  printf("forms tested: %u, operands: %" PRIu64 ", results: %" PRIu64 ", mismatches: %" PRIu64
         " in %u forms; failed: %u, not in the golden data: %u\n",
         t->forms, t->operands, t->results, t->mismatches, t->differing, t->failed, t->skipped);
}

static int check(const settings *s, const form_list *list) {
  form_machine machines[2] = {{0}};
  gg_error err = GG_ERROR_INIT;
  gg_str out = GG_STR_INIT;
  totals t = {0};
  gg_status st = s->golden ? GG_OK : form_gpu_open(&machines[0], &err);
  if (!st && !s->write) st = form_emulator_open(&machines[1], s->emu_threads, &err);
  if (!st) {
    run_forms(&t, &out, s, machines, list);
    print_totals(&t);
    if (s->write && !gg_file_replace(s->write, gg_str_text(&out), out.length, 0644, false)) {
      fprintf(stderr, "forms_check: cannot write %s\n", s->write);
      t.failed++;
    }
  } else {
    fprintf(stderr, "forms_check: %s\n", err.message);
  }
  for (int i = 0; i < 2; i++) {
    if (machines[i].close) machines[i].close(machines[i].self);
  }
  gg_str_free(&out);
  gg_error_clear(&err);
  return st || t.failed || t.mismatches ? EXIT_FAILED : EXIT_SUCCESS;
}

static int list_forms(const settings *s, const form_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    const form *f = &list->forms[i];
    if (!chosen(s, f, i)) continue;
    if (s->list) printf("%zu\t%s\t%s\n", i, f->group, f->text);
    if (!s->ptx) continue;
    gg_str path = GG_STR_INIT, text = GG_STR_INIT;
    gg_str_printf(&path, "%s/%04zu.ptx", s->ptx, i);
    form_ptx(&text, f);
    bool written =
        gg_file_replace(gg_str_text(&path), gg_str_text(&text), text.length, 0644, false);
    gg_str_free(&path);
    gg_str_free(&text);
    if (!written) return EXIT_FAILED;
  }
  return EXIT_SUCCESS;
}

/* ---- The command line ----------------------------------------------------------------- */

static bool parse_shard(settings *s, const char *text) {
  int length = 0;
  return sscanf(text, "%u/%u%n", &s->shard, &s->shards, &length) == 2 && !text[length] &&
         s->shard < s->shards;
}

/* An option and its value. */
static bool parse_value(settings *s, const char *flag, char *value) {
  const struct {
    const char *flag;
    const char **text;
  } texts[] = {{"--only", &s->only},
               {"--golden", &s->golden},
               {"--write-golden", &s->write},
               {"--ptx", &s->ptx}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (strcmp(flag, texts[i].flag)) continue;
    *texts[i].text = value;
    return true;
  }
  if (!strcmp(flag, "--shard")) return parse_shard(s, value);
  if (!strcmp(flag, "--words"))
    s->words = strtoul(value, NULL, 10);
  else if (!strcmp(flag, "--emu-threads"))
    s->emu_threads = atoi(value);
  else
    return false;
  return true;
}

static bool parse(settings *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--list"))
      s->list = true;
    else if (!strcmp(argv[i], "--all"))
      s->all = true;
    else if (!strcmp(argv[i], "--times"))
      s->times = true;
    else if (i + 1 == argc || !parse_value(s, argv[i], argv[i + 1]))
      return false;
    else
      i++;
  }
  return true;
}

int main(int argc, char **argv) {
  settings s = {.words = 64};
  form_list list;
  gg_error err = GG_ERROR_INIT;
  size_t length = 0;
  if (!parse(&s, argc, argv)) {
    fprintf(stderr, "usage: forms_check [--only TEXT] [--shard I/N] [--times] [--emu-threads N]\n"
                    "                   [--golden FILE [--all] | --write-golden FILE [--words N] | "
                    "--list | --ptx DIR]\n");
    return EXIT_USAGE;
  }
  gg_status st = form_list_open(&list, &err);
  if (!st && s.golden) st = gg_file_read(&s.golden_text, &length, s.golden, SIZE_MAX - 1, &err);
  int status = EXIT_FAILED;
  if (st)
    fprintf(stderr, "forms_check: %s\n", err.message);
  else
    status = s.list || s.ptx ? list_forms(&s, &list) : check(&s, &list);
  gg_free(s.golden_text);
  form_list_close(&list);
  gg_error_clear(&err);
  return status;
}
