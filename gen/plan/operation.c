#include "plan/operation.h"

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
