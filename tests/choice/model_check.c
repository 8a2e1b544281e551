/* The model against measurements: how often the kernel that it chooses is within 3 percent of the
 * fastest measured one, and how far off its times are.
 *
 *     model_check [--fit ROUNDS] CATALOGUE.tsv RESULTS.tsv SPEC.yaml...
 *
 * CATALOGUE is a table of the catalogue's kernels (case, kernel, microseconds), RESULTS one
 * of `gemmgen bench --tsv`, and the specs are the kernels in it. With --fit, random steps of one
 * constant at a time look for a row of devices.def that chooses better, and print it.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "choice/catalogue.h"
#include "cli/products.h"
#include "gemmgen_gemm.h"

enum { most_plans = 64, most_rows = 4096, most_lineups = 256 };

typedef struct row {
  char problem[128];
  const gg_plan *plan;
  gg_extents extents;
  double seconds;
  bool first; /* of its problem */
} row;

static gg_plan plans[most_plans];
static size_t plan_count;
static row rows[most_rows];
static size_t row_count;
static gg_arena arena = GG_ARENA_INIT;
static gg_catalogue *catalogue;
static gg_lineup *lineups[most_lineups];
static size_t lineup_count;

static void die(const char *what, const char *which) {
  fprintf(stderr, "model_check: %s %s\n", what, which);
  exit(EXIT_FAILURE);
}

/* ---- Input ---------------------------------------------------------------------------- */

/* The file is never freed: plans point into it. */
static void read_specs(const char *path) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  if (gg_spec_file_load(&file, path, &err)) die("cannot read", path);
  for (size_t i = 0; i < gg_spec_file_count(file); i++) {
    if (plan_count == most_plans) die("too many specs:", path);
    if (gg_plan_choose(&plans[plan_count++], gg_spec_file_get(file, i), &arena, &err)) {
      die("refused:", err.message);
    }
  }
}

/* What a case in text is: "bf16,bf16,bf16,f32,kkn,64x64x64,b1". */
static cli_case read_case(const char *name) {
  char types[64], accumulator[16], majors[8], problem[64];
  long long m = 0, n = 0, k = 0, batch = 0;
  cli_cases cases;
  if (sscanf(name, "%63[^,],", types) != 1) die("not a case:", name);
  const char *at = name;
  for (int field = 0; field < 3 && at; field++)
    at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
  if (!at || sscanf(at, "%15[^,],%7[^,],%lldx%lldx%lld,b%lld", accumulator, majors, &m, &n, &k,
                    &batch) != 6) {
    die("not a case:", name);
  }
  snprintf(types, sizeof types, "%.*s,%s,%s", (int)(at - name - 1), name, accumulator, majors);
  snprintf(problem, sizeof problem, "%lld %lld %lld %lld", m, n, k, batch);
  if (cli_product_read(&cases, problem, types)) die("not a case:", name);
  cli_case out = cases.list[0];
  cli_cases_free(&cases);
  return out;
}

static const gg_plan *plan_named(const char *name) {
  for (size_t i = 0; i < plan_count; i++) {
    if (strcmp(plans[i].name, name) == 0) return &plans[i];
  }
  return NULL;
}

static void add_row(const char *name, const cli_case *c, const gg_plan *plan, double seconds) {
  row *r = &rows[row_count];
  snprintf(r->problem, sizeof r->problem, "%s", name);
  r->plan = plan;
  r->extents = cli_case_extents(c);
  r->seconds = seconds;
  r->first = row_count == 0 || strcmp(rows[row_count - 1].problem, name) != 0;
  if (++row_count == most_rows) die("too many rows:", name);
}

static void read_result(const char *line) {
  char name[128], kernel[128];
  double tflops;
  if (sscanf(line, "%127s %127s %lf", name, kernel, &tflops) != 3) die("not a row:", line);
  const gg_plan *plan = plan_named(kernel);
  cli_case c = read_case(name);
  if (!plan || tflops <= 0) return;
  double operations = 2.0 * (double)c.m * (double)c.n * (double)c.k * (double)c.batch;
  add_row(name, &c, plan, 1e-12 * operations / tflops);
}

/* NULL where the catalogue has it no more. */
static const gg_plan *candidate_named(const gg_lineup *candidates, const char *kernel) {
  for (size_t i = 0; i < candidates->count; i++) {
    if (strcmp(candidates->list[i].plan.name, kernel) == 0) return &candidates->list[i].plan;
  }
  return NULL;
}

/* Lineups are kept, by case: plans point into them. */
static void read_catalogue_row(const char *line) {
  static char last[128];
  char name[128], kernel[128];
  double us;
  gg_error err = GG_ERROR_INIT;
  if (sscanf(line, "%127s %127s %lf", name, kernel, &us) != 3) die("not a row:", line);
  cli_case c = read_case(name);
  if (!catalogue && gg_catalogue_open(&catalogue, &err)) die("no catalogue:", err.message);
  if (strcmp(last, name) != 0) {
    gg_form form = cli_case_form(&c);
    if (lineup_count == most_lineups) die("too many cases:", name);
    if (gg_lineup_make(&lineups[lineup_count++], catalogue, &form, 90, &err)) {
      die("refused:", err.message);
    }
    snprintf(last, sizeof last, "%s", name);
  }
  const gg_plan *plan = candidate_named(lineups[lineup_count - 1], kernel);
  if (plan) add_row(name, &c, plan, 1e-6 * us);
}

static void read_table(const char *path, void (*read_row)(const char *line)) {
  gg_error err = GG_ERROR_INIT;
  char *text;
  size_t length;
  if (gg_file_read(&text, &length, path, 1 << 24, &err)) die("cannot read", path);
  char *line = strchr(text, '\n'); /* behind the names of the columns */
  while (line && line[1]) {
    char *end = strchr(++line, '\n');
    if (end) *end = '\0';
    read_row(line);
    line = end;
  }
  gg_free(text);
}

/* ---- Judging -------------------------------------------------------------------------- */

typedef struct score {
  size_t problems, within; /* whose choice is at most 3 percent slower than the best */
  double worst, mean;      /* slowdown of the choice; 1 is none */
  double off;              /* root mean square of log(predicted / measured) */
} score;

static score judge(const gg_device_model *device, bool tell) {
  score out = {.worst = 1};
  double squares = 0, logs = 0;
  for (size_t i = 0; i < row_count;) {
    size_t first = i, best = i, chosen = i;
    double least = INFINITY, lowest = INFINITY;
    for (; i < row_count && (i == first || !rows[i].first); i++) {
      gg_prediction p = gg_predict(rows[i].plan, rows[i].extents, device);
      double predicted = p.seconds;
      if (p.workspace_bytes > GG_GEMM_WORKSPACE) {
        die("GG_GEMM_WORKSPACE is too little for", rows[i].problem);
      }
      double off = log(predicted / rows[i].seconds);
      squares += off * off;
      if (tell)
        printf("%-48s %-16s %10.2f us, predicted %10.2f, %+5.2f, %lld shares\n", rows[i].problem,
               rows[i].plan->name, 1e6 * rows[i].seconds, 1e6 * predicted, off,
               (long long)p.shares);
      if (predicted < lowest) lowest = predicted, chosen = i;
      if (rows[i].seconds < least) least = rows[i].seconds, best = i;
    }
    double slower = rows[chosen].seconds / rows[best].seconds;
    out.problems++;
    out.within += slower <= 1.03;
    logs += log(slower);
    if (slower > out.worst) out.worst = slower;
    if (tell && slower > 1.03) {
      printf("%-48s %s is %.2f of %s\n", rows[first].problem, rows[chosen].plan->name, slower,
             rows[best].plan->name);
    }
  }
  out.mean = exp(logs / (double)out.problems);
  out.off = sqrt(squares / (double)row_count);
  return out;
}

/* ---- Fitting -------------------------------------------------------------------------- */

/* A constant and the range in which it is what its name says. */
typedef struct constant {
  size_t offset;
  double low, high;
} constant;

#define CONSTANT(member, low, high)                                                                \
  { offsetof(gg_device_model, member), low, high }

static const constant constants[] = {
    CONSTANT(dram_rate, 2.6e12, 3.1e12),
    CONSTANT(dram_sm_rate, 40e9, 300e9),
    CONSTANT(dram_latency, 0.4e-6, 3e-6),
    CONSTANT(sustained, 0.6, 1),
    CONSTANT(launch, 1e-6, 2.5e-6),
    CONSTANT(cluster, 0.2e-6, 3e-6),
    CONSTANT(warp_mma_share, 0.4, 0.8),
    CONSTANT(fill, 0.1e-6, 1.5e-6),
    CONSTANT(step, 0, 0.05e-6),
    CONSTANT(mma_rate[0], 5e12, 8e12),
    CONSTANT(mma_rate[1], 2.5e12, 4.2e12),
    CONSTANT(mma_rate[2], 10e12, 16e12),
    CONSTANT(mma_rate[3], 10e12, 16e12),
    CONSTANT(smem_rate, 200e9, 260e9),
    CONSTANT(promotion, 0.02e-6, 0.3e-6),
    CONSTANT(load_rate, 100e9, 250e9),
    CONSTANT(copy_rate, 15e9, 80e9),
    CONSTANT(copies_rate, 2e9, 12e9),
    CONSTANT(l2_rate, 5e12, 15e12),
    CONSTANT(shared_load, 0.1, 1),
    CONSTANT(ragged_load, 0.1, 1),
    CONSTANT(epilogue, 0.1e-6, 1.5e-6),
    CONSTANT(epilogue_rate, 4e9, 60e9),
    CONSTANT(epilogue_alone, 1, 2),
    CONSTANT(epilogue_hidden, 0.1, 0.95),
    CONSTANT(sum_rate, 20e9, 200e9),
    CONSTANT(apart, 0.2e-6, 3e-6),
    CONSTANT(meet, 0.1e-6, 3e-6),
    CONSTANT(meet_rate, 10e9, 200e9),
    CONSTANT(wait, 0.4e-6, 4e-6),
    CONSTANT(stray, 0.02, 1),
    CONSTANT(miss, 0.1, 4),
    CONSTANT(dram_share, 0.05, 1),
};

enum { constant_count = sizeof constants / sizeof *constants };

static double cost(const gg_device_model *device) {
  score s = judge(device, false);
  double missed = 1 - (double)s.within / (double)s.problems;
  return 0.6 * missed + 6 * log(s.mean) + 0.5 * log(s.worst) + s.off;
}

static double uniform(void) {
  return (double)rand() / RAND_MAX;
}

static void print_row(const gg_device_model *d) {
  printf(".dram_rate = %.3g, .dram_sm_rate = %.3g, .dram_latency = %.3g,\n", d->dram_rate,
         d->dram_sm_rate, d->dram_latency);
  printf(".launch = %.3g, .cluster = %.3g, .fill = %.3g, .step = %.3g,\n", d->launch, d->cluster,
         d->fill, d->step);
  printf(".mma_rate = {%.3g, %.3g, %.3g, %.3g}, .sustained = %.3g, .warp_mma_share = %.3g,\n",
         d->mma_rate[0], d->mma_rate[1], d->mma_rate[2], d->mma_rate[3], d->sustained,
         d->warp_mma_share);
  printf(".smem_rate = %.3g, .promotion = %.3g,\n", d->smem_rate, d->promotion);
  printf(".load_rate = %.3g, .copy_rate = %.3g,\n", d->load_rate, d->copy_rate);
  printf(".copies_rate = %.3g, .l2_rate = %.3g, .shared_load = %.3g, .ragged_load = %.3g,\n",
         d->copies_rate, d->l2_rate, d->shared_load, d->ragged_load);
  printf(".epilogue = %.3g, .epilogue_rate = %.3g, .epilogue_alone = %.3g,\n", d->epilogue,
         d->epilogue_rate, d->epilogue_alone);
  printf(".epilogue_hidden = %.3g, .sum_rate = %.3g, .wait = %.3g, .stray = %.3g,\n",
         d->epilogue_hidden, d->sum_rate, d->wait, d->stray);
  printf(".apart = %.3g, .meet = %.3g, .meet_rate = %.3g, .miss = %.3g, .dram_share = %.3g\n",
         d->apart, d->meet, d->meet_rate, d->miss, d->dram_share);
}

static void fit(gg_device_model *device, long rounds) {
  double best = cost(device);
  for (long i = 0; i < rounds; i++) {
    gg_device_model trial = *device;
    double width = i % 3 ? 0.05 : 0.4;
    for (int changes = 1 + rand() % 3; changes > 0; changes--) {
      const constant *c = &constants[rand() % constant_count];
      double *value = (double *)((char *)&trial + c->offset);
      *value = fmin(fmax(*value * exp(width * (2 * uniform() - 1)), c->low), c->high);
    }
    double now = cost(&trial);
    if (now < best) best = now, *device = trial;
  }
  print_row(device);
}

int main(int argc, char **argv) {
  long rounds = 0;
  int at = 1;
  if (argc > 3 && strcmp(argv[1], "--fit") == 0) rounds = atol(argv[2]), at = 3;
  if (argc - at < 3) die("needs", "CATALOGUE.tsv RESULTS.tsv SPEC.yaml...");
  for (int i = at + 2; i < argc; i++)
    read_specs(argv[i]);
  read_table(argv[at], read_catalogue_row);
  size_t of_catalogue = row_count;
  read_table(argv[at + 1], read_result);
  if (of_catalogue == 0 || row_count == of_catalogue)
    die("no measurement of known kernels in", argv[at]);
  gg_device_model device = gg_device_model_of(90, 0);
  if (rounds) fit(&device, rounds);
  score s = judge(&device, true);
  printf(
      "%zu problems: the choice is within 3%% of the best for %zu (%.2f), %.3f of it on the mean, "
      "%.2f at worst; times are off by %.2f\n",
      s.problems, s.within, (double)s.within / (double)s.problems, s.mean, s.worst, s.off);
  return (double)s.within >= 0.8 * (double)s.problems && s.mean < 1.03 ? EXIT_SUCCESS
                                                                       : EXIT_FAILURE;
}
