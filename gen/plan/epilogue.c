/* The epilogue: a list of operations on x, which begins as an element of the accumulator and ends
 * as an element of D. Each operation is a step of its own, in the order of the list; none is moved
 * or merged.
 *
 * Steps are computed in f32: each sum, product and activation rounds once, and the last step rounds
 * to D's type. An integer accumulator stays an integer if every step, every operand and D are
 * integers. A single float among them, such as a scale, makes it f32 first, which rounds numbers
 * beyond 2^24. Sums in f64 stay f64 until the last step. Integer results are rounded to the
 * nearest, ties to even; results of 8 bits saturate. An operand that is a matrix lies as D does,
 * and as many of its elements are aligned. */
#include "plan/epilogue.h"

#include <math.h>
#include <stdio.h>

#include "atom/dtype.h"
#include "base/decimal.h"
#include "plan/atoms.h"
#include "plan/gate.h"
#include "plan/target.h"
#include "spec/keys.h"

/* ---- Types ------------------------------------------------------------------------------ */

/* The types that numbers are read and stored in: those that emit/cuda_text.c has conversions for.
 */
static const gg_type_set stored = 1u << GG_DTYPE_f16 | 1u << GG_DTYPE_bf16 | 1u << GG_DTYPE_f32 |
                                  1u << GG_DTYPE_e4m3 | 1u << GG_DTYPE_e5m2 | 1u << GG_DTYPE_s8 |
                                  1u << GG_DTYPE_u8 | 1u << GG_DTYPE_s32;

/* The same types if sums are in f64. */
static const gg_type_set stored_beside_f64 = 1u << GG_DTYPE_f32 | 1u << GG_DTYPE_f64;

static gg_status check_type(const gg_plan *plan, const gg_spec_field *field, const char *what,
                            gg_dtype type, gg_error *err) {
  bool wide = plan->accumulator == GG_DTYPE_f64;
  gg_type_set types = wide ? stored_beside_f64 : stored;
  if (!(types & gg_type_bit(type)))
    return gg_refuse_types(plan, field, what, type, types, wide ? " beside sums in f64" : "", err);
  if (!gg_dtype_is_fp8(type) || plan->limits->converts_fp8) return GG_OK;
  return gg_refuse_type(plan, field, what, type,
                        "8-bit floats from sm_89 on: older architectures do not convert them", err);
}

static gg_status check_results(const gg_plan *plan, gg_dtype accumulator, gg_error *err) {
  const gg_spec *spec = plan->spec;
  bool packed = plan->d.type == GG_DTYPE_e2m1 && plan->target->scales;
  if (packed && !plan->scale_d.block)
    return gg_refuse(plan, &spec->d.type, "D of type", "e2m1", "one with scales: d.scale", err);
  gg_status st = packed ? GG_OK : check_type(plan, &spec->d.type, "D of type", plan->d.type, err);
  if (st) return st;
  if (plan->d.type == GG_DTYPE_s32 && accumulator != GG_DTYPE_s32) {
    return gg_refuse_types(plan, &spec->d.type, "D of type", plan->d.type,
                           stored & ~gg_type_bit(GG_DTYPE_s32), " from floats", err);
  }
  return plan->has_c ? check_type(plan, &spec->c.type, "C of type", plan->c.type, err) : GG_OK;
}

/* ---- Operations ------------------------------------------------------------------------- */

/* The alignment, in bytes, of a matrix whose rows are as long as D's: as many of its elements are
 * aligned as of D's. */
static int matrix_alignment(const gg_plan *plan, gg_dtype type) {
  int align = plan->d.align * gg_dtype_info_of(type)->bits / gg_dtype_info_of(plan->d.type)->bits;
  int least = (int)gg_dtype_bytes(type, 1);
  return align < least ? least : align > 16 ? 16 : align;
}

/* Refuses a second `linear`: there is one alpha, one beta and one C. */
static gg_status check_once(const gg_plan *plan, const gg_spec_op *asked, gg_error *err) {
  for (size_t i = 0; asked->kind == GG_OP_LINEAR && i < plan->operation_count; i++) {
    if (plan->operations[i].kind != GG_OP_LINEAR) continue;
    return gg_fail(err, PLAN_UNSUPPORTED, &asked->mark, plan->target->family, "epilogue",
                   "with a second linear", "one linear: a second factor is a scale");
  }
  return GG_OK;
}

/* Completes an operation of a list in which options are resolved: where its operand lies and how it
 * is aligned. */
static gg_status choose_operation(gg_operation *out, const gg_plan *plan, const gg_spec_op *asked,
                                  gg_error *err) {
  gg_span span = gg_operation_span(out);
  gg_status st = check_once(plan, asked, err);
  if (st || span == GG_SPAN_NONE) return st;
  gg_operand *operand = &out->operand;
  gg_dtype type = operand->type;
  char what[32];
  operand->major = plan->d.major;
  operand->align =
      span == GG_SPAN_MATRIX ? matrix_alignment(plan, type) : (int)gg_dtype_bytes(type, 1);
  snprintf(what, sizeof what, "%s of type", gg_op_info_of(out->kind)->name);
  return check_type(plan, &asked->type, what, type, err);
}

static bool is_float_step(const gg_operation *operation) {
  switch (operation->kind) {
  case GG_OP_RELU:
    return false;
  case GG_OP_BIAS:
  case GG_OP_RESIDUAL:
  case GG_OP_AUX:
    return gg_dtype_is_float(operation->operand.type);
  default:
    return true;
  }
}

static gg_dtype choose_compute(const gg_plan *plan, gg_dtype accumulator) {
  if (accumulator == GG_DTYPE_f64) return accumulator;
  bool floats = accumulator != GG_DTYPE_s32 || gg_dtype_is_float(plan->d.type);
  for (size_t i = 0; i < plan->operation_count; i++)
    floats = floats || is_float_step(&plan->operations[i]);
  return floats ? GG_DTYPE_f32 : GG_DTYPE_s32;
}

gg_status gg_choose_operations(gg_plan *plan, gg_dtype accumulator, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st = check_results(plan, accumulator, err);
  if (st) return st;
  gg_operations asked;
  gg_operations_asked(&asked, spec, plan->d.type, plan->has_c);
  for (size_t i = 0; i < asked.count; i++) {
    if (i < spec->op_count) st = choose_operation(&asked.list[i], plan, &spec->ops[i], err);
    if (st) return st;
    plan->operations[plan->operation_count++] = asked.list[i];
  }
  plan->expressions = asked.expressions;
  for (size_t i = 0; i < plan->operation_count; i++)
    plan->alpha = plan->alpha || plan->operations[i].alpha;
  plan->compute = choose_compute(plan, accumulator);
  return gg_check_gate(plan, err);
}

bool gg_plan_reads_elements(const gg_plan *plan) {
  bool reads = plan->has_c;
  for (size_t i = 0; i < plan->operation_count; i++) {
    reads |= gg_operation_reads_matrix(&plan->operations[i]);
  }
  return reads;
}

bool gg_plan_keeps_largest(const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++)
    if (plan->operations[i].kind == GG_OP_AMAX) return true;
  return false;
}

bool gg_plan_reads_scalars(const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++)
    if (plan->operations[i].scalars == GG_SCALARS_DEVICE) return true;
  return false;
}

bool gg_plan_derives(const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++)
    if (gg_operation_derives(&plan->operations[i])) return true;
  return false;
}

int gg_columns_read(const gg_plan *plan, int most, int least, int registers) {
  enum { of_columns = 2, of_cells = 4 }; /* registers of 8 columns of a vector, of a matrix */
  int each = plan->has_c ? of_cells : 0;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *op = &plan->operations[i];
    bool vector = gg_operation_reads_vector(op);
    if (vector && gg_operation_span(op) == GG_SPAN_COLUMNS) each += of_columns;
    if (gg_operation_reads_matrix(op)) each += of_cells;
  }
  int out = most;
  for (int columns = most - least; columns >= least && out / 8 * each > registers; columns -= least)
    if (most % columns == 0) out = columns;
  return out;
}

/* ---- For people ------------------------------------------------------------------------- */

/* Appends an operation's numbers in words: "slope 0.01", "0 to 6", "at least 0". */
static void print_numbers(gg_str *out, const gg_operation *op) {
  char low[GG_DECIMAL_MAX], high[GG_DECIMAL_MAX];
  gg_decimal_print(low, (double)op->numbers[0], true);
  gg_decimal_print(high, (double)op->numbers[1], true);
  if (op->kind == GG_OP_LEAKY_RELU)
    gg_str_printf(out, " (slope %s)", low);
  else if (isinf(op->numbers[0]) || isinf(op->numbers[1]))
    gg_str_printf(out, isinf(op->numbers[0]) ? " (at most %s)" : " (at least %s)",
                  isinf(op->numbers[0]) ? high : low);
  else
    gg_str_printf(out, " (%s to %s)", low, high);
}

void gg_operation_print(gg_str *out, const gg_plan *plan, const gg_operation *op) {
  static const char *const spans[] = {[GG_SPAN_NONE] = "",
                                      [GG_SPAN_ALL] = " one number",
                                      [GG_SPAN_ROWS] = " along m",
                                      [GG_SPAN_COLUMNS] = " along n",
                                      [GG_SPAN_MATRIX] = ""};
  if (op->kind == GG_OP_LINEAR) {
    gg_str_printf(out, "%sx%s%s", op->alpha ? "alpha * " : "", op->beta ? " + beta * C" : "",
                  op->scalars == GG_SCALARS_DEVICE ? ", of scalars in device memory" : "");
    return;
  }
  gg_span span = gg_operation_span(op);
  gg_str_printf(out, "%s%s", gg_op_info_of(op->kind)->name, spans[span]);
  if (span != GG_SPAN_NONE) gg_str_printf(out, " of %s", gg_dtype_info_of(op->operand.type)->name);
  if (gg_operation_numbers(op)) print_numbers(out, op);
  if (op->kind == GG_OP_EXPR) {
    gg_str_puts(out, " ");
    gg_expression_print(out, &plan->expressions.list[op->expression]);
  }
  if (op->kind == GG_OP_GATED)
    gg_str_printf(out, ": %s of %s", gg_choice_word(GG_SET_ACT, gg_operation_act(op)),
                  gg_operation_splits(op) ? "the first half's columns, times the second's"
                                          : "each first of two columns, times the second");
  if (gg_operation_has_form(op)) gg_str_printf(out, " (%s)", gg_choice_word(GG_SET_GELU, op->form));
}
