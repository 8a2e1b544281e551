/* The model against measurements: how often the kernel that it chooses is within 3 percent of the
 * fastest measured one, and how far off its times are.
 *
 *     model_check [--device NAME] [--fit ROUNDS | --hold-out ROUNDS] TABLE.tsv...
 *
 * NAME is a row of devices.def whose figures they are; without it the H100's.
 * A table has figures of the catalogue's kernels (case, kernel, microseconds; in one of epilogues
 * case, epilogue, kernel, microseconds), or is what `gemmgen bench --top N --tsv` wrote, whose rows
 * without an epilogue count; rows of one case, one after the other, are of one race. Times with an
 * epilogue are held against those of the same kernel without it, where the table has these. With
 * --fit, a row of devices.def is looked for, and printed: first by least squares of the times'
 * logarithms, then by random steps that choose better. With --hold-out it is fitted to two thirds
 * of the races, and judged by the others too; of several tables each is held out in turn, and
 * judged by what suits the others. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "choice/catalogue.h"
#include "cli/bench_epilogue.h"
#include "cli/products.h"
#include "gemmgen_gemm.h"

enum { most_rows = 16384, most_lineups = 2048 };

typedef struct row {
  char problem[128];
  const gg_plan *plan;
  gg_extents extents;
  double seconds;
  double
      bare_off; /* log(predicted / measured) of the same kernel without the epilogue; 0: unknown */
  bool first;   /* of its problem */
  int table;    /* that it is in */
} row;

typedef enum part { ALL, FITTED, HELD_OUT } part;

enum { thirds = -1 };
static int tables, held = thirds; /* the table that is held out, or every third problem */

static const char *device_name; /* NULL: the H100 */
static row rows[most_rows];
static size_t row_count;
static gg_catalogue *catalogue;
static bool epilogues; /* whether the table is of products with epilogues, */
static bool rates;     /* or one of bench, which has TFLOP/s */
static bool worded;    /* whether its rows say which epilogue */
static gg_lineup *lineups[most_lineups];
static size_t lineup_count;

static void die(const char *what, const char *which) {
  fprintf(stderr, "model_check: %s %s\n", what, which);
  exit(EXIT_FAILURE);
}

/* ---- Input ---------------------------------------------------------------------------- */

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

static double off_by(const row *r, const gg_device_model *device) {
  return log(gg_predict(r->plan, r->extents, device).seconds / r->seconds);
}

/* Names of kernels have their epilogue last, and those of problems: the row whose name is the most
 * of this one's beginning. */
static double bare_off_of(const row *r) {
  gg_device_model device = gg_device_model_of(device_name, 90, 0);
  const row *found = NULL;
  size_t length = 0;
  for (const row *i = rows; i < r && epilogues; i++) {
    size_t problem = strcspn(i->problem, " "), name = strlen(i->plan->name);
    bool bare = strcmp(i->problem + problem, " none") == 0;
    if (!bare || strncmp(i->problem, r->problem, problem + 1) != 0 || name < length) continue;
    if (strncmp(i->plan->name, r->plan->name, name) == 0) found = i, length = name;
  }
  return found ? off_by(found, &device) : 0;
}

static void add_row(const char *name, const cli_case *c, const gg_plan *plan, double seconds) {
  row *r = &rows[row_count];
  snprintf(r->problem, sizeof r->problem, "%s", name);
  r->plan = plan;
  r->extents = cli_case_extents(c);
  r->seconds = seconds;
  r->bare_off = bare_off_of(r);
  r->table = tables;
  r->first = row_count == 0 || rows[row_count - 1].table != tables ||
             strcmp(rows[row_count - 1].problem, name) != 0;
  if (++row_count == most_rows) die("too many rows:", name);
}

/* Whether the plan is of a kernel for sm_90 that older tables, when it was one for sm_80, call
 * `kernel`. Of f64 those multiply by another instruction, half as fast. */
static bool was_named(const gg_plan *plan, const char *kernel) {
  static const char arch[] = "_sm_90";
  const char *at = plan->a.type == GG_DTYPE_f64 ? NULL : strstr(plan->name, arch);
  return at && strncmp(plan->name, kernel, (size_t)(at - plan->name)) == 0 &&
         strcmp(at + strlen(arch), kernel + (at - plan->name)) == 0;
}

/* The kernel of that name, or else of that former name. NULL where the catalogue has it no more. */
static const gg_plan *candidate_named(const gg_lineup *candidates, const char *kernel) {
  const gg_plan *former = NULL;
  for (size_t i = 0; i < candidates->count; i++) {
    const gg_plan *plan = &candidates->list[i].plan;
    if (strcmp(plan->name, kernel) == 0) return plan;
    if (!former && was_named(plan, kernel)) former = plan;
  }
  return former;
}

/* Whether it may be chosen, in a workspace as gg_gemm's callers have one. */
static bool is_admitted(const gg_plan *plan, const cli_case *c) {
  gg_device_model device = gg_device_model_of(device_name, 90, 0);
  gg_terms terms = gg_terms_of(plan, device.arch);
  gg_model model = gg_model_of(&terms, &device);
  gg_prediction p = gg_model_predict(&model, cli_case_extents(c), 0);
  return gg_model_admits(&model, &p, GG_GEMM_WORKSPACE);
}

/* The form of a case with the epilogue that a word of bench stands for; "" for none. */
static gg_form read_form(const cli_case *c, const char *word) {
  static gg_str texts[most_lineups]; /* which forms point into */
  static size_t count;
  const bench_epilogue *words[BENCH_EPILOGUES_MAX];
  gg_form form = cli_case_form(c);
  gg_str why = GG_STR_INIT;
  if (!*word) return form;
  if (bench_epilogues_read(words, word)) die("no epilogue:", word);
  if (!bench_epilogue_form(&form, &texts[count++], &why, words[0], c)) die("cannot have", word);
  return form;
}

static double operations_of(gg_extents e) {
  return 2.0 * (double)e.m * (double)e.n * (double)e.k * (double)e.batch;
}

/* Lineups are kept, by case: plans point into them. */
static void read_row(const char *line) {
  static char last[128];
  char name[128], of[96], kernel[128], word[32] = "";
  double us;
  gg_error err = GG_ERROR_INIT;
  bool read = worded ? sscanf(line, "%95s %31s %127s %lf", of, word, kernel, &us) == 4
                     : sscanf(line, "%95s %127s %lf", of, kernel, &us) == 3;
  if (!read) die("not a row:", line);
  cli_case c = read_case(of);
  if (rates) {
    if ((worded && strcmp(word, "none") != 0) || us <= 0)
      return; /* another's, or a skipped one's */
    word[0] = '\0', us = 1e-6 * operations_of(cli_case_extents(&c)) / us;
  }
  snprintf(name, sizeof name, "%s%s%s", of, *word ? " " : "", word);
  if (!catalogue && gg_catalogue_open(&catalogue, &err)) die("no catalogue:", err.message);
  if (strcmp(last, name) != 0) {
    if (lineup_count == most_lineups) die("too many cases:", name);
    gg_form form = read_form(&c, word);
    if (gg_lineup_make(&lineups[lineup_count++], catalogue, &form, 90, &err)) {
      die("refused:", err.message);
    }
    snprintf(last, sizeof last, "%s", name);
  }
  const gg_plan *plan = candidate_named(lineups[lineup_count - 1], kernel);
  if (!plan || !is_admitted(plan, &c)) return; /* what gg_gemm would not choose */
  add_row(name, &c, plan, 1e-6 * us);
}

static void read_table(const char *path) {
  gg_error err = GG_ERROR_INIT;
  char *text;
  size_t length;
  if (gg_file_read(&text, &length, path, 1 << 24, &err)) die("cannot read", path);
  char *line = strchr(text, '\n'); /* behind the names of the columns */
  const char *named = strstr(text, "epilogue"), *measured = strstr(text, "ours");
  rates = measured && measured < line;
  worded = named && named < line;
  bool of_epilogues = worded && !rates;
  if (tables > 0 && of_epilogues != epilogues) die("not of the other tables' kind:", path);
  epilogues = of_epilogues;
  while (line && line[1]) {
    char *end = strchr(++line, '\n');
    if (end) *end = '\0';
    read_row(line);
    line = end;
  }
  gg_free(text);
  tables++;
}

/* ---- Judging -------------------------------------------------------------------------- */

typedef struct score {
  size_t problems, within; /* whose choice is at most 3 percent slower than the best */
  double worst, mean;      /* slowdown of the choice; 1 is none */
  double expected;         /* the mean slowdown, less 1, were near-equal predictions drawn by lot */
  double spread;           /* root mean square of how ratios predicted / measured of a problem's
                              kernels differ, the fast ones counting more */
  double off;              /* root mean square of log(predicted / measured) */
} score;

/* What is summed over all problems to make a score. */
typedef struct sums {
  double logs, expected, spread, weight, squares;
  size_t rows;
} sums;

/* One problem's rows, from `first` up to `end`; their predictions. */
static void judge_problem(score *out, sums *all, size_t first, size_t end, const double *predicted,
                          bool tell) {
  enum { lots = 50, fast = 10 }; /* predictions 2 percent apart, times 10 percent apart */
  size_t best = first, chosen = first;
  for (size_t i = first; i < end; i++) {
    if (predicted[i] < predicted[chosen]) chosen = i;
    if (rows[i].seconds < rows[best].seconds) best = i;
  }
  double drawn = 0, slow = 0, weight = 0, mean = 0, square = 0;
  for (size_t i = first; i < end; i++) {
    double slower = rows[i].seconds / rows[best].seconds - 1;
    double lot = exp(-lots * log(predicted[i] / predicted[chosen])), w = exp(-fast * slower);
    double off = log(predicted[i] / rows[i].seconds) - rows[i].bare_off;
    drawn += lot, slow += lot * slower;
    weight += w, mean += w * off, square += w * off * off;
    all->squares += off * off;
  }
  double slower = rows[chosen].seconds / rows[best].seconds;
  out->problems++;
  out->within += slower <= 1.03;
  if (slower > out->worst) out->worst = slower;
  all->rows += end - first;
  all->logs += log(slower);
  all->expected += slow / drawn;
  all->spread += (square - mean * mean / weight);
  all->weight += weight;
  if (tell && slower > 1.03) {
    printf("%-48s %s is %.2f of %s\n", rows[first].problem, rows[chosen].plan->name, slower,
           rows[best].plan->name);
  }
}

/* Refuses a figure that is less than the tensor cores take: its kernel is not the one that is
 * named. (Such rows once stood in the H200's table: names had lost `split_k`.) */
static void check_possible(const row *r, const gg_prediction *p) {
  const double clock = 0.8; /* of that time, while a device is cool and its clock higher */
  if (p->shares == 0 && r->seconds < clock * p->issue)
    die("faster than its multiprocessors multiply:", r->plan->name);
}

static double predict(const row *r, const gg_device_model *device, bool tell) {
  gg_prediction p = gg_predict(r->plan, r->extents, device);
  if (tell) {
    check_possible(r, &p);
    printf("%-48s %-16s %10.2f us, predicted %10.2f, %+5.2f, %lld shares\n", r->problem,
           r->plan->name, 1e6 * r->seconds, 1e6 * p.seconds, log(p.seconds / r->seconds),
           (long long)p.shares);
  }
  return p.seconds;
}

/* Whether a problem, whose first row that is, is in `of`. */
static bool is_part(size_t problem, size_t first, part of) {
  bool out = held == thirds ? problem % 3 == 2 : rows[first].table == held;
  return of == ALL || out == (of == HELD_OUT);
}

/* Of the problems in `of`. */
static score judge(const gg_device_model *device, part of, bool tell) {
  static double predicted[most_rows];
  score out = {.worst = 1};
  sums all = {0};
  size_t problem = 0;
  for (size_t first = 0, end; first < row_count; first = end, problem++) {
    for (end = first + 1; end < row_count && !rows[end].first;)
      end++;
    if (!is_part(problem, first, of)) continue;
    for (size_t i = first; i < end; i++)
      predicted[i] = predict(&rows[i], device, tell);
    judge_problem(&out, &all, first, end, predicted, tell);
  }
  out.mean = exp(all.logs / (double)out.problems);
  out.expected = all.expected / (double)out.problems;
  out.spread = sqrt(all.spread / all.weight);
  out.off = sqrt(all.squares / (double)all.rows);
  return out;
}

static void print_score(const char *of, score s) {
  printf("%s: %zu problems: the choice is within 3%% of the best for %zu (%.2f), %.3f of it on the "
         "mean, %.2f at worst; times are off by %.2f, of one problem by %.3f\n",
         of, s.problems, s.within, (double)s.within / (double)s.problems, s.mean, s.worst, s.off,
         s.spread);
}

/* ---- Fitting -------------------------------------------------------------------------- */

enum { constants_max = 64 };

/* The columns that are fitted to such a table. */
static const gg_device_column *constants[constants_max];
static size_t constant_count;

/* Every column has a number, and what is fitted is where it can be. */
static void check_column(const gg_device_model *device, const gg_device_column *column) {
  double value = *(const double *)((const char *)device + column->offset);
  if (column->fitted || column->worked ? value < column->low || value > column->high : value <= 0)
    die("out of its range:", column->name);
}

static void find_constants(const gg_device_model *device) {
  size_t count;
  const gg_device_column *columns = gg_device_columns(&count);
  for (size_t i = 0; i < count; i++) {
    check_column(device, &columns[i]);
    if (!(epilogues ? columns[i].worked : columns[i].fitted)) continue;
    if (constant_count == constants_max) die("too many columns:", columns[i].name);
    constants[constant_count++] = &columns[i];
  }
}

static double cost(const gg_device_model *device, part of) {
  score s = judge(device, of, false);
  double missed = 1 - (double)s.within / (double)s.problems;
  return 5 * s.expected + 0.3 * missed + 2 * s.spread + 0.3 * s.off;
}

static double uniform(void) {
  return (double)rand() / RAND_MAX;
}

static double *constant_of(gg_device_model *device, size_t i) {
  return (double *)((char *)device + constants[i]->offset);
}

static void print_row(gg_device_model *device) {
  for (size_t i = 0; i < constant_count; i++)
    printf(".%s = %.3g,%s", constants[i]->name, *constant_of(device, i), i % 4 == 3 ? "\n" : " ");
  printf("\n");
}

/* log(predicted / measured) of every row, and how much each counts: the fast ones of a problem
 * more, and those that are far off less, as of Huber. */
static void residuals(double *out, double *weights, const gg_device_model *device, part of) {
  size_t problem = 0;
  for (size_t first = 0, end; first < row_count; first = end, problem++) {
    double least = rows[first].seconds;
    for (end = first + 1; end < row_count && !rows[end].first; end++)
      least = fmin(least, rows[end].seconds);
    for (size_t i = first; i < end; i++) {
      out[i] = off_by(&rows[i], device) - rows[i].bare_off;
      weights[i] = !is_part(problem, first, of)
                       ? 0
                       : pow(least / rows[i].seconds, 4) / fmax(1, fabs(out[i]) / 0.06);
    }
  }
}

static double squares(const double *residual, const double *weights) {
  double sum = 0;
  for (size_t i = 0; i < row_count; i++)
    sum += weights[i] * residual[i] * residual[i];
  return sum;
}

/* Gauss's elimination with pivots on the diagonal, of a positive matrix; into `b`. */
static void solve(double a[constants_max][constants_max], double b[constants_max]) {
  for (size_t k = 0; k < constant_count; k++) {
    for (size_t i = k + 1; i < constant_count; i++) {
      double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < constant_count; j++)
        a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = constant_count; k-- > 0;) {
    for (size_t j = k + 1; j < constant_count; j++)
      b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
}

/* One step of Levenberg and Marquardt over the logarithms of the constants. */
static bool descend(gg_device_model *device, double *damping, part of) {
  static double now[most_rows], moved[most_rows], weights[most_rows], ignored[most_rows];
  static double slopes[constants_max][most_rows];
  double a[constants_max][constants_max], b[constants_max];
  const double step = 0.01;
  residuals(now, weights, device, of);
  for (size_t i = 0; i < constant_count; i++) {
    gg_device_model trial = *device;
    *constant_of(&trial, i) *= exp(step);
    residuals(moved, ignored, &trial, of);
    for (size_t j = 0; j < row_count; j++)
      slopes[i][j] = (moved[j] - now[j]) / step;
  }
  for (; *damping < 1e9; *damping *= 4) {
    for (size_t i = 0; i < constant_count; i++) {
      b[i] = 0;
      for (size_t r = 0; r < row_count; r++)
        b[i] -= weights[r] * slopes[i][r] * now[r];
      for (size_t j = 0; j < constant_count; j++) {
        a[i][j] = i == j ? *damping : 0;
        for (size_t r = 0; r < row_count; r++)
          a[i][j] += weights[r] * slopes[i][r] * slopes[j][r];
      }
    }
    solve(a, b);
    gg_device_model trial = *device;
    for (size_t i = 0; i < constant_count; i++) {
      double *value = constant_of(&trial, i), change = fmin(fmax(b[i], -0.5), 0.5);
      *value = fmin(fmax(*value * exp(change), constants[i]->low), constants[i]->high);
    }
    residuals(moved, ignored, &trial, of);
    if (squares(moved, weights) >= squares(now, weights)) continue;
    *damping /= 4;
    *device = trial;
    return true;
  }
  return false;
}

static void fit_times(gg_device_model *device, part of) {
  double damping = 1;
  for (int i = 0; i < 40; i++) {
    if (!descend(device, &damping, of)) break;
  }
}

/* Steps of one constant or two, longer where they have helped. */
static void fit(gg_device_model *device, part of, long rounds) {
  fit_times(device, of);
  double best = cost(device, of), widths[constants_max];
  for (size_t i = 0; i < constant_count; i++)
    widths[i] = 0.05;
  for (long i = 0; i < rounds; i++) {
    gg_device_model trial = *device;
    size_t changed[] = {(size_t)rand() % constant_count, (size_t)rand() % constant_count};
    size_t count = 1 + (size_t)(i % 2);
    for (size_t j = 0; j < count; j++) {
      const gg_device_column *c = constants[changed[j]];
      double *value = (double *)((char *)&trial + c->offset);
      double step = widths[changed[j]] * (2 * uniform() - 1);
      *value = fmin(fmax(*value * exp(step), c->low), c->high);
    }
    double now = cost(&trial, of);
    for (size_t j = 0; j < count; j++)
      widths[changed[j]] = fmin(fmax(widths[changed[j]] * (now < best ? 2 : 0.95), 0.01), 0.5);
    if (now < best) best = now, *device = trial;
  }
  print_row(device);
}

/* Each table by the row that suits the others. */
static void hold_out_each(const gg_device_model *device, char **names, long steps) {
  for (held = 0; held < tables; held++) {
    gg_device_model fitted = *device;
    fit(&fitted, FITTED, steps);
    print_score(names[held], judge(&fitted, HELD_OUT, false));
  }
}

int main(int argc, char **argv) {
  if (argc > 3 && strcmp(argv[1], "--device") == 0) {
    device_name = argv[2];
    argc -= 2, argv += 2;
  }
  bool hold_out = argc > 2 && strcmp(argv[1], "--hold-out") == 0;
  bool fits = hold_out || (argc > 2 && strcmp(argv[1], "--fit") == 0);
  int first = fits ? 3 : 1;
  if (argc <= first)
    die("needs", "[--device NAME] [--fit ROUNDS | --hold-out ROUNDS] TABLE.tsv...");
  for (int i = first; i < argc; i++)
    read_table(argv[i]);
  if (row_count == 0) die("no measurement of known kernels in", argv[first]);
  gg_device_model device = gg_device_model_of(device_name, 90, 0);
  find_constants(&device);
  if (hold_out && tables > 1) {
    hold_out_each(&device, argv + first, atol(argv[2]));
    return EXIT_SUCCESS;
  }
  if (fits) fit(&device, hold_out ? FITTED : ALL, atol(argv[2]));
  score all = judge(&device, ALL, true);
  if (hold_out) {
    print_score("fitted to", judge(&device, FITTED, false));
    print_score("held out", judge(&device, HELD_OUT, false));
  }
  print_score("all", all);
  /* Of the catalogue's races some have sixty kernels, of which few are so near the fastest; figures
   * of epilogues are of two samples. */
  double share = epilogues ? 0.6 : 0.7, most = epilogues ? 1.03 : 1.025;
  bool good = (double)all.within >= share * (double)all.problems && all.mean < most;
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
