/* Coalesce and filter: the same function in fewer modes.
 *
 * Coalescing walks the flat modes from the last to the first and looks at each mode (s,d) and at
 * the front (s1,d1) of what is built so far:
 *
 *     s = 1               skip it
 *     front is 1          replace the front
 *     s * d = d1          merge into (s * s1, d)
 *     otherwise           put it in front
 *
 * Only static sizes and strides are known to match. Source: bw_coalesce in CuTe's layout.hpp. */
#include "layout/tiler.h"

typedef struct mode_stack {
  gg_node shape[GG_TUPLE_NODES], stride[GG_TUPLE_NODES];
  int front; /* modes are at front .. GG_TUPLE_NODES - 1 */
} mode_stack;

static void coalesce_mode(gg_calc *c, mode_stack *m, gg_node s, gg_node d) {
  int f = m->front;
  if (gg_leaf_is(s, 1)) return;
  if (f == GG_TUPLE_NODES - 1 && gg_leaf_is(m->shape[f], 1)) {
    m->shape[f] = s;
    m->stride[f] = d;
    return;
  }
  gg_calc probe = GG_CALC(c->op, NULL); /* a product that overflows is no match, and no error */
  gg_node next = gg_leaf_mul(&probe, s, d);
  bool known = !next.dynamic && !m->stride[f].dynamic && !m->shape[f].dynamic;
  if (known && probe.status == GG_OK && gg_leaf_equal(next, m->stride[f])) {
    m->shape[f] = gg_leaf_mul(c, s, m->shape[f]);
    m->stride[f] = d;
    return;
  }
  m->front = --f;
  m->shape[f] = s;
  m->stride[f] = d;
}

/* Coalesces a layout. `beyond` keeps the function past the layout's end as well: a last mode of
 * size 1 then goes on with its own stride, as if its size were 2. */
static gg_status coalesce(gg_layout *out, const gg_layout *a, bool beyond, gg_error *err) {
  gg_calc c = GG_CALC("coalesce", err);
  mode_stack m = {.front = GG_TUPLE_NODES};
  for (int i = a->shape.count; i-- > 0;) {
    if (gg_is_tuple(&a->shape, i)) continue;
    gg_node s = a->shape.nodes[i], d = a->stride.nodes[i];
    if (m.front < GG_TUPLE_NODES) {
      coalesce_mode(&c, &m, s, d);
    } else {
      m.front--;
      m.shape[m.front] = beyond && gg_leaf_is(s, 1) ? gg_leaf(2) : s;
      m.stride[m.front] = d;
    }
  }
  gg_layout r = {0};
  int last = GG_TUPLE_NODES - 1;
  if (m.front > last || (m.front == last && gg_leaf_is(m.shape[last], 1))) {
    r = gg_layout_flat(1, 0);
  } else {
    int open = m.front < last ? gg_build_open2(&c, &r) : -1;
    for (int i = m.front; i <= last; i++)
      gg_build_mode(&c, &r, m.shape[i], m.stride[i]);
    if (open >= 0) gg_build_close2(&r, open);
  }
  return gg_calc_layout(&c, out, &r);
}

static gg_status coalesce_tile(gg_layout *out, const gg_layout *mode, const gg_layout *tile,
                               gg_error *err) {
  (void)tile;
  return coalesce(out, mode, false, err);
}

static gg_status coalesce_x_tile(gg_layout *out, const gg_layout *mode, const gg_layout *tile,
                                 gg_error *err) {
  (void)tile;
  return coalesce(out, mode, true, err);
}

static gg_status filter_tile(gg_layout *out, const gg_layout *mode, const gg_layout *tile,
                             gg_error *err) {
  (void)tile;
  gg_status st = gg_layout_filter_zeros(out, mode, NULL, err);
  return st ? st : coalesce(out, out, false, err);
}

/* Applies fn to the modes of `a` at the leaves of a profile, whatever the leaves' values; a profile
 * of NULL is one leaf. */
static gg_status by_profile(const char *op, gg_layout *out, const gg_layout *a,
                            const gg_tuple *profile, gg_mode_fn fn, gg_error *err) {
  if (!profile) return fn(out, a, a, err);
  gg_tuple zero = gg_tuple_int(0), leaves;
  gg_status st = gg_tuple_repeat_like(&leaves, profile, &zero, err);
  if (st) return st;
  gg_tiler tiler = gg_tiler_of_shape(&leaves);
  return gg_layout_by_mode(op, out, a, &tiler, true, fn, err);
}

gg_status gg_layout_coalesce(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                             gg_error *err) {
  return by_profile("coalesce", out, a, profile, coalesce_tile, err);
}

gg_status gg_layout_coalesce_x(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                               gg_error *err) {
  return by_profile("composition", out, a, profile, coalesce_x_tile, err);
}

gg_status gg_layout_filter(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                           gg_error *err) {
  return by_profile("filter", out, a, profile, filter_tile, err);
}

gg_status gg_layout_filter_zeros(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                                 gg_error *err) {
  gg_layout r = *a;
  gg_status st = gg_tuple_filter_zeros(&r.shape, profile ? profile : &a->stride, &a->shape, err);
  if (!st) *out = r;
  return st;
}
