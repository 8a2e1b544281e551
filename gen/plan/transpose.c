#include "plan/transpose.h"

#include <string.h>

#include "plan/decisions.h"

#define SWAP(type, x, y)                                                                           \
  do {                                                                                             \
    type kept = (x);                                                                               \
    (x) = (y);                                                                                     \
    (y) = kept;                                                                                    \
  } while (0)

/* ---- The spec ---------------------------------------------------------------------------- */

static void transpose_major(gg_spec_field *field) {
  if (field->state == GG_SPEC_SET) field->number = gg_major_transposed((gg_major)field->number);
}

/* Transposes a list of values for M, N and K, with its marks. */
static gg_status transpose_list(gg_spec_field *field, bool of_texts, gg_arena *arena,
                                gg_error *err) {
  if (field->state != GG_SPEC_SET) return GG_OK;
  if (of_texts) {
    SWAP(const char *, field->texts[0], field->texts[1]);
  } else {
    SWAP(int64_t, field->tuple[0], field->tuple[1]);
  }
  if (!field->marks) return GG_OK;
  gg_mark *marks = GG_ARENA_ARRAY(arena, gg_mark, 3);
  if (!marks) return gg_fail(err, MEMORY, NULL, "");
  memcpy(marks, field->marks, 3 * sizeof *marks);
  SWAP(gg_mark, marks[0], marks[1]);
  field->marks = marks;
  return GG_OK;
}

/* Transposes an operation: a vector along D's columns runs along the rows of its transpose. */
static void transpose_op(gg_spec_op *op) {
  gg_spec_field *along = &op->along;
  bool along_n = op->kind == GG_OP_BIAS || op->kind == GG_OP_SUM; /* the usual direction */
  if (along_n && along->state != GG_SPEC_SET) {
    along->state = GG_SPEC_SET;
    along->number = GG_ALONG_N;
  }
  if (along->state == GG_SPEC_SET) along->number = gg_along_transposed((gg_along)along->number);
}

static gg_status transpose_ops(gg_spec *spec, gg_arena *arena, gg_error *err) {
  if (spec->op_count == 0) return GG_OK;
  gg_spec_op *ops = GG_ARENA_ARRAY(arena, gg_spec_op, spec->op_count);
  if (!ops) return gg_fail(err, MEMORY, NULL, "");
  memcpy(ops, spec->ops, spec->op_count * sizeof *ops);
  for (size_t i = 0; i < spec->op_count; i++)
    transpose_op(&ops[i]);
  spec->ops = ops;
  return GG_OK;
}

static void transpose_raster(gg_spec_field *order) {
  if (order->state == GG_SPEC_SET) order->number = gg_raster_transposed((gg_raster)order->number);
}

static void transpose_operands(gg_spec *spec) {
  SWAP(gg_spec_operand, spec->a, spec->b);
  SWAP(gg_spec_field, spec->problem.m, spec->problem.n);
  SWAP(gg_spec_field, spec->swizzle.a, spec->swizzle.b);
  SWAP(gg_spec_field, spec->operand_source.a, spec->operand_source.b);
  if (spec->d.major.state != GG_SPEC_SET) { /* D is row-major where nothing is said */
    spec->d.major.state = GG_SPEC_SET;
    spec->d.major.number = GG_MAJOR_N;
  }
  transpose_major(&spec->a.major);
  transpose_major(&spec->b.major);
  transpose_major(&spec->c.major);
  transpose_major(&spec->d.major);
}

gg_status gg_spec_transpose(const gg_spec **out, const gg_spec *spec, gg_arena *arena,
                            gg_error *err) {
  gg_spec *copy = GG_ARENA_NEW(arena, gg_spec);
  if (!copy) return gg_fail(err, MEMORY, NULL, "");
  *copy = *spec;
  *out = copy;
  transpose_operands(copy);
  transpose_raster(&copy->raster.order);
  gg_status st;
  if ((st = transpose_list(&copy->tile, false, arena, err))) return st;
  if ((st = transpose_list(&copy->atom_layout, false, arena, err))) return st;
  if ((st = transpose_list(&copy->permutation, true, arena, err))) return st;
  if ((st = transpose_list(&copy->cluster, false, arena, err))) return st;
  return transpose_ops(copy, arena, err);
}

/* ---- Back -------------------------------------------------------------------------------- */

gg_plan gg_plan_as_asked(const gg_plan *plan) {
  if (!plan->swap_ab) return *plan;
  gg_plan asked = gg_plan_transposed(plan);
  asked.spec = plan->asked;
  return asked;
}

gg_operand_id gg_operand_as_asked(const gg_plan *plan, gg_operand_id id) {
  if (!plan->swap_ab) return id;
  static const gg_operand_id other[] = {[GG_OPERAND_NONE] = GG_OPERAND_NONE,
                                        [GG_OPERAND_A] = GG_OPERAND_B,
                                        [GG_OPERAND_B] = GG_OPERAND_A,
                                        [GG_OPERAND_C] = GG_OPERAND_C,
                                        [GG_OPERAND_D] = GG_OPERAND_D,
                                        [GG_OPERAND_EXTRA] = GG_OPERAND_EXTRA,
                                        [GG_OPERAND_SCALE_A] = GG_OPERAND_SCALE_B,
                                        [GG_OPERAND_SCALE_B] = GG_OPERAND_SCALE_A,
                                        [GG_OPERAND_METADATA] = GG_OPERAND_METADATA};
  return other[id];
}

gg_param gg_param_as_asked(const gg_plan *plan, gg_param param) {
  param.operand = gg_operand_as_asked(plan, param.operand);
  if (!plan->swap_ab) return param;
  if (param.kind == GG_PARAM_M) {
    param.kind = GG_PARAM_N;
  } else if (param.kind == GG_PARAM_N) {
    param.kind = GG_PARAM_M;
  }
  return param;
}
