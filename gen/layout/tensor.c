/* Tensors: cutting tiles and partitions out of base o layout. Source: CuTe's tensor_impl.hpp. */
#include "layout/tensor.h"

#include "layout/calc.h"

gg_tensor gg_tensor_of(const gg_composed *layout) {
  gg_tensor t = {gg_tuple_int(0), *layout};
  if (gg_layout_has_basis(&layout->layout)) {
    gg_layout_coprofile(&t.base, &layout->layout, NULL);
  }
  return t;
}

gg_tensor gg_tensor_of_layout(const gg_layout *layout) {
  gg_composed composed = gg_composed_of(layout);
  return gg_tensor_of(&composed);
}

gg_status gg_tensor_identity(gg_tensor *out, const gg_tuple *shape, gg_error *err) {
  gg_layout layout;
  gg_status st = gg_layout_identity(&layout, shape, err);
  if (!st) *out = gg_tensor_of_layout(&layout);
  return st;
}

bool gg_tensor_equal(const gg_tensor *a, const gg_tensor *b) {
  return gg_tuple_equal(&a->base, &b->base) && gg_composed_equal(&a->layout, &b->layout);
}

gg_tensor gg_tensor_with(const gg_tensor *t, const gg_layout *layout) {
  return (gg_tensor){t->base, gg_composed_with(&t->layout, layout)};
}

/* Adds two coordinates of the codomain. A mode that only one of them has counts as 0 in the other;
 * an integer 0 stands for a zero of any shape. */
static void add(gg_calc *c, gg_tuple *r, const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  bool a_tuple = gg_is_tuple(a, at), b_tuple = gg_is_tuple(b, bt);
  if (!a_tuple && !b_tuple) {
    gg_build_leaf(c, r, gg_leaf(gg_calc_add(c, a->nodes[at].value, b->nodes[bt].value)));
    return;
  }
  if (!a_tuple || !b_tuple) {
    int64_t scalar = a_tuple ? b->nodes[bt].value : a->nodes[at].value;
    if (scalar != 0 && c->status == GG_OK) c->status = gg_fail(c->err, LAYOUT_BASIS, NULL, c->op);
    gg_build_tree(c, r, a_tuple ? a : b, a_tuple ? at : bt);
    return;
  }
  int ranks[2] = {gg_rank_at(a, at), gg_rank_at(b, bt)}, open = gg_build_open(c, r);
  for (int i = 0; i < ranks[0] || i < ranks[1]; i++) {
    if (i >= ranks[1]) {
      gg_build_tree(c, r, a, gg_tuple_child(a, at, i));
    } else if (i >= ranks[0]) {
      gg_build_tree(c, r, b, gg_tuple_child(b, bt, i));
    } else {
      add(c, r, a, gg_tuple_child(a, at, i), b, gg_tuple_child(b, bt, i));
    }
  }
  gg_build_close(r, open);
}

static gg_status add_base(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  gg_calc c = GG_CALC("tensor", err);
  gg_tuple r = {0};
  add(&c, &r, a, 0, b, 0);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tensor_crd2idx(gg_tuple *out, const gg_tuple *coord, const gg_tensor *t,
                            gg_error *err) {
  gg_calc c = GG_CALC("tensor", err);
  gg_composed layout = t->layout;
  gg_tuple at;
  if ((c.status = gg_layout_crd2idx(&at, coord, &layout.layout, err))) return c.status;
  if (gg_composed_is_plain(&layout)) return add_base(out, &t->base, &at, err);
  int64_t base = t->base.nodes[0].value, inner = at.nodes[0].value;
  if (layout.ptr_bits) { /* the base moves the pointer, before the swizzle */
    inner = gg_calc_add(&c, inner, base);
    base = 0;
  }
  int64_t offset = gg_calc_add(&c, base, gg_composed_apply(&layout, inner));
  if (c.status == GG_OK) *out = gg_tuple_int(offset);
  return c.status;
}

gg_status gg_tensor_at(gg_tuple *out, const gg_tensor *t, int64_t index, gg_error *err) {
  gg_tuple coord = gg_tuple_int(index);
  return gg_tensor_crd2idx(out, &coord, t, err);
}

int64_t gg_tensor_offset(const gg_tensor *t, int64_t index) {
  uint64_t base = (uint64_t)t->base.nodes[0].value;
  uint64_t inner = (uint64_t)gg_layout_at(&t->layout.layout, index);
  if (t->layout.ptr_bits) return gg_composed_apply(&t->layout, (int64_t)(inner + base));
  return (int64_t)(base + (uint64_t)gg_composed_apply(&t->layout, (int64_t)inner));
}

gg_status gg_tensor_slice(gg_tensor *out, const gg_tensor *t, const gg_tuple *coord,
                          gg_error *err) {
  gg_tensor r = *t;
  gg_tuple offset;
  gg_status st;
  if (t->layout.ptr_bits) {
    st = gg_layout_slice_and_offset(&r.layout.layout, &offset, coord, &t->layout.layout, err);
  } else {
    st = gg_composed_slice_and_offset(&r.layout, &offset, coord, &t->layout, err);
  }
  if (!st) st = add_base(&r.base, &t->base, &offset, err);
  if (!st) *out = r;
  return st;
}

gg_status gg_tensor_domain_offset(gg_tensor *out, const gg_tensor *t, const gg_tuple *coord,
                                  gg_error *err) {
  gg_calc c = GG_CALC("domain_offset", err);
  gg_tensor r = *t;
  gg_tuple offset;
  if ((c.status = gg_layout_crd2idx(&offset, coord, &t->layout.layout, err))) return c.status;
  if (gg_composed_is_plain(&t->layout) || t->layout.ptr_bits) {
    c.status = add_base(&r.base, &t->base, &offset, err);
  } else {
    r.layout.offset = gg_calc_add(&c, r.layout.offset, offset.nodes[0].value);
  }
  if (c.status == GG_OK) *out = r;
  return c.status;
}

/* Makes the coordinate of a part, inner or outer, of a zipped tensor. `coord` slices mode number
 * `sliced`, and is filled up with `_` where it is too short a tuple; the other mode is kept and
 * unpacked. */
static gg_status partition_coord(gg_tuple *out, const gg_layout *zipped, const gg_tuple *coord,
                                 int sliced, gg_error *err) {
  gg_tuple keep = gg_tuple_keep(), parts[2];
  gg_status st;
  for (int mode = 0; mode < 2; mode++) {
    int rank = gg_rank_at(&zipped->shape, gg_tuple_child(&zipped->shape, 0, mode));
    if (mode == sliced) {
      parts[mode] = *coord;
      bool fill = !gg_tuple_is_int(coord);
      if (fill && (st = gg_tuple_append_to(&parts[mode], coord, rank, &keep, err))) return st;
    } else if (rank == 1) {
      parts[mode] = keep;
    } else if ((st = gg_tuple_repeat(&parts[mode], rank, &keep, err))) {
      return st;
    }
  }
  return gg_tuple_pair(out, &parts[0], &parts[1], err);
}

static gg_status partition(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                           const gg_tuple *coord, int sliced, gg_error *err) {
  gg_layout zipped;
  gg_tuple at;
  gg_status st;
  if ((st = gg_layout_zipped_divide(&zipped, &t->layout.layout, tiler, err))) return st;
  if ((st = partition_coord(&at, &zipped, coord, sliced, err))) return st;
  gg_tensor tiled = gg_tensor_with(t, &zipped);
  return gg_tensor_slice(out, &tiled, &at, err);
}

gg_status gg_tensor_inner_partition(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                                    const gg_tuple *coord, gg_error *err) {
  return partition(out, t, tiler, coord, 1, err);
}

gg_status gg_tensor_outer_partition(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                                    const gg_tuple *coord, gg_error *err) {
  return partition(out, t, tiler, coord, 0, err);
}

gg_status gg_tensor_local_tile(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                               const gg_tuple *coord, const gg_tuple *proj, gg_error *err) {
  if (!proj) return gg_tensor_inner_partition(out, t, tiler, coord, err);
  gg_tiler tiles;
  gg_tuple at;
  gg_status st = gg_tiler_dice(&tiles, proj, tiler, err);
  if (!st) st = gg_tuple_dice(&at, proj, coord, err);
  return st ? st : gg_tensor_inner_partition(out, t, &tiles, &at, err);
}

gg_status gg_tensor_local_partition(gg_tensor *out, const gg_tensor *t, const gg_layout *threads,
                                    int64_t index, const gg_tuple *proj, gg_error *err) {
  gg_layout tile = *threads;
  gg_tuple sizes, coord;
  gg_status st = GG_OK;
  if (proj) st = gg_layout_dice(&tile, proj, threads, err);
  if (!st) st = gg_tuple_product_each(&sizes, &tile.shape, err);
  if (!st) st = gg_layout_flat_coord(&coord, &tile, index, err);
  if (st) return st;
  gg_tiler tiler = gg_tiler_of_shape(&sizes);
  return gg_tensor_outer_partition(out, t, &tiler, &coord, err);
}

void gg_tensor_print(gg_str *out, const gg_tensor *t, gg_notation notation) {
  gg_tuple_print(out, &t->base, notation);
  gg_str_puts(out, " o ");
  gg_composed_print(out, &t->layout, notation);
}
