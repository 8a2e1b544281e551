/* Tensor parallelism with libgemmgen: linear layers whose collectives run beside their products.
 *
 *     cc *.c -o tensor_parallel $(pkg-config --cflags --libs gemmgen) -ldl -lm
 *     ./tensor_parallel --spawn 2 gather:8192x57344x8192 scatter:8192x8192x28672
 *
 * Every layer is verified in each way that it is computed, then all ways take turns: the collective
 * alone, the product alone, one after the other (NCCL, then cuBLASLt), and in chunks of which one
 * is communicated while another is multiplied. README.md has more.
 *
 * Exit status: 0, all is right; 1, something is not, or failed; 2, the command line is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "direct.h"
#include "options.h"
#include "verify.h"

/* What all shapes share. */
typedef struct bench {
  options options;
  world world;
  device device;
  lt *lt;
  transport *usual;             /* as NCCL chooses: what there is to compare with */
  transport *beside[LIST_MOST]; /* by options.ctas */
} bench;

/* ---- Contenders ----------------------------------------------------------------------- */

enum { CONTENDERS_MOST = 5 + LIST_MOST + 2 * LIST_MOST * LIST_MOST, ROUNDS_WARM = 2 };

typedef enum kind { COLLECTIVE, LT, GEMMGEN, LT_AFTER, GEMMGEN_AFTER, OVERLAPPED, DIRECT } kind;

/* A way to compute a layer, or a part of it. */
typedef struct contender {
  kind kind;
  plan *plan;     /* of NCCL, else NULL */
  direct *direct; /* of windows, else NULL */
  int pieces;     /* its */
  plan_options options;
  int ctas;
  double *times; /* milliseconds, one a round */
  double median;
} contender;

typedef struct race {
  bench *bench;
  layer *layer;
  lt_product *lt;
  gg_prepared whole;
  contender contenders[CONTENDERS_MOST];
  int count;
} race;

static void communicate(const race *race) {
  const layer *layer = race->layer;
  stream on = race->bench->device.compute;
  if (layer->shape.collective == ALL_GATHER) {
    all_gather(race->bench->usual, layer->x, layer->between, layer->rows * layer->depth, on);
  } else {
    reduce_scatter(race->bench->usual, layer->between, layer->d, layer->rows * layer->columns, on);
  }
}

static void run(const race *race, const contender *c) {
  gg_error err = GG_ERROR_INIT;
  stream on = race->bench->device.compute;
  int gathers = race->layer->shape.collective == ALL_GATHER;
  if (c->kind == COLLECTIVE || (c->kind == LT_AFTER && gathers)) communicate(race);
  if (c->kind == LT || c->kind == LT_AFTER) lt_launch(race->lt, on);
  if (c->kind == GEMMGEN) must(gg_launch_prepared(&race->whole, on, &err), &err);
  if (c->kind == LT_AFTER && !gathers) communicate(race);
  if (c->plan) plan_run(c->plan);
  if (c->direct) direct_run(c->direct);
}

static void add(race *race, kind kind, transport *transport, plan_options options) {
  contender *c = &race->contenders[race->count];
  *c = (contender){.kind = kind, .options = options};
  if (transport) {
    if (!plan_is_possible(race->layer, options)) return;
    c->plan = plan_open(race->layer, transport, options);
    c->ctas = transport_ctas(transport);
  }
  c->times = host_alloc((size_t)race->bench->options.rounds * sizeof *c->times);
  race->count++;
}

static void add_direct(race *race, int pieces) {
  if (pieces == 0 || !direct_is_possible(race->layer, pieces)) return;
  contender *c = &race->contenders[race->count];
  add(race, DIRECT, NULL, (plan_options){.chunks = 1});
  c->pieces = pieces;
  c->direct = direct_open(race->layer, pieces);
}

static void race_open(race *out, bench *bench, layer *layer) {
  const options *o = &bench->options;
  const plan_options at_once = {.chunks = 1};
  *out = (race){.bench = bench, .layer = layer};
  product whole = layer_product(layer);
  product_prepare(&out->whole, &bench->device, &whole);
  if (bench->lt) out->lt = lt_product_open(bench->lt, &whole);
  add(out, COLLECTIVE, NULL, at_once);
  if (bench->lt) add(out, LT, NULL, at_once);
  add(out, GEMMGEN, NULL, at_once);
  if (bench->lt) add(out, LT_AFTER, NULL, at_once);
  add(out, GEMMGEN_AFTER, bench->usual, at_once);
  for (int i = 0; i < o->ctas.count; i++) {
    for (int j = 0; j < o->chunks.count; j++) {
      for (int first = 0; first < 2; first++)
        add(out, OVERLAPPED, bench->beside[i],
            (plan_options){.chunks = o->chunks.values[j], .own_first = first});
    }
  }
  for (int i = 0; i < o->pieces.count; i++)
    add_direct(out, o->pieces.values[i]);
}

static void race_close(race *race) {
  for (int i = 0; i < race->count; i++) {
    plan_close(race->contenders[i].plan);
    direct_close(race->contenders[i].direct);
    free(race->contenders[i].times);
  }
  lt_product_close(race->lt);
}

/* How a plan computes the layer, without the end of the line. */
static void print_way(const contender *c) {
  if (c->direct) {
    printf("  by windows, %d piece%s", c->pieces, c->pieces == 1 ? "" : "s");
  } else if (c->plan) {
    printf("  in chunks, %d of them, own rows %s, NCCL has %d CTAs", c->options.chunks,
           c->options.own_first ? "first" : "with the others", c->ctas);
  } else {
    printf("  NCCL and cuBLASLt in turn");
  }
}

/* ---- Verifying ------------------------------------------------------------------------ */

/* How many ways give a wrong D on any rank. */
static int verify(race *race) {
  bench *bench = race->bench;
  verifier *verifier = verifier_open(race->layer, bench->lt);
  double samples = 0, whole = 0;
  int wrong = 0, ways = 0;
  for (int i = 0; i < race->count; i++) {
    const contender *c = &race->contenders[i];
    if (c->kind != LT_AFTER && !c->plan && !c->direct) continue;
    verifier_poison(verifier);
    world_barrier(&bench->world);
    run(race, c);
    device_wait(bench->device.compute);
    verdict verdict = verifier_judge(verifier, c->kind != OVERLAPPED);
    double worst = world_most(&bench->world, verdict.samples);
    double worst_whole = world_most(&bench->world, verdict.whole);
    if (worst > samples) samples = worst;
    if (worst_whole > whole) whole = worst_whole;
    int bad = worst > 1 || worst_whole > 1;
    if (bad && bench->world.rank == 0) {
      print_way(c);
      printf(": WRONG, %.3g and %.3g of what is allowed\n", worst, worst_whole);
    }
    wrong += bad;
    ways++;
  }
  verifier_close(verifier);
  if (bench->world.rank == 0)
    printf("  verified on %d ranks, %d ways: %d samples in float64 within %.2f of what is allowed, "
           "one GPU's product in f32 within %.2f%s\n",
           bench->world.size, ways, SAMPLE_COUNT, samples, whole, wrong ? ": WRONG" : "");
  return wrong;
}

/* ---- Measuring ------------------------------------------------------------------------ */

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Everybody begins together; the slowest rank's time counts. */
static double time_of(const race *race, const contender *c, event from, event to) {
  const bench *bench = race->bench;
  stream on = bench->device.compute;
  world_barrier(&bench->world);
  event_record(from, on);
  for (int i = 0; i < bench->options.iterations; i++)
    run(race, c);
  event_record(to, on);
  device_wait(on);
  return world_most(&bench->world, event_milliseconds(from, to)) / bench->options.iterations;
}

/* In each round all take turns, beginning with another one: so none has a cooler GPU. */
static void measure(race *race) {
  int rounds = race->bench->options.rounds;
  event from = event_new(1), to = event_new(1);
  for (int round = -ROUNDS_WARM; round < rounds; round++) {
    for (int i = 0; i < race->count; i++) {
      contender *c = &race->contenders[(i + round + ROUNDS_WARM) % race->count];
      double time = time_of(race, c, from, to);
      if (round >= 0) c->times[round] = time;
    }
  }
  for (int i = 0; i < race->count; i++) {
    contender *c = &race->contenders[i];
    qsort(c->times, (size_t)rounds, sizeof *c->times, by_size);
    c->median = (c->times[(rounds - 1) / 2] + c->times[rounds / 2]) / 2;
  }
  event_free(from);
  event_free(to);
}

/* The fastest of a kind; NULL: there is none. */
static const contender *best_of(const race *race, kind kind) {
  const contender *best = NULL;
  for (int i = 0; i < race->count; i++) {
    const contender *c = &race->contenders[i];
    if (c->kind == kind && (!best || c->median < best->median)) best = c;
  }
  return best;
}

static void print_plan(const contender *c, double yardstick) {
  if (!c) return;
  print_way(c);
  printf(": %.4f ms", c->median);
  if (yardstick > 0) printf(", %.3f times as fast", yardstick / c->median);
  putchar('\n');
}

static double median_of(const race *race, kind kind) {
  const contender *c = best_of(race, kind);
  return c ? c->median : 0;
}

static void append(const race *race, const char *shape, double share) {
  const contender *best = best_of(race, OVERLAPPED), *direct = best_of(race, DIRECT);
  FILE *file = fopen(race->bench->options.tsv, "a");
  if (!file) die("%s cannot be written", race->bench->options.tsv);
  if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0)
    fprintf(file, "ranks\tshape\tcollective_ms\tcublaslt_ms\tgemmgen_ms\tshare\tnccl_cublaslt_ms\t"
                  "nccl_gemmgen_ms\tchunks_ms\tchunks\town_first\tctas\t"
                  "windows_ms\tpieces\n");
  fprintf(file, "%d\t%s\t%.4f\t%.4f\t%.4f\t%.3f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%d\t%.4f\t%d\n",
          race->bench->world.size, shape, median_of(race, COLLECTIVE), median_of(race, LT),
          median_of(race, GEMMGEN), share, median_of(race, LT_AFTER),
          median_of(race, GEMMGEN_AFTER), best ? best->median : 0, best ? best->options.chunks : 0,
          best ? best->options.own_first : 0, best ? best->ctas : 0, direct ? direct->median : 0,
          direct ? direct->pieces : 0);
  fclose(file);
}

static void report(const race *race, const char *shape) {
  double collective = median_of(race, COLLECTIVE), lt = median_of(race, LT),
         gemmgen = median_of(race, GEMMGEN), after = median_of(race, LT_AFTER),
         own_after = median_of(race, GEMMGEN_AFTER);
  double share = collective / (collective + (lt > 0 ? lt : gemmgen));
  printf("  %-28s %9.4f ms  %.0f%% of both\n", "the collective alone", collective, 100 * share);
  if (lt > 0) printf("  %-28s %9.4f ms\n", "the product, cuBLASLt", lt);
  printf("  %-28s %9.4f ms\n", "the product, gg_gemm", gemmgen);
  if (after > 0) printf("  %-28s %9.4f ms\n", "NCCL and cuBLASLt in turn", after);
  printf("  %-28s %9.4f ms\n", "NCCL and gg_gemm in turn", own_after);
  double yardstick = after > 0 ? after : own_after;
  print_plan(best_of(race, OVERLAPPED), yardstick);
  for (int i = 0; i < race->count; i++) {
    if (race->contenders[i].direct) print_plan(&race->contenders[i], yardstick);
  }
  if (race->bench->options.tsv) append(race, shape, share);
}

/* ---- The program ---------------------------------------------------------------------- */

static transport *open_transport(bench *bench, int ctas) {
  const options *o = &bench->options;
  return o->over_host ? transport_host(&bench->device, &bench->world)
                      : transport_nccl(&bench->device, &bench->world, o->nccl, ctas);
}

static void bench_open(bench *bench) {
  const options *o = &bench->options;
  world_open(&bench->world);
  device_open(&bench->device, o->device >= 0 ? o->device : bench->world.local);
  bench->usual = open_transport(bench, 0);
  for (int i = 0; i < o->ctas.count; i++)
    bench->beside[i] = open_transport(bench, o->ctas.values[i]);
  if (!o->cublaslt || strcmp(o->cublaslt, "none") != 0)
    bench->lt = lt_open(&bench->device, o->cublaslt);
}

static void bench_close(bench *bench) {
  transport_close(bench->usual);
  for (int i = 0; i < bench->options.ctas.count; i++)
    transport_close(bench->beside[i]);
  lt_close(bench->lt);
  device_close(&bench->device);
  world_close(&bench->world);
}

/* 1: something is wrong. */
static int bench_shape(bench *bench, const char *text) {
  shape shape;
  shape_read(&shape, text);
  const char *obstacle = shape_obstacle(&shape, bench->world.size);
  if (obstacle) die("%s: %s", text, obstacle);
  layer layer;
  layer_open(&layer, &bench->device, &shape, &bench->world, bench->options.over_host);
  if (bench->world.rank == 0)
    printf("%s on %d x %s\n", text, bench->world.size, bench->device.facts->name);
  race *race = host_alloc(sizeof *race);
  race_open(race, bench, &layer);
  int wrong = verify(race);
  if (!bench->options.verify_only) {
    measure(race);
    if (bench->world.rank == 0) report(race, text);
  }
  race_close(race);
  free(race);
  layer_close(&layer);
  fflush(stdout);
  return wrong > 0;
}

int main(int argc, char **argv) {
  bench *bench = host_alloc(sizeof *bench);
  options_read(&bench->options, argc, argv);
  if (bench->options.spawn > 0) world_spawn(bench->options.spawn);
  bench_open(bench);
  int wrong = 0;
  for (int i = 0; i < bench->options.shape_count; i++)
    wrong |= bench_shape(bench, bench->options.shapes[i]);
  bench_close(bench);
  free(bench);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
