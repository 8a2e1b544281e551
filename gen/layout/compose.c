/* Composition: out(i) = a(b(i)).
 *
 * It distributes over b's leaves. A leaf s:d walks a's modes from the first: a mode of size n
 * takes ceil(n/d) of the s elements at stride d, and passes the rest on at stride ceil(d/n); the
 * last mode takes all that is left, since a goes on past its end. This is right only while d and
 * n divide one another and the leaf's pieces divide s, which CuTe asserts in a weak form: a
 * stride smaller than the mode need not divide it, and leaves of b are not looked at together.
 *
 * So the answer is checked. See a's flat modes as a mixed-radix system, n(k) the size and P(k)
 * the product of the sizes before mode k. The walk claims i*d = sum of i(m) * c(m) * P(k(m)) over
 * the pieces; the claim and the distribution over leaves hold if
 *
 *     each piece stands where it says:   U * d = c * P(k), U the product of the pieces before it
 *     no digit carries into the next:    sum of (u - 1) * |c| over digit k's pieces < n(k)
 *
 * with all strides of one sign. Where that fails the answer may still be right by luck (a carry
 * that lands on equal offsets): small domains are then compared point by point, inside a's
 * domain, and large ones refused. Source: composition_impl in CuTe's layout.hpp; "Categorical
 * Foundations for CuTe Layouts" (arXiv 2601.05972) for the tractable cases. */
#include <stdio.h>

#include "layout/tiler.h"

enum { compare_limit = 1 << 16 }; /* points */

/* ---- The walk ---------------------------------------------------------------------------- */

typedef struct walk {
  gg_calc calc;
  const gg_layout *a; /* coalesced along b's coprofile */
  const gg_layout *whole_a, *b;
} walk;

static void fail_stride(walk *w, gg_node size, int mode, gg_node stride) {
  if (w->calc.status != GG_OK) return;
  int64_t n = size.value, d = stride.value; /* d >= n, so that n < 0 needs no hint */
  bool hint = n > 0;
  w->calc.status = gg_fail(
      w->calc.err, LAYOUT_STRIDE_DIVIDE, NULL, gg_layout_text(w->whole_a).text,
      gg_layout_text(w->b).text, (long long)d, (long long)n, mode, (long long)(n ? d % n : d),
      hint ? (long long)gg_multiple_below(d, n) : 0, hint ? (long long)gg_multiple_above(d, n) : 0);
}

static void fail_shape(walk *w, gg_node rest, int mode, gg_node taken) {
  if (w->calc.status != GG_OK) return;
  w->calc.status = gg_fail(w->calc.err, LAYOUT_SHAPE_DIVIDE, NULL, gg_layout_text(w->whole_a).text,
                           gg_layout_text(w->b).text, (long long)rest.value, (long long)taken.value,
                           mode, (long long)rest.value, (long long)taken.value,
                           taken.value ? (long long)(rest.value % taken.value) : 0LL);
}

/* Sends one leaf s:d through the modes a.nodes[modes[0 .. count)]. Appends a leaf, or a tuple where
 * more than one mode took a piece. */
static void walk_leaf(walk *w, gg_layout *r, const int *modes, int count, gg_node s, gg_node d) {
  gg_calc *c = &w->calc;
  gg_layout pieces = {0};
  int open = gg_build_open2(c, &pieces);
  for (int k = 0; k + 1 < count && c->status == GG_OK; k++) {
    gg_node n = w->a->shape.nodes[modes[k]], ds = w->a->stride.nodes[modes[k]];
    bool known = !n.dynamic && !d.dynamic;
    if (known && d.value >= n.value && gg_calc_mod(c, d.value, n.value) != 0) {
      fail_stride(w, n, k, d);
    }
    gg_node size = gg_leaf_abs(c, d), next_shape = gg_leaf_ceil_div(c, n, size);
    gg_node next = gg_leaf_ceil_div(c, size, n);
    if (d.value < 0) next.value = -next.value;
    if (!gg_leaf_is(next_shape, 1) && !gg_leaf_is(s, 1)) {
      gg_node taken = gg_leaf_min(next_shape, s);
      if (!taken.dynamic && !s.dynamic && gg_calc_mod(c, s.value, taken.value) != 0) {
        fail_shape(w, s, k, taken);
      }
      gg_build_mode(c, &pieces, taken, gg_leaf_mul(c, d, ds));
      s = gg_leaf_div(c, s, taken);
    }
    d = next;
  }
  if (pieces.shape.count == 1 || !gg_leaf_is(s, 1)) {
    gg_build_mode(c, &pieces, s, gg_leaf_mul(c, d, w->a->stride.nodes[modes[count - 1]]));
  }
  gg_build_close2(&pieces, open);
  if (c->status == GG_OK) gg_build_tree2(c, r, &pieces, pieces.shape.count == 2 ? 1 : 0);
}

/* The node of `t` that a basis names; -1 where there is none. */
static int follow(const gg_tuple *t, gg_node basis) {
  int at = 0;
  for (int i = 0; i < basis.basis_rank; i++) {
    if (basis.basis[i] >= gg_rank_at(t, at)) return -1;
    at = gg_tuple_child(t, at, basis.basis[i]);
  }
  return at;
}

static void compose_leaf(walk *w, gg_layout *r, gg_node s, gg_node d) {
  gg_calc *c = &w->calc;
  int at = follow(&w->a->shape, d), modes[GG_TUPLE_NODES], count = 0;
  if (at < 0) {
    if (c->status == GG_OK) {
      c->status = gg_fail(c->err, LAYOUT_MODE, NULL, c->op, (long long)d.basis[d.basis_rank - 1],
                          gg_layout_text(w->whole_a).text, gg_layout_rank(w->whole_a));
    }
    return;
  }
  d.basis_rank = 0;
  for (int i = at; i < at + w->a->shape.nodes[at].span; i++) {
    if (!gg_is_tuple(&w->a->shape, i)) modes[count++] = i;
  }
  if (gg_leaf_is(d, 0) || count == 0) {
    gg_build_mode(c, r, s, gg_leaf(0));
  } else if (!gg_is_tuple(&w->a->shape, at)) {
    gg_build_mode(c, r, s, gg_leaf_mul(c, d, w->a->stride.nodes[at]));
  } else {
    walk_leaf(w, r, modes, count, s, d);
  }
}

static void compose_tree(walk *w, gg_layout *r, int bt) {
  if (!gg_is_tuple(&w->b->shape, bt)) {
    compose_leaf(w, r, w->b->shape.nodes[bt], w->b->stride.nodes[bt]);
    return;
  }
  int open = gg_build_open2(&w->calc, r);
  GG_EACH_CHILD(child, &w->b->shape, bt) compose_tree(w, r, child);
  gg_build_close2(r, open);
}

gg_status gg_compose(gg_layout *out, const gg_layout *a, const gg_layout *b, gg_error *err) {
  gg_tuple profile;
  gg_layout flat, r = {0};
  gg_status st;
  if ((st = gg_coprofile(&profile, &b->stride, err))) return st;
  if ((st = gg_layout_coalesce_x(&flat, a, &profile, err))) return st;
  walk w = {GG_CALC("composition", err), &flat, a, b};
  compose_tree(&w, &r, 0);
  return gg_calc_layout(&w.calc, out, &r);
}

gg_status gg_layout_composition(gg_layout *out, const gg_layout *a, const gg_layout *b,
                                gg_error *err) {
  gg_layout r;
  gg_status st = gg_compose(&r, a, b, err);
  if (!st) st = gg_check_composition(&r, a, b, err);
  if (!st) *out = r;
  return st;
}

gg_status gg_layout_compose_tiler(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                  gg_error *err) {
  return gg_layout_by_mode("composition", out, a, tiler, false, gg_layout_composition, err);
}

gg_status gg_layout_compose_weakly(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                   gg_error *err) {
  return gg_layout_by_mode("composition", out, a, tiler, false, gg_compose, err);
}

/* ---- The check --------------------------------------------------------------------------- */

/* Adds up in `extents` how far the pieces of one leaf of b reach, for each digit of a. False where
 * a piece does not stand where the walk says, or a number leaves int64. */
static bool add_extents(int64_t *extents, const gg_layout *a, int64_t s, int64_t d) {
  gg_calc c = GG_CALC("composition", NULL);
  int64_t place = 1, units = 1, stride = d < 0 ? -d : d, rest_s = s, rest_d = stride;
  int last = a->shape.count - 1;
  for (int k = 0; k <= last; k++) {
    if (gg_is_tuple(&a->shape, k) || rest_s <= 1) continue;
    int64_t n = a->shape.nodes[k].value;
    int64_t here = k == last ? rest_s : gg_calc_ceil_div(&c, n, rest_d);
    if (here != 1) {
      int64_t taken = here < rest_s ? here : rest_s;
      if (gg_calc_mul(&c, units, stride) != gg_calc_mul(&c, rest_d, place)) return false;
      if (rest_s % taken != 0) return false;
      extents[k] = gg_calc_add(&c, extents[k], gg_calc_mul(&c, taken - 1, rest_d));
      units = gg_calc_mul(&c, units, taken);
      rest_s /= taken;
    }
    if (k == last) break;
    rest_d = gg_calc_ceil_div(&c, rest_d, n);
    place = gg_calc_mul(&c, place, n);
  }
  return c.status == GG_OK;
}

/* Whether the two conditions in the comment at the top hold, for a flat `a`. */
static bool never_carries(const gg_layout *a, const gg_layout *b) {
  int64_t extents[GG_TUPLE_NODES] = {0};
  bool up = false, down = false;
  GG_EACH_LEAF(i, &a->shape) {
    if (a->shape.nodes[i].value < 1) return false;
  }
  GG_EACH_LEAF(i, &b->shape) {
    int64_t s = b->shape.nodes[i].value, d = b->stride.nodes[i].value;
    if (s < 1 || d == INT64_MIN) return false;
    if (s == 1 || d == 0) continue;
    up |= d > 0;
    down |= d < 0;
    if (!add_extents(extents, a, s, d)) return false;
  }
  for (int k = 0; k + 1 < a->shape.count; k++) {
    if (!gg_is_tuple(&a->shape, k) && extents[k] >= a->shape.nodes[k].value) return false;
  }
  return !(up && down);
}

/* The layout with every stride set to 0 that is not along the path of `like`, and that path
 * dropped. */
static gg_layout along(const gg_layout *a, gg_node like) {
  gg_layout r = *a;
  GG_EACH_LEAF(i, &r.stride) {
    gg_node *d = &r.stride.nodes[i];
    gg_node unit = *d;
    unit.value = like.value;
    unit.dynamic = like.dynamic;
    *d = gg_leaf(gg_leaf_equal(unit, like) ? d->value : 0);
  }
  return r;
}

static gg_status fail_function(const gg_layout *result, const gg_layout *a, const gg_layout *b,
                               int64_t index, gg_error *err) {
  char detail[240];
  if (index < 0) {
    snprintf(detail, sizeof detail,
             "modes of the right carry past a mode of the left, and the domain of %lld points is "
             "too large to compare",
             (long long)gg_layout_size(b));
  } else {
    snprintf(detail, sizeof detail, "%.100s is %lld at index %lld where the function is %lld",
             gg_layout_text(result).text, (long long)gg_layout_at(result, index), (long long)index,
             (long long)gg_layout_at(a, gg_layout_at(b, index)));
  }
  return gg_fail(err, LAYOUT_FUNCTION, NULL, "composition", gg_layout_text(a).text,
                 gg_layout_text(b).text, detail);
}

/* Compares the result point by point, inside a's domain. For integer layouts. */
static gg_status compare_points(const gg_layout *result, const gg_layout *a, const gg_layout *b,
                                gg_error *err) {
  int64_t size = gg_layout_size(b), domain = gg_layout_size(a);
  if (size > compare_limit) return fail_function(result, a, b, -1, err);
  for (int64_t i = 0; i < size; i++) {
    int64_t x = gg_layout_at(b, i);
    if (x < 0 || x >= domain || gg_layout_at(result, i) == gg_layout_at(a, x)) continue;
    return fail_function(result, a, b, i, err);
  }
  return GG_OK;
}

/* Checks the composition with an integer b. Where the offsets of a are coordinates, it is checked
 * for each of their components. */
static gg_status check_integer(const gg_layout *result, const gg_layout *a, const gg_layout *b,
                               gg_error *err) {
  gg_layout flat;
  gg_status st = gg_layout_coalesce_x(&flat, a, NULL, err);
  if (st || never_carries(&flat, b)) return st;
  if (!gg_layout_has_basis(a)) return compare_points(result, a, b, err);
  GG_EACH_LEAF(i, &a->stride) {
    gg_layout r = along(result, a->stride.nodes[i]), component = along(a, a->stride.nodes[i]);
    if ((st = compare_points(&r, &component, b, err))) return st;
  }
  return GG_OK;
}

/* Where b has bases, each of its leaves goes to one mode of a. The leaves with the same target are
 * checked together against that mode, as integers. For each leaf of b, the result has a tree. */
gg_status gg_check_composition(const gg_layout *result, const gg_layout *a, const gg_layout *b,
                               gg_error *err) {
  if (!gg_layout_has_basis(b)) return check_integer(result, a, b, err);
  gg_calc c = GG_CALC("composition", err);
  bool done[GG_TUPLE_NODES] = {false};
  GG_EACH_LEAF(first, &b->stride) {
    if (done[first]) continue;
    gg_node target = b->stride.nodes[first];
    gg_layout bs = {0}, rs = {0};
    int open = gg_build_open2(&c, &bs), at = 0;
    gg_build_open2(&c, &rs);
    for (int i = 0; i < b->shape.count; i++) {
      bool tuple = gg_is_tuple(&b->shape, i);
      gg_node d = b->stride.nodes[i], unit = d;
      unit.value = target.value;
      unit.dynamic = target.dynamic;
      if (!tuple && gg_leaf_equal(unit, target)) {
        d.basis_rank = 0;
        gg_build_mode(&c, &bs, b->shape.nodes[i], d);
        gg_build_tree2(&c, &rs, result, at);
        done[i] = true;
      }
      at += tuple ? 1 : result->shape.nodes[at].span;
    }
    gg_build_close2(&bs, open);
    gg_build_close2(&rs, open);
    int mode = follow(&a->shape, target);
    if (c.status != GG_OK || mode < 0) return c.status;
    gg_layout sub = gg_layout_sub(a, mode);
    if ((c.status = check_integer(&rs, &sub, &bs, err))) return c.status;
  }
  return c.status;
}
