/* Breaks known-good kernels in one place at a time and holds that the emulator notices: by a
 * wrong result, an error or a warning that names what is wrong (mutants.def). The kernels as they
 * are raise nothing. Every run is a child of its own, so that a mutant can do no harm to the next.
 *
 *     mutants DIRECTORY [KERNEL]    every mutant with what became of it; fails under 95% */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "gemmgen_emu.h"
#include "gemmgen_runtime.h"
#include "recipe/recipe.h"

enum {
  TEXT_MAX = 4 << 20,
  SECONDS = 20,
  VERDICT_MAX = 400,
  PERCENT = 95,
  SEEDS = 8,
  SEEDS_AS_IT_IS = 21
};

typedef enum action { DROP, PASS, ADD, REPLACE, RECIPE } action;

typedef struct mutation {
  const char *kernel;
  action action;
  const char *name, *find, *argument;
} mutation;

typedef struct equivalent {
  const char *kernel;
  int line;
  action action;
  const char *find, *why;
} equivalent;

#define MUTATION(kernel, action, find, argument) {kernel, action, #action, find, argument},
#define EQUIVALENT(...)
static const mutation mutations[] = {
#include "mutants.def"
};
#undef MUTATION
#undef EQUIVALENT

#define MUTATION(...)
#define EQUIVALENT(kernel, line, action, find, why) {kernel, line, action, find, why},
static const equivalent equivalents[] = {
#include "mutants.def"
    {NULL, 0, DROP, NULL, NULL},
};

/* Each kernel, and the architecture that it is for. */
static const struct {
  const char *name, *arch;
} kernels[] = {{"small_tile", "90"},        {"f16_accumulators", "90"},   {"wgmma_pipeline", "90"},
               {"tma_wgmma", "90"},         {"cluster_multicast", "90"},  {"tma_tcgen05", "100"},
               {"tma_tcgen05_pair", "100"}, {"tma_tcgen05_scaled", "100"}};

typedef struct subject {
  const char *name;
  char recipe_path[512];
  char *recipe, *ptx;
} subject;

typedef struct totals {
  int mutants, caught, equivalent, alarms;
} totals;

/* ---- Running -------------------------------------------------------------------------- */

typedef enum outcome { RIGHT, WRONG, FAULT, WARNED, LOST } outcome;

/* In the child: what came out as the exit status, and words for it. */
static outcome replay(gg_str *words, const gg_str *warnings, const char *recipe_text,
                      const char *path, const char *ptx) {
  gg_error err = GG_ERROR_INIT;
  gg_recipe *recipe = NULL;
  gg_context *context = NULL;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  options.provider = GG_PROVIDER_EMU;
  int failed = 0;
  gg_status st = gg_recipe_parse(&recipe, recipe_text, strlen(recipe_text), path, &err);
  if (!st) st = gg_context_open(&context, &options, &err);
  if (!st) {
    if (ptx) recipe->ptx = ptx;
    st = gg_recipe_replay(&failed, words, recipe, context, &err);
  }
  if (st) gg_str_printf(words, "%s", err.message);
  return st ? FAULT : failed ? WRONG : warnings->length ? WARNED : RIGHT;
}

static void keep_warning(void *user, const char *message) {
  gg_str_puts(user, message);
}

static void run_child(int out, const char *recipe, const char *path, const char *ptx, int seed) {
  gg_str words = GG_STR_INIT, warnings = GG_STR_INIT;
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  gg_emu_options_init(&options);
  options.random = seed != 0;
  options.seed = (uint64_t)seed;
  options.max_steps = 2000000;
  options.warn = keep_warning;
  options.warn_user = &warnings;
  gg_emu_configure(&options);
  alarm(SECONDS);
  outcome what = replay(&words, &warnings, recipe, path, ptx);
  const char *text = gg_str_text(what == WARNED ? &warnings : &words);
  size_t length = strlen(text);
  if (write(out, text, length < VERDICT_MAX ? length : VERDICT_MAX - 1) < 0) what = LOST;
  _exit(what);
}

/* Runs a recipe, with this PTX file unless it is NULL; the child's words go to verdict. A child
 * that dies is LOST. */
static outcome run(char verdict[VERDICT_MAX], const char *recipe, const char *path, const char *ptx,
                   int seed) {
  int ends[2], status;
  verdict[0] = 0;
  if (pipe(ends)) return LOST;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) run_child(ends[1], recipe, path, ptx, seed);
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; child > 0 && length < VERDICT_MAX - 1; length += (size_t)got) {
    got = read(ends[0], verdict + length, VERDICT_MAX - 1 - length);
    if (got <= 0) break;
  }
  close(ends[0]);
  verdict[length] = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return LOST;
  if (!WIFEXITED(status)) snprintf(verdict, VERDICT_MAX, "ended by signal %d", WTERMSIG(status));
  return WIFEXITED(status) ? (outcome)WEXITSTATUS(status) : LOST;
}

/* ---- Mutants -------------------------------------------------------------------------- */

/* Whether a statement begins at `at`: after the last one's end, a brace, a label or a guard. */
static bool begins_statement(const char *text, const char *at) {
  const char *before = at;
  while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
    before--;
  if (before == text || strchr(";{}\n:", before[-1])) return true;
  while (before > text && !strchr(" \t\n;{", before[-1]))
    before--;
  return *before == '@';
}

/* The next place where the mutation applies, from `at` on. */
static const char *next_site(const mutation *m, const char *text, const char *at) {
  while ((at = strstr(at, m->find))) {
    if (m->action == REPLACE || m->action == RECIPE || begins_statement(text, at)) return at;
    at++;
  }
  return NULL;
}

static void mutate_number(gg_str *out, const char *at, const char *end, int delta) {
  const char *digit = end;
  while (digit > at && digit[-1] >= '0' && digit[-1] <= '9')
    digit--;
  gg_str_append(out, at, (size_t)(digit - at));
  gg_str_printf(out, "%ld", strtol(digit, NULL, 10) + delta);
}

/* The text with its mutation at `at`. */
static void mutate(gg_str *out, const mutation *m, const char *text, const char *at) {
  const char *end = at + strcspn(at, ";");
  gg_str_append(out, text, (size_t)(at - text));
  switch (m->action) {
  case DROP:
    gg_str_puts(out, "pmevent 0");
    break; /* whatever guards the statement stays legal */
  case PASS: {
    const char *result = at + strcspn(at, " \t");
    result += strspn(result, " \t");
    gg_str_printf(out, "setp.eq.u32 %.*s, 0, 0", (int)strcspn(result, ","), result);
    break;
  }
  case ADD:
    mutate_number(out, at, end, atoi(m->argument));
    break;
  default:
    gg_str_puts(out, m->argument);
    end = at + strlen(m->find);
  }
  gg_str_puts(out, end);
}

static int line_of(const char *text, const char *at) {
  int line = 1;
  for (; text < at; text++)
    line += *text == '\n';
  return line;
}

static const char *why_equivalent(const subject *s, const mutation *m, int line) {
  for (const equivalent *e = equivalents; e->kernel; e++) {
    if (!strcmp(e->kernel, s->name) && e->line == line && e->action == m->action &&
        !strcmp(e->find, m->find)) {
      return e->why;
    }
  }
  return NULL;
}

/* The mutant's PTX needs a file, which is the recipe's `ptx`. */
static bool write_mutant(char path[64], const gg_str *text) {
  snprintf(path, 64, "/tmp/mutant-XXXXXX");
  int file = mkstemp(path);
  if (file < 0) return false;
  bool whole = write(file, text->text, text->length) == (ssize_t)text->length;
  close(file);
  return whole;
}

/* As late as asynchronous work may land, then at random moments. */
static outcome run_seeds(char verdict[VERDICT_MAX], const char *recipe, const char *path,
                         const char *ptx, int seeds) {
  outcome what = RIGHT;
  for (int seed = 0; seed < seeds && what == RIGHT; seed++) {
    what = run(verdict, recipe, path, ptx, seed);
  }
  return what;
}

static outcome run_mutant(char verdict[VERDICT_MAX], const subject *s, const mutation *m,
                          const gg_str *mutant) {
  if (m->action == RECIPE) {
    return run_seeds(verdict, gg_str_text(mutant), s->recipe_path, NULL, SEEDS);
  }
  char path[64];
  if (!write_mutant(path, mutant)) return LOST;
  outcome what = run_seeds(verdict, s->recipe, s->recipe_path, path, SEEDS);
  unlink(path);
  return what;
}

static void judge(totals *t, const subject *s, const mutation *m, const char *text,
                  const char *at) {
  int line = line_of(text, at);
  const char *why = why_equivalent(s, m, line);
  char verdict[VERDICT_MAX] = "";
  gg_str mutant = GG_STR_INIT;
  mutate(&mutant, m, text, at);
  outcome what = run_mutant(verdict, s, m, &mutant);
  gg_str_free(&mutant);
  static const char *const names[] = {"MISSED", "wrong result", "error", "warning", "LOST"};
  verdict[strcspn(verdict, "\n")] = 0;
  printf("%s:%d %s %s%s%s: %s%s%.150s\n", s->name, line, m->name, m->find,
         *m->argument ? " -> " : "", m->argument, why ? "equivalent: " : "",
         why ? why : names[what], verdict);
  if (why) {
    t->equivalent++;
    return;
  }
  t->mutants++;
  t->caught += what == WRONG || what == FAULT || what == WARNED;
}

static void mutate_all(totals *t, const subject *s) {
  for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
    const mutation *m = &mutations[i];
    if (strcmp(m->kernel, "*") != 0 && strcmp(m->kernel, s->name) != 0) continue;
    const char *text = m->action == RECIPE ? s->recipe : s->ptx;
    for (const char *at = text; (at = next_site(m, text, at)); at++)
      judge(t, s, m, text, at);
  }
}

/* ---- Kernels -------------------------------------------------------------------------- */

static bool open_subject(subject *s, const char *directory, const char *name) {
  gg_error err = GG_ERROR_INIT;
  size_t length;
  *s = (subject){.name = name};
  snprintf(s->recipe_path, sizeof s->recipe_path, "%s/%s.json", directory, name);
  gg_status st = gg_file_read(&s->recipe, &length, s->recipe_path, TEXT_MAX, &err);
  char ptx_path[512];
  snprintf(ptx_path, sizeof ptx_path, "%s/%s.ptx", directory, name);
  if (!st) st = gg_file_read(&s->ptx, &length, ptx_path, TEXT_MAX, &err);
  if (st) fprintf(stderr, "mutants: %s\n", err.message);
  gg_error_clear(&err);
  return !st;
}

static void close_subject(subject *s) {
  gg_free(s->recipe);
  gg_free(s->ptx);
}

static void check_kernel(totals *t, const subject *s) {
  char verdict[VERDICT_MAX];
  outcome what = run_seeds(verdict, s->recipe, s->recipe_path, NULL, SEEDS_AS_IT_IS);
  if (what != RIGHT) {
    printf("%s, as it is: FALSE ALARM: %s\n", s->name, verdict);
    t->alarms++;
  } else {
    mutate_all(t, s);
  }
}

int main(int argc, char **argv) {
  totals t = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: mutants DIRECTORY [KERNEL]\n");
    return 2;
  }
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    subject s;
    if (argc > 2 && strcmp(argv[2], kernels[i].name) != 0) continue;
    if (setenv("GEMMGEN_EMU_ARCH", kernels[i].arch, 1))
      return 2; /* the children's options have it */
    if (open_subject(&s, argv[1], kernels[i].name))
      check_kernel(&t, &s);
    else
      t.alarms++;
    close_subject(&s);
  }
  printf("mutants: %d, caught: %d, equivalent: %d, false alarms: %d\n", t.mutants, t.caught,
         t.equivalent, t.alarms);
  return t.alarms || t.caught * 100 < t.mutants * PERCENT ? EXIT_FAILURE : EXIT_SUCCESS;
}
