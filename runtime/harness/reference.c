/* The reference and the bound.
 *
 * The bound. Let S be the sum of |a * b|. Products of two inputs are exact in the tensor cores;
 * every g >= 4 of them are added to the accumulator at once, each of the g + 1 terms cut at a unit
 * u of the largest, and so is their sum (MMA-Sim, arXiv 2511.10909: 23 fraction bits or more for
 * f32, where the kernel does not say that there are fewer). No term or partial sum exceeds S, so K
 * products cost at most (g + 2) / g * K <= 1.5 K cuts of u * S. Plain rounding after each addition
 * costs less. Then comes the epilogue, step by step in f32: each carries the error before it on, by
 * its slope, and adds its own; and one rounding to D's type. Where all inputs are integers and S
 * fits in the accumulator, nothing is cut at all; nor is it in steps whose results have 24 bits at
 * most, counted from their grain; then D must be the correctly rounded value: that is the sharp
 * test. */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "bound.h"
#include "inputs.h"
#include "number.h"
#include "plan/operation.h"
#include "problem.h"
#include "scales.h"
#include "sparse.h"

/* ---- The sample ----------------------------------------------------------------------- */

enum { batches_sampled = 3, elements_max = 1 << 24 };

/* `count` of `extent` indices, ascending: one from each of `count` equal parts, the first part's
 * first and the last part's last among them. */
static int64_t *choose(int64_t count, int64_t extent, uint64_t seed) {
  int64_t *out = gg_malloc((size_t)(count > 0 ? count : 1) * sizeof *out);
  for (int64_t i = 0; out && i < count; i++) {
    int64_t from = (int64_t)((double)extent * (double)i / (double)count);
    int64_t to = (int64_t)((double)extent * (double)(i + 1) / (double)count);
    if (count == extent) from = i, to = i + 1;
    uint64_t width = to > from ? (uint64_t)(to - from) : 1;
    out[i] = from + (int64_t)(gg_random(seed, (uint64_t)i) % width);
    if (i == count - 1) out[i] = extent - 1;
    if (i == 0) out[i] = 0;
  }
  return out;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Columns in whole blocks, of which the last may be cut. */
static int64_t *choose_columns(int64_t *count, int64_t extent, int block, uint64_t seed) {
  int64_t blocks = (*count + block - 1) / block, filled = 0;
  int64_t *chosen = choose(blocks, (extent + block - 1) / block, seed);
  int64_t *out = gg_malloc((size_t)(blocks > 0 ? blocks * block : 1) * sizeof *out);
  for (int64_t i = 0; chosen && out && i < blocks * block; i++) {
    int64_t col = chosen[i / block] * block + i % block;
    if (col < extent) out[filled++] = col;
  }
  if (!chosen) {
    gg_free(out);
    out = NULL;
  }
  gg_free(chosen);
  *count = filled;
  return out;
}

/* How many rows and columns make `elements` and are no more than there are. */
static void choose_sides(gg_sample *out, const gg_problem *p, double elements) {
  int64_t side = (int64_t)sqrt(elements);
  if (side < 2) side = 2;
  out->row_count = least(p->m, side);
  out->col_count = least(p->n, side);
  if (out->row_count < side) out->col_count = least(p->n, (int64_t)(elements / (double)p->m) + 1);
  if (out->col_count < side) out->row_count = least(p->m, (int64_t)(elements / (double)p->n) + 1);
}

/* The same; where the kernel sums over a mode, all of that is there, if two entries of the vector
 * fit. */
static void choose_sums(gg_sample *out, const gg_problem *p, double elements, gg_span sums) {
  bool columns = sums == GG_SPAN_COLUMNS;
  int64_t over = columns ? p->m : p->n, others = columns ? p->n : p->m;
  choose_sides(out, p, elements);
  if (sums == GG_SPAN_NONE) return;
  if (over == 0 || (double)(2 * over) > elements) return;
  *(columns ? &out->row_count : &out->col_count) = over;
  *(columns ? &out->col_count : &out->row_count) =
      least(others, (int64_t)(elements / (double)over));
}

/* `sums`: what vectors of sums run along, GG_SPAN_NONE where there are none. */
static gg_status choose_sample(gg_sample *out, const gg_problem *p, int block, gg_span sums,
                               int64_t budget, uint64_t seed, gg_error *err) {
  *out = (gg_sample){.row_count = p->m, .col_count = p->n, .batch_count = p->batch, .whole = true};
  double all = (double)p->m * (double)p->n * (double)p->batch;
  double depth = p->k > 0 ? (double)p->k : 1;
  if (all > elements_max || all * depth > (double)budget) {
    out->whole = false;
    out->batch_count = least(p->batch, batches_sampled);
    double elements = (double)budget / depth;
    if (elements > elements_max) elements = elements_max;
    choose_sums(out, p, elements / (double)out->batch_count, sums);
  }
  out->rows = choose(out->row_count, p->m, seed);
  out->cols = choose_columns(&out->col_count, p->n, block > 1 ? block : 1, seed + 1);
  out->batches = choose(out->batch_count, p->batch, seed + 2);
  if (out->rows && out->cols && out->batches) return GG_OK;
  gg_sample_free(out);
  return gg_fail(err, MEMORY, NULL, "");
}

gg_status gg_sample_choose(gg_sample *out, const gg_problem *p, int block, int64_t budget,
                           uint64_t seed, gg_error *err) {
  return choose_sample(out, p, block, GG_SPAN_NONE, budget, seed, err);
}

/* Columns of halves by turns, a pair of each two. */
static void part_halves(gg_sample *sample, int64_t n) {
  for (int64_t i = 0; i < sample->col_count; i++) {
    int64_t number = sample->cols[i];
    sample->cols[i] = number % 2 * (n / 2) + number / 2;
  }
}

gg_status gg_sample_choose_for(gg_sample *out, const gg_kernel *kernel, const gg_problem *p,
                               int64_t budget, uint64_t seed, gg_error *err) {
  gg_span sums = GG_SPAN_NONE;
  for (size_t i = 0; i < kernel->operation_count && sums == GG_SPAN_NONE; i++)
    if (kernel->operations[i].kind == GG_OP_SUM) sums = gg_operation_span(&kernel->operations[i]);
  int pairs = (int)gg_kernel_n_unit(kernel), block = kernel->scale_d.block;
  gg_status st = choose_sample(out, p, pairs > block ? pairs : block, sums, budget, seed, err);
  if (!st && gg_kernel_is_split(kernel)) part_halves(out, p->n);
  return st;
}

void gg_sample_free(gg_sample *sample) {
  gg_free(sample->rows);
  gg_free(sample->cols);
  gg_free(sample->batches);
  *sample = (gg_sample){0};
}

int64_t gg_sample_count(const gg_sample *sample) {
  return sample->row_count * sample->col_count * sample->batch_count;
}

/* ---- On the host ---------------------------------------------------------------------- */

enum { depth_max = 256 }; /* of K at a time */

/* Where an operand's element (outer, k) lies: outer is M for A and N for B. */
typedef struct strides {
  gg_dtype type;
  int64_t outer, k, batch;
} strides;

static strides strides_of(const gg_kernel *kernel, const gg_problem *problem, char which) {
  gg_view view = gg_problem_view(kernel, problem, which);
  bool k_major = view.operand->major == GG_MAJOR_K;
  if (which == gg_sparse_operand(kernel)) {
    int64_t outer = which == 'b' ? problem->n : problem->m;
    view.ld = k_major ? problem->k : outer;
    view.batch_stride = outer * problem->k;
  }
  return (strides){
      .type = view.operand->type,
      .outer = k_major ? view.ld : 1,
      .k = k_major ? 1 : view.ld,
      .batch = view.batch_stride,
  };
}

/* Multiplies elements of a row by the factors of their blocks. */
static void scale_row(double *row, const gg_scales_view *view, const void *factors, int64_t batch,
                      int64_t outer, int64_t k0, int64_t depth) {
  int64_t atoms_k = gg_scales_atoms_k(view->k, view->scaling.block);
  for (int64_t k = 0; k < depth; k++) {
    int64_t at = gg_scales_offset(outer, (k0 + k) / view->scaling.block, atoms_k);
    row[k] *= gg_number_get(view->scaling.type, factors, batch * view->batch_stride + at);
  }
}

static void scale_panel(double *out, const gg_scales_view *view, const void *factors, int64_t batch,
                        const int64_t *outers, int64_t count, int64_t k0, int64_t depth) {
  for (int64_t i = 0; view->scaling.block && i < count; i++)
    scale_row(out + i * depth_max, view, factors, batch, outers[i], k0, depth);
}

/* Decodes elements (outers[i], k0 ... k0 + depth) of one batch. */
static void decode_panel(double *out, const void *memory, const strides *at, int64_t batch,
                         const int64_t *outers, int64_t count, int64_t k0, int64_t depth) {
  for (int64_t i = 0; i < count; i++) {
    int64_t base = batch * at->batch + outers[i] * at->outer + k0 * at->k;
    for (int64_t k = 0; k < depth; k++) {
      out[i * depth_max + k] = gg_number_get(at->type, memory, base + k * at->k);
    }
  }
}

/* `xor_bits`: what is summed of two bits is whether they differ. */
static void add_panels(gg_reference *out, int64_t first, const double *a, int64_t rows,
                       const double *b, int64_t cols, int64_t depth, bool xor_bits) {
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < cols; j++) {
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < depth; k++) {
        double x = a[i * depth_max + k], y = b[j * depth_max + k];
        double product = xor_bits ? fabs(x - y) : x * y;
        sum += product;
        magnitude += fabs(product);
      }
      out->sum[first + i * cols + j] += sum;
      out->magnitude[first + i * cols + j] += magnitude;
    }
  }
}

static gg_status allocate(gg_reference *out, const gg_sample *sample, gg_error *err) {
  size_t bytes = (size_t)gg_sample_count(sample) * sizeof(double);
  *out = (gg_reference){.sum = gg_malloc(bytes), .magnitude = gg_malloc(bytes)};
  if (!out->sum || !out->magnitude) {
    gg_reference_free(out);
    return gg_fail(err, MEMORY, NULL, "");
  }
  memset(out->sum, 0, bytes);
  memset(out->magnitude, 0, bytes);
  return GG_OK;
}

gg_status gg_reference_on_host(gg_reference *out, const gg_kernel *kernel,
                               const gg_problem *problem, gg_host_inputs inputs,
                               const gg_sample *sample, gg_error *err) {
  gg_status st = allocate(out, sample, err);
  if (st) return st;
  int64_t rows = sample->row_count, cols = sample->col_count;
  strides at_a = strides_of(kernel, problem, 'a'), at_b = strides_of(kernel, problem, 'b');
  const gg_scales_view of_a = gg_problem_scales(kernel, problem, 'a');
  const gg_scales_view of_b = gg_problem_scales(kernel, problem, 'b');
  double *panel_a = gg_malloc((size_t)rows * depth_max * sizeof(double));
  double *panel_b = gg_malloc((size_t)cols * depth_max * sizeof(double));
  if (!panel_a || !panel_b) {
    st = gg_fail(err, MEMORY, NULL, "");
    gg_reference_free(out);
    goto done;
  }
  for (int64_t i = 0; i < sample->batch_count; i++) {
    int64_t batch = sample->batches[i];
    for (int64_t k0 = 0; k0 < problem->k; k0 += depth_max) {
      int64_t depth = least(depth_max, problem->k - k0);
      decode_panel(panel_a, inputs.a, &at_a, batch, sample->rows, rows, k0, depth);
      decode_panel(panel_b, inputs.b, &at_b, batch, sample->cols, cols, k0, depth);
      scale_panel(panel_a, &of_a, inputs.scale_a, batch, sample->rows, rows, k0, depth);
      scale_panel(panel_b, &of_b, inputs.scale_b, batch, sample->cols, cols, k0, depth);
      add_panels(out, i * rows * cols, panel_a, rows, panel_b, cols, depth, kernel->xor_bits);
    }
  }
done:
  gg_free(panel_a);
  gg_free(panel_b);
  return st;
}

void gg_reference_free(gg_reference *reference) {
  gg_free(reference->sum);
  gg_free(reference->magnitude);
  *reference = (gg_reference){0};
}

/* ---- The bound ------------------------------------------------------------------------ */

/* A number without a fraction. */
static bool is_whole(double value) {
  return rint(value) == value;
}

int gg_reference_precision(const gg_kernel *kernel) {
  int whole = gg_number_precision(kernel->accumulator);
  return kernel->accumulator_bits ? kernel->accumulator_bits : whole;
}

/* The error of a sum of `k` products, or numbers, of this magnitude, in so many bits of a type. */
static double sum_error(gg_dtype type, double k, int precision, double magnitude) {
  double unit = ldexp(1, 1 - precision), own = 0x1p-52; /* f64: the reference's own error */
  double subnormal = magnitude > 0 ? 2 * gg_number_half_ulp(type, 0) : 0;
  return (1.5 * k + 2) * fmax((unit + own) * magnitude, subnormal);
}

/* The error of the sum of products in the accumulator. Where short sums span a part of K, their
 * errors add up to that of one of them, with the magnitude of all; then they are summed. */
static double accumulation_error(const gg_kernel *kernel, int64_t k, double magnitude,
                                 bool integers) {
  gg_dtype type = kernel->accumulator;
  int precision = gg_reference_precision(kernel), whole = gg_number_precision(type);
  if (gg_number_is_integer(type)) return 0;
  if (integers && magnitude <= ldexp(1, precision)) return 0;
  int64_t span = kernel->accumulator_span;
  if (span == 0 || span >= k) return sum_error(type, (double)k, precision, magnitude);
  double part = sum_error(type, (double)span, precision, magnitude);
  return part + sum_error(type, (double)(k / span + 1), whole, magnitude + part);
}

/* A number on its way through the epilogue: what it is, how far the kernel's may be from it, how
 * large that and all that went into it can be, and, where it is exact, of what it is a whole
 * multiple; else 0. The kernel computes in so many bits: 24, of f32, or 53. */
typedef struct running {
  double value, error, reach, grain;
  int bits;
} running;

/* Of 1, where a step rounds; in f64 the reference rounds as well. */
static double rounding_of(const running *x) {
  return ldexp(1, -x->bits) + (x->bits > 24 ? 0x1p-53 : 0);
}

/* The result of a step, which rounds up to `roundings` times; not at all where the result is a
 * whole multiple of a grain, of as many bits at most. */
static void round_step(running *x, double grain, int roundings) {
  bool exact = x->grain > 0 && x->error == 0 && grain > 0 && x->reach <= ldexp(grain, x->bits);
  x->grain = exact ? grain : 0;
  if (!exact) x->error += roundings * rounding_of(x) * (x->reach + x->error);
}

static void step_linear(running *x, const gg_operation *op, const gg_problem *p, double c) {
  double alpha = op->alpha ? gg_problem_alpha(p) : 1;
  double beta = op->beta ? gg_problem_beta(p) : 0;
  if (beta == 0) c = 0;
  x->value = alpha * x->value + beta * c;
  x->error *= fabs(alpha);
  x->reach = fabs(alpha) * x->reach + fabs(beta * c);
  if (alpha == 1 && beta == 0) return;
  bool whole = is_whole(alpha) && is_whole(beta);
  round_step(x, whole ? fmin(x->grain, 1) : 0, 3);
}

static void step_add(running *x, double addend) {
  x->value += addend;
  x->reach += fabs(addend);
  round_step(x, fmin(x->grain, 1), 1);
}

/* What an error comes to that is so much steeper; without a bound it stays so. */
static double carried(double error, double slope) {
  return isinf(error) ? error : error * fabs(slope);
}

static void step_scale(running *x, double factor) {
  x->value *= factor;
  x->error = carried(x->error, factor);
  x->reach *= fabs(factor);
  round_step(x, x->grain / 16, 1);
}

/* Activations of a steepest slope, whose own error is at most so many times 2^-24 of argument and
 * result, as templates/parts/activations.cu says; in f64 a few units in the last place, both of the
 * kernel's functions and of ours. */
static void step_activation(running *x, double slope, double units, double result) {
  double own = (x->bits > 24 ? 8 : units) * rounding_of(x);
  x->error = slope * x->error + own * (fabs(x->value) + x->error + fabs(result));
  x->value = result;
  x->reach = fabs(result);
  x->grain = 0;
}

/* By what share tanh.approx may be off; sums in f64 have none. */
static double tanh_share(const running *x) {
  return x->bits > 24 ? 0 : 0x1p-11;
}

static double gelu(double x, gg_gelu form) {
  if (form == GG_GELU_ERF) return 0.5 * x * erfc(-x * 0.7071067811865476);
  double u = 0.7978845608028654 * (x + 0.044715 * x * x * x);
  return x / (1 + exp(-2 * u));
}

/* A derivative that is the operand's: how far the kernel's own may be off, templates/parts/
 * derivatives.cu says of f32; in f64 some units in the last place of 1. */
static void step_derivative(running *x, double slope, double slack) {
  enum { units = 8, units_of_f64 = 32 };
  double own = (x->bits > 24 ? units_of_f64 : units) * rounding_of(x) + slack;
  x->error = carried(x->error, slope) + own * (fabs(x->value) + x->error);
  x->value *= slope;
  x->reach = fabs(x->value);
  x->grain = 0;
  round_step(x, 0, 1);
}

/* Of gelu(x), as `gelu` has it. */
static double gelu_slope(double x, gg_gelu form) {
  if (form == GG_GELU_ERF) return gg_gelu_slope(x);
  double u = 0.7978845608028654 * (x + 0.044715 * x * x * x), t = tanh(u);
  double slope = 0.7978845608028654 * (1 + 0.134145 * x * x);
  return 0.5 * (1 + t) + 0.5 * x * slope * (1 - t * t);
}

/* How far it is off at r, where the tanh in it is by a share: half of that, and twice in its
 * square. Kernels take it at 5 at most, beyond which it ends. */
static double gelu_slope_slack(double r, double share) {
  if (share == 0) return 0;
  double x = fmin(fabs(r), 5), slope = 0.7978845608028654 * (1 + 0.134145 * x * x);
  double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)), off = share * t;
  return off * (0.5 + x * slope * t) + 0.5 * x * slope * off * off + (x < 5 ? 0 : 0x1p-19);
}

/* One rounding, of negative numbers alone. */
static void step_leaky_relu(running *x, double slope) {
  double steepest = fmax(fabs(slope), 1);
  if (x->value < 0) x->value *= slope;
  x->error *= steepest;
  x->reach *= steepest;
  round_step(x, 0, 1);
}

/* A limit that is met is met by the kernel's number, too, or is between both. */
static void step_clamp(running *x, const float limits[2]) {
  if (isnan(x->value)) return; /* and stays so */
  x->value = fmin(fmax(x->value, (double)limits[0]), (double)limits[1]);
  double reach = fmin(x->reach, fmax(fabs((double)limits[0]), fabs((double)limits[1])));
  x->reach = fmax(reach, fabs(x->value));
  if (!is_whole(x->value)) x->grain = 0;
}

/* `at`: what each operation reads. */
static void step_expression(running *x, const gg_kernel *kernel, const gg_operation *op,
                            const double at[GG_OPERATIONS_MAX]) {
  const gg_expression *expression = &kernel->expressions[op->expression];
  double operands[GG_EXPRESSION_OPERANDS_MAX] = {at[op - kernel->operations]};
  for (int i = 1; i < GG_EXPRESSION_OPERANDS_MAX; i++)
    if (gg_expression_reads(expression, i))
      operands[i] = at[gg_operation_operand(kernel->operations, i)];
  gg_bounded result =
      gg_expression_bound(expression, (gg_bounded){x->value, x->error}, operands, x->bits > 24);
  x->value = result.value;
  x->error = result.error;
  x->reach = fabs(result.value);
  x->grain = 0;
}

/* Of all but expressions. */
static void step(running *x, const gg_operation *op, const gg_problem *p, double operand) {
  switch (op->kind) {
  case GG_OP_LINEAR:
    step_linear(x, op, p, operand);
    break;
  case GG_OP_BIAS:
  case GG_OP_RESIDUAL:
    step_add(x, operand);
    break;
  case GG_OP_SCALE:
  case GG_OP_MULTIPLY:
    step_scale(x, operand);
    break;
  case GG_OP_RELU:
    if (x->value < 0) x->value = 0;
    break;
  case GG_OP_GELU:
    if (op->form == GG_GELU_TANH_APPROX)
      x->error += tanh_share(x) / 2 * (fabs(x->value) + x->error);
    step_activation(x, 1.13, 2, gelu(x->value, op->form));
    break;
  case GG_OP_SILU:
    step_activation(x, 1.1, 2, x->value / (1 + exp(-x->value)));
    break;
  case GG_OP_SIGMOID:
    step_activation(x, 0.25, 3, 1 / (1 + exp(-x->value)));
    break;
  case GG_OP_TANH:
    step_activation(x, 1, 2, tanh(x->value));
    break;
  case GG_OP_HARDSWISH:
    step_activation(x, 1.5, 2, x->value * fmin(fmax(x->value + 3, 0), 6) / 6);
    break;
  case GG_OP_LEAKY_RELU:
    step_leaky_relu(x, (double)op->numbers[0]);
    break;
  case GG_OP_DRELU:
    if (operand <= 0) x->value = x->error = x->reach = 0; /* whatever x is */
    break;
  case GG_OP_DGELU:
    step_derivative(x, gelu_slope(operand, op->form),
                    op->form == GG_GELU_TANH_APPROX ? gelu_slope_slack(operand, tanh_share(x)) : 0);
    break;
  case GG_OP_DSILU:
    step_derivative(x, gg_silu_slope(operand), 0);
    break;
  case GG_OP_CLAMP:
    step_clamp(x, op->numbers);
    break;
  default: /* aux, operand: x stays as it is */
    break;
  }
}

/* x, once it is rounded to `type`. */
static gg_expected stored_as(gg_dtype type, const running *x) {
  return (gg_expected){x->value, x->error + gg_number_half_ulp(type, fabs(x->value) + x->error)};
}

/* Whether the kernel computes in f32 what its tensor cores summed as integers. */
static bool leaves_integers(const gg_kernel *kernel) {
  bool leaves = !gg_number_is_integer(kernel->d.type);
  for (size_t i = 0; i < kernel->operation_count; i++)
    leaves = leaves || kernel->operations[i].kind != GG_OP_RELU;
  return leaves && gg_number_is_integer(kernel->accumulator);
}

/* An element's sum, as the kernel's tensor cores have it. */
static running begin(const gg_kernel *kernel, const gg_problem *p, double sum, double magnitude,
                     bool integers) {
  double accumulated = accumulation_error(kernel, p->k, magnitude, integers);
  bool exact = accumulated == 0 && integers;
  int bits = kernel->accumulator == GG_DTYPE_f64 ? 53 : 24;
  running x = {sum, accumulated, magnitude + accumulated, exact ? 1 : 0, bits};
  if (leaves_integers(kernel)) round_step(&x, x.grain, 1);
  return x;
}

/* Operations from `first` on, up to `end`. */
static void step_through(running *x, gg_expected stored[GG_OPERATIONS_MAX], const gg_kernel *kernel,
                         const gg_problem *p, const gg_reference_operands *operands, size_t first,
                         size_t end) {
  for (size_t i = first; i < end; i++) {
    const gg_operation *op = &kernel->operations[i];
    if (op->kind == GG_OP_EXPR)
      step_expression(x, kernel, op, operands->at);
    else
      step(x, op, p, operands->at[i]);
    if (stored && op->kind == GG_OP_AUX) stored[i] = stored_as(op->operand.type, x);
    if (stored && (op->kind == GG_OP_AMAX || op->kind == GG_OP_SUM))
      stored[i] = (gg_expected){x->value, x->error};
  }
}

static gg_expected end(const gg_kernel *kernel, const running *x) {
  return kernel->scale_d.block ? (gg_expected){x->value, x->error} : stored_as(kernel->d.type, x);
}

void gg_reference_expect(gg_expected *d, gg_expected stored[GG_OPERATIONS_MAX],
                         const gg_kernel *kernel, const gg_problem *p, double sum, double magnitude,
                         const gg_reference_operands *operands) {
  running x = begin(kernel, p, sum, magnitude, operands->integers);
  step_through(&x, stored, kernel, p, operands, 0, kernel->operation_count);
  *d = end(kernel, &x);
}

/* ---- Behind a gate ----------------------------------------------------------------------- */

/* The product of two numbers that are both off. */
static void step_gate(running *x, const gg_operation *gate, const gg_problem *p,
                      const running *other) {
  const gg_operation act = {.kind = gg_operation_act(gate), .form = gate->form};
  step(x, &act, p, 0);
  double grain = x->grain * other->grain;
  x->error = carried(x->error, other->value) + carried(other->error, x->value) +
             carried(x->error, other->error);
  x->value *= other->value;
  x->reach *= other->reach;
  x->grain = grain > 0 ? grain : 0;
  round_step(x, grain, 1);
}

void gg_reference_expect_gated(gg_expected *d, gg_expected stored[2][GG_OPERATIONS_MAX],
                               const gg_kernel *kernel, const gg_problem *p, const double sum[2],
                               const double magnitude[2], const gg_reference_operands operands[2]) {
  size_t gate = gg_operation_gate(kernel->operations, kernel->operation_count);
  running x[2];
  for (int i = 0; i < 2; i++) {
    x[i] = begin(kernel, p, sum[i], magnitude[i], operands->integers);
    step_through(&x[i], stored ? stored[i] : NULL, kernel, p, &operands[i], 0, gate);
  }
  step_gate(&x[0], &kernel->operations[gate], p, &x[1]);
  step_through(&x[0], stored ? stored[0] : NULL, kernel, p, &operands[0], gate + 1,
               kernel->operation_count);
  *d = end(kernel, &x[0]);
}
