/* What must come out.
 *
 * A gemm's reference is a sum in f64 over the very numbers in memory, read back from the buffers;
 * of s32 accumulators, the exact sum modulo 2^32. A result may differ from alpha times it by
 *
 *     tolerance * sqrt(k) * |alpha| * rms(A) * rms(B)  +  half a unit in the last place of `out`
 *
 * which is what the format calls scale: the root mean squares of the operands that the problem
 * reads, so that operands of any size have the same tolerance. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "gemmgen_emu.h"
#include "replay.h"

/* Multiply-adds of one check; of larger problems, evenly spread rows of the result are checked. */
static const double budget = 4e9;

/* ---- Buffers ---------------------------------------------------------------------------- */

static gg_status read_back(unsigned char **out, const gg_replay *replay, int buffer,
                           gg_error *err) {
  size_t bytes = (size_t)replay->recipe->buffers[buffer].bytes;
  *out = gg_malloc(bytes);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_memory_read(replay->context, *out, replay->addresses[buffer], bytes, err);
  if (!st) return st;
  gg_free(*out);
  *out = NULL;
  return st;
}

static const char *name_of(const gg_replay *replay, int buffer) {
  return replay->recipe->buffers[buffer].name;
}

static gg_status check_file(bool *holds, gg_str *out, const gg_replay *replay,
                            const gg_recipe_expect *e, gg_error *err) {
  const gg_recipe_buffer *buffer = &replay->recipe->buffers[e->buffer];
  unsigned char *got = NULL;
  char *want = NULL;
  size_t length;
  gg_status st = gg_replay_file(&want, &length, replay, e->file, err);
  if (!st && length != (size_t)buffer->bytes) {
    st = gg_replay_refuse(replay, e->node, err, "%s has %zu bytes, the buffer %" PRId64, e->file,
                          length, buffer->bytes);
  }
  if (!st) st = read_back(&got, replay, e->buffer, err);
  if (st) goto done;
  size_t first = length, wrong = 0;
  for (size_t i = 0; i < length; i++) {
    if (got[i] == (unsigned char)want[i]) continue;
    if (!wrong++) first = i;
  }
  *holds = wrong == 0;
  gg_str_printf(out, "%s  file %s: ", *holds ? "pass" : "FAIL", buffer->name);
  if (wrong) {
    gg_str_printf(out,
                  "%zu of %zu bytes differ from %s, the first at %zu: 0x%02x, should be 0x%02x\n",
                  wrong, length, e->file, first, got[first], (unsigned char)want[first]);
  } else {
    gg_str_printf(out, "%zu bytes as in %s\n", length, e->file);
  }
done:
  gg_free(want);
  gg_free(got);
  return st;
}

static gg_status check_written(bool *holds, gg_str *out, const gg_replay *replay,
                               const gg_recipe_expect *e, gg_error *err) {
  const gg_recipe_buffer *buffer = &replay->recipe->buffers[e->buffer];
  int64_t first = -1;
  *holds = true;
  if (!replay->context->driver.emulated) {
    gg_str_printf(out, "skip  written %s: only the emulator can tell\n", buffer->name);
    return GG_OK;
  }
  gg_status st = gg_context_enter(replay->context, err);
  if (st) return st;
  st = gg_driver_result(
      &replay->context->driver, "gg_emu_unwritten",
      gg_emu_unwritten(&first, replay->addresses[e->buffer], (size_t)buffer->bytes), err);
  gg_context_leave(replay->context);
  if (st) return st;
  *holds = first < 0;
  gg_str_printf(out, "%s  written %s: ", *holds ? "pass" : "FAIL", buffer->name);
  if (*holds) {
    gg_str_printf(out, "all %" PRId64 " bytes\n", buffer->bytes);
  } else {
    gg_str_printf(out, "byte %" PRId64 " of %" PRId64 " is not\n", first, buffer->bytes);
  }
  return GG_OK;
}

/* ---- Products --------------------------------------------------------------------------- */

enum { block_cols = 32 };

/* One gemm being checked. */
typedef struct gemm {
  const gg_recipe_expect *e;
  unsigned char *a, *b, *d; /* the buffers on the host */
  double *row, *cols;       /* a row of A; block_cols rows of B */
  double bound;             /* without the rounding of `out` */
  int64_t step;             /* every how many rows */
  int64_t checked, failed;
  double worst, worst_got, worst_want, worst_bound; /* the largest error over its bound */
  int64_t worst_at[3];
  double largest; /* error */
  int64_t largest_at[3];
} gemm;

static int64_t element(const gg_recipe_matrix *matrix, int64_t outer, int64_t inner,
                       int64_t batch) {
  return outer * matrix->strides[0] + inner * matrix->strides[1] + batch * matrix->strides[2];
}

static void load_row(double *out, const gg_recipe_matrix *matrix, const void *array, int64_t outer,
                     int64_t batch, int64_t k) {
  for (int64_t i = 0; i < k; i++) {
    out[i] = gg_recipe_get((gg_recipe_type)matrix->type, array, element(matrix, outer, i, batch));
  }
}

/* Mean square of an operand over all that the problem reads; NaN and infinity are the result's to
 * show. */
static double mean_square(const gg_recipe_matrix *matrix, const void *array, int64_t rows,
                          int64_t k, int64_t batch, double *row) {
  double sum = 0;
  for (int64_t l = 0; l < batch; l++) {
    for (int64_t i = 0; i < rows; i++) {
      load_row(row, matrix, array, i, l, k);
      for (int64_t j = 0; j < k; j++)
        sum += isfinite(row[j]) ? row[j] * row[j] : 0;
    }
  }
  double count = (double)rows * (double)k * (double)batch;
  return count > 0 ? sum / count : 0;
}

/* Four sums, so that the loop is not one chain of additions. */
static double dot(const double *a, const double *b, int64_t k) {
  double sum[4] = {0};
  int64_t i = 0;
  for (; i + 4 <= k; i += 4) {
    for (int j = 0; j < 4; j++)
      sum[j] += a[i + j] * b[i + j];
  }
  for (; i < k; i++)
    sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* What an s32 accumulator holds of an exact sum. */
static double wrap(double sum) {
  double low = fmod(sum, 0x1p32);
  if (low >= 0x1p31) low -= 0x1p32;
  if (low < -0x1p31) low += 0x1p32;
  return low;
}

static void judge(gemm *g, double want, int64_t row, int64_t col, int64_t batch) {
  const gg_recipe_expect *e = g->e;
  gg_recipe_type type = (gg_recipe_type)e->out.type;
  double got = gg_recipe_get(type, g->d, element(&e->out, row, col, batch));
  double bound = g->bound + gg_recipe_half_ulp(type, want), error = fabs(got - want);
  const int64_t at[3] = {row, col, batch};
  /* Infinity for infinity, and NaN for NaN, is right. */
  if (got == want || (isnan(got) && isnan(want))) error = 0;
  bool fails = !(error <= bound);
  g->checked++;
  g->failed += fails;
  if (!isfinite(error)) error = INFINITY;
  if (error > g->largest) {
    g->largest = error;
    memcpy(g->largest_at, at, sizeof at);
  }
  double over = bound > 0 ? error / bound : error > 0 ? INFINITY : 0;
  if (g->checked > 1 && !(over > g->worst)) return;
  g->worst = over, g->worst_got = got, g->worst_want = want, g->worst_bound = bound;
  memcpy(g->worst_at, at, sizeof at);
}

static void check_block(gemm *g, int64_t first, int64_t cols, int64_t batch) {
  const gg_recipe_expect *e = g->e;
  for (int64_t j = 0; j < cols; j++)
    load_row(g->cols + j * e->k, &e->b, g->b, first + j, batch, e->k);
  for (int64_t i = 0; i < e->m; i += g->step) {
    load_row(g->row, &e->a, g->a, i, batch, e->k);
    for (int64_t j = 0; j < cols; j++) {
      double sum = dot(g->row, g->cols + j * e->k, e->k);
      if (e->accumulator == GG_RECIPE_s32) sum = wrap(sum);
      judge(g, e->alpha * sum, i, first + j, batch);
    }
  }
}

static void check_elements(gemm *g) {
  const gg_recipe_expect *e = g->e;
  double macs = (double)e->m * (double)e->n * (double)e->k * (double)e->batch;
  g->step = macs > budget ? (int64_t)ceil(macs / budget) : 1;
  double a = mean_square(&e->a, g->a, e->m, e->k, e->batch, g->row);
  double b = mean_square(&e->b, g->b, e->n, e->k, e->batch, g->row);
  g->bound = e->tolerance * sqrt((double)e->k) * fabs(e->alpha) * sqrt(a * b);
  for (int64_t batch = 0; batch < e->batch; batch++) {
    for (int64_t first = 0; first < e->n; first += block_cols) {
      check_block(g, first, e->n - first < block_cols ? e->n - first : block_cols, batch);
    }
  }
}

static void tell(gg_str *out, const gg_replay *replay, const gemm *g) {
  const gg_recipe_expect *e = g->e;
  gg_str_printf(out, "%s  gemm %s: %" PRId64 " elements", g->failed ? "FAIL" : "pass",
                name_of(replay, e->buffer), g->checked);
  if (g->step > 1) gg_str_printf(out, " (every %" PRId64 "th row)", g->step);
  if (g->failed) gg_str_printf(out, ", %" PRId64 " beyond their bound", g->failed);
  gg_str_printf(out, ", largest error %.3g at [%" PRId64 ", %" PRId64 "] of batch %" PRId64,
                g->largest, g->largest_at[0], g->largest_at[1], g->largest_at[2]);
  if (g->checked) {
    gg_str_printf(out,
                  "; closest to its bound: [%" PRId64 ", %" PRId64 "] of batch %" PRId64
                  " is %.9g, should be %.9g +- %.3g",
                  g->worst_at[0], g->worst_at[1], g->worst_at[2], g->worst_got, g->worst_want,
                  g->worst_bound);
  }
  gg_str_putc(out, '\n');
}

static gg_status check_gemm(bool *holds, gg_str *out, const gg_replay *replay,
                            const gg_recipe_expect *e, gg_error *err) {
  size_t k = e->k > 0 ? (size_t)e->k : 1;
  gemm g = {.e = e, .row = gg_malloc(k * sizeof(double))};
  g.cols = gg_malloc(k * block_cols * sizeof(double));
  gg_status st = g.row && g.cols ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = read_back(&g.a, replay, e->a.buffer, err);
  if (!st) st = read_back(&g.b, replay, e->b.buffer, err);
  if (!st) st = read_back(&g.d, replay, e->buffer, err);
  if (!st) {
    check_elements(&g);
    *holds = g.failed == 0;
    tell(out, replay, &g);
  }
  gg_free(g.row);
  gg_free(g.cols);
  gg_free(g.a);
  gg_free(g.b);
  gg_free(g.d);
  return st;
}

gg_status gg_replay_check(bool *holds, gg_str *out, const gg_replay *replay,
                          const gg_recipe_expect *expect, gg_error *err) {
  *holds = false;
  switch (expect->kind) {
  case GG_RECIPE_EXPECT_GEMM:
    return check_gemm(holds, out, replay, expect, err);
  case GG_RECIPE_EXPECT_FILE:
    return check_file(holds, out, replay, expect, err);
  default:
    return check_written(holds, out, replay, expect, err);
  }
}
