/* Holds the emulator to the hardware, one instruction form of forms.def at a time.
 *
 *     forms_check                     both, on the same operands; needs a GPU
 *     forms_check --golden FILE       the emulator, against what the hardware gave
 *     forms_check --write-golden FILE the hardware alone: what it gives
 *     forms_check --list | --ptx DIR  the forms; their kernels
 *
 * Ends with the forms tested, the operands, and the forms and results that differ, by any bit. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "forms.h"
#include "forms_golden.h"

enum { ALL_THREADS = 128 * 1024, EXAMPLES = 4, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct settings {
  const char *only, *golden, *write, *ptx;
  bool list, all;
  unsigned shard, shards;
  size_t words; /* of results that a line of golden data holds */
  char *golden_text;
} settings;

typedef struct totals {
  unsigned forms, skipped, differing, failed;
  uint64_t operands, results, mismatches;
} totals;

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

static void run_forms(totals *t, gg_str *out, const settings *s, const form_machine *machines,
                      const form_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    const form *f = &list->forms[i];
    if (!chosen(s, f, i)) continue;
    gg_error err = GG_ERROR_INIT;
    t->forms++;
    if (run_form(t, out, s, machines, f, &err)) {
      printf("FAILED %s: %s\n    %s\n", f->group, f->text, err.message);
      t->failed++;
    }
    gg_error_clear(&err);
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
  if (!st && !s->write) st = form_emulator_open(&machines[1], &err);
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

static bool parse(settings *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *flag = argv[i], *value = argv[i + 1];
    if (!strcmp(flag, "--list"))
      s->list = true;
    else if (!strcmp(flag, "--all"))
      s->all = true;
    else if (!value)
      return false;
    else if (!strcmp(flag, "--only"))
      s->only = argv[++i];
    else if (!strcmp(flag, "--golden"))
      s->golden = argv[++i];
    else if (!strcmp(flag, "--write-golden"))
      s->write = argv[++i];
    else if (!strcmp(flag, "--ptx"))
      s->ptx = argv[++i];
    else if (!strcmp(flag, "--words"))
      s->words = strtoul(argv[++i], NULL, 10);
    else if (!strcmp(flag, "--shard")) {
      if (sscanf(argv[++i], "%u/%u", &s->shard, &s->shards) != 2) return false;
    } else
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  settings s = {.words = 64};
  form_list list;
  gg_error err = GG_ERROR_INIT;
  size_t length = 0;
  if (!parse(&s, argc, argv)) {
    fprintf(stderr, "usage: forms_check [--only TEXT] [--shard I/N] [--golden FILE [--all] | "
                    "--write-golden FILE [--words N] | --list | --ptx DIR]\n");
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
