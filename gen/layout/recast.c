/* Recasting: the layout of the same memory in wider or narrower elements. Source: upcast,
 * downcast and recast_layout in CuTe's layout.hpp. */
#include "layout/calc.h"

static gg_status check_factor(const char *op, const gg_layout *a, int64_t n, gg_error *err) {
  if (n < 1) return gg_fail(err, LAYOUT_VALUE, NULL, op, "the factor must be at least 1");
  return gg_layout_has_basis(a) ? gg_fail(err, LAYOUT_BASIS, NULL, op) : GG_OK;
}

/* Recasts one mode to elements n times as large. A mode of stride n or more keeps its size; of a
 * smaller stride, n/stride neighbours become one element. CuTe takes a dynamic stride for the
 * larger case; ours has a value that can be checked. */
static void upcast_mode(gg_calc *c, gg_node *s, gg_node *d, int64_t n) {
  int64_t size = gg_calc_abs(c, d->value);
  if (gg_leaf_is(*d, 0) || c->status != GG_OK) return;
  bool coarse = size % n == 0, fine = !d->dynamic && size > 0 && n % size == 0;
  if (!coarse && !fine) {
    c->status = gg_fail(c->err, LAYOUT_UPCAST, NULL, (long long)n, (long long)d->value);
    return;
  }
  if (d->dynamic) {
    d->value /= n;
    return;
  }
  *s = gg_leaf_ceil_div(c, *s, gg_leaf(gg_calc_ceil_div(c, n, size)));
  d->value = (d->value < 0 ? -1 : 1) * gg_calc_ceil_div(c, size, n);
}

gg_status gg_layout_upcast(gg_layout *out, const gg_layout *a, int64_t n, gg_error *err) {
  gg_calc c = GG_CALC("upcast", err);
  gg_layout r = *a;
  if ((c.status = check_factor(c.op, a, n, err))) return c.status;
  GG_EACH_LEAF(i, &r.shape) upcast_mode(&c, &r.shape.nodes[i], &r.stride.nodes[i], n);
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_layout_downcast(gg_layout *out, const gg_layout *a, int64_t n, gg_error *err) {
  gg_calc c = GG_CALC("downcast", err);
  gg_layout r = *a;
  gg_node factor = gg_leaf(n);
  bool adjacent = false;
  if ((c.status = check_factor(c.op, a, n, err))) return c.status;
  GG_EACH_LEAF(i, &r.stride) {
    gg_node *s = &r.shape.nodes[i], *d = &r.stride.nodes[i];
    bool unit = gg_leaf_is(*d, 1) || gg_leaf_is(*d, -1);
    adjacent |= gg_leaf_is(*d, 1);
    gg_node *scaled = unit ? s : d;
    *scaled = gg_leaf_mul(&c, *scaled, factor);
  }
  if (!adjacent) return gg_fail(err, LAYOUT_DOWNCAST, NULL, gg_layout_text(a).text, (long long)n);
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_layout_recast(gg_layout *out, const gg_layout *a, int64_t old_bits, int64_t new_bits,
                           gg_error *err) {
  if (old_bits < 1 || new_bits < 1) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "recast_layout", "element sizes are at least 1 bit");
  }
  int64_t common = gg_gcd(old_bits, new_bits), up = new_bits / common, down = old_bits / common;
  gg_layout r = *a;
  gg_status st = GG_OK;
  if (up != 1) st = gg_layout_upcast(&r, &r, up, err);
  if (!st && down != 1) st = gg_layout_downcast(&r, &r, down, err);
  if (!st) *out = r;
  return st;
}
