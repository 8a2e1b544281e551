/* What a trial's kernel has written, byte by byte and number by number. */
#include <math.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "number.h"
#include "plan/operation.h"
#include "problem.h"
#include "scaled.h"
#include "scales.h"
#include "trial.h"

enum { poison = GG_TRIAL_POISON };

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

/* Whether poison is no number that a kernel could store: NaN. */
static bool tells_poison(gg_dtype type) {
  return !gg_number_is_integer(type) && gg_dtype_info_of(type)->bits >= 8;
}

/* Looks at every byte of D's allocation: between rows for stray writes, within them for elements
 * that nobody wrote. Rows come in ascending order. Of packed elements a row's last byte may have
 * one that is none of D's, and is 0. */
static void scan(gg_verdict *out, const gg_trial_buffer *d, const gg_view *view) {
  gg_dtype type = view->operand->type;
  int64_t bytes = gg_number_bytes(type), done = 0, rest = view->length % 2;
  bool tells = tells_poison(type), packed = gg_dtype_info_of(type)->bits == 4;
  for (int64_t batch = 0; batch < view->batch; batch++) {
    for (int64_t row = 0; row < view->rows; row++) {
      int64_t first = batch * view->batch_stride + row * view->ld;
      int64_t start = d->lead + gg_dtype_bytes(type, first);
      count_stray(out, d, done, start);
      for (int64_t i = 0; tells && i < view->length; i++) {
        out->unwritten += is_poison(d->host + start + i * bytes, bytes);
      }
      done = start + gg_dtype_bytes(type, view->length);
      if (packed && rest && d->host[done - 1] >> 4) out->stray++;
    }
  }
  count_stray(out, d, done, d->bytes);
}

/* Which row's factor a byte of a batch's atoms is, and which of the row's. */
typedef struct factor_at {
  int64_t row, number;
} factor_at;

static factor_at factor_of(const gg_scales_view *view, int64_t byte) {
  enum { atom_bytes = GG_SCALE_ROWS * GG_SCALE_FACTORS, line_bytes = 16, lines = 32 };
  int64_t atoms_k = gg_scales_atoms_k(view->k, view->scaling.block), atom = byte / atom_bytes;
  byte %= atom_bytes;
  return (factor_at){.row = atom / atoms_k * GG_SCALE_ROWS + byte / line_bytes +
                            byte % line_bytes / GG_SCALE_FACTORS * lines,
                     .number = atom % atoms_k * GG_SCALE_FACTORS + byte % GG_SCALE_FACTORS};
}

/* The same of D's scale factors. What pads a row's last 4 is 0. */
static void scan_factors(gg_verdict *out, const gg_trial_buffer *buffer,
                         const gg_scales_view *view) {
  int64_t factors = (view->k + view->scaling.block - 1) / view->scaling.block;
  int64_t all = factors ? view->batch * view->batch_stride : 0;
  for (int64_t i = 0; i < buffer->bytes; i++) {
    int64_t at = i - buffer->lead;
    bool inside = at >= 0 && at < all;
    factor_at is = {0, 0};
    if (inside) is = factor_of(view, at % view->batch_stride);
    if (!inside || is.row >= view->rows)
      count_stray(out, buffer, i, i + 1);
    else if (buffer->host[i] == poison)
      out->unwritten++;
    else
      out->failed += is.number >= factors && buffer->host[i] != 0;
  }
}

/* Whether it is what a type makes of what is not a number. */
static bool is_nan_of(gg_dtype type, double got) {
  unsigned char bits[sizeof(double)] = {0};
  gg_number_set(type, bits, 0, (double)NAN);
  double nan = gg_number_get(type, bits, 0);
  return isnan(nan) ? isnan(got) : got == nan;
}

/* A result is right within its bound, and any is where there is none; or, where the bound reaches
 * beyond the type, as the type's last number or, in those types that do not saturate, as an
 * infinity. What is not a number must be none. */
static bool is_right(gg_dtype type, double got, gg_expected expected) {
  if (!isfinite(expected.bound)) return true;
  if (isnan(expected.value)) return is_nan_of(type, got);
  if (fabs(got - expected.value) <= expected.bound) return true;
  double last = expected.value < 0 ? gg_number_least(type) : gg_number_max(type);
  double reach = expected.value + copysign(expected.bound, expected.value);
  if (fabs(reach) <= fabs(last)) return false;
  bool saturates = gg_number_bytes(type) == 1;
  return got == last || (!saturates && got == copysign(INFINITY, reach));
}

/* What an operation sums over a column, or a row. */
typedef struct entry {
  double value, magnitude, error;
} entry;

/* The sums behind the verdict, and of a batch's largest magnitudes between what they must be. */
typedef struct tally {
  gg_verdict *out;
  double total, worst_ratio;
  entry *entries[GG_OPERATIONS_MAX]; /* of a batch: of operations that sum */
  struct {
    double least, most;
  } largest[GG_OPERATIONS_MAX];
} tally;

/* An element of D, or of what an operation stores. */
typedef struct element_at {
  int operation;
  int64_t batch, row, col;
} element_at;

static void judge(tally *sum, gg_dtype type, double got, gg_expected expected, element_at at) {
  gg_verdict *out = sum->out;
  double error = fabs(got - expected.value);
  bool right = is_right(type, got, expected);
  double ratio = error == 0        ? 0
                 : isfinite(error) ? error / expected.bound
                 : right           ? 0
                                   : (double)INFINITY;
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
  out->worst.operation = at.operation;
  out->worst.batch = at.batch, out->worst.row = at.row, out->worst.col = at.col;
  out->worst.got = got, out->worst.want = expected.value, out->worst.bound = expected.bound;
}

static double element(const gg_trial_buffer *buffer, const gg_view *view, int64_t batch,
                      int64_t row, int64_t col) {
  bool m_major = view->operand->major == GG_MAJOR_M;
  int64_t index = m_major ? col * view->ld + row : row * view->ld + col;
  return gg_number_get(view->operand->type, buffer->host + buffer->lead,
                       batch * view->batch_stride + index);
}

/* What operation `index` has at an element: of a vector, where it stands in it. */
static double extra_element(const gg_trial *trial, size_t index, int64_t batch, int64_t row,
                            int64_t col) {
  gg_view view = gg_problem_extra_view(trial->kernel, &trial->problem, index);
  gg_span span = gg_operation_span(&trial->kernel->operations[index]);
  if (span == GG_SPAN_MATRIX) return element(&trial->extras[index], &view, batch, row, col);
  int64_t at = span == GG_SPAN_ROWS ? row : span == GG_SPAN_COLUMNS ? col : 0;
  return gg_number_get(view.operand->type, trial->extras[index].host + trial->extras[index].lead,
                       batch * view.batch_stride + at);
}

static gg_reference_operands operands_at(const gg_trial *trial, int64_t batch, int64_t row,
                                         int64_t col) {
  gg_reference_operands out = {.integers = trial->integers};
  gg_view c = gg_problem_view(trial->kernel, &trial->problem, 'c');
  for (size_t i = 0; i < trial->kernel->operation_count; i++) {
    const gg_operation *op = &trial->kernel->operations[i];
    if (op->kind == GG_OP_LINEAR) {
      bool reads_c = op->beta && gg_problem_beta(&trial->problem) != 0;
      out.at[i] = reads_c ? element(&trial->c, &c, batch, row, col) : 0;
    } else if (gg_operation_span(op) != GG_SPAN_NONE && !gg_operation_writes(op)) {
      out.at[i] = extra_element(trial, i, batch, row, col);
    }
  }
  return out;
}

static void judge_d(tally *sum, const gg_trial *trial, gg_expected expected, element_at at) {
  gg_view d = gg_problem_view(trial->kernel, &trial->problem, 'd');
  at.operation = GG_WORST_IS_D;
  judge(sum, d.operand->type, element(&trial->d, &d, at.batch, at.row, at.col), expected, at);
}

/* What is not a number is greater than all, and so nothing is known where there is one. */
static void note_largest(tally *sum, size_t operation, gg_expected x) {
  double least = fabs(x.value) - x.bound, most = fabs(x.value) + x.bound;
  if (isnan(most)) most = (double)INFINITY;
  sum->largest[operation].least = fmax(sum->largest[operation].least, least);
  sum->largest[operation].most = fmax(sum->largest[operation].most, most);
}

/* A batch's largest magnitudes. Elements that the sample leaves out may have larger ones, and of
 * some nothing is known. */
static void judge_largest(tally *sum, const gg_trial *trial, int64_t batch, bool whole) {
  const gg_kernel *kernel = trial->kernel;
  for (size_t i = 0; i < kernel->operation_count; i++) {
    if (kernel->operations[i].kind != GG_OP_AMAX) continue;
    double least = sum->largest[i].least, most = sum->largest[i].most;
    double got = extra_element(trial, i, batch, 0, 0);
    if ((!whole && got > most) || isinf(most)) most = fmax(got, least);
    if (isinf(sum->largest[i].most) && isnan(got)) most = (double)INFINITY;
    double bound = (most - least) / 2 + gg_number_half_ulp(GG_DTYPE_f32, most);
    judge(sum, GG_DTYPE_f32, got, (gg_expected){(least + most) / 2, bound},
          (element_at){(int)i, batch, 0, 0});
    sum->largest[i].least = sum->largest[i].most = 0;
  }
}

static int64_t entries_of(const gg_trial *trial, size_t operation) {
  bool rows = gg_operation_span(&trial->kernel->operations[operation]) == GG_SPAN_ROWS;
  return rows ? trial->problem.m : trial->problem.n;
}

static void note_sum(tally *sum, const gg_trial *trial, size_t operation, gg_expected x,
                     element_at at) {
  bool rows = gg_operation_span(&trial->kernel->operations[operation]) == GG_SPAN_ROWS;
  entry *e = &sum->entries[operation][rows ? at.row : at.col];
  e->value += x.value;
  e->magnitude += fabs(x.value) + x.bound;
  e->error += x.bound;
}

/* n numbers x, each off by its own bound, take n - 1 additions, in whatever order. Each rounds what
 * is no more than the sum of |x| and of the roundings before it: so they cost (n - 1) u / (1 - (n -
 * 1) u) times that sum, where u is half a unit in the last place of 1 (Higham, Accuracy and
 * Stability of Numerical Algorithms, 4.2). The reference's own f64 additions cost as many 2^-53. */
static double bound_of_sum(const gg_trial *trial, size_t operation, const entry *e, int64_t count) {
  const double fine = ldexp(1, -53);
  bool wide = trial->kernel->accumulator == GG_DTYPE_f64;
  double n = (double)count, kernel = n * (wide ? fine : ldexp(1, -24)), own = n * fine;
  double roundings = (kernel / (1 - kernel) + own / (1 - own)) * e->magnitude;
  double reach = fabs(e->value) + e->error + roundings;
  return e->error + roundings +
         gg_number_half_ulp(trial->kernel->operations[operation].operand.type, reach);
}

/* A batch's sums, of which the sample has every element. Of some elements nothing is known, and so
 * nothing of their sums. */
static void judge_sums(tally *sum, const gg_trial *trial, const gg_sample *sample, int64_t batch) {
  const gg_problem *p = &trial->problem;
  for (size_t i = 0; i < trial->kernel->operation_count; i++) {
    if (!sum->entries[i]) continue;
    bool rows = gg_operation_span(&trial->kernel->operations[i]) == GG_SPAN_ROWS;
    bool whole = rows ? sample->col_count == p->n : sample->row_count == p->m;
    int64_t count = rows ? sample->row_count : sample->col_count;
    for (int64_t j = 0; j < count; j++) {
      int64_t at = rows ? sample->rows[j] : sample->cols[j];
      const entry e = sum->entries[i][at];
      element_at where = {(int)i, batch, rows ? at : 0, rows ? 0 : at};
      sum->entries[i][at] = (entry){0, 0, 0};
      if (!whole || !isfinite(e.error)) continue;
      double bound = bound_of_sum(trial, i, &e, rows ? p->n : p->m);
      judge(sum, trial->kernel->operations[i].operand.type,
            extra_element(trial, i, batch, where.row, where.col), (gg_expected){e.value, bound},
            where);
    }
  }
}

/* What operations from `first` on, up to `end`, store on the way to an element of D, or note of it.
 */
static void judge_stored(tally *sum, const gg_trial *trial,
                         const gg_expected stored[GG_OPERATIONS_MAX], element_at at, size_t first,
                         size_t end) {
  const gg_kernel *kernel = trial->kernel;
  for (size_t i = first; i < end; i++) {
    if (!gg_operation_writes(&kernel->operations[i])) continue;
    at.operation = (int)i;
    if (kernel->operations[i].kind == GG_OP_AMAX) {
      note_largest(sum, i, stored[i]);
      continue;
    }
    if (kernel->operations[i].kind == GG_OP_SUM) {
      note_sum(sum, trial, i, stored[i], at);
      continue;
    }
    judge(sum, kernel->operations[i].operand.type,
          extra_element(trial, i, at.batch, at.row, at.col), stored[i], at);
  }
}

/* What one element of D should be, if it is not divided by a factor; what is stored on the way to
 * it is judged. */
static gg_expected expect_element(tally *sum, const gg_trial *trial, double product,
                                  double magnitude, element_at at) {
  gg_reference_operands operands = operands_at(trial, at.batch, at.row, at.col);
  gg_expected expected, stored[GG_OPERATIONS_MAX];
  gg_reference_expect(&expected, stored, trial->kernel, &trial->problem, product, magnitude,
                      &operands);
  judge_stored(sum, trial, stored, at, 0, trial->kernel->operation_count);
  return expected;
}

/* The element of D that a gate makes of two in a row of the product. */
static void judge_gated(tally *sum, const gg_trial *trial, const double products[2],
                        const double magnitudes[2], const int64_t columns[2], element_at at) {
  const gg_reference_operands operands[] = {operands_at(trial, at.batch, at.row, columns[0]),
                                            operands_at(trial, at.batch, at.row, columns[1])};
  const gg_kernel *kernel = trial->kernel;
  size_t gate = gg_operation_gate(kernel->operations, kernel->operation_count);
  gg_expected expected, stored[2][GG_OPERATIONS_MAX];
  gg_reference_expect_gated(&expected, stored, kernel, &trial->problem, products, magnitudes,
                            operands);
  for (int i = 0; i < 2; i++) {
    at.col = columns[i];
    judge_stored(sum, trial, stored[i], at, 0, gate);
  }
  at.col = gg_kernel_is_split(kernel) ? columns[0] : columns[0] / 2;
  judge_stored(sum, trial, stored[0], at, gate + 1, kernel->operation_count);
  judge_d(sum, trial, expected, at);
}

/* Elements of D that share a factor, from `at` on: each as the factor that is there makes it. */
static void judge_block(tally *sum, const gg_trial *trial, const gg_expected *x, int64_t count,
                        element_at at) {
  const gg_kernel *kernel = trial->kernel;
  gg_scales_view view = gg_problem_scales(kernel, &trial->problem, 'd');
  gg_dtype type = view.scaling.type, d = kernel->d.type;
  int64_t atoms_k = gg_scales_atoms_k(view.k, view.scaling.block);
  int64_t byte =
      at.batch * view.batch_stride + gg_scales_offset(at.row, at.col / view.scaling.block, atoms_k);
  unsigned char factor = trial->scale_d.host[trial->scale_d.lead + byte];
  at.operation = GG_WORST_IS_FACTOR;
  judge(sum, type, gg_number_get(type, &factor, 0), gg_scaled_factor(d, type, x, count), at);
  for (int64_t i = 0; i < count; i++, at.col++)
    judge_d(sum, trial, gg_scaled_element(d, type, factor, x[i]), at);
}

/* A row of the sample: elements one by one, two by two, or in blocks of D. */
static void compare_row(tally *sum, const gg_trial *trial, const gg_sample *sample,
                        const double *products, const double *magnitudes, element_at at) {
  enum { block_most = 32 };
  int block = trial->kernel->scale_d.block;
  gg_expected x[block_most];
  int64_t in_block = 0;
  for (int64_t j = 0; j < sample->col_count; j++) {
    at.col = sample->cols[j];
    if (gg_kernel_n_unit(trial->kernel) > 1) {
      judge_gated(sum, trial, &products[j], &magnitudes[j], &sample->cols[j], at);
      j++; /* the sample has whole pairs */
      continue;
    }
    x[in_block] = expect_element(sum, trial, products[j], magnitudes[j], at);
    if (!block) {
      judge_d(sum, trial, x[0], at);
    } else if (++in_block == block || at.col == trial->problem.n - 1) {
      at.col -= in_block - 1;
      judge_block(sum, trial, x, in_block, at);
      in_block = 0;
    }
  }
}

static gg_status make_entries(tally *sum, const gg_trial *trial, gg_error *err) {
  for (size_t i = 0; i < trial->kernel->operation_count; i++) {
    if (trial->kernel->operations[i].kind != GG_OP_SUM) continue;
    int64_t count = entries_of(trial, i);
    sum->entries[i] = gg_calloc((size_t)(count > 0 ? count : 1), sizeof *sum->entries[i]);
    if (!sum->entries[i]) return gg_fail(err, MEMORY, NULL, "");
  }
  return GG_OK;
}

static void compare_batches(tally *sum, const gg_trial *trial, const gg_sample *sample,
                            const gg_reference *reference) {
  int64_t at = 0;
  for (int64_t b = 0; b < sample->batch_count; b++) {
    for (int64_t i = 0; i < sample->row_count; i++) {
      element_at where = {GG_WORST_IS_D, sample->batches[b], sample->rows[i], 0};
      compare_row(sum, trial, sample, reference->sum + at, reference->magnitude + at, where);
      at += sample->col_count;
    }
    bool whole = sample->row_count == trial->problem.m && sample->col_count == trial->problem.n;
    judge_largest(sum, trial, sample->batches[b], whole);
    judge_sums(sum, trial, sample, sample->batches[b]);
  }
}

static gg_status compare(gg_verdict *out, const gg_trial *trial, const gg_sample *sample,
                         const gg_reference *reference, gg_error *err) {
  tally sum = {.out = out};
  gg_status st = make_entries(&sum, trial, err);
  if (!st) compare_batches(&sum, trial, sample, reference);
  if (out->checked > 0) out->mean_error = sum.total / (double)out->checked;
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++)
    gg_free(sum.entries[i]);
  return st;
}

/* Reads a buffer that the kernel wrote back, and looks at every byte of it. */
static gg_status read_back(gg_verdict *out, gg_trial *trial, gg_trial_buffer *buffer,
                           const gg_view *view, gg_error *err) {
  gg_status st = gg_trial_read(trial, buffer, view, err);
  if (!st) scan(out, buffer, view);
  return st;
}

static gg_status read_factors(gg_verdict *out, gg_trial *trial, gg_error *err) {
  const gg_trial_buffer *buffer = &trial->scale_d;
  const gg_scales_view view = gg_problem_scales(trial->kernel, &trial->problem, 'd');
  gg_status st =
      gg_memory_read(trial->context, buffer->host, buffer->device, (size_t)buffer->bytes, err);
  if (!st) scan_factors(out, buffer, &view);
  return st;
}

gg_status gg_trial_check(gg_verdict *out, gg_trial *trial, const gg_sample *sample,
                         const gg_reference *reference, gg_error *err) {
  *out = (gg_verdict){0};
  gg_view d = gg_problem_view(trial->kernel, &trial->problem, 'd');
  gg_status st = read_back(out, trial, &trial->d, &d, err);
  for (size_t i = 0; i < trial->kernel->operation_count && !st; i++) {
    if (!gg_operation_writes(&trial->kernel->operations[i])) continue;
    gg_view view = gg_problem_extra_view(trial->kernel, &trial->problem, i);
    st = read_back(out, trial, &trial->extras[i], &view, err);
  }
  if (!st && trial->kernel->scale_d.block) st = read_factors(out, trial, err);
  if (!st) st = compare(out, trial, sample, reference, err);
  return st;
}
