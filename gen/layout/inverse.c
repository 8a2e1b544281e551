/* Complement, inverses, nullspace, and what is made of them. All of them sort a layout's modes by
 * stride. Source: CuTe's layout.hpp. Where one of CuTe's checks is too weak, a comment here says
 * so. */
#include <stdio.h>

#include "layout/tiler.h"

enum { compare_limit = 1 << 16 }; /* points */

/* A layout's flat modes, with the product of the sizes before each. */
typedef struct modes {
  gg_node shape[GG_TUPLE_NODES], stride[GG_TUPLE_NODES], before[GG_TUPLE_NODES];
  int order[GG_TUPLE_NODES]; /* indices of the modes, in sorted order */
  int count;
} modes;

static void list_modes(gg_calc *c, modes *m, const gg_layout *a) {
  gg_node before = gg_leaf(1);
  m->count = 0;
  GG_EACH_LEAF(i, &a->shape) {
    int k = m->count++;
    m->shape[k] = a->shape.nodes[i];
    m->stride[k] = a->stride.nodes[i];
    m->before[k] = before;
    m->order[k] = k;
    before = gg_leaf_mul(c, before, m->shape[k]);
  }
}

/* An exchange sort, as CuTe's: where strides are equal the order of the exchanges decides which
 * mode comes first, and with it the result. */
static void sort_by_stride(modes *m, int count) {
  for (int i = 0; i < count; i++) {
    for (int j = i + 1; j < count; j++) {
      if (m->stride[m->order[j]].value >= m->stride[m->order[i]].value) continue;
      int swap = m->order[i];
      m->order[i] = m->order[j];
      m->order[j] = swap;
    }
  }
}

static gg_status need_integers(const char *op, const gg_layout *a, gg_error *err) {
  return gg_layout_has_basis(a) ? gg_fail(err, LAYOUT_BASIS, NULL, op) : GG_OK;
}

/* ---- Complement -------------------------------------------------------------------------- */

/* Joins neighbouring sizes that are both static or both dynamic. */
static void coalesce_shape(gg_calc *c, gg_tuple *r, const gg_tuple *shape) {
  gg_node sizes[GG_TUPLE_NODES];
  int count = 0;
  GG_EACH_LEAF(i, shape) {
    gg_node size = shape->nodes[i];
    if (count > 0 && sizes[count - 1].dynamic == size.dynamic) {
      sizes[count - 1] = gg_leaf_mul(c, sizes[count - 1], size);
    } else {
      sizes[count++] = size;
    }
  }
  int open = count != 1 ? gg_build_open(c, r) : -1;
  for (int i = 0; i < count; i++)
    gg_build_leaf(c, r, sizes[i]);
  if (open >= 0) gg_build_close(r, open);
}

/* Appends the gaps below each mode, in order of stride: between the span of the modes so far and
 * the next stride there is room for `stride / span` copies. */
static void build_gaps(gg_calc *c, gg_layout *r, const modes *m, const gg_layout *a,
                       gg_node *span) {
  for (int k = 0; k < m->count && c->status == GG_OK; k++) {
    int i = m->order[k];
    gg_node gap = gg_leaf_div(c, m->stride[i], *span);
    if (m->stride[i].value < 0 || gap.value == 0) {
      c->status = gg_fail(c->err, LAYOUT_INJECTIVE, NULL, gg_layout_text(a).text,
                          (long long)m->stride[i].value, (long long)span->value);
      return;
    }
    gg_build_mode(c, r, gap, *span);
    *span = gg_leaf_mul(c, m->stride[i], m->shape[i]);
  }
}

gg_status gg_layout_complement(gg_layout *out, const gg_layout *a, const gg_tuple *cotarget,
                               gg_error *err) {
  gg_calc c = GG_CALC("complement", err);
  gg_layout flat, r = {0};
  gg_tuple rest = {0};
  if ((c.status = need_integers(c.op, a, err))) return c.status;
  if ((c.status = gg_layout_filter(&flat, a, NULL, err))) return c.status;
  gg_tuple target = cotarget ? *cotarget : gg_tuple_int(gg_layout_cosize(&flat));
  for (int i = 0; i < flat.shape.count && !cotarget; i++) {
    target.nodes[0].dynamic |= flat.shape.nodes[i].dynamic || flat.stride.nodes[i].dynamic;
  }
  if (gg_tuple_is_int(&flat.stride) && gg_leaf_is(flat.stride.nodes[0], 0)) {
    coalesce_shape(&c, &rest, &target);
    return c.status ? c.status : gg_layout_col_major(out, &rest, err);
  }
  modes m;
  list_modes(&c, &m, &flat);
  for (int i = 0; i < m.count && m.count > 1; i++) {
    if (m.stride[i].dynamic) {
      return gg_fail(err, LAYOUT_VALUE, NULL, c.op, "dynamic strides only in a layout of one mode");
    }
  }
  sort_by_stride(&m, m.count);
  gg_node span = gg_leaf(1);
  int open = gg_build_open2(&c, &r);
  build_gaps(&c, &r, &m, a, &span);
  gg_tuple divisor = gg_tuple_int(0), quotient, strides;
  divisor.nodes[0] = span;
  if (c.status || (c.status = gg_tuple_ceil_div(&quotient, &target, &divisor, err))) {
    return c.status;
  }
  coalesce_shape(&c, &rest, &quotient);
  if (c.status || (c.status = gg_compact_col_major(&strides, &rest, &divisor, err))) {
    return c.status;
  }
  gg_layout tail = {rest, strides};
  gg_build_tree2(&c, &r, &tail, 0);
  gg_build_close2(&r, open);
  return c.status ? c.status : gg_layout_coalesce(out, &r, NULL, err);
}

/* ---- Inverses ---------------------------------------------------------------------------- */

gg_status gg_layout_right_inverse(gg_layout *out, const gg_layout *a, gg_error *err) {
  gg_calc c = GG_CALC("right_inverse", err);
  gg_layout flat, r = {0};
  modes m;
  if ((c.status = need_integers(c.op, a, err))) return c.status;
  if ((c.status = gg_layout_coalesce(&flat, a, NULL, err))) return c.status;
  list_modes(&c, &m, &flat);
  int count = 0; /* modes whose stride is known */
  for (int i = 0; i < m.count; i++) {
    if (!m.stride[i].dynamic) m.order[count++] = i;
  }
  sort_by_stride(&m, count);
  int open = gg_build_open2(&c, &r);
  gg_build_mode(&c, &r, gg_leaf(1), gg_leaf(0));
  gg_node reached = gg_leaf(1);
  for (int k = 0; k < count; k++) {
    int i = m.order[k];
    if (reached.dynamic || m.stride[i].value != reached.value) continue;
    gg_build_mode(&c, &r, m.shape[i], m.before[i]);
    reached = gg_leaf_mul(&c, m.shape[i], m.stride[i]);
  }
  gg_build_close2(&r, open);
  return c.status ? c.status : gg_layout_coalesce(out, &r, NULL, err);
}

/* Checks that a(inverse(a(i))) == a(i). It holds for certain where sorted modes do not overlap;
 * else points are compared. */
static gg_status check_left_inverse(const gg_layout *inverse, const gg_layout *a, const modes *m,
                                    gg_error *err) {
  gg_calc c = GG_CALC("left_inverse", NULL);
  bool nested = true;
  int64_t span = 1;
  for (int k = 0; k < m->count; k++) {
    int i = m->order[k];
    if (gg_leaf_is(m->stride[i], 0)) continue;
    nested &= m->stride[i].value >= span;
    span = gg_calc_mul(&c, m->stride[i].value, m->shape[i].value);
  }
  if (nested && c.status == GG_OK) return GG_OK;
  char detail[240];
  int64_t size = gg_layout_size(a), i = 0;
  bool large = size > compare_limit;
  while (!large && i < size) {
    int64_t x = gg_layout_at(a, i);
    if (gg_layout_at(a, gg_layout_at(inverse, x)) != x) break;
    i++;
  }
  if (!large && i >= size) return GG_OK;
  if (large) {
    snprintf(detail, sizeof detail, "modes overlap, and %lld points are too many to compare",
             (long long)size);
  } else {
    int64_t x = gg_layout_at(a, i);
    snprintf(detail, sizeof detail, "%.100s sends offset %lld to index %lld, whose offset is %lld",
             gg_layout_text(inverse).text, (long long)x, (long long)gg_layout_at(inverse, x),
             (long long)gg_layout_at(a, gg_layout_at(inverse, x)));
  }
  return gg_fail(err, LAYOUT_FUNCTION, NULL, "left_inverse", gg_layout_text(a).text, "itself",
                 detail);
}

gg_status gg_layout_left_inverse(gg_layout *out, const gg_layout *a, gg_error *err) {
  gg_calc c = GG_CALC("left_inverse", err);
  gg_layout flat, r = {0};
  modes m;
  if ((c.status = need_integers(c.op, a, err))) return c.status;
  if ((c.status = gg_layout_coalesce(&flat, a, NULL, err))) return c.status;
  list_modes(&c, &m, &flat);
  for (int i = 0; i < m.count; i++) {
    if (m.stride[i].dynamic) {
      return gg_fail(err, LAYOUT_VALUE, NULL, c.op, "needs static strides");
    }
  }
  sort_by_stride(&m, m.count);
  int open = gg_build_open2(&c, &r);
  gg_node before = gg_leaf(0); /* a size gets the stride found one mode earlier */
  int64_t span = 1;
  for (int k = 0; k < m.count && c.status == GG_OK; k++) {
    int i = m.order[k];
    int64_t stride = m.stride[i].value;
    if (stride == 0) continue;
    if (gg_calc_mod(&c, stride, span) != 0) {
      return gg_fail(err, LAYOUT_INVERSE, NULL, gg_layout_text(a).text, (long long)stride,
                     (long long)span);
    }
    gg_build_mode(&c, &r, gg_leaf(gg_calc_div(&c, stride, span)), before);
    before = m.before[i];
    span = stride;
  }
  gg_build_mode(&c, &r, m.shape[m.order[m.count - 1]], before);
  gg_build_close2(&r, open);
  if (c.status || (c.status = gg_layout_coalesce(&r, &r, NULL, err))) return c.status;
  if ((c.status = check_left_inverse(&r, a, &m, err))) return c.status;
  return gg_calc_layout(&c, out, &r);
}

/* ---- Nullspace and distribution ----------------------------------------------------------- */

gg_status gg_layout_nullspace(gg_layout *out, const gg_layout *a, gg_error *err) {
  gg_calc c = GG_CALC("nullspace", err);
  gg_layout r = {0};
  gg_tuple strides, one = gg_tuple_int(1), flat = gg_tuple_flatten(&a->shape),
                    flat_stride = gg_tuple_flatten(&a->stride);
  if ((c.status = gg_compact_col_major(&strides, &flat, &one, err))) return c.status;
  int open = gg_build_open2(&c, &r);
  GG_EACH_LEAF(i, &flat) {
    if (gg_leaf_is(flat_stride.nodes[i], 0)) {
      gg_build_mode(&c, &r, flat.nodes[i], strides.nodes[i]);
    }
  }
  gg_build_close2(&r, open);
  if (r.shape.count == 1) {
    *out = gg_layout_flat(1, 0);
    return c.status;
  }
  r = (gg_layout){gg_tuple_unwrap(&r.shape), gg_tuple_unwrap(&r.stride)};
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_layout_domain_distribute(gg_layout *out, const gg_tuple *shape, int64_t count,
                                      gg_error *err) {
  gg_calc c = GG_CALC("domain_distribute", err);
  gg_layout r;
  gg_tuple one = gg_tuple_int(1);
  if (count < 1) return gg_fail(err, LAYOUT_VALUE, NULL, c.op, "the count must be at least 1");
  r.shape = gg_tuple_flatten(shape);
  if ((c.status = gg_compact_col_major(&r.stride, &r.shape, &one, err))) return c.status;
  GG_EACH_LEAF(i, &r.shape) {
    if (r.shape.nodes[i].value < 1) {
      return gg_fail(err, LAYOUT_VALUE, NULL, c.op, "sizes must be at least 1");
    }
    int64_t part = gg_gcd(r.shape.nodes[i].value, count);
    r.shape.nodes[i].value = part;
    count /= part;
  }
  return gg_layout_coalesce(out, &r, NULL, err);
}
