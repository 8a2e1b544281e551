/* Breaks the PTX of any program in one place at a time (mutate.def) and tells which of the mutants
 * the emulator notices: by a wrong result, an error or a warning. By hand, for programs and kernels
 * of others:
 *
 *     mutate [OPTION]... -- COMMAND...
 *
 *     --right TEXT     what the command prints where its result is right; else its exit status says
 *     --ptx FILE       the PTX, whose mutant's path takes the place of {} in the command; else it
 * is what the command loads by cuModuleLoadData, as the emulator's CUDA runtime does
 *     --entry TEXT     only kernels and functions whose name has this in it
 *     --class NAME     only mutants of this class
 *     --from LINE      only from this line of the PTX on: to go on where a run ended
 *     --seeds N        runs of each: one as late as may be, N in random order (7)
 *     --seconds N      of a run, which is taken for endless then (60)
 *
 * The command finds the emulator by itself: the environment has LD_LIBRARY_PATH and
 * GEMMGEN_EMU_ARCH. Where a statement is never run, which a trap in its place shows, it is left
 * alone. The last line counts; mutants that are missed are to be judged: some compute the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "mutate_text.h"

enum { TEXT_MAX = 64 << 20, VERDICT_MAX = 200 };

typedef struct options {
  const char *right, *ptx, *entry, *class, *shim;
  int seeds, seconds, from;
  char **command;
  size_t warnings; /* of the program as it is */
  char text_path[32], mutant_path[32], output_path[32];
} options;

typedef enum outcome { RIGHT, WRONG, FAULT, WARNED } outcome;

/* ---- Running ---------------------------------------------------------------------------- */

static void say(const char *name, const char *value) {
  if (!value)
    unsetenv(name);
  else if (setenv(name, value, 1))
    exit(EXIT_FAILURE);
}

/* In the child: the command, with `path` as its PTX, or NULL: as it is. */
static void run_command(const options *o, const char *path, int seed) {
  char number[16];
  snprintf(number, sizeof number, "%d", seed);
  say("GEMMGEN_EMU_SEED", seed ? number : NULL);
  say("GEMMGEN_EMU_MAX_STEPS", "50000000");
  if (!o->ptx) say("LD_PRELOAD", o->shim);
  say("MUTATE_PTX", path);
  say("MUTATE_KEEP", path ? NULL : o->text_path);
  for (char **word = o->command; *word; word++) {
    if (!strcmp(*word, "{}")) *word = (char *)(path ? path : o->ptx);
  }
  alarm((unsigned)o->seconds);
  if (!freopen(o->output_path, "w", stdout) || dup2(1, 2) < 0) _exit(126);
  execvp(o->command[0], o->command);
  _exit(127);
}

static size_t count(const char *text, const char *word) {
  size_t number = 0;
  while ((text = strstr(text, word))) {
    number++;
    text += strlen(word);
  }
  return number;
}

/* The line of the output that says most. */
static void summarise(char verdict[VERDICT_MAX], const char *output) {
  const char *at = strstr(output, " [EMU_"), *end;
  if (!at) at = strlen(output) ? output + strlen(output) - 1 : output;
  while (at > output && at[-1] != '\n')
    at--;
  end = strchr(at, '\n');
  snprintf(verdict, VERDICT_MAX, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
}

static outcome run(char verdict[VERDICT_MAX], options *o, const char *path, int seed) {
  gg_error err = GG_ERROR_INIT;
  char *output;
  size_t length;
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) run_command(o, path, seed);
  if (child < 0 || waitpid(child, &status, 0) < 0) exit(EXIT_FAILURE);
  if (gg_file_read(&output, &length, o->output_path, TEXT_MAX, &err)) exit(EXIT_FAILURE);
  summarise(verdict, output);
  size_t warnings = count(output, "[EMU_");
  bool right = !o->right || strstr(output, o->right), failed = status != 0;
  gg_free(output);
  if (!path) o->warnings = warnings > o->warnings ? warnings : o->warnings;
  if (failed) return warnings > o->warnings || !WIFEXITED(status) ? FAULT : WRONG;
  return !right ? WRONG : warnings > o->warnings ? WARNED : RIGHT;
}

static outcome run_seeds(char verdict[VERDICT_MAX], options *o, const char *path) {
  outcome what = RIGHT;
  for (int seed = 0; seed <= o->seeds && what == RIGHT; seed++)
    what = run(verdict, o, path, seed);
  return what;
}

static void write_mutant(const options *o, const char *text, const statement *s,
                         const mutation *m) {
  gg_str mutant = GG_STR_INIT;
  mutate_text(&mutant, text, s, m);
  FILE *file = fopen(o->mutant_path, "w");
  if (mutant.failed || !file || fputs(gg_str_text(&mutant), file) < 0 || fclose(file)) {
    perror("mutate");
    exit(EXIT_FAILURE);
  }
  gg_str_free(&mutant);
}

/* ---- All of them ------------------------------------------------------------------------ */

typedef struct totals {
  int mutants, noticed;
} totals;

static void judge(totals *t, options *o, const char *text, const statement *s, const mutation *m) {
  static const char *const names[] = {"MISSED", "wrong result", "error", "warning"};
  char verdict[VERDICT_MAX];
  write_mutant(o, text, s, m);
  outcome what = run_seeds(verdict, o, o->mutant_path);
  printf("%d %s: %s %s, operand %d %s: %s: %s\n", s->line, m->class, m->name, m->opcode, m->operand,
         m->value, names[what], verdict);
  t->mutants++;
  t->noticed += what != RIGHT;
}

/* Whether the statement is run at all. */
static bool is_run(options *o, const char *text, const statement *s) {
  char verdict[VERDICT_MAX];
  write_mutant(o, text, s, NULL);
  return run(verdict, o, o->mutant_path, 0) != RIGHT;
}

/* What is under way. */
typedef struct course {
  totals all;
  options *o;
  const char *text;
} course;

static void break_statement(void *user, const statement *s) {
  course *c = user;
  int ran = -1;
  if (s->line < c->o->from) return;
  for (int i = 0; i < mutation_count; i++) {
    const mutation *m = &mutations[i];
    if (!mutation_applies(s, m) || (c->o->class && strcmp(c->o->class, m->class))) continue;
    if (ran < 0) ran = is_run(c->o, c->text, s);
    if (ran) judge(&c->all, c->o, c->text, s, m);
  }
}

/* ---- The command line ------------------------------------------------------------------- */

static bool take(const char **out, char ***at, const char *name) {
  if (strcmp(**at, name) != 0 || !(*at)[1]) return false;
  *out = *++*at;
  ++*at;
  return true;
}

static bool read_options(options *o, char **argv) {
  const char *seeds = "7", *seconds = "60", *from = "0";
  char **at = argv + 1;
  while (*at && strcmp(*at, "--") != 0) {
    if (!take(&o->right, &at, "--right") && !take(&o->ptx, &at, "--ptx") &&
        !take(&o->entry, &at, "--entry") && !take(&o->class, &at, "--class") &&
        !take(&seeds, &at, "--seeds") && !take(&seconds, &at, "--seconds") &&
        !take(&from, &at, "--from")) {
      return false;
    }
  }
  if (!*at || !at[1]) return false;
  o->command = at + 1;
  o->seeds = atoi(seeds);
  o->seconds = atoi(seconds);
  o->from = atoi(from);
  return true;
}

static void name_file(char path[32]) {
  strcpy(path, "/tmp/mutate-XXXXXX");
  int file = mkstemp(path);
  if (file < 0) exit(EXIT_FAILURE);
  close(file);
}

int main(int argc, char **argv) {
  options o = {.shim = MUTATE_SHIM};
  gg_error err = GG_ERROR_INIT;
  char verdict[VERDICT_MAX], *text = NULL;
  size_t length;
  course c = {.o = &o};
  if (argc < 2 || !read_options(&o, argv)) {
    fprintf(stderr, "usage: mutate [--right TEXT] [--ptx FILE] [--entry TEXT] [--class NAME] "
                    "[--from LINE] [--seeds N] [--seconds N] -- COMMAND...\n");
    return 2;
  }
  name_file(o.text_path);
  name_file(o.mutant_path);
  name_file(o.output_path);
  outcome what = run_seeds(verdict, &o, NULL);
  if (what != RIGHT) {
    printf("the program as it is: %s\n", verdict);
  } else if (gg_file_read(&text, &length, o.ptx ? o.ptx : o.text_path, TEXT_MAX, &err)) {
    printf("%s\n", err.message);
  } else {
    c.text = text;
    each_statement(text, o.entry, break_statement, &c);
  }
  gg_free(text);
  unlink(o.text_path);
  unlink(o.mutant_path);
  unlink(o.output_path);
  printf("mutants: %d, noticed: %d\n", c.all.mutants, c.all.noticed);
  return c.all.mutants && c.all.noticed == c.all.mutants ? EXIT_SUCCESS : EXIT_FAILURE;
}
