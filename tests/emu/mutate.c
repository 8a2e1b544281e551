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
 *     --seeds N        runs of each: one as late as may be, N in random order (7)
 *     --seconds N      of a run, which is taken for endless then (60)
 *
 * The command finds the emulator by itself: the environment has LD_LIBRARY_PATH and
 * GEMMGEN_EMU_ARCH. Where a statement is never run, which a trap in its place shows, it is left
 * alone. The last line counts; mutants that are missed are to be judged: some compute the same. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

enum { TEXT_MAX = 64 << 20, VERDICT_MAX = 200, OPERANDS_MAX = 16 };

typedef enum change { DROP, PASS, XOR, ADD, SET } change;

typedef struct mutation {
  const char *class, *opcode, *part;
  int operand;
  change change;
  const char *name, *value;
} mutation;

#define MUTATE(class, opcode, part, operand, change, value)                                        \
  {#class, opcode, part, operand, change, #change, #value},
static const mutation mutations[] = {
#include "mutate.def"
};

enum { mutation_count = sizeof mutations / sizeof *mutations };

typedef struct piece {
  const char *at, *end;
} piece;

typedef struct statement {
  piece all; /* from its guard to before its semicolon */
  piece opcode, operands[OPERANDS_MAX];
  int operand_count, line;
} statement;

typedef struct options {
  const char *right, *ptx, *entry, *class, *shim;
  int seeds, seconds;
  char **command;
  size_t warnings; /* of the program as it is */
  char text_path[32], mutant_path[32], output_path[32];
} options;

typedef enum outcome { RIGHT, WRONG, FAULT, WARNED } outcome;

/* ---- Statements ------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && isspace((unsigned char)*at))
    at++;
  return at;
}

static piece trimmed(const char *at, const char *end) {
  at = skip_blanks(at, end);
  while (end > at && isspace((unsigned char)end[-1]))
    end--;
  return (piece){at, end};
}

static void split_operands(statement *s) {
  const char *first = s->opcode.end;
  int depth = 0;
  for (const char *at = first; at <= s->all.end && s->operand_count < OPERANDS_MAX; at++) {
    if (at < s->all.end && strchr("[{(", *at)) depth++;
    if (at < s->all.end && strchr("]})", *at)) depth--;
    if (at < s->all.end && (depth || *at != ',')) continue;
    piece operand = trimmed(first, at);
    if (operand.at < operand.end) s->operands[s->operand_count++] = operand;
    first = at + 1;
  }
}

/* The statement that ends at the semicolon `end`, of text from `at` on. */
static bool read_statement(statement *s, const char *at, const char *end) {
  const char *begin = end;
  int depth = 0; /* braces of vectors */
  while (begin > at) {
    char before = begin[-1];
    if (before == '}') depth++;
    if (depth ? before == ';' : strchr(";{\n", before) && skip_blanks(begin, end) < end) break;
    if (!depth && before == ':' && begin[-2] != ':' && *begin != ':') break;
    if (before == '{') depth--;
    begin--;
  }
  *s = (statement){.all = trimmed(begin, end)};
  const char *opcode = s->all.at;
  if (opcode < end && *opcode == '@') {
    while (opcode < end && !isspace((unsigned char)*opcode))
      opcode++;
    opcode = skip_blanks(opcode, end);
  }
  s->opcode = (piece){opcode, opcode};
  while (s->opcode.end < s->all.end && !isspace((unsigned char)*s->opcode.end))
    s->opcode.end++;
  if (s->opcode.at == s->opcode.end) return false;
  split_operands(s);
  return true;
}

static bool has(piece text, const char *part) {
  size_t length = strlen(part);
  for (const char *at = text.at; at + length <= text.end; at++) {
    if (!memcmp(at, part, length)) return true;
  }
  return false;
}

/* The operand that is changed; NULL: the statement has none such. */
static const piece *operand_of(const statement *s, const mutation *m) {
  int index = m->operand < 0 ? s->operand_count + m->operand : m->operand;
  return index >= 0 && index < s->operand_count ? &s->operands[index] : NULL;
}

static bool applies(const statement *s, const mutation *m) {
  size_t length = strlen(m->opcode);
  if ((size_t)(s->opcode.end - s->opcode.at) < length || memcmp(s->opcode.at, m->opcode, length) ||
      !has(s->opcode, m->part)) {
    return false;
  }
  const piece *operand = operand_of(s, m);
  if (m->change == DROP) return true;
  if (!operand) return false;
  /* A in tensor memory has no descriptor. */
  return strcmp(m->class, "descriptor") != 0 || *operand->at != '[';
}

/* ---- Mutants ------------------------------------------------------------------------------ */

static void put_piece(gg_str *out, const char *at, const char *end) {
  gg_str_append(out, at, (size_t)(end - at));
}

/* Descriptors of matrices have 64 bits, masks 16, all else 32, but for addresses of barriers, which
 * may be generic: then compilers name their registers %rd. */
static const char *width_of(const mutation *m, const statement *s) {
  const piece *operand = operand_of(s, m);
  if (!strcmp(m->class, "mask")) return "b16";
  if (!strcmp(m->class, "descriptor") && m->operand < 3) return "b64";
  return *operand->at == '[' && !strncmp(operand->at + 1, "%rd", 3) ? "b64" : "b32";
}

/* { a register takes the operand's value, changed; the statement has that register }. */
static void put_changed(gg_str *out, const mutation *m, const statement *s) {
  const piece *operand = operand_of(s, m);
  bool address = *operand->at == '[';
  piece value = address ? trimmed(operand->at + 1, operand->end - 1) : *operand;
  const char *offset = address ? memchr(value.at, '+', (size_t)(value.end - value.at)) : NULL;
  piece base = {value.at, offset ? offset : value.end};
  const char *width = width_of(m, s), *sum = width[1] == '6'   ? "s64"
                                             : width[1] == '1' ? "s16"
                                                               : "s32";
  gg_str_printf(out, "{ .reg .%s %%mutant; mov.%s %%mutant, ", width, width);
  put_piece(out, base.at, base.end);
  gg_str_puts(out, "; ");
  if (m->change == SET) gg_str_printf(out, "mov.%s %%mutant, %s; ", width, m->value);
  if (m->change == XOR) gg_str_printf(out, "xor.%s %%mutant, %%mutant, %s; ", width, m->value);
  if (m->change == ADD) gg_str_printf(out, "add.%s %%mutant, %%mutant, %s; ", sum, m->value);
  put_piece(out, s->all.at, base.at);
  gg_str_puts(out, "%mutant");
  put_piece(out, base.end, s->all.end);
  gg_str_puts(out, "; }");
}

/* Text with `m` in place of the statement; NULL: a trap. */
static void mutate(gg_str *out, const char *text, const statement *s, const mutation *m) {
  const char *rest = s->all.end;
  put_piece(out, text, s->all.at);
  if (m && (m->change == XOR || m->change == ADD || m->change == SET)) {
    put_changed(out, m, s);
    rest++; /* the semicolon is inside */
  } else {
    put_piece(out, s->all.at, s->opcode.at); /* the guard */
    if (!m)
      gg_str_puts(out, "trap");
    else if (m->change == DROP)
      gg_str_puts(out, "pmevent 0");
    else
      gg_str_printf(out, "setp.eq.u32 %.*s, 0, 0", (int)(s->operands[0].end - s->operands[0].at),
                    s->operands[0].at);
  }
  gg_str_puts(out, rest);
}

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
  mutate(&mutant, text, s, m);
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

static void break_statement(totals *t, options *o, const char *text, const statement *s) {
  int ran = -1;
  for (int i = 0; i < mutation_count; i++) {
    const mutation *m = &mutations[i];
    if (!applies(s, m) || (o->class && strcmp(o->class, m->class))) continue;
    if (ran < 0) ran = is_run(o, text, s);
    if (ran) judge(t, o, text, s, m);
  }
}

/* Whether a line begins the body of a function: of one that is wanted or not. */
static void note_entry(bool *wanted, const options *o, const char *line) {
  const char *end = strchr(line, '\n');
  piece all = {line, end ? end : line + strlen(line)};
  if (has(all, ".entry ") || has(all, ".func ")) *wanted = !o->entry || has(all, o->entry);
}

static void break_all(totals *t, options *o, const char *text) {
  bool wanted = !o->entry;
  int line = 1;
  const char *from = text;
  for (const char *at = text; *at; at++) {
    if (at == text || at[-1] == '\n') note_entry(&wanted, o, at);
    statement s;
    if (*at == ';' && wanted && read_statement(&s, from, at)) {
      s.line = line;
      break_statement(t, o, text, &s);
    }
    if (*at == ';') from = at + 1;
    line += *at == '\n';
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
  const char *seeds = "7", *seconds = "60";
  char **at = argv + 1;
  while (*at && strcmp(*at, "--") != 0) {
    if (!take(&o->right, &at, "--right") && !take(&o->ptx, &at, "--ptx") &&
        !take(&o->entry, &at, "--entry") && !take(&o->class, &at, "--class") &&
        !take(&seeds, &at, "--seeds") && !take(&seconds, &at, "--seconds")) {
      return false;
    }
  }
  if (!*at || !at[1]) return false;
  o->command = at + 1;
  o->seeds = atoi(seeds);
  o->seconds = atoi(seconds);
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
  totals t = {0};
  if (argc < 2 || !read_options(&o, argv)) {
    fprintf(stderr, "usage: mutate [--right TEXT] [--ptx FILE] [--entry TEXT] [--class NAME] "
                    "[--seeds N] [--seconds N] -- COMMAND...\n");
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
    break_all(&t, &o, text);
  }
  gg_free(text);
  unlink(o.text_path);
  unlink(o.mutant_path);
  unlink(o.output_path);
  printf("mutants: %d, noticed: %d\n", t.mutants, t.noticed);
  return t.mutants && t.noticed == t.mutants ? EXIT_SUCCESS : EXIT_FAILURE;
}
