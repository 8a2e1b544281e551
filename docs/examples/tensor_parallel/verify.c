/* What is allowed. A sum of k products of bf16 in f32 is off by no more than k * 2^-22 here, as no
 * factor is above 1; tensor cores cut rather than round. Storing it in bf16 costs half a unit, up
 * to 2^-8 of it. A reduce-scatter adds up the ranks' parts, each stored in bf16, and rounds after
 * each addition: ranks times 2^-8 of the sum of their magnitudes. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>

#include "bf16.h"
#include "inputs.h"

typedef struct sample {
  int64_t row, column;   /* of D */
  double value, allowed; /* float64's sum; what D may differ from it */
} sample;

struct verifier {
  layer *layer;
  sample samples[SAMPLE_COUNT];
  float *whole; /* one GPU's product */
  double largest;
};

static int64_t count_of(const layer *layer) {
  return layer_d_rows(layer) * layer->columns;
}

/* Where the rank's D lies in all of it. */
static int64_t first_row(const layer *layer) {
  return layer->shape.collective == ALL_GATHER ? 0 : layer->rank * layer->rows;
}

static int64_t first_column(const layer *layer) {
  return layer->shape.collective == ALL_GATHER ? layer->rank * layer->columns : 0;
}

static void compute_sample(sample *out, const layer *layer) {
  int64_t row = first_row(layer) + out->row, column = first_column(layer) + out->column,
          parts = layer->shape.collective == ALL_GATHER ? 1 : layer->ranks;
  double magnitudes = 0;
  for (int64_t part = 0; part < parts; part++) {
    double sum = 0;
    for (int64_t i = part * layer->depth; i < (part + 1) * layer->depth; i++)
      sum += (double)input_at(INPUT_X, row, i) * (double)input_at(INPUT_W, column, i);
    out->value += sum;
    magnitudes += fabs(sum);
  }
  out->allowed = (double)parts * 0x1p-8 * magnitudes * 1.01 + (double)layer->shape.k * 0x1p-22;
}

/* Spread over D: the corners of every rank's rows, and elsewhere by steps that are odd. */
static void choose_samples(verifier *v) {
  const layer *layer = v->layer;
  int64_t rows = layer_d_rows(layer), columns = layer->columns;
  for (int i = 0; i < SAMPLE_COUNT; i++) {
    sample *s = &v->samples[i];
    *s = (sample){.row = (i * 7919LL + i / 7) % rows, .column = (i * 104729LL + i / 3) % columns};
    if (i < 4) s->row = i / 2 * (rows - 1), s->column = i % 2 * (columns - 1);
    if (i >= 4 && i < 12 + layer->ranks) s->row = (i - 4) * layer->rows % rows;
    compute_sample(s, layer);
  }
}

/* One GPU's product: of all of X, or of the rows of X that D's are of, by the W that the rank has
 * or by all of it. */
static void compute_whole(verifier *v, lt *lt) {
  const layer *layer = v->layer;
  device *device = layer->device;
  gg_error err = GG_ERROR_INIT;
  int64_t rows = layer_d_rows(layer), k = layer->shape.k, bytes = count_of(layer) * 4;
  product product = {.m = rows, .n = layer->columns, .k = k, .batch = 1, .d_is_f32 = 1};
  product.a = device_alloc(device, rows * k * 2);
  product.b = device_alloc(device, layer->columns * k * 2);
  product.d = device_alloc(device, bytes);
  inputs_write(device, product.a, INPUT_X, first_row(layer), rows, 0, k);
  inputs_write(device, product.b, INPUT_W, first_column(layer), layer->columns, 0, k);
  if (lt) {
    lt_product *by = lt_product_open(lt, &product);
    lt_launch(by, device->compute);
    device_wait(device->compute);
    lt_product_close(by);
  } else {
    gg_prepared prepared;
    product_prepare(&prepared, device, &product);
    must(gg_launch_prepared(&prepared, device->compute, &err), &err);
    device_wait(device->compute);
  }
  v->whole = host_alloc((size_t)bytes);
  device_read(device, v->whole, product.d, bytes);
  device_free(device, product.a);
  device_free(device, product.b);
  device_free(device, product.d);
  for (int64_t i = 0; i < count_of(layer); i++)
    v->largest = fmax(v->largest, fabs((double)v->whole[i]));
}

verifier *verifier_open(layer *layer, lt *lt) {
  verifier *out = host_alloc(sizeof *out);
  out->layer = layer;
  choose_samples(out);
  compute_whole(out, lt);
  return out;
}

void verifier_close(verifier *verifier) {
  free(verifier->whole);
  free(verifier);
}

void verifier_poison(verifier *verifier) {
  const layer *layer = verifier->layer;
  device_fill(layer->device, layer->d, 0xff, count_of(layer) * 2);
  int gathers = layer->shape.collective == ALL_GATHER;
  device_fill(layer->device, layer->between, 0xff,
              layer->shape.m * (gathers ? layer->depth : layer->columns) * 2);
}

/* How far off a value is, as a share of what is allowed; NaN is far. */
static double share(double value, double wanted, double allowed) {
  double off = fabs(value - wanted);
  return off >= 0 ? off / allowed : INFINITY;
}

verdict verifier_judge(verifier *v, int whole) {
  const layer *layer = v->layer;
  int64_t count = count_of(layer);
  verdict out = {0, 0};
  for (int i = 0; i < SAMPLE_COUNT; i++) {
    const sample *s = &v->samples[i];
    uint16_t d = 0;
    device_read(layer->device, &d,
                layer->d + (uint64_t)(s->row * layer->columns + s->column) * sizeof d, sizeof d);
    out.samples = fmax(out.samples, share(float_of(d), s->value, s->allowed));
  }
  if (!whole) return out;
  int parts = layer->shape.collective == ALL_GATHER ? 1 : layer->ranks;
  uint16_t *d = host_alloc((size_t)count * sizeof *d);
  device_read(layer->device, d, layer->d, count * (int64_t)sizeof *d);
  for (int64_t i = 0; i < count; i++) {
    double wanted = v->whole[i], of = parts == 1 ? fabs(wanted) : parts * v->largest;
    double allowed = 0x1p-8 * of + (double)layer->shape.k * 0x1p-22;
    out.whole = fmax(out.whole, share(float_of(d[i]), wanted, allowed));
  }
  free(d);
  return out;
}
