/* Private to gen/calculator/: the operations, one function for each row of expr_ops.def, and the
 * short macros that their files use. */
#ifndef GG_CALCULATOR_EXPR_OPS_H
#define GG_CALCULATOR_EXPR_OPS_H

#include <limits.h>

#include "atom/tiled_mma.h"
#include "calculator/expr.h"
#include "layout/calc.h"

#define GG_ALIAS(alias, name)
#define GG_OP(name, kinds, function, help)                                                         \
  gg_status gg_expr_##function(gg_value *out, gg_value *const *arguments, int count, gg_error *err);
#include "calculator/expr_ops.def"
#undef GG_OP
#undef GG_ALIAS

typedef gg_value *const *args;

#define OP(name) gg_status gg_expr_##name(gg_value *out, args arg, int count, gg_error *err)

/* ---- Arguments, of the kind that the row says ---------------------------------------------- */

#define LAYOUT(i) (&arg[i]->layout.layout)
#define ANY(i)    (&arg[i]->layout)
#define TUPLE(i)  (&arg[i]->tuple)
#define TILER(i)  (&arg[i]->tiler)
#define TENSOR(i) (&arg[i]->tensor)
#define INT(i)    (arg[i]->tuple.nodes[0].value)
#define GIVEN(i)  (count > (i) ? TUPLE(i) : NULL)

/* An integer argument for a parameter of type int. A value out of range becomes a mode that no
 * layout has. */
static inline int small(const gg_value *value) {
  int64_t n = value->tuple.nodes[0].value;
  return n < -1 || n > GG_TUPLE_NODES ? GG_TUPLE_NODES : (int)n;
}

/* A positive integer: bits of an element, an extent. Any other value becomes 0, which is refused
 * later. */
static inline int in_range(int64_t n) {
  return n < 1 || n > INT_MAX ? 0 : (int)n;
}

static inline int positive_of(const gg_value *value) {
  return in_range(value->tuple.nodes[0].value);
}

/* Makes the tiled MMA of a value of kind `mma` again, from what the value was made of. */
gg_status gg_expr_mma_of(gg_tiled_mma *out, const gg_value *value, gg_error *err);

/* The integer arguments from number `from` on as one tuple: a path, or a choice of modes. */
static inline gg_tuple path_of(args arg, int from, int count) {
  int64_t modes[GG_TUPLE_NODES];
  for (int i = from; i < count; i++)
    modes[i - from] = INT(i);
  return gg_tuple_make(count - from, modes);
}

/* ---- Results ------------------------------------------------------------------------------- */

static inline gg_layout *to_layout(gg_value *out) {
  out->kind = GG_VALUE_LAYOUT;
  out->layout = (gg_composed){.ptr_bits = 0};
  return &out->layout.layout;
}

static inline gg_composed *to_composed(gg_value *out) {
  out->kind = GG_VALUE_LAYOUT;
  return &out->layout;
}

static inline gg_status give_layout(gg_value *out, const gg_layout *layout) {
  out->kind = GG_VALUE_LAYOUT;
  out->layout = gg_composed_of(layout);
  return GG_OK;
}

static inline gg_status give_tuple(gg_value *out, const gg_tuple *tuple) {
  out->kind = GG_VALUE_TUPLE;
  out->tuple = *tuple;
  return GG_OK;
}

static inline gg_tuple *to_tuple(gg_value *out) {
  out->kind = GG_VALUE_TUPLE;
  return &out->tuple;
}

static inline gg_tensor *to_tensor(gg_value *out) {
  out->kind = GG_VALUE_TENSOR;
  return &out->tensor;
}

static inline gg_status give_int(gg_value *out, gg_status st, int64_t value) {
  if (!st) *to_tuple(out) = gg_tuple_int(value);
  return st;
}

static inline gg_status give_bool(gg_value *out, gg_status st, bool value) {
  out->kind = GG_VALUE_BOOL;
  out->truth = value;
  return st;
}

#endif
