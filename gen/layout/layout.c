/* Layouts: making, asking, structure. A layout's two trees are congruent, so whatever works on a
 * tuple can be done to both alike; a structural operation done so cannot make the function wrong.
 */
#include "layout/layout.h"

#include "layout/calc.h"

/* ---- Making ------------------------------------------------------------------------------ */

gg_status gg_layout_make(gg_layout *out, const gg_tuple *shape, const gg_tuple *stride,
                         gg_error *err) {
  gg_calc c = GG_CALC("make_layout", err);
  if (!gg_tuple_congruent(shape, stride)) {
    return gg_fail(err, LAYOUT_PROFILE, NULL, c.op, gg_tuple_text(shape).text,
                   gg_tuple_text(stride).text);
  }
  gg_layout r = {*shape, *stride};
  GG_EACH_LEAF(i, shape) {
    bool integers = shape->nodes[i].kind == GG_NODE_INT && stride->nodes[i].kind == GG_NODE_INT;
    if (!integers || shape->nodes[i].basis_rank) {
      return gg_fail(err, LAYOUT_VALUE, NULL, c.op, "shapes and strides are integers, not _");
    }
  }
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_layout_col_major(gg_layout *out, const gg_tuple *shape, gg_error *err) {
  gg_tuple one = gg_tuple_int(1), stride;
  gg_status st = gg_compact_col_major(&stride, shape, &one, err);
  return st ? st : gg_layout_make(out, shape, &stride, err);
}

gg_status gg_layout_row_major(gg_layout *out, const gg_tuple *shape, gg_error *err) {
  gg_tuple one = gg_tuple_int(1), stride;
  gg_status st = gg_compact_row_major(&stride, shape, &one, err);
  return st ? st : gg_layout_make(out, shape, &stride, err);
}

gg_status gg_layout_ordered(gg_layout *out, const gg_tuple *shape, const gg_tuple *order,
                            gg_error *err) {
  gg_tuple stride;
  gg_status st = gg_compact_order(&stride, shape, order, err);
  return st ? st : gg_layout_make(out, shape, &stride, err);
}

gg_status gg_layout_like(gg_layout *out, const gg_layout *like, gg_error *err) {
  gg_tuple shape, stride;
  gg_status st = gg_tuple_filter_zeros(&shape, &like->stride, &like->shape, err);
  if (!st) st = gg_compact_order(&stride, &shape, &like->stride, err);
  return st ? st : gg_layout_make(out, &like->shape, &stride, err);
}

gg_status gg_layout_identity(gg_layout *out, const gg_tuple *shape, gg_error *err) {
  gg_tuple stride;
  gg_status st = gg_tuple_basis_like(&stride, shape, err);
  return st ? st : gg_layout_make(out, shape, &stride, err);
}

gg_status gg_layout_concat(gg_layout *out, const gg_layout *a, const gg_layout *b, gg_error *err) {
  gg_calc c = GG_CALC("make_layout", err);
  gg_layout r = {0};
  int open = gg_build_open2(&c, &r);
  gg_build_tree2(&c, &r, a, 0);
  gg_build_tree2(&c, &r, b, 0);
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_layout_wrap(gg_layout *out, const gg_layout *a, gg_error *err) {
  gg_calc c = GG_CALC("make_layout", err);
  gg_layout r = {0};
  int open = gg_build_open2(&c, &r);
  gg_build_tree2(&c, &r, a, 0);
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}

gg_layout gg_layout_flat(int64_t size, int64_t stride) {
  return (gg_layout){gg_tuple_int(size), gg_tuple_int(stride)};
}

/* ---- Asking ------------------------------------------------------------------------------ */

/* These cannot fail: what would overflow was refused when the layout was made. */
int64_t gg_layout_size(const gg_layout *a) {
  gg_calc c = GG_CALC("size", NULL);
  return gg_product_at(&c, &a->shape, 0).value;
}

int64_t gg_layout_cosize(const gg_layout *a) {
  gg_tuple coshape;
  if (gg_layout_coshape(&coshape, a, NULL)) return INT64_MAX;
  gg_calc c = GG_CALC("cosize", NULL);
  int64_t cosize = gg_product_at(&c, &coshape, 0).value;
  return c.status == GG_OK ? cosize : INT64_MAX;
}

int gg_layout_rank(const gg_layout *a) {
  return gg_tuple_rank(&a->shape);
}

int gg_layout_depth(const gg_layout *a) {
  return gg_tuple_depth(&a->shape);
}

bool gg_layout_equal(const gg_layout *a, const gg_layout *b) {
  return gg_tuple_equal(&a->shape, &b->shape) && gg_tuple_equal(&a->stride, &b->stride);
}

bool gg_layout_has_basis(const gg_layout *a) {
  GG_EACH_LEAF(i, &a->stride) {
    if (a->stride.nodes[i].basis_rank) return true;
  }
  return false;
}

int64_t gg_layout_mode_size(const gg_layout *a, int mode) {
  gg_calc c = GG_CALC("size", NULL);
  return gg_product_at(&c, &a->shape, gg_tuple_child(&a->shape, 0, mode)).value;
}

gg_status gg_layout_coprofile(gg_tuple *out, const gg_layout *a, gg_error *err) {
  return gg_coprofile(out, &a->stride, err);
}

/* One past the last coordinate: 1 + the sum of (s-1)|d|, for each leaf of the codomain. */
gg_status gg_layout_coshape(gg_tuple *out, const gg_layout *a, gg_error *err) {
  gg_calc c = GG_CALC("coshape", err);
  gg_tuple r;
  if ((c.status = gg_coprofile(&r, &a->stride, err))) return c.status;
  GG_EACH_LEAF(i, &r) r.nodes[i].value = 1;
  GG_EACH_LEAF(i, &a->shape) {
    gg_node stride = a->stride.nodes[i];
    int64_t last = gg_calc_sub(&c, a->shape.nodes[i].value, 1);
    int64_t extent = gg_calc_mul(&c, last, gg_calc_abs(&c, stride.value));
    int at = 0;
    for (int k = 0; k < stride.basis_rank; k++)
      at = gg_tuple_child(&r, at, stride.basis[k]);
    if (extent) r.nodes[at].value = gg_calc_add(&c, r.nodes[at].value, extent);
  }
  return gg_calc_tuple(&c, out, &r);
}

/* Leaves stand in the tree's order, which is the colexicographic one. The arithmetic wraps, for
 * indices outside of the domain. */
int64_t gg_layout_at(const gg_layout *a, int64_t index) {
  uint64_t offset = 0;
  for (int at = 0; at < a->shape.count && index != 0; at++) {
    if (gg_is_tuple(&a->shape, at)) continue;
    int64_t size = a->shape.nodes[at].value, part = index;
    if (at + 1 < a->shape.count) {
      if (size == 0) break;
      if (size > 0 && (size & (size - 1)) == 0 && index > 0) { /* most: no division */
        part = index & (size - 1);
        index >>= __builtin_ctzll((unsigned long long)size);
      } else {
        part = index % size;
        index /= size;
      }
    }
    offset += (uint64_t)part * (uint64_t)a->stride.nodes[at].value;
  }
  return (int64_t)offset;
}

gg_status gg_layout_crd2idx(gg_tuple *out, const gg_tuple *coord, const gg_layout *a,
                            gg_error *err) {
  return gg_crd2idx(out, coord, &a->shape, &a->stride, err);
}

gg_status gg_layout_hier_coord(gg_tuple *out, const gg_layout *a, int64_t offset, gg_error *err) {
  gg_tuple index = gg_tuple_int(offset);
  if (gg_layout_has_basis(a)) return gg_fail(err, LAYOUT_BASIS, NULL, "get_hier_coord");
  return gg_idx2crd_stride(out, &index, &a->shape, &a->stride, err);
}

gg_status gg_layout_1d_coord(int64_t *out, const gg_layout *a, int64_t offset, gg_error *err) {
  gg_tuple coord, index;
  gg_status st = gg_layout_hier_coord(&coord, a, offset, err);
  if (!st) st = gg_crd2idx_colex(&index, &coord, &a->shape, err);
  if (!st) *out = index.nodes[0].value;
  return st;
}

gg_status gg_layout_flat_coord(gg_tuple *out, const gg_layout *a, int64_t offset, gg_error *err) {
  gg_calc c = GG_CALC("get_flat_coord", err);
  gg_tuple coord, r = {0};
  if ((c.status = gg_layout_hier_coord(&coord, a, offset, err))) return c.status;
  bool scalar = gg_tuple_rank(&coord) == 1;
  int open = scalar ? 0 : gg_build_open(&c, &r);
  GG_EACH_CHILD(child, &coord, 0) {
    gg_tuple mode = gg_tuple_sub(&coord, child), shape = gg_tuple_sub(&a->shape, child), index;
    if ((c.status = gg_crd2idx_colex(&index, &mode, &shape, err))) return c.status;
    gg_build_tree(&c, &r, &index, 0);
  }
  if (!scalar) gg_build_close(&r, open);
  return gg_calc_tuple(&c, out, &r);
}

bool gg_layout_is_bijective(const gg_layout *a) {
  if (gg_layout_has_basis(a)) return false;
  int64_t covered = 1, size = gg_layout_size(a);
  for (bool grew = true; grew && covered < size;) {
    grew = false;
    GG_EACH_LEAF(i, &a->shape) {
      int64_t s = a->shape.nodes[i].value;
      if (s > 1 && a->stride.nodes[i].value == covered && covered <= size / s) {
        covered *= s;
        grew = true;
      }
    }
  }
  return covered == size && gg_layout_cosize(a) == size;
}

/* ---- Structure --------------------------------------------------------------------------- */

/* Applies one tuple operation to both trees. */
#define ON_BOTH(out, call_shape, call_stride)                                                      \
  gg_layout r;                                                                                     \
  gg_status st = call_shape;                                                                       \
  if (!st) st = call_stride;                                                                       \
  if (!st) *(out) = r;                                                                             \
  return st

gg_status gg_layout_get(gg_layout *out, const gg_layout *a, int mode, gg_error *err) {
  ON_BOTH(out, gg_tuple_get(&r.shape, &a->shape, mode, err),
          gg_tuple_get(&r.stride, &a->stride, mode, err));
}

gg_status gg_layout_get_path(gg_layout *out, const gg_layout *a, const gg_tuple *path,
                             gg_error *err) {
  ON_BOTH(out, gg_tuple_at(&r.shape, &a->shape, path, err),
          gg_tuple_at(&r.stride, &a->stride, path, err));
}

gg_status gg_layout_take(gg_layout *out, const gg_layout *a, int begin, int end, gg_error *err) {
  ON_BOTH(out, gg_tuple_take(&r.shape, &a->shape, begin, end, err),
          gg_tuple_take(&r.stride, &a->stride, begin, end, err));
}

gg_status gg_layout_group(gg_layout *out, const gg_layout *a, int begin, int end, gg_error *err) {
  ON_BOTH(out, gg_tuple_group(&r.shape, &a->shape, begin, end, err),
          gg_tuple_group(&r.stride, &a->stride, begin, end, err));
}

gg_status gg_layout_unflatten(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                              gg_error *err) {
  ON_BOTH(out, gg_tuple_unflatten(&r.shape, &a->shape, profile, err),
          gg_tuple_unflatten(&r.stride, &a->stride, profile, err));
}

gg_status gg_layout_zip(gg_layout *out, const gg_layout *a, gg_error *err) {
  ON_BOTH(out, gg_tuple_zip(&r.shape, &a->shape, err), gg_tuple_zip(&r.stride, &a->stride, err));
}

gg_status gg_layout_slice(gg_layout *out, const gg_tuple *coord, const gg_layout *a,
                          gg_error *err) {
  ON_BOTH(out, gg_tuple_slice(&r.shape, coord, &a->shape, err),
          gg_tuple_slice(&r.stride, coord, &a->stride, err));
}

gg_status gg_layout_dice(gg_layout *out, const gg_tuple *coord, const gg_layout *a, gg_error *err) {
  ON_BOTH(out, gg_tuple_dice(&r.shape, coord, &a->shape, err),
          gg_tuple_dice(&r.stride, coord, &a->stride, err));
}

gg_layout gg_layout_flatten(const gg_layout *a) {
  return (gg_layout){gg_tuple_flatten(&a->shape), gg_tuple_flatten(&a->stride)};
}

/* The operations below can repeat or add modes, so the size must be checked again. */
static gg_status checked(const char *op, gg_status st, gg_layout *out, const gg_layout *r,
                         gg_error *err) {
  gg_calc c = {op, err, st};
  return gg_calc_layout(&c, out, r);
}

gg_status gg_layout_select(gg_layout *out, const gg_layout *a, const gg_tuple *modes,
                           gg_error *err) {
  gg_layout r;
  gg_status st = gg_tuple_select(&r.shape, &a->shape, modes, err);
  if (!st) st = gg_tuple_select(&r.stride, &a->stride, modes, err);
  return checked("select", st, out, &r, err);
}

gg_status gg_layout_append(gg_layout *out, const gg_layout *a, const gg_layout *x, gg_error *err) {
  gg_layout r;
  gg_status st = gg_tuple_append(&r.shape, &a->shape, &x->shape, err);
  if (!st) st = gg_tuple_append(&r.stride, &a->stride, &x->stride, err);
  return checked("append", st, out, &r, err);
}

gg_status gg_layout_prepend(gg_layout *out, const gg_layout *a, const gg_layout *x, gg_error *err) {
  gg_layout r;
  gg_status st = gg_tuple_prepend(&r.shape, &a->shape, &x->shape, err);
  if (!st) st = gg_tuple_prepend(&r.stride, &a->stride, &x->stride, err);
  return checked("prepend", st, out, &r, err);
}

gg_status gg_layout_append_to(gg_layout *out, const gg_layout *a, int rank, gg_error *err) {
  gg_tuple one = gg_tuple_int(1), zero = gg_tuple_int(0);
  ON_BOTH(out, gg_tuple_append_to(&r.shape, &a->shape, rank, &one, err),
          gg_tuple_append_to(&r.stride, &a->stride, rank, &zero, err));
}

gg_status gg_layout_prepend_to(gg_layout *out, const gg_layout *a, int rank, gg_error *err) {
  gg_tuple one = gg_tuple_int(1), zero = gg_tuple_int(0);
  ON_BOTH(out, gg_tuple_prepend_to(&r.shape, &a->shape, rank, &one, err),
          gg_tuple_prepend_to(&r.stride, &a->stride, rank, &zero, err));
}

gg_status gg_layout_replace(gg_layout *out, const gg_layout *a, int mode, const gg_layout *x,
                            gg_error *err) {
  gg_layout r;
  gg_status st = gg_tuple_replace(&r.shape, &a->shape, mode, &x->shape, err);
  if (!st) st = gg_tuple_replace(&r.stride, &a->stride, mode, &x->stride, err);
  return checked("replace", st, out, &r, err);
}

gg_status gg_layout_slice_and_offset(gg_layout *out, gg_tuple *offset, const gg_tuple *coord,
                                     const gg_layout *a, gg_error *err) {
  gg_tuple at;
  gg_status st = gg_layout_crd2idx(&at, coord, a, err);
  if (!st) st = gg_layout_slice(out, coord, a, err);
  if (!st) *offset = at;
  return st;
}
