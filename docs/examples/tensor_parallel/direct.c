#include "direct.h"

#include <stdlib.h>

enum { bf16_bytes = 2, ready = WINDOW_FLAGS - 1, no_flag = -1 };

/* A product of a piece, and what it waits for and is followed by. */
typedef struct stage {
  gg_prepared product;
  int from, awaits;      /* the flag `awaits` of the rank `from` ranks on; or no_flag */
  int posts;             /* a flag to the next rank, or no_flag */
  uint64_t sums;         /* what is copied there before */
  int64_t offset, bytes; /* where to in its window */
} stage;

struct direct {
  layer *layer;
  int pieces;   /* of each rank's rows */
  int64_t rows; /* of a piece */
  stage stages[WINDOW_FLAGS + 1];
  int count;
  uint64_t sums; /* a reduce-scatter's, that are sent */
  event begun, sent, done[WINDOW_FLAGS];
};

int direct_is_possible(const layer *layer, int pieces) {
  return windows_reach(layer->windows) && layer->ranks > 1 && layer->rows % pieces == 0 &&
         layer->ranks * pieces < ready;
}

static stage *add_stage(direct *plan, product product) {
  stage *out = &plan->stages[plan->count++];
  product_prepare(&out->product, plan->layer->device, &product);
  return out;
}

/* ---- All-gather ----------------------------------------------------------------------- */

/* `rows` rows of X at `a`, the layer's from `row` on. */
static product product_of(const layer *layer, uint64_t a, int64_t row, int64_t rows) {
  product out = layer_product(layer);
  out.m = rows;
  out.a = a;
  out.d += (uint64_t)(row * out.n * bf16_bytes);
  return out;
}

/* The next rank's rows come first, as each rank sends to the one before it first. */
static void open_gather(direct *plan) {
  const layer *layer = plan->layer;
  stage *own = add_stage(plan, product_of(layer, layer->x, layer->rank * layer->rows, layer->rows));
  own->awaits = own->posts = no_flag;
  for (int shift = 1; shift < layer->ranks; shift++) {
    int64_t first = (layer->rank + shift) % layer->ranks * layer->rows;
    for (int i = 0; i < plan->pieces; i++) {
      int64_t row = first + i * plan->rows;
      uint64_t a = layer->between + (uint64_t)(row * layer->depth * bf16_bytes);
      stage *stage = add_stage(plan, product_of(layer, a, row, plan->rows));
      stage->from = shift, stage->awaits = i, stage->posts = no_flag;
    }
  }
}

static void send_rows(direct *plan) {
  const layer *layer = plan->layer;
  windows *windows = layer->windows;
  stream on = layer->device->communicate;
  int64_t bytes = plan->rows * layer->depth * bf16_bytes,
          own = layer->rank * layer->rows * layer->depth * bf16_bytes;
  for (int shift = 1; shift < layer->ranks; shift++)
    window_post(windows, shift, ready, 0, 0, layer->device->compute);
  for (int shift = 1; shift < layer->ranks; shift++) {
    window_await(windows, -shift, ready, on);
    for (int i = 0; i < plan->pieces; i++) {
      int64_t at = i * bytes;
      window_copy(windows, -shift, own + at, layer->x + (uint64_t)at, bytes, on);
      window_post(windows, -shift, i, own + at, bytes, on);
    }
  }
}

/* ---- Reduce-scatter ------------------------------------------------------------------- */

/* In step s a rank adds its part to the rows of the rank s + 1 before it. Sums of step s lie at the
 * same place in the window of the rank that has them in step s + 1. */
static void open_scatter(direct *plan) {
  const layer *layer = plan->layer;
  int ranks = layer->ranks, pieces = plan->pieces;
  int64_t bytes = plan->rows * layer->columns * bf16_bytes;
  plan->sums = device_alloc(layer->device, (ranks - 1) * pieces * bytes);
  for (int index = 0; index < ranks * pieces; index++) {
    int step = index / pieces, piece = index % pieces, is_last = step == ranks - 1;
    int64_t of = (layer->rank - 1 - step + 2 * ranks) % ranks, offset = index * bytes;
    product product = layer_product(layer);
    product.m = plan->rows;
    product.a += (uint64_t)((of * layer->rows + piece * plan->rows) * layer->depth * bf16_bytes);
    if (step > 0) product.c = layer->between + (uint64_t)(offset - pieces * bytes);
    product.d = is_last ? layer->d + (uint64_t)(piece * bytes) : plan->sums + (uint64_t)offset;
    stage *stage = add_stage(plan, product);
    stage->from = -1, stage->awaits = step > 0 ? index - pieces : no_flag;
    stage->posts = is_last ? no_flag : index;
    stage->sums = product.d, stage->offset = offset, stage->bytes = bytes;
  }
}

static void send_sums(direct *plan, int index) {
  const stage *stage = &plan->stages[index];
  const device *device = plan->layer->device;
  stream on = device->communicate;
  if (stage->posts == no_flag) return;
  event_record(plan->done[index], device->compute);
  event_await(plan->done[index], on);
  window_copy(plan->layer->windows, 1, stage->offset, stage->sums, stage->bytes, on);
  window_post(plan->layer->windows, 1, stage->posts, stage->offset, stage->bytes, on);
}

/* ---- Both ----------------------------------------------------------------------------- */

direct *direct_open(layer *layer, int pieces) {
  direct *out = host_alloc(sizeof *out);
  out->layer = layer;
  out->pieces = pieces;
  out->rows = layer->rows / pieces;
  out->begun = event_new(0);
  out->sent = event_new(0);
  for (int i = 0; i < WINDOW_FLAGS; i++)
    out->done[i] = event_new(0);
  if (layer->shape.collective == ALL_GATHER) {
    open_gather(out);
  } else {
    open_scatter(out);
  }
  return out;
}

void direct_close(direct *plan) {
  if (!plan) return;
  if (plan->sums) device_free(plan->layer->device, plan->sums);
  for (int i = 0; i < WINDOW_FLAGS; i++)
    event_free(plan->done[i]);
  event_free(plan->begun);
  event_free(plan->sent);
  free(plan);
}

void direct_run(direct *plan) {
  gg_error err = GG_ERROR_INIT;
  windows *windows = plan->layer->windows;
  const device *device = plan->layer->device;
  int gathers = plan->layer->shape.collective == ALL_GATHER;
  windows_begin(windows);
  event_record(plan->begun, device->compute);
  event_await(plan->begun, device->communicate);
  if (gathers) {
    send_rows(plan);
  } else {
    /* The rank before this one may write now, and the next one's window may be written. */
    window_post(windows, -1, ready, 0, 0, device->compute);
    window_await(windows, 1, ready, device->communicate);
  }
  for (int i = 0; i < plan->count; i++) {
    const stage *stage = &plan->stages[i];
    if (stage->awaits != no_flag)
      window_await(windows, stage->from, stage->awaits, device->compute);
    must(gg_launch_prepared(&stage->product, device->compute, &err), &err);
    send_sums(plan, i);
  }
  event_record(plan->sent, device->communicate);
  event_await(plan->sent, device->compute);
}
