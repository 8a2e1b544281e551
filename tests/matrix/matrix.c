/* matrix [--family NAME] [--arch ARCH] [--seed S] [--full] [--gpu] [--keep FOLDER] [--refused]
 * [--plan] [--first I --count N]: specs in which each two levels of any two factors of a family
 * meet, as far as legal specs have them, each generated and run on a problem whose sides are
 * factors, too; against sums in f64, with guard zones and poisoned results. Factors and levels are
 * those of the project's tables (factors.h), so that a new row is in the matrix.
 *
 * In the emulator, which `--full` makes do it thoroughly: from four seeds, two problems each, twice
 * launched, in a late and in a random order; on the device with `--gpu`, where kernels that it
 * cannot run are skipped; `--arch` gives all specs one architecture, so that none is. `--keep`
 * leaves the specs in a folder, which gpu_check and tests/cli/compile.sh take; `--plan` runs none
 * of them; `--count` ends with so many cases of each family, of which the first cover most pairs;
 * `--refused` lists every two levels that no legal spec has, with the planner's reason, and not one
 * for each two factors. Ends with "matrix: N cases of F families, P pairs covered, R pairs refused,
 * N passed, N failed"; exit status 0, 1, or 77 where a GPU is asked for and there is none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cover.h"
#include "legal.h"
#include "problem.h"
#include "subject.h"

enum { SKIPPED = 77, FULL_SEEDS = 4 };

typedef struct options {
  const char *family; /* NULL: all of them */
  const char *arch;   /* NULL: all of them */
  const char *keep;
  uint64_t seed;
  int64_t first, count;
  bool full, gpu, refused, plan;
} options;

typedef struct totals {
  int64_t cases, families, covered, refused, open, passed, failed, skipped;
} totals;

/* What all cases of a run have. */
typedef struct run {
  const options *given;
  const factors *all;
  uint64_t seed;
  gg_compiler *compiler;
  gg_context *context; /* a device's; NULL: the emulator, which each case opens */
  totals sum;
} run;

/* ---- One case ------------------------------------------------------------------------- */

static gg_problem problem_of(const run *r, const subject *s, const choice *c, int turn) {
  static const float alphas[] = {1, 2, -1, 0.5f}, betas[] = {-1, 1, 0, 2};
  const gg_kernel *kernel = s->kernel;
  gg_problem p = {.size = sizeof(gg_problem), .alpha = 1};
  int64_t unit = gg_kernel_k_unit(kernel), pairs = gg_kernel_n_multiple(kernel);
  p.m = factors_side(r->all, c, "m", kernel->tile_m);
  p.n = (factors_side(r->all, c, "n", kernel->tile_n) + pairs - 1) / pairs * pairs;
  p.k = (factors_side(r->all, c, "k", kernel->tile_k) + unit - 1) / unit * unit;
  p.batch = factors_side(r->all, c, "batch", 1);
  /* A spec that fixes an extent does so in the tile that it would have without. */
  if (kernel->fixed_m != GG_FIXED_NONE) p.m = kernel->fixed_m;
  if (kernel->fixed_n != GG_FIXED_NONE) p.n = kernel->fixed_n;
  if (kernel->fixed_k != GG_FIXED_NONE) p.k = kernel->fixed_k;
  if (gg_kernel_takes(kernel, GG_PARAM_ALPHA)) p.alpha = alphas[turn % 4];
  if (gg_kernel_takes(kernel, GG_PARAM_BETA)) p.beta = betas[turn / 2 % 4];
  p.overlap = turn % 5 == 0;
  return p;
}

static bool keep(const run *r, subject *s) {
  gg_error err = GG_ERROR_INIT;
  gg_str path = GG_STR_INIT, text = GG_STR_INIT;
  gg_str_printf(&path, "%s/%s_%04lld.yaml", r->given->keep, r->all->family, (long long)s->number);
  gg_str_printf(&text, "name: matrix_%s_%lld\n%s", r->all->family, (long long)s->number,
                gg_str_text(&s->text));
  bool good = gg_file_replace(gg_str_text(&path), text.text, text.length, 0644, false);
  gg_str_free(&path);
  gg_str_free(&text);
  return good ? true : subject_fail(s, strerror(errno), &err);
}

/* On the device; where it cannot run the kernel, *skipped. */
static bool run_on_device(const run *r, subject *s, bool *skipped) {
  gg_error err = GG_ERROR_INIT;
  gg_module *module;
  gg_status st = gg_module_load(&module, r->context, s->kernel, &err);
  *skipped = st == GG_E_DEVICE_ARCH || st == GG_E_DEVICE_SMEM;
  if (*skipped) gg_error_clear(&err);
  if (st) return *skipped || subject_fail(s, "load", &err);
  bool good = subject_run(s, r->context, module, 0);
  gg_module_free(module);
  return good;
}

static bool try_case(run *r, subject *s, const choice *c, bool *skipped) {
  gg_error none = GG_ERROR_INIT;
  bool mistake = false;
  if (!legal_write(&s->text, r->all, c, &s->why, &mistake) || !subject_generate(s)) return false;
  if (!s->kernel) return subject_fail(s, "a plan that emission refuses", &none);
  s->problem_count = r->given->full ? SUBJECT_PROBLEMS : 1;
  s->launches = r->given->full || r->context ? 2 : 1;
  s->first_way = r->given->full ? 0 : (int)(s->number % 2);
  for (int i = 0; i < s->problem_count; i++)
    s->problems[i] = problem_of(r, s, c, (int)s->number + i);
  if ((r->given->keep && !keep(r, s)) || !subject_check_columns(s)) return false;
  if (r->given->plan) return true;
  if (r->context) return run_on_device(r, s, skipped);
  return subject_compile(s, r->compiler) && subject_emulate(s, 0) &&
         (!r->given->full || subject_emulate(s, 1 + (uint64_t)s->number));
}

static void check_case(run *r, const choice *c, int64_t number) {
  subject s = {.number = number};
  bool skipped = false, good = try_case(r, &s, c, &skipped);
  if (good && skipped)
    r->sum.skipped++;
  else if (good)
    r->sum.passed++;
  else
    r->sum.failed++;
  if (!good)
    printf("FAILED --family %s --seed %llu --first %lld: %s\n%s\n", r->all->family,
           (unsigned long long)r->seed, (long long)number, gg_str_text(&s.why),
           gg_str_text(&s.text));
  fflush(stdout);
  subject_free(&s);
}

/* ---- A family ------------------------------------------------------------------------- */

static void put_cover(run *r, const cover *of, int64_t cases, bool ended, bool list) {
  gg_str text = GG_STR_INIT;
  cover_totals found = cover_total(of);
  int64_t open = found.pairs - found.covered - found.refused;
  printf("%s, seed %llu: %d factors, %d levels, %lld pairs: %lld covered by %lld cases, %lld "
         "refused, %lld left to further cases\n",
         r->all->family, (unsigned long long)r->seed, r->all->count, r->all->levels,
         (long long)found.pairs, (long long)found.covered, (long long)cases,
         (long long)found.refused, (long long)open);
  if (list) cover_put_refused(&text, of, r->given->refused);
  printf("%s", gg_str_text(&text));
  gg_str_free(&text);
  r->sum.covered += found.covered;
  r->sum.refused += found.refused;
  r->sum.open += open;
  if (open && ended) printf("FAILED: there are pairs that are neither covered nor refused\n");
  if (cover_mistake(of)) printf("FAILED, no diagnostic of a spec: %s\n", cover_mistake(of));
  r->sum.failed += (open && ended) + (cover_mistake(of) != NULL);
}

static void check_family(run *r, bool list) {
  choice c;
  int64_t cases = 0;
  cover *of = cover_open(r->all, r->seed);
  if (!of) {
    printf("FAILED: family %s has no legal spec\n", r->all->family);
    r->sum.failed++;
    return;
  }
  const options *given = r->given;
  bool ended = false;
  while (cases - given->first < given->count && !ended) {
    ended = !cover_next(&c, of);
    if (ended || cases++ < given->first) continue;
    check_case(r, &c, cases - 1);
    r->sum.cases++;
  }
  put_cover(r, of, cases, ended, list);
  cover_close(of);
}

static void check_families(run *r) {
  static factors all;
  const char *before = "";
  int seeds = r->given->full ? FULL_SEEDS : 1;
  for (const gg_target *const *target = gg_targets; *target; target++) {
    const char *family = (*target)->family;
    bool asked = !r->given->family || strcmp(r->given->family, family) == 0;
    if (strcmp(family, before) == 0 || !asked) continue;
    before = family;
    factors_of_family(&all, family);
    if (r->given->arch && !factors_keep(&all, "arch", r->given->arch)) continue;
    r->all = &all;
    r->sum.families++;
    for (int i = 0; i < seeds; i++) {
      r->seed = r->given->seed + (uint64_t)i;
      check_family(r, i == 0);
    }
  }
}

/* ---- The command line ----------------------------------------------------------------- */

static bool read_number(int64_t *out, const char *text) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return end != text && !*end && !errno && *out >= 0;
}

static bool read_flag(options *out, const char *name) {
  bool *flag = strcmp(name, "full") == 0      ? &out->full
               : strcmp(name, "gpu") == 0     ? &out->gpu
               : strcmp(name, "refused") == 0 ? &out->refused
               : strcmp(name, "plan") == 0    ? &out->plan
                                              : NULL;
  if (flag) *flag = true;
  return flag != NULL;
}

static bool read_value(options *out, const char *name, const char *value) {
  int64_t number = 0;
  if (strcmp(name, "family") == 0) return (out->family = value) != NULL;
  if (strcmp(name, "arch") == 0) return (out->arch = value) != NULL;
  if (strcmp(name, "keep") == 0) return (out->keep = value) != NULL;
  if (!read_number(&number, value)) return false;
  if (strcmp(name, "seed") == 0) return out->seed = (uint64_t)number, true;
  if (strcmp(name, "first") == 0) return out->first = number, true;
  if (strcmp(name, "count") == 0) return out->count = number, true;
  return false;
}

static bool read_options(options *out, int argc, char **argv) {
  *out = (options){.seed = 1, .count = INT64_MAX};
  for (int at = 1; at < argc; at++) {
    const char *name = argv[at] + strspn(argv[at], "-");
    if (name == argv[at]) return false;
    if (read_flag(out, name)) continue;
    if (at + 1 == argc || !read_value(out, name, argv[++at])) return false;
  }
  return true;
}

/* The device's context, where one is asked for; the exit status where there is none. */
static int open_all(run *r) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler_options uncached = {.size = sizeof(gg_compiler_options), .cache = ""};
  gg_context_options device = {.size = sizeof(gg_context_options), .provider = GG_PROVIDER_CUDA};
  gg_status st = r->given->gpu ? gg_context_open(&r->context, &device, &err)
                               : gg_compiler_open(&r->compiler, &uncached, &err);
  if (!st) return EXIT_SUCCESS;
  printf("%s\n", err.message);
  gg_error_clear(&err);
  return st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE ? SKIPPED : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  options given;
  run r = {.given = &given};
  if (!read_options(&given, argc, argv)) {
    fprintf(stderr, "usage: matrix [--family NAME] [--arch ARCH] [--seed S] [--full] [--gpu] "
                    "[--keep FOLDER] [--refused] [--plan] [--first I --count N]\n");
    return 2;
  }
  int code = open_all(&r);
  if (code) return code;
  check_families(&r);
  gg_compiler_close(r.compiler);
  if (r.context) gg_context_close(r.context);
  if (r.sum.open) printf("%lld pairs left to further cases\n", (long long)r.sum.open);
  if (r.sum.skipped) printf("%lld skipped\n", (long long)r.sum.skipped);
  printf(
      "matrix: %lld cases of %lld families, %lld pairs covered, %lld pairs refused, %lld passed, "
      "%lld failed\n",
      (long long)r.sum.cases, (long long)r.sum.families, (long long)r.sum.covered,
      (long long)r.sum.refused, (long long)r.sum.passed, (long long)r.sum.failed);
  return r.sum.failed || r.sum.families == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
