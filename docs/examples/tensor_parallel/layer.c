#include "layer.h"

#include <stdio.h>
#include <stdlib.h>

#include "inputs.h"

enum { bf16_bytes = 2 };

/* ---- Shapes --------------------------------------------------------------------------- */

const char *shape_obstacle(const shape *shape, int ranks) {
  static char text[160];
  const struct {
    const char *name;
    int64_t extent;
  } divided[] = {{"M", shape->m},
                 {shape->collective == ALL_GATHER ? "N" : "K",
                  shape->collective == ALL_GATHER ? shape->n : shape->k}};
  for (int i = 0; i < 2; i++) {
    int64_t extent = divided[i].extent;
    if (extent % ranks == 0) continue;
    snprintf(text, sizeof text, "%s = %lld is divided by %d ranks; %lld is the next that can be",
             divided[i].name, (long long)extent, ranks, (long long)(extent / ranks + 1) * ranks);
    return text;
  }
  return NULL;
}

void layer_open(layer *out, device *device, const shape *shape, const world *world, int over_host) {
  int ranks = world->size, rank = world->rank;
  int gathers = shape->collective == ALL_GATHER;
  *out = (layer){.shape = *shape,
                 .ranks = ranks,
                 .rank = rank,
                 .device = device,
                 .rows = shape->m / ranks,
                 .columns = gathers ? shape->n / ranks : shape->n,
                 .depth = gathers ? shape->k : shape->k / ranks};
  int64_t x_rows = gathers ? out->rows : shape->m, between = gathers ? shape->k : shape->n;
  out->x = device_alloc(device, x_rows * out->depth * bf16_bytes);
  out->w = device_alloc(device, out->columns * out->depth * bf16_bytes);
  out->d = device_alloc(device, layer_d_rows(out) * out->columns * bf16_bytes);
  out->windows = windows_open(device, world, shape->m * between * bf16_bytes, over_host);
  out->between = window_at(out->windows, 0);
  int64_t first_row = gathers ? rank * out->rows : 0,
          first_column = gathers ? 0 : rank * out->depth;
  inputs_write(device, out->x, INPUT_X, first_row, x_rows, first_column, out->depth);
  first_row = gathers ? rank * out->columns : 0;
  inputs_write(device, out->w, INPUT_W, first_row, out->columns, first_column, out->depth);
}

void layer_close(layer *layer) {
  device_free(layer->device, layer->x);
  device_free(layer->device, layer->w);
  device_free(layer->device, layer->d);
  windows_close(layer->windows);
}

int64_t layer_d_rows(const layer *layer) {
  return layer->shape.collective == ALL_GATHER ? layer->shape.m : layer->rows;
}

/* ---- Products ------------------------------------------------------------------------- */

product layer_product(const layer *layer) {
  int gathers = layer->shape.collective == ALL_GATHER;
  return (product){.m = layer->shape.m,
                   .n = layer->columns,
                   .k = layer->depth,
                   .batch = 1,
                   .a = gathers ? layer->between : layer->x,
                   .b = layer->w,
                   .d = gathers ? layer->d : layer->between};
}

void product_prepare(gg_prepared *out, device *device, const product *p) {
  gg_error err = GG_ERROR_INIT;
  gg_form form = GG_FORM_INIT;
  gg_problem problem = GG_PROBLEM_INIT;
  form.a = form.b = (gg_operand){GG_DTYPE_bf16, GG_MAJOR_K, 0};
  form.d = (gg_operand){p->d_is_f32 ? GG_DTYPE_f32 : GG_DTYPE_bf16, GG_MAJOR_N, 0};
  form.has_c = p->c != 0;
  form.c = form.d;
  form.accumulator = GG_DTYPE_f32;
  problem.m = p->m, problem.n = p->n, problem.k = p->k, problem.batch = p->batch;
  problem.a = p->a, problem.b = p->b, problem.d = p->d;
  problem.c = p->c, problem.beta = p->c ? 1 : 0;
  problem.lda = problem.ldb = p->k, problem.ldc = problem.ldd = p->n;
  problem.batch_stride_a = p->batch_stride_a, problem.batch_stride_d = p->batch_stride_d;
  problem.workspace = device->workspace, problem.workspace_bytes = GG_GEMM_WORKSPACE;
  problem.multiprocessors = p->multiprocessors;
  /* CTAs that come before their turn would take the multiprocessors that a collective waits for. */
  problem.overlap = false;
  must(gg_gemm_prepare(out, device->gemm, &form, &problem, &err), &err);
}

/* ---- Plans ---------------------------------------------------------------------------- */

enum { own_rows = -1 };

/* A product of some ranks' rows of a chunk; or of all of the rank's own rows, which no collective
 * brings. */
typedef struct step {
  int chunk; /* or own_rows */
  gg_prepared product;
} step;

struct plan {
  layer *layer;
  transport *transport;
  plan_options options;
  int64_t chunk_rows; /* of each rank */
  step steps[2 * CHUNKS_MOST + 1];
  int step_count;
  event begun, finished, done[CHUNKS_MOST]; /* done: a chunk has come, or its sums have */
};

int plan_is_possible(const layer *layer, plan_options options) {
  int gathers = layer->shape.collective == ALL_GATHER;
  if (options.chunks < 1 || options.chunks > CHUNKS_MOST) return 0;
  if (options.own_first && (!gathers || layer->ranks == 1)) return 0;
  return layer->rows % options.chunks == 0;
}

/* A product that a collective runs beside leaves multiprocessors to it. Of an all-gather that is
 * every one but the last chunk's, of a reduce-scatter every one but the first. */
static int64_t multiprocessors_for(const plan *plan, int chunk) {
  int ctas = transport_ctas(plan->transport), chunks = plan->options.chunks;
  int gathers = plan->layer->shape.collective == ALL_GATHER;
  int alone = gathers ? chunk == chunks - 1 : chunk == 0;
  return ctas == 0 || alone ? 0 : plan->layer->device->facts->sm_count - ctas;
}

/* `count` ranks' rows of a chunk, from rank `first` on. What is communicated lies chunk by chunk,
 * so that a collective reads or writes one range; what is the layer's own lies rank by rank. */
static product product_of_chunk(const plan *plan, int chunk, int first, int count) {
  const layer *layer = plan->layer;
  int gathers = layer->shape.collective == ALL_GATHER;
  int64_t rows = plan->chunk_rows, by_rank = first * layer->rows + chunk * rows,
          by_chunk = ((int64_t)chunk * layer->ranks + first) * rows;
  int64_t row_a = gathers ? by_chunk : by_rank, row_d = gathers ? by_rank : by_chunk;
  product out = layer_product(layer);
  out.m = rows;
  out.batch = count;
  out.a += (uint64_t)(row_a * out.k * bf16_bytes);
  out.d += (uint64_t)(row_d * out.n * bf16_bytes);
  out.batch_stride_a = (gathers ? rows : layer->rows) * out.k;
  out.batch_stride_d = (gathers ? layer->rows : rows) * out.n;
  out.multiprocessors = multiprocessors_for(plan, chunk);
  if (plan->options.chunks == 1) { /* the rows of all follow each other */
    out.m = rows * count;
    out.batch = 1;
  }
  return out;
}

static void add_step(plan *plan, int chunk, product product) {
  step *step = &plan->steps[plan->step_count++];
  if (product.batch == 0) {
    plan->step_count--;
    return;
  }
  step->chunk = chunk;
  product_prepare(&step->product, plan->layer->device, &product);
}

static product product_of_own_rows(const plan *plan) {
  const layer *layer = plan->layer;
  product out = layer_product(layer);
  out.m = layer->rows;
  out.a = layer->x;
  out.d += (uint64_t)(layer->rank * layer->rows * out.n * bf16_bytes);
  out.multiprocessors = multiprocessors_for(plan, own_rows);
  return out;
}

plan *plan_open(layer *layer, transport *transport, plan_options options) {
  plan *out = host_alloc(sizeof *out);
  out->layer = layer;
  out->transport = transport;
  out->options = options;
  out->chunk_rows = layer->rows / options.chunks;
  out->begun = event_new(0);
  out->finished = event_new(0);
  int rank = layer->rank, behind = layer->ranks - rank - 1;
  if (options.own_first) add_step(out, own_rows, product_of_own_rows(out));
  for (int chunk = 0; chunk < options.chunks; chunk++) {
    out->done[chunk] = event_new(0);
    if (options.own_first) {
      if (rank > 0) add_step(out, chunk, product_of_chunk(out, chunk, 0, rank));
      if (behind > 0) add_step(out, chunk, product_of_chunk(out, chunk, rank + 1, behind));
    } else {
      add_step(out, chunk, product_of_chunk(out, chunk, 0, layer->ranks));
    }
  }
  return out;
}

void plan_close(plan *plan) {
  if (!plan) return;
  for (int chunk = 0; chunk < plan->options.chunks; chunk++)
    event_free(plan->done[chunk]);
  event_free(plan->begun);
  event_free(plan->finished);
  free(plan);
}

static void launch(const plan *plan, int chunk) {
  gg_error err = GG_ERROR_INIT;
  for (int i = 0; i < plan->step_count; i++) {
    if (plan->steps[i].chunk != chunk) continue;
    must(gg_launch_prepared(&plan->steps[i].product, plan->layer->device->compute, &err), &err);
  }
}

static void gather_and_multiply(plan *plan) {
  const layer *layer = plan->layer;
  const device *device = layer->device;
  uint64_t chunk_bytes = (uint64_t)(plan->chunk_rows * layer->depth * bf16_bytes);
  launch(plan, own_rows);
  for (int chunk = 0; chunk < plan->options.chunks; chunk++) {
    uint64_t at = (uint64_t)chunk * chunk_bytes;
    all_gather(plan->transport, layer->x + at, layer->between + (uint64_t)layer->ranks * at,
               plan->chunk_rows * layer->depth, device->communicate);
    event_record(plan->done[chunk], device->communicate);
    event_await(plan->done[chunk], device->compute);
    launch(plan, chunk);
  }
}

static void multiply_and_scatter(plan *plan) {
  const layer *layer = plan->layer;
  const device *device = layer->device;
  uint64_t chunk_bytes = (uint64_t)(plan->chunk_rows * layer->columns * bf16_bytes);
  for (int chunk = 0; chunk < plan->options.chunks; chunk++) {
    uint64_t at = (uint64_t)chunk * chunk_bytes;
    launch(plan, chunk);
    event_record(plan->done[chunk], device->compute);
    event_await(plan->done[chunk], device->communicate);
    reduce_scatter(plan->transport, layer->between + (uint64_t)layer->ranks * at, layer->d + at,
                   plan->chunk_rows * layer->columns, device->communicate);
  }
}

void plan_run(plan *plan) {
  const device *device = plan->layer->device;
  event_record(plan->begun, device->compute);
  event_await(plan->begun, device->communicate);
  if (plan->layer->shape.collective == ALL_GATHER) {
    gather_and_multiply(plan);
  } else {
    multiply_and_scatter(plan);
  }
  event_record(plan->finished, device->communicate);
  event_await(plan->finished, device->compute);
}
