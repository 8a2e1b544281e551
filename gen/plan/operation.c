#include "plan/operation.h"

#include <stdio.h>

#include "spec/keys.h"

gg_span gg_operation_span(const gg_operation *operation) {
  static const gg_span vectors[] = {
      [GG_ALONG_M] = GG_SPAN_ROWS, [GG_ALONG_N] = GG_SPAN_COLUMNS, [GG_ALONG_ALL] = GG_SPAN_ALL};
  switch (operation->kind) {
  case GG_OP_BIAS:
  case GG_OP_SCALE:
    return vectors[operation->along];
  case GG_OP_RESIDUAL:
  case GG_OP_AUX:
    return GG_SPAN_MATRIX;
  default:
    return GG_SPAN_NONE;
  }
}

const char *gg_operation_name(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index) {
  int number = 1;
  for (size_t i = 0; i < index; i++)
    number += list[i].kind == list[index].kind;
  const char *kind = gg_op_info_of(list[index].kind)->name;
  if (number == 1) {
    snprintf(out, GG_OPERATION_NAME_MAX, "%s", kind);
  } else {
    snprintf(out, GG_OPERATION_NAME_MAX, "%s%d", kind, number);
  }
  return out;
}
