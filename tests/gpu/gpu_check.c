/* gpu_check [--emu] [--emit cu|ptx|cu,ptx] [--seeds N] [--shapes quick|full|tiny]
 * SPEC_OR_FOLDER...: every kernel of the specs, by NVRTC or by its PTX template, on the GPU, or in
 * the emulator, in one process: shapes that no tile divides, empty extents, batches, scalars; then
 * a CUDA graph, threads, two contexts; with --seeds, in the emulator in N random orders besides.
 * Ends with "N passed, N failed, N skipped"; exit status 0, 1, or 77 without a GPU.
 *
 * Inputs are integers, so that nearly every comparison is exact; see runtime/harness. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/kernels.h"
#include "gpu_check.h"
#include "plan/operation.h"

enum { SKIPPED = 77, longest_k = 1024 };

void count_check(totals *out, const subject *s, const char *what, bool passed, gg_error *err) {
  if (passed) {
    out->passed++;
    return;
  }
  out->failed++;
  printf("FAILED %s: %s: %s\n", s->kernel->name, what, err->code ? err->message : "wrong");
  if (err->log) printf("%s\n", err->log);
  gg_error_clear(err);
}

/* ---- One problem ---------------------------------------------------------------------- */

static void describe_verdict(gg_str *out, const gg_kernel *kernel, const gg_verdict *v) {
  char name[GG_OPERATION_NAME_MAX] = "D";
  if (v->worst.operation == GG_WORST_IS_FACTOR) snprintf(name, sizeof name, "the factor of D");
  if (v->worst.operation >= 0)
    gg_operation_name(name, kernel->operations, (size_t)v->worst.operation);
  gg_str_printf(out,
                "%lld of %lld beyond their bound, %lld unwritten, %lld stray; "
                "%s[%lld, %lld] of batch %lld is %.9g, should be %.9g +- %.3g",
                (long long)v->failed, (long long)v->checked, (long long)v->unwritten,
                (long long)v->stray, name, (long long)v->worst.row, (long long)v->worst.col,
                (long long)v->worst.batch, v->worst.got, v->worst.want, v->worst.bound);
}

/* Whether the host is quick at it, too. */
static bool is_small(const gg_trial *trial, const gg_sample *sample) {
  return gg_sample_count(sample) * (trial->problem.k + 1) <= 1 << 18;
}

/* Small references are computed on the host as well: one judges the other. */
static bool references_agree(const subject *s, const gg_trial *trial, const gg_sample *sample,
                             const gg_reference *device, gg_error *err) {
  const gg_problem *p = &trial->problem;
  gg_reference host;
  if (!device->on_device || !is_small(trial, sample) || !trial->a.host) return true;
  if (gg_reference_on_host(&host, s->kernel, p, gg_trial_host_inputs(trial), sample, err)) {
    return false;
  }
  bool agree = true;
  for (int64_t i = 0; i < gg_sample_count(sample); i++) {
    double slack = 1e-12 * host.magnitude[i];
    agree = agree && fabs(host.sum[i] - device->sum[i]) <= slack &&
            fabs(host.magnitude[i] - device->magnitude[i]) <= slack;
  }
  gg_reference_free(&host);
  return agree;
}

/* The emulator is the host, which computes by itself what is not small. */
static gg_status make_reference(gg_reference *out, const subject *s, const gg_trial *trial,
                                const gg_sample *sample, gg_error *err) {
  const gg_problem *p = &trial->problem;
  bool emulated = gg_context_device(s->context)->emulated;
  if (s->reference && (!emulated || is_small(trial, sample)))
    return gg_reference_on_device(out, s->reference, s->kernel, p, sample, err);
  return gg_reference_on_host(out, s->kernel, p, gg_trial_host_inputs(trial), sample, err);
}

gg_status judge_trial(bool *passed, const subject *s, gg_trial *trial, gg_str *why, gg_error *err) {
  gg_sample sample = {0};
  gg_reference reference = {0};
  gg_verdict verdict;
  *passed = false;
  gg_status st =
      gg_sample_choose_for(&sample, trial->kernel, &trial->problem, INT64_MAX / 2, 1, err);
  if (!st && gg_sample_count(&sample) > 0) st = make_reference(&reference, s, trial, &sample, err);
  if (!st) st = gg_trial_check(&verdict, trial, &sample, &reference, err);
  if (!st) {
    bool agree = references_agree(s, trial, &sample, &reference, err);
    *passed = agree && gg_verdict_passed(&verdict);
    if (!agree)
      gg_str_puts(why, "the references on host and device differ");
    else if (!*passed)
      describe_verdict(why, s->kernel, &verdict);
  }
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  return st;
}

static void check_problem(totals *out, const subject *s, const gg_problem *shape, int64_t padding,
                          unsigned shared, const gg_trial_inputs *inputs) {
  gg_error err = GG_ERROR_INIT;
  gg_str what = GG_STR_INIT;
  gg_trial trial = {0};
  gg_trial_options options = {.padding = padding,
                              .least_aligned = true,
                              .in_place = padding == 1 && !shared,
                              .shift = padding,
                              .shared = shared};
  bool passed = false;
  gg_str_printf(&what, "M %lld N %lld K %lld batch %lld alpha %g beta %g, padding %lld, %s: ",
                (long long)shape->m, (long long)shape->n, (long long)shape->k,
                (long long)shape->batch, (double)shape->alpha, (double)shape->beta,
                (long long)padding, inputs->integers ? "integers" : "normal");
  gg_status st = gg_trial_open(&trial, s->context, s->kernel, shape, &options, inputs, &err);
  if (trial.in_place) gg_str_puts(&what, "C is D: ");
  if (shared) gg_str_printf(&what, "one for all batches of 0x%x: ", shared);
  if (!st) st = gg_trial_run(&trial, s->module, NULL, &err);
  if (!st) st = judge_trial(&passed, s, &trial, &what, &err);
  count_check(out, s, gg_str_text(&what), !st && passed, &err);
  gg_trial_close(&trial);
  gg_str_free(&what);
}

/* ---- Many ----------------------------------------------------------------------------- */

typedef struct shapes {
  const char *name;
  const int64_t *m, *n, *k, *batch; /* each ends with -1 */
} shapes;

static const shapes selections[] = {
    {
        .name = "quick",
        .m = (const int64_t[]){0, 1, 129, 300, -1},
        .n = (const int64_t[]){0, 7, 127, 300, -1},
        .k = (const int64_t[]){0, 8, 33, 300, -1},
        .batch = (const int64_t[]){0, 1, 3, -1},
    },
    {
        .name = "full",
        .m = (const int64_t[]){0, 1, 7, 127, 129, 1000, -1},
        .n = (const int64_t[]){0, 1, 7, 127, 129, 1000, -1},
        .k = (const int64_t[]){0, 1, 8, 33, 1000, -1},
        .batch = (const int64_t[]){0, 1, 3, -1},
    },
    {
        .name = "tiny", /* for a device that the host plays */
        .m = (const int64_t[]){0, 1, 30, -1},
        .n = (const int64_t[]){0, 7, -1},
        .k = (const int64_t[]){0, 33, -1},
        .batch = (const int64_t[]){0, 1, 3, -1},
    },
    {0},
};

static const shapes *find_shapes(const char *name) {
  const shapes *found = selections;
  while (found->name && strcmp(found->name, name) != 0)
    found++;
  return found->name ? found : NULL;
}

int64_t whole_k(const gg_kernel *kernel, int64_t k) {
  int64_t unit = gg_kernel_k_unit(kernel);
  return (k + unit - 1) / unit * unit;
}

int64_t whole_n(const gg_kernel *kernel, int64_t n) {
  int64_t unit = gg_kernel_n_multiple(kernel);
  return (n + unit - 1) / unit * unit;
}

/* Scalars and paddings take turns over the shapes. Without a C, or an alpha, there is no turn. */
static gg_problem nth_problem(const subject *s, long number, int64_t m, int64_t n, int64_t k,
                              int64_t batch) {
  static const float alphas[] = {1, 2, -1, 0.5f}, betas[] = {0, -1, 1, 0, 2};
  gg_problem p = {.size = sizeof(gg_problem), .m = m, .n = n, .k = k, .batch = batch, .alpha = 1};
  p.k = whole_k(s->kernel, k);
  p.n = whole_n(s->kernel, n);
  if (gg_kernel_takes(s->kernel, GG_PARAM_ALPHA)) p.alpha = alphas[number % 4];
  if (gg_kernel_takes(s->kernel, GG_PARAM_BETA)) p.beta = betas[number % 5];
  return p;
}

/* An extent that the kernel fixes takes part with that value alone. */
static bool takes(int64_t fixed, const int64_t *list, const int64_t *at, int64_t *value) {
  *value = fixed == GG_FIXED_NONE ? *at : fixed;
  return fixed == GG_FIXED_NONE || at == list;
}

static void check_shapes(totals *out, const subject *s, const shapes *all) {
  const gg_kernel *kernel = s->kernel;
  long number = 0;
  int64_t m, n, k, batch;
  for (const int64_t *im = all->m; *im >= 0; im++) {
    for (const int64_t *in = all->n; *in >= 0; in++) {
      for (const int64_t *ik = all->k; *ik >= 0; ik++) {
        for (const int64_t *ib = all->batch; *ib >= 0; ib++) {
          if (!takes(kernel->fixed_m, all->m, im, &m) || !takes(kernel->fixed_n, all->n, in, &n) ||
              !takes(kernel->fixed_k, all->k, ik, &k) ||
              !takes(kernel->fixed_batch, all->batch, ib, &batch)) {
            continue;
          }
          gg_problem p = nth_problem(s, number, m, n, k, batch);
          check_problem(out, s, &p, number % 3, 0, &s->integers);
          number++;
        }
      }
    }
  }
}

gg_problem usual_shape(const gg_kernel *kernel) {
  return (gg_problem){
      .size = sizeof(gg_problem),
      .m = kernel->fixed_m == GG_FIXED_NONE ? 150 : kernel->fixed_m,
      .n = kernel->fixed_n == GG_FIXED_NONE ? whole_n(kernel, 140) : kernel->fixed_n,
      .k = kernel->fixed_k == GG_FIXED_NONE ? whole_k(kernel, 72) : kernel->fixed_k,
      .batch = kernel->fixed_batch == GG_FIXED_NONE ? 2 : kernel->fixed_batch,
      .alpha = 1,
  };
}

/* Numbers with fractions, within the bound instead of exactly; a C that is added in D's place. */
static void check_normal(totals *out, const subject *s) {
  gg_problem p = usual_shape(s->kernel);
  check_problem(out, s, &p, 0, 0, &s->normal);
  if (gg_kernel_takes(s->kernel, GG_PARAM_ALPHA)) p.alpha = 0.7f;
  if (gg_kernel_takes(s->kernel, GG_PARAM_BETA)) p.beta = -1.3f;
  check_problem(out, s, &p, 1, 0, &s->normal);
}

/* Batches that read the same A and C, or B and what the epilogue reads. */
static void check_shared(totals *out, const subject *s) {
  gg_problem p = usual_shape(s->kernel);
  if (gg_kernel_takes(s->kernel, GG_PARAM_BETA)) p.beta = 1;
  if (p.batch < 2 || s->kernel->pointers) return;
  check_problem(out, s, &p, 0, GG_TRIAL_SHARES_A | GG_TRIAL_SHARES_C, &s->normal);
  check_problem(out, s, &p, 1, GG_TRIAL_SHARES_B | GG_TRIAL_SHARES_EXTRAS, &s->normal);
}

/* ---- Kernels -------------------------------------------------------------------------- */

typedef struct settings {
  const shapes *shapes;
  gg_provider provider;
  uint64_t seeds; /* of the emulator; 0: its default order alone */
} settings;

void close_subject(subject *s) {
  gg_trial_inputs_free(&s->integers);
  gg_trial_inputs_free(&s->normal);
  gg_device_reference_close(s->reference);
  gg_module_free(s->module);
}

static gg_status open_subject(subject *s, gg_error *err) {
  const gg_kernel *kernel = s->kernel;
  int64_t k = kernel->fixed_k == GG_FIXED_NONE ? longest_k : kernel->fixed_k;
  gg_status st = gg_module_load(&s->module, s->context, kernel, err);
  if (!st && gg_device_reference_knows(kernel)) {
    st = gg_device_reference_open(&s->reference, s->context, kernel->a.type, kernel->b.type, err);
  }
  if (!st) st = gg_trial_inputs_make(&s->integers, kernel, GG_INPUTS_INTEGERS, k, 1, err);
  if (!st) st = gg_trial_inputs_make(&s->normal, kernel, GG_INPUTS_NORMAL, k, 2, err);
  return st;
}

static void check_kernel(totals *out, gg_context *context, const gg_kernel *kernel,
                         const settings *given) {
  gg_error err = GG_ERROR_INIT;
  subject s = {.context = context, .kernel = kernel};
  totals own = {0};
  const char *obstacle = gg_trial_obstacle(kernel);
  gg_status st = obstacle ? GG_OK : open_subject(&s, &err);
  if (obstacle || st == GG_E_DEVICE_ARCH || st == GG_E_DEVICE_SMEM) {
    printf("skipped %s: %s\n", kernel->name, obstacle ? obstacle : err.message);
    gg_error_clear(&err);
    own.skipped++;
  } else if (st) {
    count_check(&own, &s, "load", false, &err);
  } else {
    check_shapes(&own, &s, given->shapes);
    check_normal(&own, &s);
    check_shared(&own, &s);
    check_graph(&own, &s);
    check_threads(&own, &s);
    check_contexts(&own, &s);
    printf("%s: %ld passed, %ld failed\n", kernel->name, own.passed, own.failed);
  }
  close_subject(&s);
  out->passed += own.passed;
  out->failed += own.failed;
  out->skipped += own.skipped;
  fflush(stdout);
}

/* ---- The command line ----------------------------------------------------------------- */

enum { paths_max = 4096 };

typedef struct path_list {
  char *paths[paths_max];
  int count;
} path_list;

static int by_name(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static void add_path(path_list *list, const char *folder, const char *name) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
  char *text = gg_str_take(&path);
  if (text && list->count < paths_max)
    list->paths[list->count++] = text;
  else
    gg_free(text);
}

/* A folder stands for the .yaml files in it. */
static void expand(path_list *list, const char *operand) {
  struct stat facts;
  DIR *folder = stat(operand, &facts) == 0 && S_ISDIR(facts.st_mode) ? opendir(operand) : NULL;
  if (!folder) {
    add_path(list, "", operand);
    return;
  }
  int first = list->count;
  for (struct dirent *row; (row = readdir(folder));) {
    const char *dot = strrchr(row->d_name, '.');
    if (dot && strcmp(dot, ".yaml") == 0) add_path(list, operand, row->d_name);
  }
  closedir(folder);
  qsort(list->paths + first, (size_t)(list->count - first), sizeof *list->paths, by_name);
}

static int check_all(const cli_kernels *kernels, const settings *given) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  totals sum = {0};
  gg_context_options options = {.size = sizeof(gg_context_options), .provider = given->provider};
  gg_status st = gg_context_open(&context, &options, &err);
  if (st) {
    bool none = st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE;
    printf("%s: %s\n0 passed, %d failed, %zu skipped\n", none ? "no GPU" : "error", err.message,
           !none, none ? kernels->count : 0);
    gg_error_clear(&err);
    return none ? SKIPPED : EXIT_FAILURE;
  }
  printf("%s, sm_%d\n", gg_context_device(context)->name, gg_context_device(context)->arch);
  for (size_t i = 0; i < kernels->count; i++) {
    check_kernel(&sum, context, kernels->list[i], given);
    cli_progress("check", i + 1, kernels->count);
  }
  gg_context_close(context);
  for (size_t i = 0; i < kernels->count && given->seeds > 0; i++)
    check_orders(&sum, kernels->list[i], given->seeds);
  printf("%ld passed, %ld failed, %ld skipped\n", sum.passed, sum.failed, sum.skipped);
  return sum.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  settings given = {.shapes = &selections[0], .provider = GG_PROVIDER_CUDA};
  path_list list = {.count = 0};
  unsigned texts = CLI_TEXT_CU;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--shapes") == 0 && i + 1 < argc) {
      given.shapes = find_shapes(argv[++i]);
      if (!given.shapes) return cli_usage("--shapes is quick, full or tiny, not '%s'", argv[i]);
    } else if (strcmp(argv[i], "--emit") == 0 && i + 1 < argc) {
      int misread = cli_texts_read(&texts, argv[++i]);
      if (misread) return misread;
    } else if (strcmp(argv[i], "--emu") == 0) {
      given.provider = GG_PROVIDER_EMU;
    } else if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) {
      given.seeds = strtoull(argv[++i], NULL, 10);
    } else {
      expand(&list, argv[i]);
    }
  }
  cli_kernels kernels;
  int code = cli_kernels_load(&kernels, list.count, list.paths, texts, false);
  if (!code) code = check_all(&kernels, &given);
  cli_kernels_free(&kernels);
  for (int i = 0; i < list.count; i++)
    gg_free(list.paths[i]);
  return code;
}
