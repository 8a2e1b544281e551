/* Families sm90 and sm100 in PTX: what becomes of an accumulator, element by element.
 *
 * Operations are those of the .cu in their order, in the same roundings: there the compiler makes
 * one instruction of a product and the sum that it goes into, and so does this. Vectors are in
 * shared memory: a lane reads those of its columns, two neighbours of every eight, and of its rows,
 * of which it has two in each block. */
#include "emit/sm90_ptx.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/epilogue.h"
#include "plan/operation.h"
#include "plan/plan.h"

/* The part that computes an operation's result of one number; NULL: there is none. */
static const char *part_of(const gg_operation *operation) {
  switch (operation->kind) {
  case GG_OP_RELU:
    return "parts/relu.ptx";
  case GG_OP_SILU:
    return "parts/silu.ptx";
  case GG_OP_GELU:
    return operation->form == GG_GELU_TANH_APPROX ? "parts/gelu_tanh_approx.ptx"
           : operation->form == GG_GELU_TANH      ? "parts/gelu_tanh.ptx"
                                                  : "parts/gelu.ptx";
  case GG_OP_SIGMOID:
    return "parts/sigmoid.ptx";
  case GG_OP_TANH:
    return "parts/tanh.ptx";
  case GG_OP_HARDSWISH:
    return "parts/hardswish.ptx";
  default:
    return NULL;
  }
}

static bool is_activation(const gg_operation *operation) {
  return part_of(operation) || operation->kind == GG_OP_CLAMP ||
         operation->kind == GG_OP_LEAKY_RELU;
}

const char *gg_sm90_ptx_finish_lacks(const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    if (operation->kind == GG_OP_LINEAR || is_activation(operation)) continue;
    if (!gg_sm90_ptx_has_vector(operation))
      return "operations other than alpha, beta, bias, scale and activations";
  }
  return NULL;
}

/* ---- Operations ---------------------------------------------------------------------------- */

enum { register_name = 48 };

/* An element: where its number is, the accumulator or x`number`; and what is not written yet: by
 * which register it is to be multiplied, "": none. */
typedef struct element {
  int number;
  char from[register_name], factor[register_name];
} element;

/* An instruction that makes x`number` of where the number was and of `operands`. */
static void write_step(gg_str *out, element *x, const char *instruction, const char *operands) {
  gg_str_printf(out, "    %s %%x%d, %s%s;\n", instruction, x->number, x->from, operands);
  snprintf(x->from, sizeof x->from, "%%x%d", x->number);
}

static void flush(gg_str *out, element *x) {
  char operands[register_name + 8];
  if (!*x->factor) return;
  snprintf(operands, sizeof operands, ", %s", x->factor);
  write_step(out, x, "mul.rn.f32", operands);
  *x->factor = 0;
}

/* The register with an operation's operand, of the second column or the first. */
static void name_value(char out[register_name], const gg_operation *operation, size_t number,
                       bool second) {
  bool two = gg_operation_span(operation) == GG_SPAN_COLUMNS;
  snprintf(out, register_name, "%%v%zu_%d", number, two && second);
}

static gg_status write_part(gg_str *out, gg_arena *arena, const char *part, element *x,
                            gg_error *err) {
  gg_bindings bindings = {.arena = arena};
  if (x->from[1] != 'x') write_step(out, x, "mov.b32", "");
  gg_bind_text(&bindings, "x", x->from);
  gg_status st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, part, bindings.rows, bindings.count, err);
}

static void write_bias(gg_str *out, element *x, const char *value) {
  char operands[2 * register_name + 8];
  bool fused = *x->factor;
  snprintf(operands, sizeof operands, fused ? ", %s, %s" : "%s, %s", fused ? x->factor : "", value);
  write_step(out, x, fused ? "fma.rn.f32" : "add.rn.f32", operands);
  *x->factor = 0;
}

static uint32_t bits_of(double number) {
  float x = (float)number;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* x where `condition` does not hold of it and the number, else the number: what is none stays so.
 */
static void write_bound(gg_str *out, const element *x, const char *condition, double number) {
  if (isinf(number)) return;
  gg_str_printf(out,
                "    {\n      .reg .pred %%beyond;\n"
                "      setp.%s.f32 %%beyond, %s, 0f%08X;\n"
                "      selp.f32 %s, 0f%08X, %s, %%beyond;\n    }\n",
                condition, x->from, bits_of(number), x->from, bits_of(number), x->from);
}

static void write_clamp(gg_str *out, const gg_operation *clamp, element *x) {
  if (x->from[1] != 'x') write_step(out, x, "mov.b32", "");
  write_bound(out, x, "lt", clamp->numbers[0]);
  write_bound(out, x, "gt", clamp->numbers[1]);
}

static void write_leaky_relu(gg_str *out, const gg_operation *relu, element *x) {
  if (x->from[1] != 'x') write_step(out, x, "mov.b32", "");
  gg_str_printf(out,
                "    {\n      .reg .pred %%low;\n"
                "      setp.lt.f32 %%low, %s, 0f00000000;\n"
                "      @%%low mul.rn.f32 %s, %s, 0f%08X;\n    }\n",
                x->from, x->from, x->from, bits_of(relu->numbers[0]));
}

/* alpha, and C with its factor. */
static void write_linear(gg_str *out, const gg_plan *plan, const gg_operation *linear, element *x) {
  flush(out, x);
  if (linear->alpha) snprintf(x->factor, sizeof x->factor, "%%alpha");
  if (!linear->beta) return;
  flush(out, x);
  if (x->from[1] != 'x') write_step(out, x, "mov.b32", "");
  gg_sm90_ptx_add_c(out, plan, x->number, x->number);
}

static gg_status write_operation(gg_str *out, gg_arena *arena, const gg_plan *plan, size_t number,
                                 element *x, gg_error *err) {
  const gg_operation *operation = &plan->operations[number];
  char value[register_name];
  name_value(value, operation, number, x->number % 2);
  switch (operation->kind) {
  case GG_OP_BIAS:
    write_bias(out, x, value);
    return GG_OK;
  case GG_OP_SCALE:
    if (gg_sm90_ptx_joins_factor(plan, number)) return GG_OK;
    flush(out, x);
    snprintf(x->factor, sizeof x->factor, "%s", value);
    return GG_OK;
  case GG_OP_LINEAR:
    write_linear(out, plan, operation, x);
    return GG_OK;
  case GG_OP_CLAMP:
    flush(out, x);
    write_clamp(out, operation, x);
    return GG_OK;
  case GG_OP_LEAKY_RELU:
    flush(out, x);
    write_leaky_relu(out, operation, x);
    return GG_OK;
  default:
    flush(out, x);
    return write_part(out, arena, part_of(operation), x, err);
  }
}

gg_status gg_sm90_ptx_finish(gg_str *out, gg_arena *arena, const gg_plan *plan,
                             const gg_layouts *layouts, gg_sm90_ptx_box_place at, int number,
                             gg_error *err) {
  element x = {.number = number};
  gg_status st = GG_OK;
  if (number % 2 == 0)
    gg_sm90_ptx_read_vectors(out, plan, layouts, at.row + number / 2 % 2 * 8,
                             at.column + number / 4 * 8, number % 4 == 0);
  snprintf(x.from, sizeof x.from, "%%acc%d", at.word + number);
  if (plan->compute == GG_DTYPE_f32 && plan->accumulator == GG_DTYPE_s32)
    write_step(out, &x, "cvt.rn.f32.s32", "");
  for (size_t i = 0; i < plan->operation_count && !st; i++)
    st = write_operation(out, arena, plan, i, &x, err);
  flush(out, &x);
  if (x.from[1] != 'x') write_step(out, &x, "mov.b32", "");
  return st;
}

void gg_sm90_ptx_declare_values(gg_str *out, const gg_plan *plan) {
  bool halves = false, bits = false;
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!gg_sm90_ptx_has_vector(&plan->operations[i])) continue;
    gg_dtype type = plan->operations[i].operand.type;
    gg_str_printf(out, "    .reg .f32 %%v%zu_<2>;\n", i);
    if (type != GG_DTYPE_f32) gg_str_printf(out, "    .reg .b16 %%h%zu_<2>;\n", i);
    halves = halves || type == GG_DTYPE_bf16;
    bits = bits || type != GG_DTYPE_f32;
  }
  if (halves) gg_str_puts(out, "    .reg .b16 %no_bits;\n    mov.u16 %no_bits, 0;\n");
}
