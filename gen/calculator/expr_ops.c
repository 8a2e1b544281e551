/* The calculator's operations on layouts and tensors; each only calls a function of the algebra.
 * Those on tuples are in expr_tuples.c, those on atoms in expr_atoms.c. */
#include "calculator/expr_ops.h"

#include <string.h>

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
TUPLE_OF_LAYOUT(coshape, gg_layout_coshape)
TUPLE_OF_LAYOUT(coprofile, gg_layout_coprofile)
COORD_OF_OFFSET(hier_coord, gg_layout_hier_coord)
COORD_OF_OFFSET(flat_coord, gg_layout_flat_coord)
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

/* The compact layout of a shape, with its modes in an order that is given by name. */
static gg_status ordered_by_name(gg_layout *out, const gg_tuple *shape, const gg_value *order,
                                 const char *op, gg_error *err) {
  static const char *const names[] = {"LayoutLeft", "GenColMajor", "LayoutRight", "GenRowMajor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]), whole = order->name.length; /* with its namespace */
    bool same = length <= whole &&
                memcmp(names[i], order->name.text + (whole - length), length) == 0 &&
                (length == whole || strchr(":.", order->name.text[whole - length - 1]));
    if (same && i < 2) return gg_layout_col_major(out, shape, err);
    if (same) return gg_layout_row_major(out, shape, err);
  }
  return gg_fail(err, LAYOUT_VALUE, NULL, op,
                 "the order of a shape's modes is LayoutLeft or LayoutRight");
}

OP(make_layout_ordered) {
  (void)count;
  return ordered_by_name(to_layout(out), TUPLE(0), arg[1], "make_layout", err);
}

static gg_status make_tensor(gg_value *out, const gg_tuple *base, const gg_composed *layout,
                             gg_error *err) {
  gg_tensor tensor = gg_tensor_of(layout);
  if (!gg_tuple_congruent(base, &tensor.base)) {
    return gg_fail(err, LAYOUT_PROFILE, NULL, "make_tensor", gg_tuple_text(base).text,
                   gg_tuple_text(&tensor.base).text);
  }
  tensor.base = *base;
  *to_tensor(out) = tensor;
  return GG_OK;
}

OP(tensor_of) {
  (void)count, (void)err;
  gg_tensor tensor = gg_tensor_of(ANY(0));
  *to_tensor(out) = tensor;
  return GG_OK;
}

OP(make_tensor) {
  (void)count;
  return make_tensor(out, TUPLE(0), ANY(1), err);
}

OP(make_tensor_strided) {
  (void)count;
  gg_layout layout;
  gg_status st = gg_layout_make(&layout, TUPLE(1), TUPLE(2), err);
  if (st) return st;
  gg_composed composed = gg_composed_of(&layout);
  return make_tensor(out, TUPLE(0), &composed, err);
}

OP(make_tensor_ordered) {
  (void)count;
  gg_layout layout;
  gg_status st = ordered_by_name(&layout, TUPLE(1), arg[2], "make_tensor", err);
  if (st) return st;
  gg_composed composed = gg_composed_of(&layout);
  return make_tensor(out, TUPLE(0), &composed, err);
}

OP(make_swizzle) {
  (void)count;
  out->kind = GG_VALUE_SWIZZLE;
  return gg_swizzle_make(&out->swizzle, INT(0), INT(1), INT(2), err);
}

OP(make_swizzle_of_masks) {
  (void)count;
  out->kind = GG_VALUE_SWIZZLE;
  return gg_swizzle_of_masks(&out->swizzle, (uint64_t)INT(0), (uint64_t)INT(1), err);
}

/* The threads and values of a tile: the inverse of their raked product. */
OP(make_layout_tv) {
  (void)count;
  gg_layout product, inverse;
  gg_tuple sizes = GG_TUPLE(gg_layout_size(LAYOUT(0)), gg_layout_size(LAYOUT(1)));
  gg_layout tv;
  gg_status st;
  if ((st = gg_layout_raked_product(&product, LAYOUT(0), LAYOUT(1), err))) return st;
  if ((st = gg_layout_right_inverse(&inverse, &product, err))) return st;
  if ((st = gg_layout_col_major(&tv, &sizes, err))) return st;
  if ((st = gg_layout_composition(&tv, &inverse, &tv, err))) return st;
  if ((st = gg_tuple_product_each(&sizes, &product.shape, err))) return st;
  *to_layout(out) = tv;
  out->tile = sizes;
  return GG_OK;
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

/* The mode at the path that the arguments after the first give. */
static gg_status mode_at_path(gg_layout *out, args arg, int count, gg_error *err) {
  gg_tuple path = path_of(arg, 1, count);
  return gg_layout_get_path(out, LAYOUT(0), &path, err);
}

#define INT_OF_MODE(name, function)                                                                \
  OP(name) {                                                                                       \
    gg_layout mode;                                                                                \
    gg_status st = mode_at_path(&mode, arg, count, err);                                           \
    return give_int(out, st, st ? 0 : function(&mode));                                            \
  }

INT_OF_MODE(layout_size, gg_layout_size)
INT_OF_MODE(layout_rank, gg_layout_rank)
INT_OF_MODE(cosize, gg_layout_cosize)
INT_OF_MODE(layout_depth, gg_layout_depth)

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

/* The layout of a tensor without its base, or one mode of it. */
OP(layout_of) {
  gg_tuple path = path_of(arg, 1, count);
  gg_layout mode;
  gg_status st = gg_layout_get_path(&mode, &TENSOR(0)->layout.layout, &path, err);
  if (!st) *to_composed(out) = gg_composed_with(&TENSOR(0)->layout, &mode);
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

OP(select) {
  gg_tuple modes = path_of(arg, 1, count);
  return gg_layout_select(to_layout(out), LAYOUT(0), &modes, err);
}

OP(flatten) {
  (void)count, (void)err;
  *to_layout(out) = gg_layout_flatten(LAYOUT(0));
  return GG_OK;
}

OP(unflatten) {
  (void)count;
  return gg_layout_unflatten(to_layout(out), LAYOUT(0), TUPLE(1), err);
}

OP(zip_layouts) {
  (void)count;
  gg_layout both;
  gg_status st = gg_layout_concat(&both, LAYOUT(0), LAYOUT(1), err);
  return st ? st : gg_layout_zip(to_layout(out), &both, err);
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

OP(slice) {
  (void)count;
  gg_tuple offset;
  return gg_composed_slice_and_offset(to_composed(out), &offset, TUPLE(0), ANY(1), err);
}

OP(slice_from) {
  (void)count;
  gg_tuple offset;
  return gg_composed_slice_and_offset(to_composed(out), &offset, TUPLE(1), ANY(0), err);
}

OP(slice_tensor_from) {
  (void)count;
  return gg_tensor_slice(to_tensor(out), TENSOR(0), TUPLE(1), err);
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

OP(recast_to) {
  (void)count;
  return gg_composed_recast(to_composed(out), ANY(2), INT(1), INT(0), err);
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

/* Where a plain layout maps to. Static integers of CuTe's notation stay static. */
OP(crd2idx_tensor) {
  (void)count;
  gg_tensor at_zero = gg_tensor_of(&TENSOR(1)->layout);
  if (gg_composed_is_plain(&at_zero.layout) && gg_tensor_equal(&at_zero, TENSOR(1))) {
    return gg_layout_crd2idx(to_tuple(out), TUPLE(0), &at_zero.layout.layout, err);
  }
  return gg_tensor_crd2idx(to_tuple(out), TUPLE(0), TENSOR(1), err);
}

OP(crd2idx) {
  if (count == 3) return gg_crd2idx(to_tuple(out), TUPLE(0), TUPLE(1), TUPLE(2), err);
  return gg_crd2idx_colex(to_tuple(out), TUPLE(0), TUPLE(1), err);
}

OP(idx2crd) {
  if (count == 3) return gg_idx2crd_stride(to_tuple(out), TUPLE(0), TUPLE(1), TUPLE(2), err);
  return gg_idx2crd(to_tuple(out), TUPLE(0), TUPLE(1), err);
}

OP(idx2crd_layout) {
  (void)count;
  return gg_idx2crd(to_tuple(out), TUPLE(0), &LAYOUT(1)->shape, err);
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

OP(bank_conflicts) {
  int64_t bits = INT(2), bytes = count > 3 ? INT(3) : 0;
  gg_conflicts conflicts;
  gg_status st =
      gg_conflicts_make(&conflicts, LAYOUT(0), TENSOR(1), bits > 0 && bits < 1024 ? (int)bits : 0,
                        bytes > 0 && bytes < 1024 ? (int)bytes
                        : count > 3               ? -1
                                                  : 0,
                        err);
  if (st) return st;
  out->kind = GG_VALUE_CONFLICTS;
  out->conflicts = conflicts;
  return GG_OK;
}

OP(domain_offset) {
  (void)count;
  return gg_tensor_domain_offset(to_tensor(out), TENSOR(1), TUPLE(0), err);
}

/* ---- The table ---------------------------------------------------------------------------- */

const gg_op gg_ops[] = {
#define GG_ALIAS(alias, name)
#define GG_OP(name, arguments, function, help) {#name, arguments, gg_expr_##function, help},
#include "calculator/expr_ops.def"
#undef GG_OP
#undef GG_ALIAS
    {NULL, NULL, NULL, NULL},
};

const gg_op_alias gg_op_aliases[] = {
#define GG_OP(name, arguments, function, help)
#define GG_ALIAS(alias, name) {#alias, #name},
#include "calculator/expr_ops.def"
#undef GG_OP
#undef GG_ALIAS
    {NULL, NULL},
};
