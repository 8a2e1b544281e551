#include "plan/traits.h"

#include <math.h>

#include "atom/dtype.h"
#include "plan/operands.h"
#include "plan/operation.h"
#include "plan/target.h"

void gg_warp_traits(gg_traits *out, const gg_plan *plan, int arch) {
  enum { owners = 2 };
  (void)arch;
  out->tensor_share = gg_device_times(1, GG_DEVICE_warp_mma_share);
  out->warps_wanted = gg_device_times(1, GG_DEVICE_warps_wanted);
  out->reads_a = plan->atoms_n; /* a block reads its own rows and columns */
  out->reads_b = plan->atoms_m;
  out->owners = owners;
  if (plan->copy_bytes_a && plan->copy_bytes_b) out->loader = GG_LOADER_THREADS;
}

/* ---- The epilogue's work ---------------------------------------------------------------- */

static double bytes_of(gg_dtype type) {
  return gg_dtype_info_of(type)->bits / 8.0;
}

/* Instructions for one element in templates/parts/activations.cu and derivatives.cu: results of the
 * special function unit, and others. */
typedef struct instructions {
  int special, plain;
} instructions;
static const instructions gelus[] = {
    [GG_GELU_ERF] = {1, 14}, [GG_GELU_TANH] = {2, 6}, [GG_GELU_TANH_APPROX] = {1, 5}};
static const instructions gelu_slopes[] = {
    [GG_GELU_ERF] = {2, 20}, [GG_GELU_TANH] = {2, 12}, [GG_GELU_TANH_APPROX] = {1, 10}};

/* The same for the nodes of an expression; nodes that are not in the list take no instruction. */
static const instructions nodes[GG_EXPRESSION_OPS] = {
    [GG_EXPRESSION_NEGATE] = {0, 1},  [GG_EXPRESSION_ADD] = {0, 1},
    [GG_EXPRESSION_SUB] = {0, 1},     [GG_EXPRESSION_MUL] = {0, 1},
    [GG_EXPRESSION_DIV] = {1, 6},     [GG_EXPRESSION_RELU] = {0, 2},
    [GG_EXPRESSION_GELU] = {1, 14},   [GG_EXPRESSION_SILU] = {2, 4},
    [GG_EXPRESSION_SIGMOID] = {2, 2}, [GG_EXPRESSION_TANH] = {2, 10},
    [GG_EXPRESSION_EXP] = {1, 1},     [GG_EXPRESSION_LOG] = {1, 1},
    [GG_EXPRESSION_SQRT] = {1, 2},    [GG_EXPRESSION_RSQRT] = {1, 2},
    [GG_EXPRESSION_ABS] = {0, 1},     [GG_EXPRESSION_MIN] = {0, 2},
    [GG_EXPRESSION_MAX] = {0, 2},     [GG_EXPRESSION_CLAMP] = {0, 4},
};

static void add_expression(gg_epilogue_work *out, const gg_expression *expression) {
  for (int i = 0; i < expression->count; i++) {
    out->special += nodes[expression->nodes[i].op].special;
    out->plain += nodes[expression->nodes[i].op].plain;
  }
}

static void add_arithmetic(gg_epilogue_work *out, const gg_plan *plan, const gg_operation *op);

/* Adds the work of a gate: one activation and one product for every two elements. */
static void add_gate(gg_epilogue_work *out, const gg_plan *plan, const gg_operation *gate) {
  const gg_operation act = {.kind = gg_operation_act(gate), .form = gate->form};
  gg_epilogue_work of_two = {.plain = 1};
  add_arithmetic(&of_two, plan, &act);
  out->special += of_two.special / 2;
  out->plain += of_two.plain / 2;
}

/* Adds the arithmetic of an operation. What the product itself needs, alpha and rounding to D's
 * type, is no work of the epilogue. Operands that are read are converted first. */
static void add_arithmetic(gg_epilogue_work *out, const gg_plan *plan, const gg_operation *op) {
  bool converts = gg_operation_span(op) != GG_SPAN_NONE && op->operand.type != GG_DTYPE_f32;
  out->plain += converts;
  switch (op->kind) {
  case GG_OP_LINEAR:
    out->plain += 2 * op->beta;
    break;
  case GG_OP_GELU:
    out->special += gelus[op->form].special;
    out->plain += gelus[op->form].plain;
    break;
  case GG_OP_SILU:
    out->special += 2;
    out->plain += 4;
    break;
  case GG_OP_DRELU:
    out->plain += 2;
    break;
  case GG_OP_DGELU:
    out->special += gelu_slopes[op->form].special;
    out->plain += gelu_slopes[op->form].plain;
    break;
  case GG_OP_DSILU:
    out->special += 2;
    out->plain += 8;
    break;
  case GG_OP_EXPR:
    add_expression(out, &plan->expressions.list[op->expression]);
    break;
  case GG_OP_GATED:
    add_gate(out, plan, op);
    break;
  case GG_OP_SIGMOID:
    out->special += 2;
    out->plain += 2;
    break;
  case GG_OP_TANH:
    out->special += 2;
    out->plain += 10;
    break;
  case GG_OP_HARDSWISH:
    out->plain += 5;
    break;
  case GG_OP_LEAKY_RELU:
    out->plain += 3;
    break;
  case GG_OP_CLAMP:
    out->plain += 2 * (isfinite(op->numbers[0]) + isfinite(op->numbers[1]));
    break;
  case GG_OP_AUX:
  case GG_OP_OPERAND:
    break;
  case GG_OP_AMAX:
  case GG_OP_SUM:
    out->plain += 2;
    break;
  default:
    out->plain += 1;
  }
}

/* The epilogue's work. If D has scale factors, each element takes part in finding the largest
 * magnitude of its block, and is multiplied. */
static gg_epilogue_work work_of(const gg_plan *plan) {
  gg_epilogue_work out = {.plain = plan->scale_d.block ? 3 : 0};
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *op = &plan->operations[i];
    gg_span span = gg_operation_span(op);
    add_arithmetic(&out, plan, op);
    if (op->kind == GG_OP_LINEAR && op->beta) out.read += bytes_of(plan->c.type);
    if (span == GG_SPAN_MATRIX)
      *(op->kind == GG_OP_AUX ? &out.aside : &out.read) += bytes_of(op->operand.type);
    else if (gg_operation_reads_vector(op))
      out.vectors += (double)gg_vector_bytes(plan, &op->operand, span);
  }
  return out;
}

/* ---- The traits ------------------------------------------------------------------------- */

gg_traits gg_traits_of(const gg_plan *plan, int arch) {
  bool beside = gg_plan_is_persistent(plan) || plan->ctas_per_sm > 1;
  gg_traits out = {
      .rate = gg_plain_number(0),
      .tensor_share = gg_plain_number(1),
      .warps_wanted = gg_plain_number(0),
      .copies_share = 1,
      .stages_ahead = plan->stages > 1 ? plan->stages - 1 : 1,
      .overlap = beside ? GG_OVERLAP_NEXT : GG_OVERLAP_NONE,
      .epilogue = work_of(plan),
  };
  plan->target->traits(&out, plan, arch);
  return out;
}
