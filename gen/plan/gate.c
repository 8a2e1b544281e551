/* A gate takes two columns of the product and gives one column of D: D's column j is act(x[2 j])
 * times x[2 j + 1].
 *
 * Those two columns are neighbours if the gate's columns are interleaved. If they are split, they
 * are column j of each half of N; then B's rows are copied in turns from both halves, so that the
 * two become neighbours in the tile, and nothing else differs except where a vector along n is
 * read. Every MMA gives a thread two neighbouring columns of a row, and so do the threads of family
 * simt: so no thread needs a number that another one has. This works for columns only; in the
 * transposed problem the two would be rows.
 *
 * An operation before the gate works on the product's N columns, one behind it on D's N / 2. A
 * matrix that the epilogue reads lies as D does and comes in boxes of the same columns, which fits
 * neither side: so a gate allows none, and vectors along n only before it. What is stored before
 * the gate has N columns and is stored by the threads that computed it, in no box. What is kept
 * about all of D, its largest magnitude, is taken behind the gate. */
#include "plan/gate.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "plan/scales.h"
#include "plan/target.h"
#include "spec/keys.h"

bool gg_plan_is_gated(const gg_plan *plan) {
  return gg_plan_columns_of_d(plan, 2) < 2;
}

bool gg_plan_is_split(const gg_plan *plan) {
  return gg_operations_split(plan->operations, plan->operation_count);
}

bool gg_plan_splits_rows(const gg_plan *plan) {
  return gg_plan_is_split(plan) && plan->b.major == GG_MAJOR_K;
}

bool gg_plan_splits_columns(const gg_plan *plan) {
  return gg_plan_is_split(plan) && plan->b.major != GG_MAJOR_K;
}

int gg_plan_columns_of_d(const gg_plan *plan, int columns) {
  return (int)gg_columns_behind(plan->operations, plan->operation_count, columns);
}

/* Why an operation cannot stand before a gate, or behind it; NULL if it can. */
static const char *obstacle_of(const gg_operation *op, bool behind) {
  gg_span span = gg_operation_span(op);
  if (op->kind == GG_OP_GATED && behind) return "a product is gated once";
  if (op->kind == GG_OP_LINEAR && op->beta)
    return "C would have the product's N columns, and D has N / 2; `beta: false` is without a C";
  if (op->kind == GG_OP_SUM)
    return "sums over D are of all the product's columns, of which a gate leaves half";
  if (op->kind == GG_OP_AUX) /* it stores N columns: what the gate reads */
    return behind ? "what it stores has the product's N columns: it stands before" : NULL;
  if (span == GG_SPAN_MATRIX)
    return "it has a matrix like D, of N / 2 columns, where the product has N; vectors and numbers "
           "can";
  if (op->kind == GG_OP_AMAX && !behind) return "what it keeps is D's: it stands behind";
  if (span == GG_SPAN_COLUMNS && behind)
    return "a vector along n has N numbers, and D has N / 2 columns: it stands before";
  return NULL;
}

/* Whether an expression behind a gate reads a vector along n, which has one number for each of the
 * two columns. */
static bool reads_both_columns(const gg_plan *plan, const gg_operation *op) {
  for (int i = 1; op->kind == GG_OP_EXPR && i < GG_EXPRESSION_OPERANDS_MAX; i++) {
    if (!gg_expression_reads(&plan->expressions.list[op->expression], i)) continue;
    size_t operand = gg_operation_operand(plan->operations, i);
    if (gg_operation_span(&plan->operations[operand]) == GG_SPAN_COLUMNS) return true;
  }
  return false;
}

/* Checks that each operation may stand where it does. A gate can only come from a list in the spec,
 * and lists imply no further operations, so the plan's operations are the spec's, one to one, and
 * each has its mark. */
static gg_status check_operations(const gg_plan *plan, gg_error *err) {
  bool behind = false;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *op = &plan->operations[i];
    const char *obstacle = obstacle_of(op, behind);
    if (!obstacle && behind && reads_both_columns(plan, op))
      obstacle = "it reads a vector along n, of N numbers, and D has N / 2 columns";
    if (obstacle)
      return gg_fail(err, PLAN_GATED, &plan->spec->ops[i].mark, gg_op_info_of(op->kind)->name,
                     behind ? "behind" : "before", obstacle);
    behind = behind || op->kind == GG_OP_GATED;
  }
  return GG_OK;
}

static const gg_mark *mark_of_gate(const gg_plan *plan) {
  size_t i = 0;
  while (plan->operations[i].kind != GG_OP_GATED)
    i++;
  return &plan->spec->ops[i].mark;
}

gg_status gg_check_split_lines(const gg_plan *plan, int64_t lines, gg_error *err) {
  char text[32];
  if (!gg_plan_splits_rows(plan) || lines % 2 == 0) return GG_OK;
  snprintf(text, sizeof text, "%lld at once", (long long)lines);
  return gg_refuse(plan, &plan->spec->tile, "split gated columns beside rows of B copied", text,
                   "an even number at once, as an even number of warps copies", err);
}

/* Checks that the second half of N begins where copies of an N-major B may begin (16 bytes at
 * most), or, if B has scale factors in tensor memory, where one of their atoms does. */
static gg_status check_fixed_n(const gg_plan *plan, gg_error *err) {
  enum { copied = 16 };
  const gg_mark *mark = &plan->spec->problem.n.mark;
  if (gg_plan_splits_scales(plan))
    return gg_check_multiple("problem N", plan->fixed_n, 2 * GG_SCALE_ROWS,
                             "2 halves of N x 128 rows of an atom of scale factors", mark, err);
  bool lines = gg_plan_splits_columns(plan);
  int bytes = plan->b.align < copied ? plan->b.align : copied;
  int unit = lines ? (int)gg_dtype_unit(plan->b.type, bytes) : 1;
  char why[64];
  if (unit <= 1)
    return gg_check_multiple("problem N", plan->fixed_n, 2, "columns of a gate, one of D", mark,
                             err);
  snprintf(why, sizeof why, "2 halves of N x %d bytes of a line of B", bytes);
  return gg_check_multiple("problem N", plan->fixed_n, 2 * unit, why, mark, err);
}

gg_status gg_check_gate(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  if (!gg_plan_is_gated(plan)) return GG_OK;
  if (!plan->target->gates)
    return gg_fail(err, PLAN_UNSUPPORTED, mark_of_gate(plan), plan->target->family, "epilogue",
                   "with gated", "the others: a thread has one column; all other families have it");
  gg_status st = check_operations(plan, err);
  if (st) return st;
  if (plan->d.major != GG_MAJOR_N)
    return gg_refuse(plan, &spec->d.major, "gated columns beside D of major", "m",
                     "D of major n, row-major", err);
  if (plan->scale_d.block)
    return gg_refuse(plan, &spec->d.scale.here, "gated columns beside D", "with scales",
                     "D without: one number for all of it is a scale behind gated", err);
  return plan->fixed_n == GG_FIXED_NONE ? GG_OK : check_fixed_n(plan, err);
}
