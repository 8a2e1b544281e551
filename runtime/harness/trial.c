#include "trial.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "number.h"

enum { poison = 0xff, guard_bytes = 4096 };

const char *gg_trial_obstacle(const gg_kernel *kernel) {
  const gg_dtype types[] = {kernel->a.type, kernel->b.type, kernel->c.type, kernel->d.type,
                            kernel->accumulator};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (!gg_number_known(types[i])) return "an operand's type is not one of whole bytes";
  }
  return NULL;
}

/* ---- Inputs --------------------------------------------------------------------------- */

gg_status gg_trial_inputs_make(gg_trial_inputs *out, const gg_kernel *kernel, gg_input_kind kind,
                               int64_t k, uint64_t seed, gg_error *err) {
  *out = (gg_trial_inputs){.integers = kind == GG_INPUTS_INTEGERS};
  int range = gg_inputs_range(gg_reference_precision(kernel), k);
  gg_status st = gg_inputs_make(&out->a, kernel->a.type, kind, range, seed, err);
  if (!st) st = gg_inputs_make(&out->b, kernel->b.type, kind, range, seed + 1, err);
  if (!st) st = gg_inputs_make(&out->c, kernel->c.type, kind, range, seed + 2, err);
  if (st) gg_trial_inputs_free(out);
  return st;
}

void gg_trial_inputs_free(gg_trial_inputs *inputs) {
  gg_inputs_free(&inputs->a);
  gg_inputs_free(&inputs->b);
  gg_inputs_free(&inputs->c);
}

/* ---- Memory --------------------------------------------------------------------------- */

/* Adds `padding` units of the operand's alignment to the leading dimension of a packed one. */
static gg_status pad(int64_t *ld, int64_t *batch_stride, const gg_view *view, int64_t padding,
                     gg_error *err) {
  int64_t unit = view->operand->align / gg_number_bytes(view->operand->type);
  if (unit < 1) unit = 1;
  int64_t more;
  if (__builtin_mul_overflow(padding, unit, &more) || __builtin_add_overflow(*ld, more, ld) ||
      __builtin_mul_overflow(*ld, view->rows, batch_stride)) {
    return gg_fail(err, PROBLEM_SIZE, NULL,
                   "the padded operands are larger than int64 can address");
  }
  return GG_OK;
}

static gg_status lay_out(gg_trial *trial, int64_t padding, gg_error *err) {
  gg_problem *p = &trial->problem;
  const gg_kernel *kernel = trial->kernel;
  gg_status st = gg_problem_pack(p, kernel, err);
  gg_view a = gg_problem_view(kernel, p, 'a'), b = gg_problem_view(kernel, p, 'b');
  gg_view c = gg_problem_view(kernel, p, 'c'), d = gg_problem_view(kernel, p, 'd');
  if (!st) st = pad(&p->lda, &p->batch_stride_a, &a, padding, err);
  if (!st) st = pad(&p->ldb, &p->batch_stride_b, &b, padding, err);
  if (!st) st = pad(&p->ldc, &p->batch_stride_c, &c, padding, err);
  if (!st) st = pad(&p->ldd, &p->batch_stride_d, &d, padding, err);
  return st;
}

/* Bytes from a laid-out operand's first element to past its last row. */
static bool footprint(int64_t *out, const gg_view *view) {
  return !__builtin_mul_overflow(view->batch_stride, view->batch, out) &&
         !__builtin_mul_overflow(*out, gg_number_bytes(view->operand->type), out) &&
         *out <= INT64_MAX / 2;
}

static gg_status allocate(gg_trial_buffer *out, gg_context *context, const gg_view *view,
                          bool least_aligned, gg_error *err) {
  int64_t bytes;
  if (!footprint(&bytes, view)) {
    return gg_fail(err, PROBLEM_SIZE, NULL, "an operand is larger than int64 can address");
  }
  /* Allocations are aligned to 256 bytes: one alignment further is aligned to that alone. */
  out->lead = guard_bytes + (least_aligned ? view->operand->align % 256 : 0);
  out->bytes = out->lead + bytes + guard_bytes;
  out->host = gg_malloc((size_t)out->bytes);
  if (!out->host) return gg_fail(err, MEMORY, NULL, "");
  memset(out->host, poison, (size_t)out->bytes);
  return gg_memory_alloc(&out->device, context, (size_t)out->bytes, err);
}

/* Fills the operand's elements, row by row, and sends it all. */
static gg_status fill(gg_trial_buffer *buffer, gg_context *context, const gg_view *view,
                      const gg_inputs *inputs, int64_t shift, gg_error *err) {
  int64_t bytes = gg_number_bytes(view->operand->type);
  for (int64_t batch = 0; inputs && batch < view->batch; batch++) {
    for (int64_t row = 0; row < view->rows; row++) {
      int64_t offset = batch * view->batch_stride + row * view->ld;
      int64_t number = (batch * view->rows + row) * view->length;
      gg_inputs_fill(buffer->host + buffer->lead + offset * bytes, inputs, shift + number,
                     view->length);
    }
  }
  return gg_memory_write(context, buffer->device, buffer->host, (size_t)buffer->bytes, err);
}

static gg_status make_operand(gg_trial *trial, char which, gg_trial_buffer *buffer,
                              uint64_t *address, const gg_trial_options *options,
                              const gg_inputs *inputs, gg_error *err) {
  gg_view view = gg_problem_view(trial->kernel, &trial->problem, which);
  int64_t shift = options->shift * (which == 'b' ? 3 : 1);
  gg_status st = allocate(buffer, trial->context, &view, options->least_aligned, err);
  if (!st) st = fill(buffer, trial->context, &view, inputs, shift, err);
  *address = buffer->device + (uint64_t)buffer->lead;
  return st;
}

gg_status gg_trial_open(gg_trial *out, gg_context *context, const gg_kernel *kernel,
                        const gg_problem *shape, const gg_trial_options *options,
                        const gg_trial_inputs *inputs, gg_error *err) {
  *out = (gg_trial){.context = context, .kernel = kernel, .integers = inputs->integers};
  gg_problem *p = &out->problem;
  *p = (gg_problem){.m = shape->m,
                    .n = shape->n,
                    .k = shape->k,
                    .batch = shape->batch,
                    .alpha = shape->alpha,
                    .beta = shape->beta};
  const gg_inputs *c = p->beta != 0 ? &inputs->c : NULL;
  gg_status st = lay_out(out, options->padding, err);
  if (!st) st = make_operand(out, 'a', &out->a, &p->a, options, &inputs->a, err);
  if (!st) st = make_operand(out, 'b', &out->b, &p->b, options, &inputs->b, err);
  if (!st && !options->without_c) st = make_operand(out, 'c', &out->c, &p->c, options, c, err);
  if (!st) st = make_operand(out, 'd', &out->d, &p->d, options, NULL, err);
  if (st) gg_trial_close(out);
  return st;
}

static void free_buffer(gg_context *context, gg_trial_buffer *buffer) {
  gg_memory_free(context, buffer->device);
  gg_free(buffer->host);
  *buffer = (gg_trial_buffer){0};
}

void gg_trial_close(gg_trial *trial) {
  if (!trial->context) return;
  free_buffer(trial->context, &trial->a);
  free_buffer(trial->context, &trial->b);
  free_buffer(trial->context, &trial->c);
  free_buffer(trial->context, &trial->d);
  gg_memory_free(trial->context, trial->workspace);
  *trial = (gg_trial){0};
}

int64_t gg_trial_bytes(const gg_trial *trial) {
  return trial->a.bytes + trial->b.bytes + trial->c.bytes + trial->d.bytes;
}

void gg_trial_drop_inputs(gg_trial *trial) {
  gg_free(trial->a.host);
  gg_free(trial->b.host);
  gg_free(trial->c.host);
  trial->a.host = trial->b.host = trial->c.host = NULL;
}

gg_status gg_trial_poison(gg_trial *trial, gg_error *err) {
  gg_status st = gg_context_enter(trial->context, err);
  if (st) return st;
  st = GG_CUDA(&trial->context->driver, err, cuMemsetD8, trial->d.device, poison,
               (size_t)trial->d.bytes);
  gg_context_leave(trial->context);
  return st;
}

gg_status gg_trial_provide(gg_trial *trial, const gg_module *module, gg_error *err) {
  int64_t bytes;
  gg_problem *p = &trial->problem;
  gg_status st = gg_workspace_bytes(&bytes, module, p, err);
  if (st || bytes <= p->workspace_bytes) return st;
  gg_memory_free(trial->context, trial->workspace);
  trial->workspace = p->workspace = 0;
  p->workspace_bytes = 0;
  if ((st = gg_memory_alloc(&trial->workspace, trial->context, (size_t)bytes, err))) return st;
  if ((st = gg_context_enter(trial->context, err))) return st;
  st =
      GG_CUDA(&trial->context->driver, err, cuMemsetD8, trial->workspace, 0, GG_WORKSPACE_COUNTERS);
  gg_context_leave(trial->context);
  p->workspace = trial->workspace;
  p->workspace_bytes = bytes;
  return st;
}

gg_status gg_trial_run(gg_trial *trial, const gg_module *module, struct CUstream_st *stream,
                       gg_error *err) {
  gg_status st = gg_trial_provide(trial, module, err);
  if (!st) st = gg_trial_poison(trial, err);
  if (!st) st = gg_launch(module, &trial->problem, stream, err);
  if (!st) st = gg_synchronize(trial->context, stream, err);
  return st;
}

/* ---- The verdict ---------------------------------------------------------------------- */

bool gg_verdict_passed(const gg_verdict *verdict) {
  return verdict->failed == 0 && verdict->unwritten == 0 && verdict->stray == 0;
}

static bool is_poison(const unsigned char *at, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i++) {
    if (at[i] != poison) return false;
  }
  return true;
}

static void count_stray(gg_verdict *out, const gg_trial_buffer *d, int64_t from, int64_t to) {
  for (int64_t at = from; at < to; at++) {
    if (d->host[at] == poison) continue;
    if (out->stray++ == 0) out->first_stray = at - d->lead;
  }
}

/* Looks at every byte of D's allocation: between rows for stray writes, within them for elements
 * that nobody wrote. Rows come in ascending order. */
static void scan(gg_verdict *out, const gg_trial_buffer *d, const gg_view *view) {
  int64_t bytes = gg_number_bytes(view->operand->type), done = 0;
  bool floats = !gg_number_is_integer(view->operand->type);
  for (int64_t batch = 0; batch < view->batch; batch++) {
    for (int64_t row = 0; row < view->rows; row++) {
      int64_t start = d->lead + (batch * view->batch_stride + row * view->ld) * bytes;
      count_stray(out, d, done, start);
      for (int64_t i = 0; floats && i < view->length; i++) {
        out->unwritten += is_poison(d->host + start + i * bytes, bytes);
      }
      done = start + view->length * bytes;
    }
  }
  count_stray(out, d, done, d->bytes);
}

/* A result is right within its bound; or, where the bound reaches beyond the type, as an infinity
 * or as the type's last number. */
static bool is_right(gg_dtype type, double got, gg_expected expected) {
  if (fabs(got - expected.value) <= expected.bound) return true;
  double last = expected.value < 0 ? gg_number_least(type) : gg_number_max(type);
  double reach = expected.value + copysign(expected.bound, expected.value);
  return fabs(reach) > fabs(last) && (got == last || got == copysign(INFINITY, reach));
}

/* The sums behind the verdict. */
typedef struct tally {
  gg_verdict *out;
  double total, worst_ratio;
} tally;

static void judge(tally *sum, gg_dtype type, double got, gg_expected expected, int64_t batch,
                  int64_t row, int64_t col) {
  gg_verdict *out = sum->out;
  double error = fabs(got - expected.value);
  bool right = is_right(type, got, expected);
  double ratio = isfinite(error) ? error / expected.bound : right ? 0 : (double)INFINITY;
  out->checked++;
  out->failed += !right;
  if (isfinite(error)) {
    sum->total += error;
    if (error > out->max_error) out->max_error = error;
  } else if (!right) {
    out->max_error = INFINITY;
  }
  if (out->checked > 1 && ratio <= sum->worst_ratio) return;
  sum->worst_ratio = ratio;
  out->worst.batch = batch, out->worst.row = row, out->worst.col = col;
  out->worst.got = got, out->worst.want = expected.value, out->worst.bound = expected.bound;
}

static double element(const gg_trial_buffer *buffer, const gg_view *view, int64_t batch,
                      int64_t row, int64_t col) {
  bool m_major = view->operand->major == GG_MAJOR_M;
  int64_t index = m_major ? col * view->ld + row : row * view->ld + col;
  return gg_number_get(view->operand->type, buffer->host + buffer->lead,
                       batch * view->batch_stride + index);
}

static void compare(gg_verdict *out, const gg_trial *trial, const gg_sample *sample,
                    const gg_reference *reference) {
  gg_view c = gg_problem_view(trial->kernel, &trial->problem, 'c');
  gg_view d = gg_problem_view(trial->kernel, &trial->problem, 'd');
  tally sum = {.out = out};
  int64_t at = 0;
  for (int64_t b = 0; b < sample->batch_count; b++) {
    for (int64_t i = 0; i < sample->row_count; i++) {
      for (int64_t j = 0; j < sample->col_count; j++, at++) {
        int64_t batch = sample->batches[b], row = sample->rows[i], col = sample->cols[j];
        bool reads_c = trial->problem.beta != 0;
        double addend = reads_c ? element(&trial->c, &c, batch, row, col) : 0;
        gg_expected expected =
            gg_reference_expect(trial->kernel, &trial->problem, reference->sum[at],
                                reference->magnitude[at], addend, trial->integers);
        judge(&sum, d.operand->type, element(&trial->d, &d, batch, row, col), expected, batch, row,
              col);
      }
    }
  }
  if (out->checked > 0) out->mean_error = sum.total / (double)out->checked;
}

gg_status gg_trial_check(gg_verdict *out, gg_trial *trial, const gg_sample *sample,
                         const gg_reference *reference, gg_error *err) {
  *out = (gg_verdict){0};
  gg_status st =
      gg_memory_read(trial->context, trial->d.host, trial->d.device, (size_t)trial->d.bytes, err);
  if (st) return st;
  gg_view d = gg_problem_view(trial->kernel, &trial->problem, 'd');
  scan(out, &trial->d, &d);
  compare(out, trial, sample, reference);
  return GG_OK;
}
