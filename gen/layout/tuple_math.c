/* Int tuples: arithmetic, coordinates and compact strides. Source: CuTe's int_tuple.hpp and
 * stride.hpp; the recursions follow the trees as theirs do. */
#include "layout/calc.h"

static void fail_rank(gg_calc *c, const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  if (c->status != GG_OK) return;
  gg_tuple x = gg_tuple_sub(a, at), y = gg_tuple_sub(b, bt);
  c->status = gg_fail(c->err, LAYOUT_RANK, NULL, c->op, gg_tuple_text(&x).text, gg_rank_at(a, at),
                      gg_tuple_text(&y).text, gg_rank_at(b, bt));
}

/* Whether both are tuples of the same rank; else the error is set. */
static bool same_rank(gg_calc *c, const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  if (gg_is_tuple(b, bt) && gg_rank_at(a, at) == gg_rank_at(b, bt)) return true;
  fail_rank(c, a, at, b, bt);
  return false;
}

/* ---- Reductions -------------------------------------------------------------------------- */

gg_status gg_tuple_product(int64_t *out, const gg_tuple *t, gg_error *err) {
  gg_calc c = GG_CALC("size", err);
  int64_t product = gg_product_at(&c, t, 0).value;
  if (c.status == GG_OK) *out = product;
  return c.status;
}

gg_status gg_tuple_product_each(gg_tuple *out, const gg_tuple *t, gg_error *err) {
  gg_calc c = GG_CALC("product_each", err);
  gg_tuple r = {0};
  int open = gg_build_open(&c, &r);
  GG_EACH_CHILD(child, t, 0) gg_build_leaf(&c, &r, gg_product_at(&c, t, child));
  gg_build_close(&r, open);
  return gg_calc_tuple(&c, out, &r);
}

static void product_like(gg_calc *c, gg_tuple *r, const gg_tuple *t, int at, const gg_tuple *guide,
                         int gt) {
  if (!gg_is_tuple(guide, gt)) {
    gg_build_leaf(c, r, gg_product_at(c, t, at));
    return;
  }
  if (!same_rank(c, guide, gt, t, at)) return;
  int open = gg_build_open(c, r), index = 0;
  GG_EACH_CHILD(child, guide, gt) {
    product_like(c, r, t, gg_tuple_child(t, at, index++), guide, child);
  }
  gg_build_close(r, open);
}

gg_status gg_tuple_product_like(gg_tuple *out, const gg_tuple *t, const gg_tuple *guide,
                                gg_error *err) {
  gg_calc c = GG_CALC("product_like", err);
  gg_tuple r = {0};
  product_like(&c, &r, t, 0, guide, 0);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_sum(int64_t *out, const gg_tuple *t, gg_error *err) {
  gg_calc c = GG_CALC("sum", err);
  int64_t sum = 0;
  GG_EACH_LEAF(i, t) sum = gg_calc_add(&c, sum, t->nodes[i].value);
  if (c.status == GG_OK) *out = sum;
  return c.status;
}

gg_status gg_tuple_inner_product(int64_t *out, const gg_tuple *a, const gg_tuple *b,
                                 gg_error *err) {
  gg_calc c = GG_CALC("inner_product", err);
  if (!gg_tuple_congruent(a, b)) {
    return gg_fail(err, LAYOUT_PROFILE, NULL, c.op, gg_tuple_text(a).text, gg_tuple_text(b).text);
  }
  int64_t sum = 0;
  GG_EACH_LEAF(i, a) {
    sum = gg_calc_add(&c, sum, gg_calc_mul(&c, a->nodes[i].value, b->nodes[i].value));
  }
  if (c.status == GG_OK) *out = sum;
  return c.status;
}

/* ---- Division of shapes ------------------------------------------------------------------ */

typedef enum division { CEIL_DIV, SHAPE_DIV, ROUND_UP } division;

static gg_node divide_leaves(gg_calc *c, gg_node a, gg_node b, division kind) {
  gg_node quotient = gg_leaf_ceil_div(c, a, b);
  if (kind == ROUND_UP) return gg_leaf_mul(c, quotient, b);
  bool known = !a.dynamic && !b.dynamic;
  if (kind == SHAPE_DIV && known && c->status == GG_OK && gg_calc_mod(c, a.value, b.value) != 0 &&
      gg_calc_mod(c, b.value, a.value) != 0) {
    c->status = gg_fail(c->err, LAYOUT_SHAPE_DIV, NULL, (long long)a.value, (long long)b.value);
  }
  return quotient;
}

/* Appends a / b to r. An integer b divides the modes of a from the left; *b becomes the part of it
 * that is still to divide by. */
static void divide_by_int(gg_calc *c, gg_tuple *r, const gg_tuple *a, int at, gg_node *b,
                          division kind) {
  if (!gg_is_tuple(a, at)) {
    gg_node divisor = *b;
    gg_build_leaf(c, r, divide_leaves(c, a->nodes[at], divisor, kind));
    if (kind != ROUND_UP) *b = divide_leaves(c, divisor, a->nodes[at], kind);
    return;
  }
  int open = gg_build_open(c, r);
  gg_node rest = *b;
  GG_EACH_CHILD(child, a, at) divide_by_int(c, r, a, child, &rest, kind);
  gg_build_close(r, open);
  if (kind != ROUND_UP) *b = divide_leaves(c, *b, gg_product_at(c, a, at), kind);
}

static void divide(gg_calc *c, gg_tuple *r, const gg_tuple *a, int at, const gg_tuple *b, int bt,
                   division kind) {
  if (!gg_is_tuple(a, at) || !gg_is_tuple(b, bt)) {
    gg_node divisor = gg_product_at(c, b, bt);
    divide_by_int(c, r, a, at, &divisor, kind);
    return;
  }
  int have = gg_rank_at(a, at), given = gg_rank_at(b, bt);
  if (kind == SHAPE_DIV ? have != given : have < given) {
    fail_rank(c, a, at, b, bt);
    return;
  }
  gg_tuple one = gg_tuple_int(1);
  int open = gg_build_open(c, r), index = 0;
  GG_EACH_CHILD(child, a, at) {
    bool missing = index >= given;
    int other = missing ? 0 : gg_tuple_child(b, bt, index);
    divide(c, r, a, child, missing ? &one : b, other, kind);
    index++;
  }
  gg_build_close(r, open);
}

static gg_status divide_tuples(const char *op, gg_tuple *out, const gg_tuple *a, const gg_tuple *b,
                               division kind, gg_error *err) {
  gg_calc c = GG_CALC(op, err);
  gg_tuple r = {0};
  divide(&c, &r, a, 0, b, 0, kind);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_ceil_div(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  return divide_tuples("ceil_div", out, a, b, CEIL_DIV, err);
}

gg_status gg_tuple_shape_div(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  return divide_tuples("shape_div", out, a, b, SHAPE_DIV, err);
}

gg_status gg_tuple_round_up(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  return divide_tuples("round_up", out, a, b, ROUND_UP, err);
}

static void elem_scale(gg_calc *c, gg_tuple *r, const gg_tuple *a, int at, const gg_tuple *b,
                       int bt) {
  if (!gg_is_tuple(a, at)) {
    gg_build_leaf(c, r, gg_leaf_mul(c, a->nodes[at], gg_product_at(c, b, bt)));
    return;
  }
  if (!same_rank(c, a, at, b, bt)) return;
  int open = gg_build_open(c, r), index = 0;
  GG_EACH_CHILD(child, a, at) elem_scale(c, r, a, child, b, gg_tuple_child(b, bt, index++));
  gg_build_close(r, open);
}

gg_status gg_tuple_elem_scale(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  gg_calc c = GG_CALC("elem_scale", err);
  gg_tuple r = {0};
  elem_scale(&c, &r, a, 0, b, 0);
  return gg_calc_tuple(&c, out, &r);
}

static void filter_zeros(gg_calc *c, gg_tuple *r, const gg_tuple *stride, int at,
                         const gg_tuple *shape, int bt) {
  if (gg_is_tuple(stride, at)) {
    if (!same_rank(c, stride, at, shape, bt)) return;
    int open = gg_build_open(c, r), index = 0;
    GG_EACH_CHILD(child, stride, at) {
      filter_zeros(c, r, stride, child, shape, gg_tuple_child(shape, bt, index++));
    }
    gg_build_close(r, open);
    return;
  }
  int from = r->count;
  gg_build_tree(c, r, shape, bt);
  if (!gg_leaf_is(stride->nodes[at], 0)) return;
  for (int i = from; i < r->count; i++) {
    if (!gg_is_tuple(r, i)) r->nodes[i] = gg_leaf(1);
  }
}

gg_status gg_tuple_filter_zeros(gg_tuple *out, const gg_tuple *stride, const gg_tuple *shape,
                                gg_error *err) {
  gg_calc c = GG_CALC("filter_zeros", err);
  gg_tuple r = {0};
  filter_zeros(&c, &r, stride, 0, shape, 0);
  return gg_calc_tuple(&c, out, &r);
}

/* ---- Comparing shapes -------------------------------------------------------------------- */

static bool compatible(gg_calc *c, const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  if (!gg_is_tuple(a, at)) return a->nodes[at].value == gg_product_at(c, b, bt).value;
  if (!gg_is_tuple(b, bt) || gg_rank_at(a, at) != gg_rank_at(b, bt)) return false;
  int index = 0;
  bool all = true;
  GG_EACH_CHILD(child, a, at) all &= compatible(c, a, child, b, gg_tuple_child(b, bt, index++));
  return all;
}

gg_status gg_tuple_compatible(bool *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  gg_calc c = GG_CALC("compatible", err);
  bool answer = compatible(&c, a, 0, b, 0);
  if (c.status == GG_OK) *out = answer;
  return c.status;
}

static bool evenly_divides(gg_calc *c, const gg_tuple *shape, int at, const gg_tuple *tile,
                           int bt) {
  if (gg_is_tuple(tile, bt)) {
    if (gg_rank_at(tile, bt) > gg_rank_at(shape, at)) return false;
    int index = 0;
    bool all = true;
    GG_EACH_CHILD(child, tile, bt) {
      all &= evenly_divides(c, shape, gg_tuple_child(shape, at, index++), tile, child);
    }
    return all;
  }
  gg_tuple quotient = {0};
  gg_node divisor = tile->nodes[bt];
  divide_by_int(c, &quotient, shape, at, &divisor, CEIL_DIV);
  if (c->status != GG_OK) return false;
  int64_t tiles = gg_product_at(c, &quotient, 0).value;
  return gg_product_at(c, shape, at).value == gg_calc_mul(c, tile->nodes[bt].value, tiles);
}

gg_status gg_tuple_evenly_divides(bool *out, const gg_tuple *shape, const gg_tuple *tile,
                                  gg_error *err) {
  gg_calc c = GG_CALC("evenly_divides", err);
  bool answer = evenly_divides(&c, shape, 0, tile, 0);
  if (c.status == GG_OK) *out = answer;
  return c.status;
}

/* ---- Coordinates of the codomain --------------------------------------------------------- */

static bool has_prefix(gg_node leaf, gg_node prefix) {
  if (leaf.basis_rank < prefix.basis_rank) return false;
  for (int i = 0; i < prefix.basis_rank; i++) {
    if (leaf.basis[i] != prefix.basis[i]) return false;
  }
  return true;
}

/* Appends the subtree of the coprofile under a path. It has as many modes as the longer paths name.
 * A non-zero stride whose path ends where others go on does not fit in, and is an error. */
static void coprofile_under(gg_calc *c, gg_tuple *r, const gg_tuple *stride, gg_node prefix) {
  int modes = 0;
  bool ends = false;
  GG_EACH_LEAF(i, stride) {
    gg_node leaf = stride->nodes[i];
    if (!has_prefix(leaf, prefix)) continue;
    if (leaf.basis_rank == prefix.basis_rank) {
      ends |= leaf.value != 0;
    } else if (leaf.basis[prefix.basis_rank] + 1 > modes) {
      modes = leaf.basis[prefix.basis_rank] + 1;
    }
  }
  if (modes == 0) {
    gg_build_leaf(c, r, gg_leaf(0));
    return;
  }
  if (ends && c->status == GG_OK) c->status = gg_fail(c->err, LAYOUT_BASIS, NULL, c->op);
  int open = gg_build_open(c, r);
  for (int mode = 0; mode < modes && c->status == GG_OK; mode++) {
    gg_node next = prefix;
    next.basis[next.basis_rank++] = (uint8_t)mode;
    coprofile_under(c, r, stride, next);
  }
  gg_build_close(r, open);
}

gg_status gg_coprofile(gg_tuple *out, const gg_tuple *stride, gg_error *err) {
  gg_calc c = GG_CALC("coprofile", err);
  gg_tuple r = {0};
  coprofile_under(&c, &r, stride, gg_leaf(0));
  return gg_calc_tuple(&c, out, &r);
}

/* Adds coord * stride.value along the stride's path to a coordinate of the codomain. */
static void add_along(gg_calc *c, gg_tuple *sum, int64_t coord, gg_node stride) {
  int64_t value = gg_calc_mul(c, coord, stride.value);
  if (value == 0) return;
  int at = 0;
  for (int i = 0; i < stride.basis_rank; i++)
    at = gg_tuple_child(sum, at, stride.basis[i]);
  sum->nodes[at].value = gg_calc_add(c, sum->nodes[at].value, value);
}

/* Adds the place of a colexicographic index of the shape at `at`; the last mode is unbounded. */
static void add_index(gg_calc *c, gg_tuple *sum, int64_t index, const gg_tuple *shape, int at,
                      const gg_tuple *stride, int dt) {
  if (!gg_is_tuple(shape, at)) {
    add_along(c, sum, index, stride->nodes[dt]);
    return;
  }
  if (!same_rank(c, shape, at, stride, dt)) return;
  int other = dt + 1, left = gg_rank_at(shape, at);
  GG_EACH_CHILD(child, shape, at) {
    int64_t part = index;
    if (--left > 0 && index != 0) {
      int64_t size = gg_product_at(c, shape, child).value;
      part = gg_calc_mod(c, index, size);
      index = gg_calc_div(c, index, size);
    }
    add_index(c, sum, part, shape, child, stride, other);
    other += stride->nodes[other].span;
  }
}

static void add_coord(gg_calc *c, gg_tuple *sum, const gg_tuple *coord, int at,
                      const gg_tuple *shape, int st, const gg_tuple *stride, int dt) {
  if (!gg_is_tuple(coord, at)) {
    gg_node leaf = coord->nodes[at];
    add_index(c, sum, leaf.kind == GG_NODE_KEEP ? 0 : leaf.value, shape, st, stride, dt);
    return;
  }
  if (!same_rank(c, coord, at, shape, st) || !same_rank(c, coord, at, stride, dt)) return;
  int index = 0;
  GG_EACH_CHILD(child, coord, at) {
    add_coord(c, sum, coord, child, shape, gg_tuple_child(shape, st, index), stride,
              gg_tuple_child(stride, dt, index));
    index++;
  }
}

gg_status gg_crd2idx(gg_tuple *out, const gg_tuple *coord, const gg_tuple *shape,
                     const gg_tuple *stride, gg_error *err) {
  gg_calc c = GG_CALC("crd2idx", err);
  gg_tuple sum;
  if ((c.status = gg_coprofile(&sum, stride, err))) return c.status;
  add_coord(&c, &sum, coord, 0, shape, 0, stride, 0);
  return gg_calc_tuple(&c, out, &sum);
}

gg_status gg_crd2idx_colex(gg_tuple *out, const gg_tuple *coord, const gg_tuple *shape,
                           gg_error *err) {
  gg_calc c = GG_CALC("crd2idx", err);
  if (gg_tuple_is_int(coord)) {
    *out = *coord;
    return GG_OK;
  }
  gg_tuple sizes = {0};
  product_like(&c, &sizes, shape, 0, coord, 0);
  if (c.status != GG_OK) return c.status;
  int64_t index = 0;
  for (int i = coord->count; i-- > 0;) {
    if (gg_is_tuple(coord, i)) continue;
    index = gg_calc_mul(&c, index, sizes.nodes[i].value);
    index = gg_calc_add(&c, index, coord->nodes[i].value);
  }
  if (c.status == GG_OK) *out = gg_tuple_int(index);
  return c.status;
}

/* Appends to r the digits of an index, in the tree of the shape. */
static void digits(gg_calc *c, gg_tuple *r, int64_t index, const gg_tuple *shape, int at) {
  if (!gg_is_tuple(shape, at)) {
    gg_build_leaf(c, r, gg_leaf(index));
    return;
  }
  int open = gg_build_open(c, r), left = gg_rank_at(shape, at);
  GG_EACH_CHILD(child, shape, at) {
    int64_t part = index;
    if (--left > 0 && index != 0) {
      int64_t size = gg_product_at(c, shape, child).value;
      part = gg_calc_mod(c, index, size);
      index = gg_calc_div(c, index, size);
    }
    digits(c, r, part, shape, child);
  }
  gg_build_close(r, open);
}

static void idx2crd(gg_calc *c, gg_tuple *r, const gg_tuple *index, int at, const gg_tuple *shape,
                    int st) {
  if (!gg_is_tuple(index, at)) {
    digits(c, r, index->nodes[at].value, shape, st);
    return;
  }
  if (!same_rank(c, index, at, shape, st)) return;
  int open = gg_build_open(c, r), i = 0;
  GG_EACH_CHILD(child, index, at)
  idx2crd(c, r, index, child, shape, gg_tuple_child(shape, st, i++));
  gg_build_close(r, open);
}

gg_status gg_idx2crd(gg_tuple *out, const gg_tuple *index, const gg_tuple *shape, gg_error *err) {
  gg_calc c = GG_CALC("idx2crd", err);
  gg_tuple r = {0};
  idx2crd(&c, &r, index, 0, shape, 0);
  return gg_calc_tuple(&c, out, &r);
}

/* Splits an offset: each leaf becomes (index / stride) % shape. An integer index is split by all
 * modes. */
static void split_offset(gg_calc *c, gg_tuple *r, const gg_tuple *index, int at,
                         const gg_tuple *shape, int st, const gg_tuple *stride, int dt) {
  bool by_mode = gg_is_tuple(index, at);
  if (!gg_is_tuple(shape, st)) {
    if (by_mode || gg_is_tuple(stride, dt)) {
      fail_rank(c, by_mode ? index : stride, by_mode ? at : dt, shape, st);
      return;
    }
    int64_t size = shape->nodes[st].value, quotient = 0;
    if (!gg_leaf_is(shape->nodes[st], 1)) {
      quotient = gg_calc_div(c, index->nodes[at].value, stride->nodes[dt].value);
      quotient = gg_calc_mod(c, quotient, size);
    }
    gg_build_leaf(c, r, gg_leaf(quotient));
    return;
  }
  if (by_mode && !same_rank(c, index, at, shape, st)) return;
  if (!same_rank(c, shape, st, stride, dt)) return;
  int open = gg_build_open(c, r), i = 0;
  GG_EACH_CHILD(child, shape, st) {
    split_offset(c, r, index, by_mode ? gg_tuple_child(index, at, i) : at, shape, child, stride,
                 gg_tuple_child(stride, dt, i));
    i++;
  }
  gg_build_close(r, open);
}

gg_status gg_idx2crd_stride(gg_tuple *out, const gg_tuple *index, const gg_tuple *shape,
                            const gg_tuple *stride, gg_error *err) {
  gg_calc c = GG_CALC("idx2crd", err);
  gg_tuple r = {0}, compact = *stride;
  if (gg_tuple_is_int(stride) && !gg_tuple_is_int(shape)) {
    if ((c.status = gg_compact_col_major(&compact, shape, stride, err))) return c.status;
  }
  split_offset(&c, &r, index, 0, shape, 0, &compact, 0);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_crd2crd(gg_tuple *out, const gg_tuple *coord, const gg_tuple *from, const gg_tuple *to,
                     gg_error *err) {
  gg_calc c = GG_CALC("crd2crd", err);
  gg_tuple index;
  if (gg_tuple_is_int(coord) || gg_tuple_is_int(from) || gg_tuple_is_int(to)) {
    if ((c.status = gg_crd2idx_colex(&index, coord, from, err))) return c.status;
    return gg_idx2crd(out, &index, to, err);
  }
  if (!same_rank(&c, coord, 0, from, 0) || !same_rank(&c, coord, 0, to, 0)) return c.status;
  gg_tuple r = {0};
  int open = gg_build_open(&c, &r), i = 0;
  GG_EACH_CHILD(child, coord, 0) {
    gg_tuple x = gg_tuple_sub(coord, child), f = gg_tuple_sub(from, gg_tuple_child(from, 0, i)),
             t = gg_tuple_sub(to, gg_tuple_child(to, 0, i)), mode;
    if ((c.status = gg_crd2crd(&mode, &x, &f, &t, err))) return c.status;
    gg_build_tree(&c, &r, &mode, 0);
    i++;
  }
  gg_build_close(&r, open);
  return gg_calc_tuple(&c, out, &r);
}

/* ---- Compact strides --------------------------------------------------------------------- */

/* Turns the sizes in r's subtree into compact strides, beginning with *current. */
static void compact(gg_calc *c, gg_tuple *r, int at, gg_node *current, bool right) {
  int end = at + r->nodes[at].span;
  for (int k = 0; k < end - at; k++) {
    int i = right ? end - 1 - k : at + k;
    if (gg_is_tuple(r, i)) continue;
    gg_node size = r->nodes[i];
    if (gg_leaf_is(size, 1)) {
      r->nodes[i] = gg_leaf(0);
    } else {
      r->nodes[i] = *current;
      *current = gg_leaf_mul(c, *current, size);
    }
  }
}

/* The same, with a `current` for each mode. */
static void compact_by(gg_calc *c, gg_tuple *r, int at, const gg_tuple *current, int ct,
                       bool right) {
  if (!gg_is_tuple(current, ct)) {
    gg_node start = current->nodes[ct];
    compact(c, r, at, &start, right);
    return;
  }
  if (!same_rank(c, current, ct, r, at)) return;
  int i = 0;
  GG_EACH_CHILD(child, current, ct) {
    compact_by(c, r, gg_tuple_child(r, at, i++), current, child, right);
  }
}

static gg_status compact_major(const char *op, gg_tuple *out, const gg_tuple *shape,
                               const gg_tuple *current, bool right, gg_error *err) {
  gg_calc c = GG_CALC(op, err);
  gg_tuple r = *shape;
  compact_by(&c, &r, 0, current, 0, right);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_compact_col_major(gg_tuple *out, const gg_tuple *shape, const gg_tuple *current,
                               gg_error *err) {
  return compact_major("compact_col_major", out, shape, current, false, err);
}

gg_status gg_compact_row_major(gg_tuple *out, const gg_tuple *shape, const gg_tuple *current,
                               gg_error *err) {
  return compact_major("compact_row_major", out, shape, current, true, err);
}

/* Dynamic orders come last, from left to right. */
static void rank_dynamic_orders(gg_calc *c, gg_tuple *order) {
  int64_t last = 0;
  GG_EACH_LEAF(i, order) {
    if (!order->nodes[i].dynamic && order->nodes[i].value > last) last = order->nodes[i].value;
  }
  int64_t next = last;
  GG_EACH_LEAF(i, order) {
    next = gg_calc_add(c, next, 1);
    if (order->nodes[i].dynamic) order->nodes[i] = gg_leaf(next);
  }
}

gg_status gg_compact_order(gg_tuple *out, const gg_tuple *shape, const gg_tuple *order,
                           gg_error *err) {
  gg_calc c = GG_CALC("compact_order", err);
  gg_tuple sizes = {0}, orders = *order, starts = *order, r = *shape;
  product_like(&c, &sizes, shape, 0, order, 0);
  if (c.status != GG_OK) return c.status;
  rank_dynamic_orders(&c, &orders);
  GG_EACH_LEAF(i, &orders) {
    gg_node start = gg_leaf(1);
    for (int k = 0; k < orders.count; k++) {
      if (gg_is_tuple(&orders, k) || orders.nodes[k].value >= orders.nodes[i].value) continue;
      start = gg_leaf_mul(&c, start, sizes.nodes[k]);
    }
    starts.nodes[i] = start;
  }
  compact_by(&c, &r, 0, &starts, 0, false);
  return gg_calc_tuple(&c, out, &r);
}
