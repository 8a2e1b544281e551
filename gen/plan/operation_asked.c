/* The operations that a spec asks for, and what they are called. A launch needs neither, so this is
 * not part of operation.c. */
#include <math.h>
#include <stdio.h>

#include "plan/operation.h"
#include "spec/keys.h"

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

/* If the spec has no list, the usual one: alpha, and beta if there is a C. Sums of integers that D
 * holds as they are need no factor; to become 8 bits, or floats, they do. */
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
  if (list[index].kind == GG_OP_OPERAND) { /* the name that expressions use */
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
  bool multiplies = list[index].kind == GG_OP_MULTIPLY; /* `multiply` is a function of the templates
                                                         */
  const char *kind = multiplies ? "factor" : gg_op_info_of(list[index].kind)->name;
  return name_operation(out, kind, list, index);
}
