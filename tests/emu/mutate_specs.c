/* Breaks our own kernels in one place at a time (mutate.def) and tells which of the mutants the
 * emulator notices: by a wrong result, an error or a warning.
 *
 *     mutate_specs [--seeds N] [--every N] [--line N] [--only OPCODE] [--percent N] SPEC...
 *
 *     --seeds N   runs of each: one as late as may be, N in random order (3)
 *     --every N   only each Nth mutant of a kernel: a sample (1)
 *     --line N    only those of this line of the PTX
 *     --only WORD only those of rows of mutate.def with this opcode
 *     --percent N of mutants that are noticed; fewer are a failure (95)
 *
 * A problem has tiles enough for one cluster to compute several, one behind the other, and K tiles
 * enough to fill each stage of its ring twice; one of a kernel that fixes its extents is what it
 * is. A launch ahead, beside which it begins, has touched all that it may touch. Numbers are whole,
 * so that right results are exact. Every run is a child of its own, so that a mutant can do no harm
 * to the next. Statements that are never run are left alone, as a trap in their place shows. The
 * last line counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "gemmgen_emu.h"
#include "mutate_text.h"
#include "number.h"
#include "trial.h"

enum { SECONDS = 60, VERDICT_MAX = 300 };

typedef enum outcome { RIGHT, WRONG, FAULT, WARNED, LOST } outcome;

typedef struct totals {
  int mutants, noticed, alarms;
} totals;

/* A kernel of a spec as PTX. */
typedef struct subject {
  const gg_kernel *kernel;
  const gg_binary *binary;
  int seeds, every, line; /* a line of 0: all */
  const char *only;       /* NULL: all */
  int number;             /* of the next mutant */
  totals all;
} subject;

/* ---- Running ---------------------------------------------------------------------------- */

static int64_t extent(int64_t fixed, int64_t otherwise) {
  return fixed == GG_FIXED_NONE ? otherwise : fixed;
}

/* K tiles so that every stage is filled twice: by one cluster that computes `tiles`, or by each
 * where they share a tile. A CTA that has one tile fills each once and the first again. As many
 * stages as fit into the kernel's shared memory are more than it has. */
static int64_t k_tiles_of(const gg_kernel *kernel, int64_t tiles) {
  enum { least = 3, usual = 2 };
  int sharers = kernel->grid == GG_GRID_SPLIT_K && kernel->splits > usual ? kernel->splits : usual;
  int64_t elements = (int64_t)(kernel->tile_m + kernel->tile_n) * kernel->tile_k;
  int64_t stages = kernel->smem_bytes / gg_dtype_bytes(kernel->a.type, elements) + 1;
  int64_t wanted = sharers * (stages + 1);
  if (kernel->grid == GG_GRID_TILES) wanted = stages + 1;
  if (kernel->grid == GG_GRID_PERSISTENT) wanted = (2 * stages + tiles - 1) / tiles;
  return wanted < least ? least : wanted;
}

/* Elements along a mode of so many clusters' tiles. Of an odd number of pairs that take turns the
 * last one's second CTA has none: so it is not the only one. Of tiles whose halves lie in turns, no
 * last second half is there. */
static int64_t tiles_along(int64_t tile, int cluster, int tiles, int64_t pairs_turn,
                           int64_t halves_turn) {
  if (halves_turn) {
    int64_t all = (int64_t)cluster * tiles, turns = halves_turn / tile;
    return all / turns * halves_turn + all % turns * tile / 2;
  }
  if (!pairs_turn) return tile * cluster * tiles;
  int pairs = cluster / 2 * tiles;
  if (pairs == 1) pairs = 3;
  return pairs / 2 * 4 * tile + pairs % 2 * tile;
}

/* Five clusters' tiles, an odd number, so that sets of accumulators do not all end in the same
 * round, of each of three matrices where these are given by arrays of addresses, and whole K tiles,
 * but for a few elements: so the last tile, too, has all of its boxes. */
static gg_problem problem_of(const gg_kernel *kernel) {
  enum { ragged = 8, tiles = 5, matrices = 3 };
  int64_t unit = gg_kernel_k_unit(kernel);
  int64_t k = k_tiles_of(kernel, tiles) * kernel->tile_k - ragged;
  gg_problem p = GG_PROBLEM_INIT;
  int64_t m = tiles_along(kernel->tile_m, kernel->cluster_m, 1, kernel->turns_pairs_m,
                          kernel->turns_halves_m);
  int64_t n = tiles_along(kernel->tile_n, kernel->cluster_n, tiles, kernel->turns_pairs_n,
                          kernel->turns_halves_n);
  p.m = extent(kernel->fixed_m, m - ragged);
  int64_t whole = gg_kernel_n_multiple(kernel);
  p.n = extent(kernel->fixed_n, (n - ragged) / whole * whole);
  p.k = extent(kernel->fixed_k, (k + unit - 1) / unit * unit);
  p.batch = extent(kernel->fixed_batch, kernel->pointers ? matrices : 1);
  if (gg_kernel_takes(kernel, GG_PARAM_BETA)) p.beta = 1;
  return p;
}

/* Scales of 0.5 and more: by 0 all results would be alike. */
static void spread_scales(gg_trial_inputs *inputs, const gg_kernel *kernel) {
  for (size_t i = 0; i < kernel->operation_count; i++) {
    gg_inputs *scales = &inputs->extras[i];
    for (int64_t j = 0; j < scales->length && kernel->operations[i].kind == GG_OP_SCALE; j++) {
      double value = gg_number_get(scales->type, scales->cycle, j);
      gg_number_set(scales->type, scales->cycle, j, 0.5 + fabs(value));
    }
  }
}

static gg_status try_kernel(bool *passed, const gg_kernel *kernel, const gg_binary *binary,
                            gg_error *err) {
  gg_context *context;
  gg_module *module;
  gg_trial trial;
  gg_trial_inputs inputs;
  gg_sample sample;
  gg_reference reference;
  gg_verdict verdict;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  gg_trial_options how = {.clusters = 1, .beside = true};
  const gg_problem shape = problem_of(kernel);
  options.provider = GG_PROVIDER_EMU;
  gg_status st = gg_context_open(&context, &options, err);
  if (!st) st = gg_module_load_binary(&module, context, kernel, binary, err);
  if (!st) st = gg_trial_inputs_make(&inputs, kernel, GG_INPUTS_INTEGERS, shape.k, 1, err);
  if (!st) spread_scales(&inputs, kernel);
  if (!st) st = gg_trial_open(&trial, context, kernel, &shape, &how, &inputs, err);
  if (!st) st = gg_trial_run(&trial, module, NULL, err);
  if (!st) st = gg_sample_choose_for(&sample, kernel, &trial.problem, INT64_MAX, 1, err);
  if (!st)
    st = gg_reference_on_host(&reference, kernel, &trial.problem, gg_trial_host_inputs(&trial),
                              &sample, err);
  if (!st) st = gg_trial_check(&verdict, &trial, &sample, &reference, err);
  if (!st) *passed = gg_verdict_passed(&verdict);
  if (!st) {
    gg_module_free(module);
    gg_context_close(context); /* which a CTA that still runs would show at */
  }
  return st;
}

static void keep_warning(void *user, const char *message) {
  gg_str_puts(user, message);
}

/* In the child: what came out as the exit status, and words for it. */
static void run_child(int out, const subject *s, const gg_binary *binary, int seed) {
  gg_error err = GG_ERROR_INIT;
  gg_str warnings = GG_STR_INIT;
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  bool passed = false;
  gg_emu_options_init(&options);
  options.arch = atoi(binary->arch + 3); /* behind "sm_" */
  options.threads = 1;
  options.random = seed != 0;
  options.seed = (uint64_t)seed;
  options.max_steps = 2000000;
  options.warn = keep_warning;
  options.warn_user = &warnings;
  gg_emu_configure(&options);
  alarm(SECONDS);
  gg_status st = try_kernel(&passed, s->kernel, binary, &err);
  outcome what = st ? FAULT : !passed ? WRONG : warnings.length ? WARNED : RIGHT;
  const char *text = st ? err.message : gg_str_text(&warnings);
  size_t length = strlen(text);
  if (write(out, text, length < VERDICT_MAX ? length : VERDICT_MAX - 1) < 0) what = LOST;
  _exit(what);
}

/* A child that dies is LOST, which nobody is told of by the emulator. */
static outcome run(char verdict[VERDICT_MAX], const subject *s, const gg_binary *binary, int seed) {
  int ends[2], status;
  size_t length = 0;
  if (pipe(ends)) exit(EXIT_FAILURE);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) run_child(ends[1], s, binary, seed);
  close(ends[1]);
  for (ssize_t got = 1; child > 0 && got > 0 && length < VERDICT_MAX - 1; length += (size_t)got) {
    got = read(ends[0], verdict + length, VERDICT_MAX - 1 - length);
    if (got < 0) got = 0;
  }
  close(ends[0]);
  verdict[length] = '\0';
  verdict[strcspn(verdict, "\n")] = '\0';
  if (child < 0 || waitpid(child, &status, 0) < 0) exit(EXIT_FAILURE);
  if (!WIFEXITED(status)) snprintf(verdict, VERDICT_MAX, "ended by signal %d", WTERMSIG(status));
  return WIFEXITED(status) ? (outcome)WEXITSTATUS(status) : LOST;
}

/* ---- Mutants ---------------------------------------------------------------------------- */

/* The kernel with `m` in place of the statement, as late as may be and at random moments. */
static outcome run_mutant(char verdict[VERDICT_MAX], const subject *s, const statement *broken,
                          const mutation *m, int seeds) {
  gg_str text = GG_STR_INIT;
  gg_binary binary = *s->binary;
  outcome what = RIGHT;
  mutate_text(&text, s->binary->data, broken, m);
  if (text.failed) exit(EXIT_FAILURE);
  binary.data = gg_str_text(&text);
  binary.size = text.length;
  for (int seed = 0; seed <= seeds && what == RIGHT; seed++)
    what = run(verdict, s, &binary, seed);
  gg_str_free(&text);
  return what;
}

static void break_statement(void *user, const statement *broken) {
  static const char *const names[] = {"MISSED", "wrong result", "error", "warning", "LOST"};
  subject *s = user;
  char verdict[VERDICT_MAX];
  int ran = -1;
  if (s->line && broken->line != s->line) return;
  for (int i = 0; i < mutation_count; i++) {
    const mutation *m = &mutations[i];
    if (s->only && strcmp(m->opcode, s->only)) continue;
    if (!mutation_applies(broken, m) || s->number++ % s->every != 0) continue;
    if (ran < 0) ran = run_mutant(verdict, s, broken, NULL, 0) != RIGHT;
    if (!ran) continue;
    outcome what = run_mutant(verdict, s, broken, m, s->seeds);
    printf("%s:%d %s: %s %s%s, operand %d %s: %s: %s\n", s->kernel->name, broken->line, m->class,
           m->name, m->opcode, m->part, m->operand, m->value, names[what], verdict);
    s->all.mutants++;
    s->all.noticed += what == WRONG || what == FAULT || what == WARNED;
  }
}

static void break_kernel(subject *s) {
  char verdict[VERDICT_MAX];
  for (int seed = 0; seed <= s->seeds; seed++) {
    if (run(verdict, s, s->binary, seed) == RIGHT) continue;
    printf("%s as it is, seed %d: FALSE ALARM: %s\n", s->kernel->name, seed, verdict);
    s->all.alarms++;
    return;
  }
  each_statement(s->binary->data, s->kernel->name, break_statement, s);
}

static void die(const char *path, const gg_error *err) {
  fprintf(stderr, "mutate_specs: %s: %s\n", path, err->message);
  exit(EXIT_FAILURE);
}

static void break_spec(totals *t, gg_compiler *compiler, const char *path, const subject *how) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  gg_kernel *kernel;
  gg_binary *binary;
  if (gg_spec_file_load(&file, path, &err)) die(path, &err);
  if (gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), &err)) die(path, &err);
  if (gg_compile(&binary, compiler, kernel, NULL, GG_FORMAT_PTX, &err)) die(path, &err);
  subject s = *how;
  s.kernel = kernel, s.binary = binary;
  break_kernel(&s);
  printf("%s: mutants: %d, noticed: %d\n", path, s.all.mutants, s.all.noticed);
  t->mutants += s.all.mutants;
  t->noticed += s.all.noticed;
  t->alarms += s.all.alarms;
  gg_binary_free(binary);
  gg_kernel_free(kernel);
  gg_spec_file_free(file);
}

/* ---- The command line ------------------------------------------------------------------- */

int main(int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler *compiler;
  totals t = {0};
  subject how = {.seeds = 3, .every = 1};
  int at = 1, percent = 95;
  for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
    if (!strcmp(argv[at], "--seeds")) how.seeds = atoi(argv[at + 1]);
    if (!strcmp(argv[at], "--every")) how.every = atoi(argv[at + 1]);
    if (!strcmp(argv[at], "--line")) how.line = atoi(argv[at + 1]);
    if (!strcmp(argv[at], "--only")) how.only = argv[at + 1];
    if (!strcmp(argv[at], "--percent")) percent = atoi(argv[at + 1]);
  }
  if (at >= argc || how.seeds < 0 || how.every < 1) {
    fprintf(stderr,
            "usage: mutate_specs [--seeds N] [--every N] [--line N] [--only OPCODE] [--percent N] "
            "SPEC...\n");
    return 2;
  }
  gg_compiler_options options = GG_COMPILER_OPTIONS_INIT;
  options.cache = "";
  if (gg_compiler_open(&compiler, &options, &err)) die("NVRTC", &err);
  if (gg_compiler_facts_of(compiler)->nvrtc == NULL) return 77; /* skipped */
  for (; at < argc; at++)
    break_spec(&t, compiler, argv[at], &how);
  gg_compiler_close(compiler);
  printf("mutants: %d, noticed: %d (%.1f%%), false alarms: %d\n", t.mutants, t.noticed,
         t.mutants ? 100.0 * t.noticed / t.mutants : 0, t.alarms);
  return t.alarms || t.noticed * 100 < t.mutants * percent ? EXIT_FAILURE : EXIT_SUCCESS;
}
