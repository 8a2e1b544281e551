/* The calculator's operations on tuples; each only calls a function of tuple.h. */
#include "calculator/expr_ops.h"

/* ---- Families of one signature ------------------------------------------------------------ */

#define TUPLE_OF_TUPLE(name, function)                                                             \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_tuple(out), TUPLE(0), err);                                                 \
  }
#define TUPLE_OF_TUPLES(name, function)                                                            \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_tuple(out), TUPLE(0), TUPLE(1), err);                                       \
  }
#define TUPLE_BY_RANGE(name, function)                                                             \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_tuple(out), TUPLE(0), small(arg[1]), small(arg[2]), err);                   \
  }
#define TEST_OF_TUPLES(name, function)                                                             \
  OP(name) {                                                                                       \
    (void)count, (void)err;                                                                        \
    return give_bool(out, GG_OK, function(TUPLE(0), TUPLE(1)));                                    \
  }
/* The other comparisons follow from `less`, as in CuTe. For elem_less they are not an order. */
#define ORDER_OF_TUPLES(order, less)                                                               \
  OP(order##_less) {                                                                               \
    (void)count, (void)err;                                                                        \
    return give_bool(out, GG_OK, less(TUPLE(0), TUPLE(1)));                                        \
  }                                                                                                \
  OP(order##_leq) {                                                                                \
    (void)count, (void)err;                                                                        \
    return give_bool(out, GG_OK, !less(TUPLE(1), TUPLE(0)));                                       \
  }                                                                                                \
  OP(order##_gtr) {                                                                                \
    (void)count, (void)err;                                                                        \
    return give_bool(out, GG_OK, less(TUPLE(1), TUPLE(0)));                                        \
  }                                                                                                \
  OP(order##_geq) {                                                                                \
    (void)count, (void)err;                                                                        \
    return give_bool(out, GG_OK, !less(TUPLE(0), TUPLE(1)));                                       \
  }
#define FALLIBLE_TEST(name, function)                                                              \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    bool answer = false;                                                                           \
    gg_status st = function(&answer, TUPLE(0), TUPLE(1), err);                                     \
    return give_bool(out, st, answer);                                                             \
  }
#define INT_OF_TUPLE(name, function)                                                               \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    int64_t value = 0;                                                                             \
    gg_status st = function(&value, TUPLE(0), err);                                                \
    return give_int(out, st, value);                                                               \
  }

TUPLE_BY_RANGE(tuple_take, gg_tuple_take)
TUPLE_BY_RANGE(tuple_group, gg_tuple_group)
TUPLE_OF_TUPLE(tuple_wrap, gg_tuple_wrap)
TUPLE_OF_TUPLE(tuple_zip, gg_tuple_zip)
TUPLE_OF_TUPLE(product_each, gg_tuple_product_each)
TUPLE_OF_TUPLE(basis_like, gg_tuple_basis_like)
TUPLE_OF_TUPLES(tuple_append, gg_tuple_append)
TUPLE_OF_TUPLES(tuple_prepend, gg_tuple_prepend)
TUPLE_OF_TUPLES(tuple_slice, gg_tuple_slice)
TUPLE_OF_TUPLES(tuple_dice, gg_tuple_dice)
TUPLE_OF_TUPLES(product_like, gg_tuple_product_like)
TUPLE_OF_TUPLES(ceil_div, gg_tuple_ceil_div)
TUPLE_OF_TUPLES(shape_div, gg_tuple_shape_div)
TUPLE_OF_TUPLES(round_up, gg_tuple_round_up)
TUPLE_OF_TUPLES(elem_scale, gg_tuple_elem_scale)
TUPLE_OF_TUPLES(compact_order, gg_compact_order)
TUPLE_OF_TUPLES(repeat_like, gg_tuple_repeat_like)
TEST_OF_TUPLES(congruent, gg_tuple_congruent)
TEST_OF_TUPLES(weakly_congruent, gg_tuple_weakly_congruent)
ORDER_OF_TUPLES(lex, gg_tuple_lex_less)
ORDER_OF_TUPLES(colex, gg_tuple_colex_less)
ORDER_OF_TUPLES(elem, gg_tuple_elem_less)
FALLIBLE_TEST(compatible, gg_tuple_compatible)
FALLIBLE_TEST(evenly_divides, gg_tuple_evenly_divides)
INT_OF_TUPLE(product, gg_tuple_product)
INT_OF_TUPLE(sum, gg_tuple_sum)

/* ---- Asking ------------------------------------------------------------------------------- */

/* The mode at the path that the arguments after the first give. */
static gg_status mode_at_path(gg_tuple *out, args arg, int count, gg_error *err) {
  gg_tuple path = path_of(arg, 1, count);
  return gg_tuple_at(out, TUPLE(0), &path, err);
}

OP(tuple_get) {
  return mode_at_path(to_tuple(out), arg, count, err);
}

OP(tuple_size) {
  gg_tuple mode;
  int64_t value = 0;
  gg_status st = mode_at_path(&mode, arg, count, err);
  if (!st) st = gg_tuple_product(&value, &mode, err);
  return give_int(out, st, value);
}

OP(tuple_rank) {
  gg_tuple mode;
  gg_status st = mode_at_path(&mode, arg, count, err);
  return give_int(out, st, st ? 0 : gg_tuple_rank(&mode));
}

OP(tuple_depth) {
  gg_tuple mode;
  gg_status st = mode_at_path(&mode, arg, count, err);
  return give_int(out, st, st ? 0 : gg_tuple_depth(&mode));
}

typedef int64_t (*fold_fn)(int64_t, int64_t);

/* Folds the leaves of all arguments, from the first on. */
static gg_status fold(gg_value *out, args arg, int count, const char *op, fold_fn step,
                      gg_error *err) {
  int64_t result = 0;
  bool any = false;
  for (int i = 0; i < count; i++) {
    GG_EACH_LEAF(leaf, TUPLE(i)) {
      int64_t value = TUPLE(i)->nodes[leaf].value;
      result = any ? step(result, value) : value;
      any = true;
    }
  }
  if (!any) return gg_fail(err, LAYOUT_VALUE, NULL, op, "of no integers there is none");
  return give_int(out, GG_OK, result);
}

static int64_t lesser(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b) {
  return a > b ? a : b;
}

OP(max) {
  return fold(out, arg, count, "max", greater, err);
}

OP(min) {
  return fold(out, arg, count, "min", lesser, err);
}

OP(gcd) {
  gg_calc c = GG_CALC("gcd", err);
  for (int i = 0; i < count; i++) {
    GG_EACH_LEAF(leaf, TUPLE(i)) gg_calc_abs(&c, TUPLE(i)->nodes[leaf].value);
  }
  return c.status ? c.status : fold(out, arg, count, "gcd", gg_gcd, err);
}

/* ---- Structure ---------------------------------------------------------------------------- */

OP(tuple_select) {
  gg_tuple modes = path_of(arg, 1, count);
  return gg_tuple_select(to_tuple(out), TUPLE(0), &modes, err);
}

OP(tuple_flatten) {
  (void)count, (void)err;
  *to_tuple(out) = gg_tuple_flatten(TUPLE(0));
  return GG_OK;
}

OP(tuple_reverse) {
  (void)count, (void)err;
  *to_tuple(out) = gg_tuple_reverse(TUPLE(0));
  return GG_OK;
}

OP(tuple_unwrap) {
  (void)count, (void)err;
  *to_tuple(out) = gg_tuple_unwrap(TUPLE(0));
  return GG_OK;
}

OP(tuple_replace) {
  (void)count;
  return gg_tuple_replace(to_tuple(out), TUPLE(0), small(arg[2]), TUPLE(1), err);
}

OP(tuple_append_to) {
  (void)count;
  return gg_tuple_append_to(to_tuple(out), TUPLE(0), small(arg[2]), TUPLE(1), err);
}

OP(tuple_prepend_to) {
  (void)count;
  return gg_tuple_prepend_to(to_tuple(out), TUPLE(0), small(arg[2]), TUPLE(1), err);
}

OP(tuple_insert) {
  (void)count;
  return gg_tuple_insert(to_tuple(out), TUPLE(0), small(arg[2]), TUPLE(1), err);
}

OP(tuple_remove) {
  (void)count;
  return gg_tuple_remove(to_tuple(out), TUPLE(0), small(arg[1]), err);
}

OP(tuple_repeat) {
  (void)count;
  int times = small(arg[1]);
  if (times < 0) return gg_fail(err, LAYOUT_VALUE, NULL, "repeat", "takes a count, from 0 on");
  return gg_tuple_repeat(to_tuple(out), times, TUPLE(0), err);
}

OP(tuple_unflatten) {
  (void)count;
  return gg_tuple_unflatten(to_tuple(out), TUPLE(0), TUPLE(1), err);
}

OP(tuple_cat) {
  gg_calc c = GG_CALC("tuple_cat", err);
  gg_tuple r = {0};
  int open = gg_build_open(&c, &r);
  for (int i = 0; i < count; i++)
    gg_build_children(&c, &r, TUPLE(i), 0);
  gg_build_close(&r, open);
  return gg_calc_tuple(&c, to_tuple(out), &r);
}

OP(zip_tuples) {
  (void)count;
  gg_tuple both;
  gg_status st = gg_tuple_pair(&both, TUPLE(0), TUPLE(1), err);
  return st ? st : gg_tuple_zip(to_tuple(out), &both, err);
}

/* ---- Arithmetic --------------------------------------------------------------------------- */

OP(inner_product) {
  (void)count;
  int64_t value = 0;
  gg_status st = gg_tuple_inner_product(&value, TUPLE(0), TUPLE(1), err);
  return give_int(out, st, value);
}

OP(ceil_div_layout) {
  (void)count;
  gg_layout rest;
  gg_status st = gg_layout_complement(&rest, LAYOUT(1), TUPLE(0), err);
  if (!st) *to_tuple(out) = rest.shape;
  return st;
}

OP(compact_col_major) {
  gg_tuple one = gg_tuple_int(1);
  return gg_compact_col_major(to_tuple(out), TUPLE(0), count > 1 ? TUPLE(1) : &one, err);
}

OP(compact_row_major) {
  gg_tuple one = gg_tuple_int(1);
  return gg_compact_row_major(to_tuple(out), TUPLE(0), count > 1 ? TUPLE(1) : &one, err);
}
