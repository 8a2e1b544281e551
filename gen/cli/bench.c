/* The measurement. Sets of operands are used in rotation, so that no launch finds its inputs in the
 * L2, and every contender computes the same sets. Before the race the result of each contender on
 * the first set is compared with f64 sums of sampled elements, computed on the device or on the
 * host. */
#include "cli/bench.h"

#include <math.h>
#include <time.h>

#include "base/alloc.h"
#include "ceiling.h"
#include "number.h"
#include "pass.h"
#include "trial.h"

enum { sets_max = 256, sampled_side = 64 };

int bench_set_count(int64_t bytes, int64_t l2_bytes, int64_t available) {
  int64_t wanted = 2 * l2_bytes / bytes + 1, fit = available / 2 / bytes;
  if (wanted > fit) wanted = fit;
  return wanted < 1 ? 1 : wanted > sets_max ? sets_max : (int)wanted;
}

/* ---- Operand sets --------------------------------------------------------------------- */

typedef struct operand_sets {
  gg_trial *list;
  int count;
} operand_sets;

static void free_sets(operand_sets *sets) {
  for (int i = 0; i < sets->count; i++)
    gg_trial_close(&sets->list[i]);
  gg_free(sets->list);
  *sets = (operand_sets){0};
}

/* Adds a set of operands. The first set keeps its inputs on the host where the reference reads them
 * there: for C, and where the host sums A and B. */
static gg_status add_set(operand_sets *sets, const bench_rig *rig, const bench_entry *entry,
                         const gg_trial_inputs *inputs, gg_error *err) {
  const cli_case *c = entry->c;
  bench_c place = entry->epilogue ? entry->epilogue->c : BENCH_C_NONE;
  bool has_c = place != BENCH_C_NONE;
  gg_problem shape = {.size = sizeof(gg_problem),
                      .m = c->m,
                      .n = c->n,
                      .k = c->k,
                      .batch = c->batch,
                      .alpha = 1,
                      .beta = has_c ? BENCH_BETA : 0,
                      .overlap = rig->overlap};
  const gg_kernel *kernel = entry->kernels[0];
  gg_trial_options options = {.without_c = !has_c && !gg_kernel_reads_scalars(kernel),
                              .in_place = place == BENCH_C_IN_PLACE,
                              .shift = 1000003 * (int64_t)sets->count};
  gg_trial *trial = &sets->list[sets->count];
  gg_status st = gg_trial_open(trial, rig->context, kernel, &shape, &options, inputs, err);
  if (st) return st;
  bool read = has_c || !gg_device_reference_knows(kernel);
  if (!read || sets->count > 0) gg_trial_drop_inputs(trial);
  sets->count++;
  return GG_OK;
}

static gg_status free_memory(int64_t *out, const gg_context *context, gg_error *err) {
  size_t available = 0, total = 0;
  gg_status st = gg_context_enter(context, err);
  if (st) return st;
  st = GG_CUDA(&context->driver, err, cuMemGetInfo, &available, &total);
  gg_context_leave(context);
  *out = (int64_t)available;
  return st;
}

/* Makes all scales 0.5 or more: products of several smaller ones would leave 8-bit results too
 * small to tell right from wrong. */
static void spread_scales(gg_trial_inputs *inputs, const gg_kernel *kernel) {
  for (size_t i = 0; i < kernel->operation_count; i++) {
    if (kernel->operations[i].kind != GG_OP_SCALE) continue;
    gg_inputs *scales = &inputs->extras[i];
    for (int64_t j = 0; j < scales->length; j++) {
      double value = gg_number_get(scales->type, scales->cycle, j);
      gg_number_set(scales->type, scales->cycle, j, 0.5 + fabs(value));
    }
  }
}

/* The bytes of a set on the device, with the bare product's D where that needs memory of its own.
 */
static int64_t bytes_of_set(const gg_trial *set) {
  const gg_problem *p = &set->problem;
  bool apart = gg_kernel_n_unit(set->kernel) > 1;
  int64_t product = apart ? gg_dtype_bytes(set->kernel->d.type, p->m * p->n * p->batch) : 0;
  return gg_trial_bytes(set) + product;
}

static gg_status make_sets(operand_sets *sets, const bench_rig *rig, const bench_entry *entry,
                           gg_error *err) {
  *sets = (operand_sets){.list = gg_malloc(sets_max * sizeof *sets->list)};
  if (!sets->list) return gg_fail(err, MEMORY, NULL, "");
  gg_trial_inputs inputs;
  int64_t available;
  const gg_kernel *kernel = entry->kernels[0];
  gg_status st =
      gg_trial_inputs_make(&inputs, kernel, GG_INPUTS_NORMAL, entry->c->k, rig->seed, err);
  if (st) return st;
  if (entry->epilogue) spread_scales(&inputs, kernel);
  st = free_memory(&available, rig->context, err);
  if (!st) st = add_set(sets, rig, entry, &inputs, err);
  if (!st) {
    int wanted = bench_set_count(bytes_of_set(&sets->list[0]),
                                 gg_context_device(rig->context)->l2_bytes, available);
    while (sets->count < wanted && !st)
      st = add_set(sets, rig, entry, &inputs, err);
  }
  gg_trial_inputs_free(&inputs);
  return st;
}

/* ---- Measured at work ----------------------------------------------------------------- */

/* Launches as a program would: many launches in a row, then a wait for all of them. */
static gg_status launch_some(gg_gemm *gemm, const gg_form *form, const operand_sets *sets,
                             gg_context *context, gg_error *err) {
  enum { launches = 64 };
  gg_status st = GG_OK;
  for (int i = 0; i < launches && !st; i++)
    st = gg_gemm_launch(gemm, form, &sets->list[i % sets->count].problem, NULL, err);
  return st ? st : gg_synchronize(context, NULL, err);
}

static gg_status decide(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                        const operand_sets *sets, gg_context *context, gg_error *err) {
  enum { patience = 120 /* seconds */ };
  time_t begun = time(NULL);
  gg_status st;
  do {
    *out = (gg_gemm_choice)GG_GEMM_CHOICE_INIT;
    st = launch_some(gemm, form, sets, context, err);
    if (!st) st = gg_gemm_choose(out, gemm, form, &sets->list[0].problem, err);
  } while (!st && out->measuring && time(NULL) - begun < patience);
  return st;
}

gg_status bench_decide(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                       const bench_rig *rig, const bench_entry *entry, gg_error *err) {
  operand_sets sets;
  uint64_t workspace = 0;
  gg_status st = make_sets(&sets, rig, entry, err);
  if (!st) st = gg_workspace_alloc(&workspace, rig->context, GG_GEMM_WORKSPACE, err);
  for (int i = 0; i < sets.count && !st; i++) {
    sets.list[i].problem.workspace = workspace;
    sets.list[i].problem.workspace_bytes = GG_GEMM_WORKSPACE;
  }
  if (!st) st = decide(out, gemm, form, &sets, rig->context, err);
  gg_memory_free(rig->context, workspace);
  free_sets(&sets);
  return st;
}

/* ---- Contenders ----------------------------------------------------------------------- */

typedef struct our_launch {
  gg_prepared *prepared; /* one for each set */
  int sets;
} our_launch;

static gg_status launch_ours(void *self, int turn, CUstream stream, gg_error *err) {
  const our_launch *ours = self;
  return gg_launch_prepared(&ours->prepared[turn % ours->sets], stream, err);
}

typedef struct lt_launch {
  const gg_cublaslt_plan *plan;
  int index;
  const gg_trial *trials; /* one for each set */
  int sets;
} lt_launch;

static gg_status launch_lt(void *self, int turn, CUstream stream, gg_error *err) {
  const lt_launch *lt = self;
  const gg_trial *trial = &lt->trials[turn % lt->sets];
  return gg_cublaslt_launch(lt->plan, lt->index, &trial->problem, stream, err);
}

/* The bare product followed by a kernel that moves the epilogue's bytes. */
typedef struct separate_launch {
  our_launch *bare;
  const gg_pass *pass;
  const gg_trial *trials, *products; /* one for each set */
} separate_launch;

static gg_status launch_separate(void *self, int turn, CUstream stream, gg_error *err) {
  const separate_launch *both = self;
  gg_status st = launch_ours(both->bare, turn, stream, err);
  if (st) return st;
  int set = turn % both->bare->sets;
  return gg_pass_launch(both->pass, &both->trials[set], &both->products[set], stream, err);
}

static gg_status launch_ceiling(void *self, int turn, CUstream stream, gg_error *err) {
  (void)turn;
  return gg_ceiling_launch(self, stream, err);
}

/* Gives the sets workspaces that are large enough for this kernel. Must be called for every kernel
 * before any launch is prepared, since a larger workspace replaces a smaller one. */
static gg_status provide(const operand_sets *sets, const gg_module *module, gg_error *err) {
  gg_status st = GG_OK;
  for (int i = 0; i < sets->count && !st; i++)
    st = gg_trial_provide(&sets->list[i], module, err);
  return st;
}

/* Prepares a launch for each of `sets` trials. `bare`: the kernel has no C. */
static gg_status prepare_ours(our_launch *out, const gg_module *module, const gg_trial *trials,
                              int sets, bool bare, gg_error *err) {
  *out = (our_launch){.prepared = gg_malloc((size_t)sets * sizeof *out->prepared), .sets = sets};
  if (!out->prepared) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = GG_OK;
  for (int i = 0; i < sets && !st; i++) {
    gg_problem problem = trials[i].problem;
    if (bare) problem.beta = 0;
    st = gg_prepare(&out->prepared[i], module, &problem, err);
  }
  return st;
}

/* ---- The case ------------------------------------------------------------------------- */

/* The state of one case's measurement. */
typedef struct race {
  const bench_rig *rig;
  const bench_entry *entry;
  bench_result *out;
  operand_sets sets;
  gg_kernel product;  /* facts of our kernels, without their operations */
  gg_trial *products; /* one for each set: the bare product */
  gg_sample sample;
  gg_reference reference;
  gg_cublaslt_plan *plan;      /* NULL: none */
  gg_cublaslt_plan *bare_plan; /* with an epilogue: the bare product; NULL: none, or `plan` is it */
  gg_ceiling ceiling;
  bool has_ceiling;
  gg_pass pass;
  bool has_pass;
  our_launch *ours;
  our_launch bare;
} race;

static gg_status make_reference(race *r, gg_error *err) {
  const gg_trial *first = &r->sets.list[0];
  const gg_problem *p = &first->problem;
  const gg_kernel *kernel = r->entry->kernels[0];
  gg_device_reference *device;
  int64_t budget = p->k * sampled_side * sampled_side;
  gg_status st = gg_sample_choose_for(&r->sample, kernel, p, budget, r->rig->seed, err);
  if (st) return st;
  if (!gg_device_reference_knows(kernel))
    return gg_reference_on_host(&r->reference, kernel, p, gg_trial_host_inputs(first), &r->sample,
                                err);
  st = gg_device_reference_open(&device, r->rig->context, r->entry->c->a, r->entry->c->b, err);
  if (st) return st;
  st = gg_reference_on_device(&r->reference, device, kernel, p, &r->sample, err);
  gg_device_reference_close(device);
  return st;
}

/* What a contender computes. cuBLASLt stores some results in types of its own. */
typedef enum work { THE_PRODUCT, THE_EPILOGUE, THE_EPILOGUE_BY_CUBLASLT } work;

/* Runs a contender on the first set and compares its result with the reference. */
static gg_status verify(bench_figure *out, race *r, gg_contender_launch launch, void *self, work of,
                        gg_error *err) {
  gg_verdict verdict;
  gg_trial trial = of == THE_PRODUCT ? r->products[0] : r->sets.list[0]; /* of the same memory */
  gg_kernel by_cublaslt = gg_cublaslt_results(trial.kernel);
  if (of == THE_EPILOGUE_BY_CUBLASLT) trial.kernel = &by_cublaslt;
  gg_status st = gg_trial_poison(&trial, err);
  if (!st) st = launch(self, 0, NULL, err);
  if (!st) st = gg_synchronize(r->rig->context, NULL, err);
  if (!st) st = gg_trial_check(&verdict, &trial, &r->sample, &r->reference, err);
  if (st) return st;
  out->right = gg_verdict_passed(&verdict);
  out->max_error = verdict.max_error;
  return GG_OK;
}

static bool does_epilogue(const bench_entry *entry) {
  return entry->epilogue && entry->epilogue->cublaslt != GG_CUBLASLT_PRODUCT;
}

/* The trials that a plan of cuBLASLt computes. */
static const gg_trial *trials_of(const race *r, const gg_cublaslt_plan *plan) {
  return plan == r->plan && does_epilogue(r->entry) ? r->sets.list : r->products;
}

static lt_launch launch_of(const race *r, const gg_cublaslt_plan *plan, int index) {
  return (lt_launch){plan, index, trials_of(r, plan), r->sets.count};
}

/* Whether an algorithm that cuBLASLt proposes can in fact be launched. */
static bool runs(const race *r, const gg_cublaslt_plan *plan, int index, gg_error *why) {
  lt_launch launch = launch_of(r, plan, index);
  gg_status st = launch_lt(&launch, 0, NULL, why);
  if (!st) st = gg_synchronize(r->rig->context, NULL, why);
  return st == GG_OK;
}

/* Times cuBLASLt's candidates briefly, to find the one that takes part in the race. */
static gg_status choose_candidate(race *r, gg_error *err) {
  int proposed = gg_cublaslt_plan_count(r->plan), count = 0, best = 0;
  lt_launch launches[GG_CUBLASLT_CANDIDATES];
  gg_contender contenders[GG_CUBLASLT_CANDIDATES];
  for (int i = 0; i < proposed; i++) {
    gg_error ignored = GG_ERROR_INIT;
    if (runs(r, r->plan, i, &ignored)) {
      launches[count] = launch_of(r, r->plan, i);
      contenders[count] = (gg_contender){.launch = launch_lt, .self = &launches[count]};
      count++;
    }
    gg_error_clear(&ignored);
  }
  gg_timing_options brief = {.sample_seconds = r->rig->timing.sample_seconds / 2, .samples = 3};
  gg_status st = gg_time_contenders(contenders, count, r->rig->context, &brief, err);
  for (int i = 0; i < count && !st; i++) {
    if (contenders[i].seconds < contenders[best].seconds) best = i;
  }
  if (!st) r->out->lt_index = launches[best].index;
  return st;
}

static double tflops(const cli_case *c, double seconds) {
  return 2e-12 * (double)c->m * (double)c->n * (double)c->k * (double)c->batch / seconds;
}

/* The contenders of the race, and where their figures go. */
typedef struct line_up {
  gg_contender *list;
  double **figures; /* one for each contender; NULL: the ceiling's */
  int count;
} line_up;

/* Enters a contender whose result is not checked, as it means nothing. */
static void enter_unchecked(line_up *all, double *figure, gg_contender_launch launch, void *self) {
  all->list[all->count] = (gg_contender){.launch = launch, .self = self};
  all->figures[all->count++] = figure;
}

/* Enters a contender after its result was compared, whether it was right or wrong. */
static gg_status enter(line_up *all, race *r, bench_figure *figure, gg_contender_launch launch,
                       void *self, work of, gg_error *err) {
  enter_unchecked(all, &figure->tflops, launch, self);
  return verify(figure, r, launch, self, of, err);
}

/* The race: our kernels, cuBLASLt's first and best candidates, the bare products, the product with
 * a separate kernel, and the ceiling. */
static gg_status run_race(race *r, line_up *all, gg_error *err) {
  bench_result *out = r->out;
  lt_launch first = launch_of(r, r->plan, 0), best = launch_of(r, r->plan, out->lt_index);
  lt_launch bare = launch_of(r, r->bare_plan, 0);
  separate_launch separate = {&r->bare, &r->pass, r->sets.list, r->products};
  work of_lt = does_epilogue(r->entry) ? THE_EPILOGUE_BY_CUBLASLT : THE_PRODUCT;
  gg_status st = GG_OK;
  for (int i = 0; i < r->entry->count && !st; i++)
    st = enter(all, r, &out->ours[i], launch_ours, &r->ours[i], THE_EPILOGUE, err);
  if (r->plan && !st) st = enter(all, r, &out->lt_first, launch_lt, &first, of_lt, err);
  if (r->plan && !st) st = enter(all, r, &out->lt_best, launch_lt, &best, of_lt, err);
  if (r->entry->bare && !st)
    st = enter(all, r, &out->bare, launch_ours, &r->bare, THE_PRODUCT, err);
  if (r->bare_plan && !st) st = enter(all, r, &out->lt_bare, launch_lt, &bare, THE_PRODUCT, err);
  if (r->has_pass) enter_unchecked(all, &out->separate, launch_separate, &separate);
  if (r->has_ceiling) enter_unchecked(all, NULL, launch_ceiling, &r->ceiling);
  if (!st) {
    st = gg_time_contenders(all->list, all->count, r->rig->context, &r->rig->timing, err);
  }
  for (int i = 0; i < all->count && !st; i++) {
    double seconds = all->list[i].seconds;
    if (all->figures[i])
      *all->figures[i] = tflops(r->entry->c, seconds);
    else
      out->ceiling = 1e-12 * r->ceiling.flops / seconds;
  }
  /* The first candidate is one of those that the best was chosen from, so the best is never slower.
   */
  out->lt_best.tflops = fmax(out->lt_first.tflops, out->lt_best.tflops);
  if (r->plan && !does_epilogue(r->entry)) out->lt_bare = out->lt_first;
  return st;
}

static gg_status hold_race(race *r, gg_error *err) {
  enum { others = 6 };
  size_t most = (size_t)r->entry->count + others;
  line_up all = {.list = gg_malloc(most * sizeof *all.list),
                 .figures = gg_malloc(most * sizeof *all.figures)};
  gg_status st = all.list && all.figures ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = run_race(r, &all, err);
  gg_free(all.list);
  gg_free(all.figures);
  return st;
}

/* Opens cuBLASLt's plan for the case. False where cuBLASLt has none, which is no error: its figure
 * is left out. */
static bool open_plan(gg_cublaslt_plan **out, race *r, gg_cublaslt_epilogue epilogue,
                      gg_error *why) {
  const gg_trial *trial = epilogue == GG_CUBLASLT_PRODUCT ? &r->products[0] : &r->sets.list[0];
  if (gg_cublaslt_plan_open(out, r->rig->lt, trial->kernel, &trial->problem, epilogue, why))
    return false;
  if (runs(r, *out, 0, why)) return true;
  gg_cublaslt_plan_close(*out);
  *out = NULL;
  return false;
}

static gg_status open_cublaslt(race *r, gg_error *err) {
  gg_error ignored = GG_ERROR_INIT;
  gg_status st = GG_OK;
  bool does = does_epilogue(r->entry);
  gg_cublaslt_epilogue epilogue = does ? r->entry->epilogue->cublaslt : GG_CUBLASLT_PRODUCT;
  if (open_plan(&r->plan, r, epilogue, &r->out->lt_obstacle)) st = choose_candidate(r, err);
  if (does && r->entry->bare && !st) open_plan(&r->bare_plan, r, GG_CUBLASLT_PRODUCT, &ignored);
  gg_error_clear(&ignored);
  return st;
}

static gg_status open_yardsticks(race *r, gg_error *err) {
  const bench_rig *rig = r->rig;
  const cli_case *c = r->entry->c;
  gg_status st = rig->lt ? open_cublaslt(r, err) : GG_OK;
  if (!st && rig->ceiling && gg_ceiling_covers(c->a, c->accumulator)) {
    st = gg_ceiling_open(&r->ceiling, rig->context, c->a, c->accumulator, err);
    r->has_ceiling = st == GG_OK;
  }
  /* With C in D's place, the separate product would need memory of its own. */
  bool in_place = r->entry->epilogue && r->entry->epilogue->c == BENCH_C_IN_PLACE;
  if (!st && r->entry->bare && !in_place) {
    st = gg_pass_open(&r->pass, rig->context, err);
    r->has_pass = st == GG_OK;
  }
  return st;
}

/* Opens the bare products. They share the sets' workspaces, which must be there already. */
static gg_status open_products(race *r, gg_error *err) {
  gg_status st = GG_OK;
  r->product = *r->entry->kernels[0];
  r->product.operation_count = 0;
  r->products = gg_calloc((size_t)r->sets.count, sizeof *r->products);
  if (!r->products) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < r->sets.count && !st; i++)
    st = gg_trial_product_open(&r->products[i], &r->sets.list[i], &r->product, err);
  return st;
}

static void close_products(race *r) {
  for (int i = 0; i < r->sets.count && r->products; i++)
    gg_trial_product_close(&r->products[i], &r->sets.list[i]);
  gg_free(r->products);
}

/* Provides workspaces for every kernel, then prepares their launches. */
static gg_status prepare_all(race *r, gg_error *err) {
  const bench_entry *entry = r->entry;
  gg_status st = GG_OK;
  for (int i = 0; i < entry->count && !st; i++)
    st = provide(&r->sets, entry->modules[i], err);
  if (entry->bare && !st) st = provide(&r->sets, entry->bare, err);
  if (!st) st = open_products(r, err);
  int sets = r->sets.count;
  for (int i = 0; i < entry->count && !st; i++)
    st = prepare_ours(&r->ours[i], entry->modules[i], r->sets.list, sets, false, err);
  if (entry->bare && !st) st = prepare_ours(&r->bare, entry->bare, r->products, sets, true, err);
  return st;
}

static void close_race(race *r) {
  if (r->has_ceiling) gg_ceiling_close(&r->ceiling);
  if (r->has_pass) gg_pass_close(&r->pass);
  gg_cublaslt_plan_close(r->plan);
  gg_cublaslt_plan_close(r->bare_plan);
  gg_reference_free(&r->reference);
  gg_sample_free(&r->sample);
  for (int i = 0; i < r->entry->count && r->ours; i++)
    gg_free(r->ours[i].prepared);
  gg_free(r->ours);
  gg_free(r->bare.prepared);
  close_products(r);
  free_sets(&r->sets);
}

gg_status bench_case(bench_result *out, const bench_rig *rig, const bench_entry *entry,
                     gg_error *err) {
  size_t count = (size_t)entry->count;
  *out = (bench_result){.ours = gg_calloc(count, sizeof *out->ours)};
  race r = {.rig = rig, .entry = entry, .out = out, .ours = gg_calloc(count, sizeof *r.ours)};
  gg_status st = out->ours && r.ours ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = make_sets(&r.sets, rig, entry, err);
  if (!st) st = prepare_all(&r, err);
  if (!st) st = make_reference(&r, err);
  if (!st) st = open_yardsticks(&r, err);
  if (!st) st = hold_race(&r, err);
  out->sets = r.sets.count;
  close_race(&r);
  if (st) bench_result_free(out);
  return st;
}

void bench_result_free(bench_result *result) {
  gg_free(result->ours);
  gg_error_clear(&result->lt_obstacle);
  *result = (bench_result){0};
}
