/* The calculator's operations: thin steps from values to the algebra's functions. */
#include <string.h>

#include "layout/calc.h"
#include "layout/expr_atoms.h"

typedef gg_value *const *args;

#define OP(name) static gg_status op_##name(gg_value *out, args arg, int count, gg_error *err)

/* ---- Results and arguments ---------------------------------------------------------------- */

static gg_layout *to_layout(gg_value *out) {
  out->kind = GG_VALUE_LAYOUT;
  out->layout = (gg_composed){.ptr_bits = 0};
  return &out->layout.layout;
}

static gg_composed *to_composed(gg_value *out) {
  out->kind = GG_VALUE_LAYOUT;
  return &out->layout;
}

static gg_tuple *to_tuple(gg_value *out) {
  out->kind = GG_VALUE_TUPLE;
  return &out->tuple;
}

static gg_tensor *to_tensor(gg_value *out) {
  out->kind = GG_VALUE_TENSOR;
  return &out->tensor;
}

static gg_status give_int(gg_value *out, gg_status st, int64_t value) {
  if (!st) *to_tuple(out) = gg_tuple_int(value);
  return st;
}

static gg_status give_bool(gg_value *out, gg_status st, bool value) {
  out->kind = GG_VALUE_BOOL;
  out->truth = value;
  return st;
}

#define LAYOUT(i) (&arg[i]->layout.layout)
#define ANY(i)    (&arg[i]->layout)
#define TUPLE(i)  (&arg[i]->tuple)
#define TILER(i)  (&arg[i]->tiler)
#define TENSOR(i) (&arg[i]->tensor)
#define INT(i)    (arg[i]->tuple.nodes[0].value)
#define GIVEN(i)  (count > (i) ? TUPLE(i) : NULL)

/* An integer argument that C takes as int: what is out of range becomes a mode that is not. */
static int small(const gg_value *value) {
  int64_t n = value->tuple.nodes[0].value;
  return n < -1 || n > GG_TUPLE_NODES ? GG_TUPLE_NODES : (int)n;
}

/* Integer arguments `from` on as one tuple: a path, or a choice of modes. */
static gg_tuple path_of(args arg, int from, int count) {
  int64_t modes[GG_TUPLE_NODES];
  for (int i = from; i < count; i++)
    modes[i - from] = INT(i);
  return gg_tuple_make(count - from, modes);
}

/* ---- Families of one signature ------------------------------------------------------------ */

#define LAYOUT_OF_LAYOUT(name, function)                                                           \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_layout(out), LAYOUT(0), err);                                               \
  }
#define LAYOUT_OF_TUPLE(name, function)                                                            \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_layout(out), TUPLE(0), err);                                                \
  }
#define LAYOUT_OF_TUPLES(name, function)                                                           \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_layout(out), TUPLE(0), TUPLE(1), err);                                      \
  }
#define LAYOUT_BY_PROFILE(name, function)                                                          \
  OP(name) {                                                                                       \
    return function(to_layout(out), LAYOUT(0), GIVEN(1), err);                                     \
  }
#define LAYOUT_BY_TILER(name, function)                                                            \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_layout(out), LAYOUT(0), TILER(1), err);                                     \
  }
#define LAYOUT_OF_LAYOUTS(name, function)                                                          \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_layout(out), LAYOUT(0), LAYOUT(1), err);                                    \
  }
#define LAYOUT_BY_RANGE(name, function)                                                            \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_layout(out), LAYOUT(0), small(arg[1]), small(arg[2]), err);                 \
  }
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
#define TUPLE_OF_LAYOUT(name, function)                                                            \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_tuple(out), LAYOUT(0), err);                                                \
  }
#define COORD_OF_OFFSET(name, function)                                                            \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_tuple(out), LAYOUT(0), INT(1), err);                                        \
  }
#define TEST_OF_TUPLES(name, function)                                                             \
  OP(name) {                                                                                       \
    (void)count, (void)err;                                                                        \
    return give_bool(out, GG_OK, function(TUPLE(0), TUPLE(1)));                                    \
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
#define INT_OF_LAYOUT(name, expression)                                                            \
  OP(name) {                                                                                       \
    (void)count, (void)err;                                                                        \
    return give_int(out, GG_OK, expression);                                                       \
  }
#define COMPOSED_OF_COMPOSED(name, function)                                                       \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_composed(out), ANY(0), err);                                                \
  }
#define PARTITION(name, function)                                                                  \
  OP(name) {                                                                                       \
    (void)count;                                                                                   \
    return function(to_tensor(out), TENSOR(0), TILER(1), TUPLE(2), err);                           \
  }

LAYOUT_OF_TUPLE(col_major, gg_layout_col_major)
LAYOUT_OF_TUPLE(row_major, gg_layout_row_major)
LAYOUT_OF_TUPLE(identity_layout, gg_layout_identity)
LAYOUT_OF_TUPLES(make_layout, gg_layout_make)
LAYOUT_OF_TUPLES(ordered, gg_layout_ordered)
LAYOUT_OF_LAYOUT(layout_like, gg_layout_like)
LAYOUT_OF_LAYOUT(fragment_like, gg_layout_fragment_like)
LAYOUT_OF_LAYOUT(nullspace, gg_layout_nullspace)
LAYOUT_OF_LAYOUT(zip, gg_layout_zip)
LAYOUT_BY_PROFILE(coalesce, gg_layout_coalesce)
LAYOUT_BY_PROFILE(filter, gg_layout_filter)
LAYOUT_BY_PROFILE(filter_zeros, gg_layout_filter_zeros)
LAYOUT_BY_PROFILE(complement, gg_layout_complement)
LAYOUT_BY_TILER(composition, gg_layout_compose_tiler)
LAYOUT_BY_TILER(composition_weak, gg_layout_compose_weakly)
LAYOUT_BY_TILER(logical_divide, gg_layout_logical_divide)
LAYOUT_BY_TILER(zipped_divide, gg_layout_zipped_divide)
LAYOUT_BY_TILER(tiled_divide, gg_layout_tiled_divide)
LAYOUT_BY_TILER(flat_divide, gg_layout_flat_divide)
LAYOUT_BY_TILER(logical_product, gg_layout_logical_product)
LAYOUT_BY_TILER(zipped_product, gg_layout_zipped_product)
LAYOUT_BY_TILER(tiled_product, gg_layout_tiled_product)
LAYOUT_BY_TILER(flat_product, gg_layout_flat_product)
LAYOUT_OF_LAYOUTS(blocked_product, gg_layout_blocked_product)
LAYOUT_OF_LAYOUTS(raked_product, gg_layout_raked_product)
LAYOUT_OF_LAYOUTS(append, gg_layout_append)
LAYOUT_OF_LAYOUTS(prepend, gg_layout_prepend)
LAYOUT_BY_RANGE(take, gg_layout_take)
LAYOUT_BY_RANGE(group, gg_layout_group)
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
TUPLE_OF_LAYOUT(coshape, gg_layout_coshape)
TUPLE_OF_LAYOUT(coprofile, gg_layout_coprofile)
COORD_OF_OFFSET(hier_coord, gg_layout_hier_coord)
COORD_OF_OFFSET(flat_coord, gg_layout_flat_coord)
TEST_OF_TUPLES(congruent, gg_tuple_congruent)
TEST_OF_TUPLES(weakly_congruent, gg_tuple_weakly_congruent)
TEST_OF_TUPLES(lex_less, gg_tuple_lex_less)
TEST_OF_TUPLES(colex_less, gg_tuple_colex_less)
TEST_OF_TUPLES(elem_less, gg_tuple_elem_less)
FALLIBLE_TEST(compatible, gg_tuple_compatible)
FALLIBLE_TEST(evenly_divides, gg_tuple_evenly_divides)
INT_OF_TUPLE(product, gg_tuple_product)
INT_OF_TUPLE(sum, gg_tuple_sum)
INT_OF_LAYOUT(cosize, gg_layout_cosize(LAYOUT(0)))
INT_OF_LAYOUT(layout_depth, gg_layout_depth(LAYOUT(0)))
INT_OF_LAYOUT(tuple_rank, gg_tuple_rank(TUPLE(0)))
INT_OF_LAYOUT(tuple_depth, gg_tuple_depth(TUPLE(0)))
COMPOSED_OF_COMPOSED(right_inverse_weak, gg_composed_right_inverse_weakly)
COMPOSED_OF_COMPOSED(left_inverse_weak, gg_composed_left_inverse_weakly)
COMPOSED_OF_COMPOSED(position_independent, gg_composed_position_independent)
PARTITION(inner_partition, gg_tensor_inner_partition)
PARTITION(outer_partition, gg_tensor_outer_partition)

/* ---- Making ------------------------------------------------------------------------------- */

OP(concat) {
  gg_layout r;
  gg_status st = gg_layout_wrap(&r, LAYOUT(0), err);
  for (int i = 1; !st && i < count; i++)
    st = gg_layout_append(&r, &r, LAYOUT(i), err);
  if (!st) *to_layout(out) = r;
  return st;
}

OP(identity_tensor) {
  (void)count;
  return gg_tensor_identity(to_tensor(out), TUPLE(0), err);
}

OP(make_tensor) {
  (void)count;
  gg_tensor tensor = gg_tensor_of(ANY(1));
  if (!gg_tuple_congruent(TUPLE(0), &tensor.base) || gg_tuple_has_keep(TUPLE(0))) {
    return gg_fail(err, LAYOUT_PROFILE, NULL, "make_tensor", gg_tuple_text(TUPLE(0)).text,
                   gg_tuple_text(&tensor.base).text);
  }
  tensor.base = *TUPLE(0);
  *to_tensor(out) = tensor;
  return GG_OK;
}

OP(make_swizzle) {
  (void)count;
  out->kind = GG_VALUE_SWIZZLE;
  return gg_swizzle_of_masks(&out->swizzle, (uint64_t)INT(0), (uint64_t)INT(1), err);
}

OP(smem_atom) {
  (void)count;
  static const char *const names[] = {"INTER", "SW32", "SW64", "SW128", "SW128_32B"};
  char name[16];
  size_t length = arg[0]->name.length;
  int64_t bits = INT(1);
  bool fits = length < sizeof name && bits > 0 && bits <= 1024;
  memcpy(name, arg[0]->name.text, fits ? length : 0);
  name[fits ? length : 0] = '\0';
  bool mn = strncmp(name, "MN_", 3) == 0, k = strncmp(name, "K_", 2) == 0;
  for (int i = 0; (mn || k) && i < 5; i++) {
    if (strcmp(name + (mn ? 3 : 2), names[i]) != 0) continue;
    return gg_smem_atom(to_composed(out), mn, (gg_smem_swizzle)i, (int)bits, err);
  }
  return gg_fail(err, LAYOUT_VALUE, NULL, "smem_atom",
                 "takes K_ or MN_ with INTER, SW32, SW64, SW128 or SW128_32B, and at most 1024 "
                 "bits");
}

/* ---- Asking ------------------------------------------------------------------------------- */

/* The mode at the path of the arguments after the first. */
static gg_status mode_at_path(gg_layout *out, args arg, int count, gg_error *err) {
  gg_tuple path = path_of(arg, 1, count);
  return gg_layout_get_path(out, LAYOUT(0), &path, err);
}

OP(layout_size) {
  gg_layout mode;
  gg_status st = mode_at_path(&mode, arg, count, err);
  return give_int(out, st, st ? 0 : gg_layout_size(&mode));
}

OP(layout_rank) {
  gg_layout mode;
  gg_status st = mode_at_path(&mode, arg, count, err);
  return give_int(out, st, st ? 0 : gg_layout_rank(&mode));
}

OP(shape) {
  gg_layout mode;
  gg_status st = mode_at_path(&mode, arg, count, err);
  if (!st) *to_tuple(out) = mode.shape;
  return st;
}

OP(stride) {
  gg_layout mode;
  gg_status st = mode_at_path(&mode, arg, count, err);
  if (!st) *to_tuple(out) = mode.stride;
  return st;
}

OP(is_bijective) {
  (void)count, (void)err;
  return give_bool(out, GG_OK, gg_layout_is_bijective(LAYOUT(0)));
}

OP(at) {
  (void)count;
  return gg_tensor_at(to_tuple(out), TENSOR(0), INT(1), err);
}

OP(max_alignment) {
  (void)count;
  int64_t value = 0;
  gg_status st = gg_composed_max_alignment(&value, ANY(0), err);
  return give_int(out, st, value);
}

/* ---- Structure ---------------------------------------------------------------------------- */

OP(same) {
  (void)count, (void)err;
  *to_composed(out) = *ANY(0);
  return GG_OK;
}

OP(get) {
  gg_tuple path = path_of(arg, 1, count);
  return gg_layout_get_path(to_layout(out), LAYOUT(0), &path, err);
}

OP(tuple_get) {
  gg_tuple path = path_of(arg, 1, count);
  return gg_tuple_at(to_tuple(out), TUPLE(0), &path, err);
}

OP(select) {
  gg_tuple modes = path_of(arg, 1, count);
  return gg_layout_select(to_layout(out), LAYOUT(0), &modes, err);
}

OP(tuple_select) {
  gg_tuple modes = path_of(arg, 1, count);
  return gg_tuple_select(to_tuple(out), TUPLE(0), &modes, err);
}

OP(flatten) {
  (void)count, (void)err;
  *to_layout(out) = gg_layout_flatten(LAYOUT(0));
  return GG_OK;
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

OP(unflatten) {
  (void)count;
  return gg_layout_unflatten(to_layout(out), LAYOUT(0), TUPLE(1), err);
}

OP(append_to) {
  (void)count;
  return gg_layout_append_to(to_layout(out), LAYOUT(0), small(arg[1]), err);
}

OP(prepend_to) {
  (void)count;
  return gg_layout_prepend_to(to_layout(out), LAYOUT(0), small(arg[1]), err);
}

OP(replace) {
  (void)count;
  return gg_layout_replace(to_layout(out), LAYOUT(0), small(arg[2]), LAYOUT(1), err);
}

OP(tuple_replace) {
  (void)count;
  return gg_tuple_replace(to_tuple(out), TUPLE(0), small(arg[2]), TUPLE(1), err);
}

OP(slice) {
  (void)count;
  gg_tuple offset;
  return gg_composed_slice_and_offset(to_composed(out), &offset, TUPLE(0), ANY(1), err);
}

OP(slice_weak) {
  (void)count;
  gg_tuple offset;
  return gg_composed_slice_weakly(to_composed(out), &offset, TUPLE(0), ANY(1), err);
}

OP(slice_tensor) {
  (void)count;
  return gg_tensor_slice(to_tensor(out), TENSOR(1), TUPLE(0), err);
}

OP(dice) {
  (void)count;
  return gg_layout_dice(to_layout(out), TUPLE(0), LAYOUT(1), err);
}

/* ---- Algebra ------------------------------------------------------------------------------ */

OP(merge_swizzles) {
  (void)count;
  out->kind = GG_VALUE_SWIZZLE;
  return gg_swizzle_composition(&out->swizzle, arg[0]->swizzle, arg[1]->swizzle, err);
}

OP(swizzled) {
  const gg_layout *layout = LAYOUT(count - 1);
  if (count == 3 && arg[1]->kind == GG_VALUE_SMEM) {
    return gg_composed_make_smem(to_composed(out), arg[0]->swizzle, arg[1]->smem_bits, layout, err);
  }
  return gg_composed_make(to_composed(out), arg[0]->swizzle, count == 3 ? INT(1) : 0, layout, err);
}

OP(compose_swizzled) {
  (void)count;
  return gg_layout_compose_swizzled(to_composed(out), LAYOUT(0), ANY(1), err);
}

OP(compose_swizzled_weak) {
  (void)count;
  return gg_layout_compose_swizzled_weakly(to_composed(out), LAYOUT(0), ANY(1), err);
}

OP(right_inverse) {
  (void)count;
  if (gg_composed_is_plain(ANY(0))) return gg_layout_right_inverse(to_layout(out), LAYOUT(0), err);
  return gg_composed_right_inverse(to_composed(out), ANY(0), err);
}

OP(left_inverse) {
  (void)count;
  if (gg_composed_is_plain(ANY(0))) return gg_layout_left_inverse(to_layout(out), LAYOUT(0), err);
  return gg_composed_left_inverse(to_composed(out), ANY(0), err);
}

OP(domain_distribute) {
  (void)count;
  return gg_layout_domain_distribute(to_layout(out), TUPLE(0), INT(1), err);
}

OP(max_common_layout) {
  (void)count;
  return gg_composed_max_common_layout(to_layout(out), ANY(0), ANY(1), err);
}

OP(max_common_vector) {
  (void)count;
  int64_t value = 0;
  gg_status st = gg_composed_max_common_vector(&value, ANY(0), ANY(1), err);
  return give_int(out, st, value);
}

OP(tile_to_shape) {
  return gg_layout_tile_to_shape(to_layout(out), LAYOUT(0), TUPLE(1), GIVEN(2), err);
}

/* ---- Recasting and swizzles --------------------------------------------------------------- */

OP(upcast) {
  (void)count;
  return gg_composed_upcast(to_composed(out), ANY(0), INT(1), err);
}

OP(downcast) {
  (void)count;
  return gg_composed_downcast(to_composed(out), ANY(0), INT(1), err);
}

OP(recast) {
  (void)count;
  return gg_composed_recast(to_composed(out), ANY(0), INT(1), INT(2), err);
}

OP(upcast_swizzle) {
  (void)count;
  out->kind = GG_VALUE_SWIZZLE;
  return gg_swizzle_upcast(&out->swizzle, arg[0]->swizzle, INT(1), err);
}

OP(downcast_swizzle) {
  (void)count;
  out->kind = GG_VALUE_SWIZZLE;
  return gg_swizzle_downcast(&out->swizzle, arg[0]->swizzle, INT(1), err);
}

OP(apply_swizzle) {
  (void)count, (void)err;
  return give_int(out, GG_OK, gg_swizzle_apply(arg[0]->swizzle, INT(1)));
}

OP(swizzle_portion) {
  (void)count, (void)err;
  out->kind = GG_VALUE_SWIZZLE;
  out->swizzle = gg_composed_is_plain(ANY(0)) ? (gg_swizzle){0, 4, 3} : ANY(0)->swizzle;
  return GG_OK;
}

/* ---- Coordinates -------------------------------------------------------------------------- */

OP(crd2idx_layout) {
  (void)count;
  return gg_layout_crd2idx(to_tuple(out), TUPLE(0), LAYOUT(1), err);
}

OP(crd2idx) {
  if (count == 3) return gg_crd2idx(to_tuple(out), TUPLE(0), TUPLE(1), TUPLE(2), err);
  return gg_crd2idx_colex(to_tuple(out), TUPLE(0), TUPLE(1), err);
}

OP(idx2crd) {
  if (count == 3) return gg_idx2crd_stride(to_tuple(out), TUPLE(0), TUPLE(1), TUPLE(2), err);
  return gg_idx2crd(to_tuple(out), TUPLE(0), TUPLE(1), err);
}

OP(crd2crd) {
  (void)count;
  return gg_crd2crd(to_tuple(out), TUPLE(0), TUPLE(1), TUPLE(2), err);
}

OP(scalar_coord) {
  (void)count;
  int64_t value = 0;
  gg_status st = gg_layout_1d_coord(&value, LAYOUT(0), INT(1), err);
  return give_int(out, st, value);
}

/* ---- Tensors ------------------------------------------------------------------------------ */

OP(local_tile) {
  return gg_tensor_local_tile(to_tensor(out), TENSOR(0), TILER(1), TUPLE(2), GIVEN(3), err);
}

OP(local_partition) {
  return gg_tensor_local_partition(to_tensor(out), TENSOR(0), LAYOUT(1), INT(2), GIVEN(3), err);
}

OP(domain_offset) {
  (void)count;
  return gg_tensor_domain_offset(to_tensor(out), TENSOR(1), TUPLE(0), err);
}

/* ---- Tuples ------------------------------------------------------------------------------- */

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

/* ---- The table ---------------------------------------------------------------------------- */

const gg_op gg_ops[] = {
#define GG_OP(name, arguments, function, help) {#name, arguments, op_##function, help},
#define GG_OP_ATOM(name, arguments, function, help) {#name, arguments, gg_expr_##function, help},
#include "layout/expr_ops.def"
#undef GG_OP
#undef GG_OP_ATOM
    {NULL, NULL, NULL, NULL},
};
