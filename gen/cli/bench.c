/* The measurement. Operand sets are rotated so that no launch finds its inputs in the L2; every
 * contender computes the same sets. Before the race each one's result on the first set is compared
 * with sampled sums in f64 from the device. */
#include "cli/bench.h"

#include <math.h>

#include "base/alloc.h"
#include "ceiling.h"
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

static gg_status add_set(operand_sets *sets, const bench_rig *rig, const cli_case *c,
                         const gg_kernel *kernel, const gg_trial_inputs *inputs, gg_error *err) {
  gg_problem shape = {
      .m = c->m, .n = c->n, .k = c->k, .batch = c->batch, .alpha = 1, .overlap = rig->overlap};
  gg_trial_options options = {.without_c = true, .shift = 1000003 * (int64_t)sets->count};
  gg_trial *trial = &sets->list[sets->count];
  gg_status st = gg_trial_open(trial, rig->context, kernel, &shape, &options, inputs, err);
  if (st) return st;
  gg_trial_drop_inputs(trial);
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

static gg_status make_sets(operand_sets *sets, const bench_rig *rig, const cli_case *c,
                           const gg_kernel *kernel, gg_error *err) {
  *sets = (operand_sets){.list = gg_malloc(sets_max * sizeof *sets->list)};
  if (!sets->list) return gg_fail(err, MEMORY, NULL, "");
  gg_trial_inputs inputs;
  int64_t available;
  gg_status st = gg_trial_inputs_make(&inputs, kernel, GG_INPUTS_NORMAL, c->k, rig->seed, err);
  if (st) return st;
  st = free_memory(&available, rig->context, err);
  if (!st) st = add_set(sets, rig, c, kernel, &inputs, err);
  if (!st) {
    int wanted = bench_set_count(gg_trial_bytes(&sets->list[0]),
                                 gg_context_device(rig->context)->l2_bytes, available);
    while (sets->count < wanted && !st)
      st = add_set(sets, rig, c, kernel, &inputs, err);
  }
  gg_trial_inputs_free(&inputs);
  return st;
}

/* ---- Contenders ----------------------------------------------------------------------- */

typedef struct our_launch {
  gg_prepared *prepared; /* one a set */
  int sets;
} our_launch;

static gg_status launch_ours(void *self, int turn, CUstream stream, gg_error *err) {
  const our_launch *ours = self;
  return gg_launch_prepared(&ours->prepared[turn % ours->sets], stream, err);
}

typedef struct lt_launch {
  const gg_cublaslt_plan *plan;
  int index;
  const operand_sets *sets;
} lt_launch;

static gg_status launch_lt(void *self, int turn, CUstream stream, gg_error *err) {
  const lt_launch *lt = self;
  const gg_trial *set = &lt->sets->list[turn % lt->sets->count];
  return gg_cublaslt_launch(lt->plan, lt->index, &set->problem, stream, err);
}

static gg_status launch_ceiling(void *self, int turn, CUstream stream, gg_error *err) {
  (void)turn;
  return gg_ceiling_launch(self, stream, err);
}

/* Workspaces for every kernel: before any is prepared, as a larger one takes a smaller one's place.
 */
static gg_status provide(const operand_sets *sets, const gg_module *module, gg_error *err) {
  gg_status st = GG_OK;
  for (int i = 0; i < sets->count && !st; i++)
    st = gg_trial_provide(&sets->list[i], module, err);
  return st;
}

static gg_status prepare_ours(our_launch *out, const gg_module *module, const operand_sets *sets,
                              gg_error *err) {
  *out = (our_launch){.prepared = gg_malloc((size_t)sets->count * sizeof *out->prepared),
                      .sets = sets->count};
  if (!out->prepared) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = GG_OK;
  for (int i = 0; i < sets->count && !st; i++) {
    st = gg_prepare(&out->prepared[i], module, &sets->list[i].problem, err);
  }
  return st;
}

/* ---- The case ------------------------------------------------------------------------- */

/* Everything of one case that is under way. */
typedef struct race {
  const bench_rig *rig;
  const cli_case *c;
  const gg_kernel *kernel; /* any of them: types and majors */
  bench_result *out;
  operand_sets sets;
  gg_sample sample;
  gg_reference reference;
  gg_cublaslt_plan *plan; /* NULL: none */
  gg_ceiling ceiling;
  bool has_ceiling;
  our_launch *ours;
  int count; /* of ours */
} race;

static gg_status make_reference(race *r, gg_error *err) {
  const gg_problem *p = &r->sets.list[0].problem;
  gg_device_reference *device;
  int64_t budget = p->k * sampled_side * sampled_side;
  gg_status st = gg_sample_choose(&r->sample, p, budget, r->rig->seed, err);
  if (st) return st;
  st = gg_device_reference_open(&device, r->rig->context, r->c->a, r->c->b, err);
  if (st) return st;
  st = gg_reference_on_device(&r->reference, device, r->kernel, p, &r->sample, err);
  gg_device_reference_close(device);
  return st;
}

/* Runs a contender on the first set and compares; with D = A * B where it is `plain`. */
static gg_status verify(bench_figure *out, race *r, gg_contender_launch launch, void *self,
                        bool plain, gg_error *err) {
  gg_verdict verdict;
  gg_trial trial = r->sets.list[0]; /* of the same memory */
  gg_kernel product = *trial.kernel;
  product.operation_count = 0;
  if (plain) trial.kernel = &product;
  gg_status st = gg_trial_poison(&trial, err);
  if (!st) st = launch(self, 0, NULL, err);
  if (!st) st = gg_synchronize(r->rig->context, NULL, err);
  if (!st) st = gg_trial_check(&verdict, &trial, &r->sample, &r->reference, err);
  if (st) return st;
  out->right = gg_verdict_passed(&verdict);
  out->max_error = verdict.max_error;
  return GG_OK;
}

/* Times the candidates briefly; the best takes part in the race proper. */
static gg_status choose_candidate(race *r, gg_error *err) {
  int count = gg_cublaslt_plan_count(r->plan);
  lt_launch launches[GG_CUBLASLT_CANDIDATES];
  gg_contender contenders[GG_CUBLASLT_CANDIDATES];
  for (int i = 0; i < count; i++) {
    launches[i] = (lt_launch){r->plan, i, &r->sets};
    contenders[i] = (gg_contender){.launch = launch_lt, .self = &launches[i]};
  }
  gg_timing_options brief = {.sample_seconds = r->rig->timing.sample_seconds / 2, .samples = 3};
  gg_status st = gg_time_contenders(contenders, count, r->rig->context, &brief, err);
  for (int i = 0; i < count && !st; i++) {
    if (contenders[i].seconds < contenders[r->out->lt_index].seconds) r->out->lt_index = i;
  }
  return st;
}

static double tflops(const cli_case *c, double seconds) {
  return 2e-12 * (double)c->m * (double)c->n * (double)c->k * (double)c->batch / seconds;
}

/* The race: ours, then cuBLASLt's first and best, then the ceiling. */
static gg_status run_race(race *r, gg_error *err) {
  gg_contender *contenders = gg_malloc((size_t)(r->count + 3) * sizeof *contenders);
  if (!contenders) return gg_fail(err, MEMORY, NULL, "");
  lt_launch first = {r->plan, 0, &r->sets}, best = {r->plan, r->out->lt_index, &r->sets};
  gg_status st = GG_OK;
  int count = 0, lt_at = -1, ceiling_at = -1;
  for (; count < r->count && !st; count++) {
    contenders[count] = (gg_contender){.launch = launch_ours, .self = &r->ours[count]};
    st = verify(&r->out->ours[count], r, launch_ours, &r->ours[count], false, err);
  }
  if (r->plan && !st) {
    lt_at = count;
    contenders[count++] = (gg_contender){.launch = launch_lt, .self = &first};
    contenders[count++] = (gg_contender){.launch = launch_lt, .self = &best};
    st = verify(&r->out->lt_first, r, launch_lt, &first, true, err);
    if (!st) st = verify(&r->out->lt_best, r, launch_lt, &best, true, err);
  }
  if (r->has_ceiling) {
    ceiling_at = count;
    contenders[count++] = (gg_contender){.launch = launch_ceiling, .self = &r->ceiling};
  }
  if (!st) st = gg_time_contenders(contenders, count, r->rig->context, &r->rig->timing, err);
  for (int i = 0; i < r->count && !st; i++) {
    r->out->ours[i].tflops = tflops(r->c, contenders[i].seconds);
  }
  if (!st && lt_at >= 0) {
    r->out->lt_first.tflops = tflops(r->c, contenders[lt_at].seconds);
    r->out->lt_best.tflops = tflops(r->c, contenders[lt_at + 1].seconds);
    /* The first candidate is one of those that the best is chosen from. */
    r->out->lt_best.tflops = fmax(r->out->lt_first.tflops, r->out->lt_best.tflops);
  }
  if (!st && ceiling_at >= 0) {
    r->out->ceiling = 1e-12 * r->ceiling.flops / contenders[ceiling_at].seconds;
  }
  gg_free(contenders);
  return st;
}

static gg_status open_yardsticks(race *r, gg_error *err) {
  const bench_rig *rig = r->rig;
  gg_status st = GG_OK;
  if (rig->lt) {
    gg_error ignored = GG_ERROR_INIT; /* cuBLASLt has nothing for the case: no figure */
    const gg_problem *p = &r->sets.list[0].problem;
    if (gg_cublaslt_plan_open(&r->plan, rig->lt, r->kernel, p, &ignored) == GG_OK) {
      st = choose_candidate(r, err);
    }
    gg_error_clear(&ignored);
  }
  if (!st && rig->ceiling && gg_ceiling_covers(r->c->a, r->c->accumulator)) {
    st = gg_ceiling_open(&r->ceiling, rig->context, r->c->a, r->c->accumulator, err);
    r->has_ceiling = st == GG_OK;
  }
  return st;
}

gg_status bench_case(bench_result *out, const bench_rig *rig, const cli_case *c,
                     const gg_kernel *const *kernels, gg_module *const *modules, int count,
                     gg_error *err) {
  *out = (bench_result){.ours = gg_malloc((size_t)count * sizeof *out->ours)};
  race r = {.rig = rig, .c = c, .kernel = kernels[0], .out = out, .count = count};
  r.ours = gg_malloc((size_t)count * sizeof *r.ours);
  gg_status st = out->ours && r.ours ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < count && r.ours; i++)
    r.ours[i] = (our_launch){0};
  for (int i = 0; i < count && out->ours; i++)
    out->ours[i] = (bench_figure){0};
  if (!st) st = make_sets(&r.sets, rig, c, r.kernel, err);
  for (int i = 0; i < count && !st; i++)
    st = provide(&r.sets, modules[i], err);
  for (int i = 0; i < count && !st; i++)
    st = prepare_ours(&r.ours[i], modules[i], &r.sets, err);
  if (!st) st = make_reference(&r, err);
  if (!st) st = open_yardsticks(&r, err);
  if (!st) st = run_race(&r, err);
  out->sets = r.sets.count;
  if (r.has_ceiling) gg_ceiling_close(&r.ceiling);
  gg_cublaslt_plan_close(r.plan);
  gg_reference_free(&r.reference);
  gg_sample_free(&r.sample);
  for (int i = 0; i < count && r.ours; i++)
    gg_free(r.ours[i].prepared);
  gg_free(r.ours);
  free_sets(&r.sets);
  if (st) bench_result_free(out);
  return st;
}

void bench_result_free(bench_result *result) {
  gg_free(result->ours);
  *result = (bench_result){0};
}
