/* random_specs [--family sm100|sm120|plain|simt] [--seed S] [--first I] [--count N] [--launches L]
 * [--keep FOLDER] SPEC...: specs from a seed (of sm100, of sm120, of sm120 with types that every
 * mma.sync has, of simt, or of the others), and those of files, each refused by the plan in so many
 * words, or generated, compiled to PTX and run in the emulator on small ragged problems, against
 * sums in f64, with guard zones. Each runs twice: with asynchronous work as late as it may be on
 * two threads of the host, then at random moments on one; and on one workspace again and again. All
 * must give the same bits, and leave the counters zero.
 *
 * `--launches 0` only generates. A failure prints the spec, its number and the problem: `--seed S
 * --first I --count 1` has it again. The legal specs are kept in FOLDER, where tests/cli/compile.sh
 * finds spills and warnings. Ends with "N passed, N refused, N failed". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "draw.h"
#include "inputs.h"
#include "subject.h"

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

/* ---- One spec ------------------------------------------------------------------------- */

/* Under a name of its own. */
static bool keep(subject *s, const char *folder) {
  gg_error err = GG_ERROR_INIT;
  gg_str path = GG_STR_INIT, text = GG_STR_INIT;
  if (!folder) return true;
  gg_str_printf(&path, "%s/%06lld.yaml", folder, (long long)s->number);
  gg_str_printf(&text, "name: random_%lld\n%s", (long long)s->number, gg_str_text(&s->text));
  bool good = gg_file_replace(gg_str_text(&path), text.text, text.length, 0644, false);
  gg_str_free(&path);
  gg_str_free(&text);
  return good ? true : subject_fail(s, strerror(errno), &err);
}

static bool try_kernel(subject *s, const char *folder, gg_compiler *compiler, draws *from) {
  s->problem_count = SUBJECT_PROBLEMS;
  for (int i = 0; i < SUBJECT_PROBLEMS; i++)
    s->problems[i] = draw_problem(from, s->kernel);
  if (!subject_check_columns(s) || !keep(s, folder)) return false;
  uint64_t seed = 1 + (uint64_t)s->number;
  return s->launches == 0 || (subject_compile(s, compiler) && subject_emulate(s, 0) &&
                              subject_emulate(s, seed) && subject_emulate_ptx(s, compiler, seed));
}

static void check_spec(totals *out, const options *given, subject *s, draws *from,
                       gg_compiler *compiler) {
  bool good = subject_generate(s);
  if (good && !s->kernel) {
    out->refused++;
  } else if (good && try_kernel(s, given->keep, compiler, from)) {
    out->passed++;
  } else {
    out->failed++;
    printf("FAILED --seed %llu --first %lld: %s\n%s\n", (unsigned long long)given->seed,
           (long long)s->number, gg_str_text(&s->why), gg_str_text(&s->text));
  }
  fflush(stdout);
  subject_free(s);
}

static void check_drawn(totals *out, const options *given, gg_compiler *compiler) {
  for (int64_t i = given->first; i < given->first + given->count; i++) {
    subject s = {.number = i, .launches = given->launches};
    draws from = {.seed = gg_random(given->seed, (uint64_t)i)};
    given->draw(&s.text, &from);
    check_spec(out, given, &s, &from, compiler);
  }
}

/* Those of files must be legal. */
static void check_files(totals *out, const options *given, gg_compiler *compiler) {
  for (char **path = given->paths; *path; path++) {
    gg_error err = GG_ERROR_INIT;
    subject s = {.number = path - given->paths, .launches = given->launches};
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
    check_spec(&one, given, &s, &from, compiler);
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

/* Sets what draws specs; false if no family has this name. */
static bool read_family(options *out, const char *name) {
  static const struct {
    const char *name;
    void (*draw)(gg_str *out, draws *from);
  } families[] = {{"sm100", draw_spec_of_sm100},
                  {"sm120", draw_spec_of_sm120},
                  {"plain", draw_spec_of_plain},
                  {"simt", draw_spec_of_simt}};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(name, families[i].name) != 0) continue;
    out->draw = families[i].draw;
    return true;
  }
  return false;
}

static bool read_options(options *out, int argc, char **argv) {
  *out = (options){.seed = 1, .launches = 2, .draw = draw_spec};
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; at += 2) {
    int64_t number = 0;
    const char *name = argv[at] + strspn(argv[at], "-"), *value = argv[at + 1];
    if (!value) return false;
    if (strcmp(name, "keep") == 0) {
      out->keep = value;
      continue;
    }
    if (strcmp(name, "family") == 0) {
      if (!read_family(out, value)) return false;
      continue;
    }
    if (!read_number(&number, value))
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
    fprintf(
        stderr,
        "usage: random_specs [--family sm100|sm120|plain|simt] [--seed S] [--first I] [--count N] "
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
