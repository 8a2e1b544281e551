/* The emitted function finish(). It takes two neighbouring columns of a row of the product and
 * gives two columns of D, or one if a gate combines them. Each operation is a line of it, made from
 * a row of the tables below, which say what becomes of one number. */
#include "emit/finish.h"

#include <math.h>
#include <string.h>

#include "emit/cuda_text.h"
#include "emit/totals.h"
#include "plan/epilogue.h"
#include "plan/gate.h"

/* What becomes of a number, which is called $x. $t is its operand, @ its operand's name, $l and $h
 * the operation's own two numbers. */
static const char *const steps[GG_OP_COUNT] = {
    [GG_OP_BIAS] = "$x + $t",
    [GG_OP_SCALE] = "$x * $t",
    [GG_OP_RESIDUAL] = "$x + $t",
    [GG_OP_MULTIPLY] = "$x * $t",
    [GG_OP_DRELU] = "where_positive($x, $t)",
    [GG_OP_DSILU] = "$x * silu_slope($t)",
    [GG_OP_RELU] = "relu($x)",
    [GG_OP_SILU] = "silu($x)",
    [GG_OP_SIGMOID] = "sigmoid($x)",
    [GG_OP_TANH] = "tanh_of($x)",
    [GG_OP_HARDSWISH] = "hardswish($x)",
    [GG_OP_LEAKY_RELU] = "leaky_relu($x, $l)",
    [GG_OP_CLAMP] = "at_most(at_least($x, $l), $h)",
};
static const char *const gelu_steps[] = {
    [GG_GELU_ERF] = "gelu($x)",
    [GG_GELU_TANH] = "gelu_tanh($x)",
    [GG_GELU_TANH_APPROX] = "gelu_tanh_approx($x)",
};
static const char *const dgelu_steps[] = {
    [GG_GELU_ERF] = "$x * gelu_slope($t)",
    [GG_GELU_TANH] = "$x * gelu_tanh_slope($t)",
    [GG_GELU_TANH_APPROX] = "$x * gelu_tanh_approx_slope($t)",
};
/* The arguments that an expression reads: t0, its own operand, and t1 to t3; two of them to a line.
 */
static const char *const reading_steps[] = {", $t", ", $1", ",\n             $2", ", $3"};
static const char at_least_step[] = "at_least($x, $l)";
static const char at_most_step[] = "at_most($x, $h)";

/* Statements for operations that keep or store x without changing it. */
static const char store_step[] = "store_two<d_n_major, @_pairs>(of.@, of.ld_@, at, @_bits(x));";
static const char store_halves_step[] = "store_halves(of.@, of.ld_@, of.half_n, at, @_bits(x));";
static const char largest_step[] = "note_largest(seen.@, x, at);";
static const char largest_of_one_step[] = "note_largest_of_one(seen.@, y, at);";
static const char column_sum_step[] = "add_to_columns(columns.@, x, at);";
static const char row_sum_step[] = "add_to_row(rows.@, x, at);";

static const gg_item_number left = {"x.x", 0}, right = {"x.y", 1}; /* two columns of the product */
static const gg_item_number gated = {"y", 0};                      /* what a gate made of them */

/* Whether its values for the two columns do not fit in one line. */
static bool is_long(const gg_item *it) {
  const gg_operation *op = it->operation;
  bool reads = op->kind == GG_OP_EXPR &&
               it->of->plan->expressions.list[op->expression].operands > 1; /* more than t0 */
  return reads || gg_operation_derives(op);
}

/* Appends a step for both numbers, or for the one that is left behind a gate. */
static void write_update(gg_str *out, const char *step, const gg_item *it, bool behind) {
  gg_str_puts(out, behind ? "  y = " : "  x = {");
  gg_item_write_step(out, step, it, behind ? gated : left);
  if (!behind) {
    gg_str_puts(out, is_long(it) ? ",\n       " : ", ");
    gg_item_write_step(out, step, it, right);
    gg_str_putc(out, '}');
  }
  gg_str_puts(out, ";\n");
}

static void write_linear(gg_str *out, const gg_items *e, const gg_item *it, bool behind) {
  const gg_operation *linear = it->operation;
  const char *fma = e->plan->compute == GG_DTYPE_f64 ? "__fma_rn" : "__fmaf_rn";
  if (linear->alpha) write_update(out, "$x * of.alpha", it, behind);
  if (linear->beta) {
    gg_str_printf(out,
                  "  x = {%s(c_value(cell.c.x), of.beta, x.x), "
                  "%s(c_value(cell.c.y), of.beta, x.y)};\n",
                  fma, fma);
  }
}

static bool is_factor(const gg_item *it) {
  return it->operation->kind == GG_OP_SCALE && it->span == GG_SPAN_ALL;
}

/* How many operations from `first` on are factors of all of D, one behind the other. */
static size_t factors_from(const gg_items *e, size_t first) {
  size_t count = 0;
  for (size_t i = first; i < e->plan->operation_count; i++, count++) {
    gg_item it = gg_item_of(e, i);
    if (!is_factor(&it)) break;
  }
  return count;
}

/* Appends neighbouring factors as one: they are multiplied with each other, so that each element
 * needs one multiplication for all. */
static void write_factors(gg_str *out, const gg_items *e, size_t first, size_t count, bool behind) {
  gg_str product = GG_STR_INIT;
  gg_item it = gg_item_of(e, first);
  gg_str_puts(&product, "$x * (");
  for (size_t i = first; i < first + count; i++) {
    gg_item factor = gg_item_of(e, i);
    gg_item_write(&product, i > first ? " * row.@" : "row.@", &factor);
  }
  gg_str_putc(&product, ')');
  write_update(out, gg_str_text(&product), &it, behind);
  if (product.failed) out->failed = true;
  gg_str_free(&product);
}

/* Appends the struct of what finish() gives besides D, for the staging to store; false if there is
 * none. */
static bool write_aside(gg_str *out, const gg_items *e) {
  bool any = false;
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (!it.staged) continue;
    if (!any) gg_str_puts(out, "// What is stored besides D.\nstruct aside_values {\n");
    gg_item_write(out, "  two<@_t> @;\n", &it);
    any = true;
  }
  if (any) gg_str_puts(out, "};\n\n");
  return any;
}

/* The statement for an operation that keeps or stores x; NULL for operations that change x. */
static const char *keeping_of(const gg_item *it, bool behind) {
  switch (it->operation->kind) {
  case GG_OP_AUX:
    return it->staged ? "aside.@ = @_bits(x);" : it->halves ? store_halves_step : store_step;
  case GG_OP_AMAX:
    return behind ? largest_of_one_step : largest_step;
  case GG_OP_SUM:
    return it->span == GG_SPAN_COLUMNS ? column_sum_step : row_sum_step;
  default:
    return NULL;
  }
}

static const char *step_of(const gg_item *it) {
  const gg_operation *op = it->operation;
  if (op->kind == GG_OP_GELU) return gelu_steps[op->form];
  if (op->kind == GG_OP_DGELU) return dgelu_steps[op->form];
  if (op->kind == GG_OP_CLAMP && isinf(op->numbers[1])) return at_least_step;
  if (op->kind == GG_OP_CLAMP && isinf(op->numbers[0])) return at_most_step;
  return steps[op->kind];
}

/* Appends a gate: two columns of the product become one of D. */
static void write_gate(gg_str *out, const gg_item *it) {
  const gg_operation act = {.kind = gg_operation_act(it->operation), .form = it->operation->form};
  gg_item of_act = *it;
  of_act.operation = &act;
  gg_str_puts(out, "  epi_t y = ");
  gg_item_write_step(out, step_of(&of_act), &of_act, left);
  gg_str_puts(out, " * x.y;\n");
}

static void write_expression(gg_str *out, const gg_item *it, bool behind) {
  const gg_expression *e = &it->of->plan->expressions.list[it->operation->expression];
  gg_str step = GG_STR_INIT;
  gg_str_puts(&step, "@_of($x");
  for (int i = 0; i < GG_EXPRESSION_OPERANDS_MAX; i++)
    if (gg_expression_reads(e, i)) gg_str_puts(&step, reading_steps[i]);
  gg_str_putc(&step, ')');
  write_update(out, gg_str_text(&step), it, behind);
  if (step.failed) out->failed = true;
  gg_str_free(&step);
}

static void write_operation(gg_str *out, const gg_item *it, bool behind) {
  const char *keeping = keeping_of(it, behind);
  if (!keeping) {
    write_update(out, step_of(it), it, behind);
    return;
  }
  gg_str_puts(out, "  ");
  gg_item_write(out, keeping, it);
  gg_str_putc(out, '\n');
}

static void write_operations(gg_str *out, const gg_items *e) {
  bool behind = false;
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    size_t factors = factors_from(e, i);
    if (it.operation->kind == GG_OP_OPERAND) continue; /* read by expressions */
    if (it.operation->kind == GG_OP_LINEAR) {
      write_linear(out, e, &it, behind);
    } else if (factors > 1) {
      write_factors(out, e, i, factors, behind);
      i += factors - 1;
    } else if (i + 1 == e->plan->operation_count && gg_cuda_narrows_relu(e->plan)) {
      gg_str_puts(out, "  // The conversion to D's type does the relu.\n");
    } else if (it.operation->kind == GG_OP_EXPR) {
      write_expression(out, &it, behind);
    } else if (it.operation->kind == GG_OP_GATED) {
      write_gate(out, &it);
      behind = true;
    } else {
      write_operation(out, &it, behind);
    }
  }
  gg_str_puts(out, behind ? "  return y;\n}\n" : "  return x;\n}\n");
}

void gg_finish_write(gg_str *out, const gg_items *e) {
  enum { end_of_line = 100, behind_name = 27 };
  bool aside = write_aside(out, e);
  const char *result = gg_plan_is_gated(e->plan) ? "epi_t" : "pair";
  int first_parameter = behind_name + (int)strlen(result) + 8;
  gg_str_printf(out,
                "// The operations on two accumulators, in their order.\n"
                "__device__ __forceinline__ %s finish(pair x, const epilogue_operands &of, "
                "tile_place at,\n"
                "%*sconst row_values &row, const col_values &col,",
                result, first_parameter, "");
  gg_str others = GG_STR_INIT;
  gg_str_printf(&others, "const cell_values &cell\n%s%s", aside ? "aside_values &aside\n" : "",
                gg_plan_keeps_largest(e->plan) ? "seen_values &seen\n" : "");
  gg_totals_write_parameters(&others, e->plan);
  gg_cuda_write_items(out, gg_str_text(&others), end_of_line, first_parameter);
  if (others.failed) out->failed = true;
  gg_str_free(&others);
  gg_str_puts(out, ") {\n");
  write_operations(out, e);
}
