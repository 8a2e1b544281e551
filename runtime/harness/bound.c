/* Bounds by interval arithmetic.
 *
 * The kernel's x lies in an interval. Each node has the interval of its exact values there, and
 * that of its slope, its derivative by x, by the chain rule. So x's error comes to the result times
 * the steepest slope of the whole expression, in which what cancels has cancelled: of x - x it is
 * none. Roundings have no such order: each node adds its own to those of its arguments, times how
 * steep it is by them, over the intervals widened by those very roundings. (The mean value theorem,
 * twice.)
 *
 * Ends of intervals are rounded as doubles are, 2^-52 of them, for which a share of the whole is
 * added in the end. */
#include "bound.h"

#include <float.h>
#include <math.h>

typedef struct interval {
  double low, high;
} interval;

/* A node. */
typedef struct bounded {
  double value;
  interval range, slope;
  double rounding;
} bounded;

/* ---- Intervals ------------------------------------------------------------------------- */

static interval point(double value) {
  return (interval){value, value};
}

/* Not a number is anywhere. */
static interval checked(interval i) {
  return isnan(i.low) || isnan(i.high) ? (interval){-INFINITY, INFINITY} : i;
}

static interval hull(interval a, interval b) {
  return checked((interval){fmin(a.low, b.low), fmax(a.high, b.high)});
}

static interval widened(interval i, double by) {
  return checked((interval){i.low - by, i.high + by});
}

static interval sum_of(interval a, interval b) {
  return checked((interval){a.low + b.low, a.high + b.high});
}

static interval negated(interval a) {
  return (interval){-a.high, -a.low};
}

/* Zero times what is infinite is zero: what has no slope carries nothing on. */
static double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

static interval product_of(interval a, interval b) {
  interval low = {times(a.low, b.low), times(a.low, b.low)};
  low = hull(low, point(times(a.low, b.high)));
  low = hull(low, point(times(a.high, b.low)));
  return hull(low, point(times(a.high, b.high)));
}

static interval reciprocal_of(interval a) {
  if (a.low <= 0 && a.high >= 0) return (interval){-INFINITY, INFINITY};
  return (interval){1 / a.high, 1 / a.low};
}

static double largest(interval a) {
  return fmax(fabs(a.low), fabs(a.high));
}

/* ---- Functions ------------------------------------------------------------------------- */

static double phi(double x) {
  return exp(-x * x / 2) * 0.3989422804014327;
}

static double cumulative(double x) {
  return 0.5 * erfc(-x * 0.7071067811865476);
}

static double relu(double x) {
  return x <= 0 ? 0 : x;
}

static double relu_slope(double x) {
  return x > 0;
}

static double gelu(double x) {
  return x * cumulative(x);
}

double gg_gelu_slope(double x) {
  return cumulative(x) + x * phi(x);
}

static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

static double sigmoid_slope(double x) {
  return sigmoid(x) * sigmoid(-x);
}

static double silu(double x) {
  return x * sigmoid(x);
}

double gg_silu_slope(double x) {
  return sigmoid(x) * (1 + x * sigmoid(-x));
}

static double tanh_slope(double x) {
  double t = tanh(x);
  return 1 - t * t;
}

static double log_slope(double x) {
  return 1 / x;
}

static double sqrt_slope(double x) {
  return 0.5 / sqrt(x);
}

static double rsqrt(double x) {
  return 1 / sqrt(x);
}

static double rsqrt_slope(double x) {
  return -0.5 / (x * sqrt(x));
}

static double abs_slope(double x) {
  return x < 0 ? -1 : x > 0;
}

/* Between their turns functions and slopes rise or fall throughout. What a kernel's function may be
 * off by, in roundings: of its argument, of its result, of the product of both, and of 1; f64's are
 * within `wide` of argument and result (templates/parts/activations.cu, activations_f64.cu). */
static const struct function {
  double (*value)(double), (*slope)(double);
  double turns, slope_turns; /* at plus and minus so much; 0: at 0, or nowhere */
  bool positive;             /* of positive arguments alone */
  double of_argument, of_result, of_product, of_one;
} functions[GG_EXPRESSION_OPS] = {
    [GG_EXPRESSION_RELU] = {relu, relu_slope, 0, 0, false, 0, 0, 0, 0},
    [GG_EXPRESSION_GELU] = {gelu, gg_gelu_slope, 0.7517915246935645, 1.4142135623730951, false, 1.5,
                            1.5, 0, 0},
    [GG_EXPRESSION_SILU] = {silu, gg_silu_slope, 1.2784645427610738, 2.3993572805154667, false, 1.5,
                            1.5, 0, 0},
    [GG_EXPRESSION_SIGMOID] = {sigmoid, sigmoid_slope, 0, 0, false, 3, 3, 0, 0},
    [GG_EXPRESSION_TANH] = {tanh, tanh_slope, 0, 0, false, 1.5, 1.5, 0, 0},
    [GG_EXPRESSION_EXP] = {exp, exp, 0, 0, false, 0, 4, 1.5, 0},
    [GG_EXPRESSION_LOG] = {log, log_slope, 0, 0, true, 0, 6, 0, 4},
    [GG_EXPRESSION_SQRT] = {sqrt, sqrt_slope, 0, 0, true, 0, 3, 0, 0},
    [GG_EXPRESSION_RSQRT] = {rsqrt, rsqrt_slope, 0, 0, true, 0, 3, 0, 0},
    [GG_EXPRESSION_ABS] = {fabs, abs_slope, 0, 0, false, 0, 0, 0, 0},
};

/* All that a function is over an interval. */
static interval over(double (*f)(double), double turns, interval i) {
  const double at[] = {-turns, turns};
  interval out = hull(point(f(i.low)), point(f(i.high)));
  for (int j = 0; j < 2; j++)
    if (i.low < at[j] && at[j] < i.high) out = hull(out, point(f(at[j])));
  return out;
}

/* Of an f32, or of an f64, which the reference rounds as well. */
static double rounding_unit(bool wide) {
  return wide ? 0x1p-52 : 0x1p-24;
}

/* What is flushed to zero is less. */
static double least_normal(bool wide) {
  return wide ? 0x1p-1022 : 0x1p-126;
}

static bounded call(const struct function *f, const bounded *a, bool wide) {
  interval reached = widened(a->range, a->rounding);
  bounded out = {.value = f->value(a->value), .rounding = INFINITY};
  if (f->positive && reached.high < -least_normal(wide)) /* no number, and surely so */
    return (bounded){.value = (double)NAN};
  if (f->positive && !(reached.low > 0)) {
    out.range = out.slope = (interval){-INFINITY, INFINITY};
    return out;
  }
  double steepest = largest(over(f->slope, f->slope_turns, reached));
  double result = largest(over(f->value, f->turns, reached));
  double argument = largest(reached), exact = wide && (f->of_result || f->of_one) ? 8 : 1;
  double own = times(f->of_argument, argument) + times(f->of_result, result) + f->of_one +
               times(f->of_product, times(argument, result));
  out.range = over(f->value, f->turns, a->range);
  out.slope = product_of(over(f->slope, f->slope_turns, a->range), a->slope);
  out.rounding = times(steepest, a->rounding) + exact * own * rounding_unit(wide);
  if (own > 0) out.rounding += least_normal(wide);
  return out;
}

/* ---- Operators -------------------------------------------------------------------------- */

/* One more rounding of a result; a fused step has fewer. */
static void round_result(bounded *x, double units, bool wide) {
  interval reached = widened(x->range, x->rounding);
  x->rounding += units * rounding_unit(wide) * largest(reached) + least_normal(wide);
}

static bounded negate(const bounded *a) {
  return (bounded){-a->value, negated(a->range), negated(a->slope), a->rounding};
}

static bounded add(const bounded *a, const bounded *b) {
  return (bounded){a->value + b->value, sum_of(a->range, b->range), sum_of(a->slope, b->slope),
                   a->rounding + b->rounding};
}

static bounded multiply(const bounded *a, const bounded *b) {
  interval by_a = product_of(a->slope, b->range), by_b = product_of(a->range, b->slope);
  double of_a = largest(widened(a->range, a->rounding));
  double of_b = largest(widened(b->range, b->rounding));
  return (bounded){a->value * b->value, product_of(a->range, b->range), sum_of(by_a, by_b),
                   times(of_b, a->rounding) + times(of_a, b->rounding)};
}

/* 1 / a, exactly. */
static bounded invert(const bounded *a) {
  interval range = reciprocal_of(a->range), reached = reciprocal_of(widened(a->range, a->rounding));
  interval square = {0, times(largest(range), largest(range))};
  double steepest = times(largest(reached), largest(reached));
  return (bounded){1 / a->value, range, negated(product_of(square, a->slope)),
                   times(steepest, a->rounding)};
}

/* The lesser of both, which is one of them; a where one is not a number, as kernels have it. */
static bounded lesser(const bounded *a, const bounded *b) {
  if (isnan(a->value) || isnan(b->value)) return *a;
  if (a->range.high + a->rounding < b->range.low - b->rounding) return *a;
  if (b->range.high + b->rounding < a->range.low - a->rounding) return *b;
  return (bounded){fmin(a->value, b->value),
                   {fmin(a->range.low, b->range.low), fmin(a->range.high, b->range.high)},
                   hull(a->slope, b->slope),
                   fmax(a->rounding, b->rounding)};
}

static bounded greater(const bounded *a, const bounded *b) {
  bounded less_a = negate(a), less_b = negate(b), less = lesser(&less_a, &less_b);
  return negate(&less);
}

static bounded operate(const gg_expression_node *node, const bounded *all, bool wide) {
  const bounded *a = &all[node->arguments[0]], *b = &all[node->arguments[1]];
  bounded out, other;
  switch ((gg_expression_op)node->op) {
  case GG_EXPRESSION_ADD:
    out = add(a, b);
    break;
  case GG_EXPRESSION_SUB:
    other = negate(b);
    out = add(a, &other);
    break;
  case GG_EXPRESSION_MUL:
    out = multiply(a, b);
    break;
  case GG_EXPRESSION_DIV:
    other = invert(b);
    out = multiply(a, &other);
    out.value = a->value / b->value;
    round_result(&out, 5, wide);
    return out;
  case GG_EXPRESSION_MIN:
    return lesser(a, b);
  case GG_EXPRESSION_MAX:
    return greater(a, b);
  default: /* clamp */
    out = greater(a, b);
    return lesser(&out, &all[node->arguments[2]]);
  }
  round_result(&out, 1, wide);
  return out;
}

/* ---- The whole -------------------------------------------------------------------------- */

static bounded constant(double value) {
  return (bounded){.value = value, .range = point(value)};
}

gg_bounded gg_expression_bound(const gg_expression *expression, gg_bounded x,
                               const double operands[GG_EXPRESSION_OPERANDS_MAX], bool wide) {
  bounded all[GG_EXPRESSION_NODES_MAX] = {0};
  for (int i = 0; i < expression->count; i++) {
    const gg_expression_node *node = &expression->nodes[i];
    const struct function *f = &functions[node->op];
    int operand = gg_expression_operand((gg_expression_op)node->op);
    if (node->op == GG_EXPRESSION_X)
      all[i] = (bounded){x.value, widened(point(x.value), x.error), point(1), 0};
    else if (operand >= 0)
      all[i] = constant(operands[operand]);
    else if (node->op == GG_EXPRESSION_NUMBER)
      all[i] = constant(wide ? node->number : (double)(float)node->number);
    else if (node->op == GG_EXPRESSION_NEGATE)
      all[i] = negate(&all[node->arguments[0]]);
    else
      all[i] = f->value ? call(f, &all[node->arguments[0]], wide) : operate(node, all, wide);
    /* Beyond f32 the kernel has an infinity, of which steps behind may make anything. */
    if (!wide && largest(all[i].range) > (double)FLT_MAX) all[i].rounding = (double)INFINITY;
  }
  const bounded *last = &all[expression->count - 1];
  double error = times(largest(last->slope), x.error) + last->rounding;
  return (gg_bounded){last->value, error * (1 + 0x1p-40)};
}
