#include "plan/operation.h"

#include <math.h>
#include <stdio.h>

#include "spec/keys.h"

gg_span gg_operation_span(const gg_operation *operation) {
  static const gg_span vectors[] = {[GG_ALONG_M] = GG_SPAN_ROWS,
                                    [GG_ALONG_N] = GG_SPAN_COLUMNS,
                                    [GG_ALONG_ALL] = GG_SPAN_ALL,
                                    [GG_ALONG_ELEMENTS] = GG_SPAN_MATRIX,
                                    [GG_ALONG_NONE] = GG_SPAN_NONE};
  switch (operation->kind) {
  case GG_OP_BIAS:
  case GG_OP_SCALE:
  case GG_OP_EXPR:
  case GG_OP_OPERAND:
  case GG_OP_SUM:
    return vectors[operation->along];
  case GG_OP_RESIDUAL:
  case GG_OP_MULTIPLY:
  case GG_OP_DRELU:
  case GG_OP_DGELU:
  case GG_OP_DSILU:
  case GG_OP_AUX:
    return GG_SPAN_MATRIX;
  case GG_OP_AMAX:
    return GG_SPAN_ALL;
  default:
    return GG_SPAN_NONE;
  }
}

bool gg_operation_has_form(const gg_operation *operation) {
  return operation->kind == GG_OP_GELU || operation->kind == GG_OP_DGELU ||
         gg_operation_act(operation) == GG_OP_GELU;
}

gg_op_kind gg_operation_act(const gg_operation *operation) {
  if (operation->kind != GG_OP_GATED) return GG_OP_LINEAR;
  return (gg_op_kind)(operation->expression & ~GG_GATED_SPLIT);
}

bool gg_operation_splits(const gg_operation *operation) {
  return operation->kind == GG_OP_GATED && (operation->expression & GG_GATED_SPLIT);
}

bool gg_operation_derives(const gg_operation *operation) {
  return operation->kind >= GG_OP_DRELU && operation->kind <= GG_OP_DSILU;
}

bool gg_operation_writes(const gg_operation *operation) {
  return operation->kind == GG_OP_AUX || operation->kind == GG_OP_AMAX ||
         operation->kind == GG_OP_SUM;
}

bool gg_operation_reads_matrix(const gg_operation *operation) {
  return gg_operation_span(operation) == GG_SPAN_MATRIX && !gg_operation_writes(operation);
}

bool gg_operation_reads_vector(const gg_operation *operation) {
  gg_span span = gg_operation_span(operation);
  return span != GG_SPAN_NONE && span != GG_SPAN_MATRIX && !gg_operation_writes(operation);
}

gg_dtype gg_operation_usual_type(gg_op_kind kind, gg_dtype d) {
  if (kind == GG_OP_SUM) return d == GG_DTYPE_f64 ? d : GG_DTYPE_f32;
  return kind == GG_OP_SCALE || kind == GG_OP_AMAX ? GG_DTYPE_f32 : d;
}

int64_t gg_columns_behind(const gg_operation *list, size_t count, int64_t columns) {
  for (size_t i = 0; i < count; i++)
    if (list[i].kind == GG_OP_GATED) columns /= 2;
  return columns;
}

size_t gg_operation_operand(const gg_operation *list, int number) {
  size_t index = 0;
  while (list[index].kind != GG_OP_OPERAND || --number > 0)
    index++;
  return index;
}

size_t gg_operation_gate(const gg_operation *list, size_t count) {
  size_t index = 0;
  while (index < count && list[index].kind != GG_OP_GATED)
    index++;
  return index;
}

bool gg_operations_split(const gg_operation *list, size_t count) {
  size_t gate = gg_operation_gate(list, count);
  return gate < count && gg_operation_splits(&list[gate]);
}

int gg_operation_numbers(const gg_operation *operation) {
  return operation->kind == GG_OP_LEAKY_RELU ? 1 : operation->kind == GG_OP_CLAMP ? 2 : 0;
}

/* ---- What is asked for ------------------------------------------------------------------ */

static bool is_true(const gg_spec_field *field, bool otherwise) {
  return field->state == GG_SPEC_SET ? field->number != 0 : otherwise;
}

static float real_of(const gg_spec_field *field, float otherwise) {
  return field->state == GG_SPEC_SET ? field->real : otherwise;
}

static void ask_numbers(gg_operation *out, const gg_spec_op *asked) {
  if (asked->kind == GG_OP_LEAKY_RELU) out->numbers[0] = real_of(&asked->slope, 0.01f);
  if (asked->kind != GG_OP_CLAMP) return;
  out->numbers[0] = real_of(&asked->min, -INFINITY);
  out->numbers[1] = real_of(&asked->max, INFINITY);
}

static void ask_gate(gg_operation *out, const gg_spec_op *asked) {
  out->expression = asked->act.state == GG_SPEC_SET ? (int)asked->act.number : GG_OP_SILU;
  if (is_true(&asked->columns, false)) out->expression |= GG_GATED_SPLIT;
}

static gg_along usual_along(const gg_spec_op *asked) {
  if (asked->kind == GG_OP_EXPR)
    return gg_expression_reads(asked->expression, 0) ? GG_ALONG_ELEMENTS : GG_ALONG_NONE;
  if (asked->kind == GG_OP_OPERAND) return GG_ALONG_ELEMENTS;
  return asked->kind == GG_OP_SCALE ? GG_ALONG_ALL : GG_ALONG_N;
}

gg_operation gg_operation_asked(const gg_spec_op *asked, gg_dtype d, bool has_c) {
  gg_operation out = {.kind = asked->kind};
  if (asked->kind == GG_OP_LINEAR) {
    out.alpha = is_true(&asked->alpha, true);
    out.beta = is_true(&asked->beta, has_c);
    if (asked->scalars.state == GG_SPEC_SET) out.scalars = (gg_scalars)asked->scalars.number;
    return out;
  }
  gg_along usual = usual_along(asked);
  out.along = asked->along.state == GG_SPEC_SET ? (gg_along)asked->along.number : usual;
  out.form = asked->form.state == GG_SPEC_SET ? (gg_gelu)asked->form.number : GG_GELU_ERF;
  if (asked->kind == GG_OP_GATED) ask_gate(&out, asked);
  ask_numbers(&out, asked);
  if (gg_operation_span(&out) == GG_SPAN_NONE) return out;
  gg_dtype usual_type = gg_operation_usual_type(asked->kind, d);
  out.operand.type = asked->type.state == GG_SPEC_SET ? (gg_dtype)asked->type.number : usual_type;
  return out;
}

static void ask_operation(gg_operations *out, const gg_spec_op *asked, gg_dtype d, bool has_c) {
  gg_operation *operation = &out->list[out->count++];
  *operation = gg_operation_asked(asked, d, has_c);
  if (asked->kind != GG_OP_EXPR) return;
  operation->expression = out->expressions.count;
  out->expressions.list[out->expressions.count++] = *asked->expression;
}

/* Sums of integers that D holds as they are need no factor; to become 8 bits, or floats, they do.
 */
void gg_operations_asked(gg_operations *out, const gg_spec *spec, gg_dtype d, bool has_c) {
  *out = (gg_operations){.count = 0};
  if (spec->epilogue.state == GG_SPEC_SET) {
    for (size_t i = 0; i < spec->op_count; i++)
      ask_operation(out, &spec->ops[i], d, has_c);
  } else if (d != GG_DTYPE_s32 || has_c) {
    out->list[out->count++] = (gg_operation){.kind = GG_OP_LINEAR, .alpha = true, .beta = has_c};
  }
}

/* ---- Names ------------------------------------------------------------------------------ */

static const char *name_operation(char *out, const char *kind, const gg_operation *list,
                                  size_t index) {
  int number = 1;
  for (size_t i = 0; i < index; i++)
    number += list[i].kind == list[index].kind;
  if (list[index].kind == GG_OP_OPERAND) { /* as expressions call it */
    snprintf(out, GG_OPERATION_NAME_MAX, "t%d", number);
  } else if (number == 1) {
    snprintf(out, GG_OPERATION_NAME_MAX, "%s", kind);
  } else {
    snprintf(out, GG_OPERATION_NAME_MAX, "%s%d", kind, number);
  }
  return out;
}

const char *gg_operation_word(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index) {
  return name_operation(out, gg_op_info_of(list[index].kind)->name, list, index);
}

const char *gg_operation_name(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index) {
  bool multiplies = list[index].kind == GG_OP_MULTIPLY; /* which is a function of the templates */
  const char *kind = multiplies ? "factor" : gg_op_info_of(list[index].kind)->name;
  return name_operation(out, kind, list, index);
}
