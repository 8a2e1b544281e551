/* Checked arithmetic on leaves, and trees built in pre-order; see calc.h. */
#include "layout/calc.h"

#include <string.h>

/* ---- Integers ---------------------------------------------------------------------------- */

static int64_t overflow(gg_calc *c, int64_t a, const char *sign, int64_t b) {
  if (c->status == GG_OK) {
    c->status = gg_fail(c->err, LAYOUT_OVERFLOW, NULL, c->op, (long long)a, sign, (long long)b);
  }
  return 1;
}

static int64_t divided_by_zero(gg_calc *c, int64_t a) {
  if (c->status == GG_OK) {
    c->status = gg_fail(c->err, LAYOUT_ZERO, NULL, c->op, (long long)a);
  }
  return 1;
}

int64_t gg_calc_add(gg_calc *c, int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? overflow(c, a, "+", b) : sum;
}

int64_t gg_calc_sub(gg_calc *c, int64_t a, int64_t b) {
  int64_t difference;
  return __builtin_sub_overflow(a, b, &difference) ? overflow(c, a, "-", b) : difference;
}

int64_t gg_calc_mul(gg_calc *c, int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? overflow(c, a, "x", b) : product;
}

int64_t gg_calc_div(gg_calc *c, int64_t a, int64_t b) {
  if (b == 0) return divided_by_zero(c, a);
  return b == -1 ? gg_calc_sub(c, 0, a) : a / b;
}

int64_t gg_calc_mod(gg_calc *c, int64_t a, int64_t b) {
  if (b == 0) return divided_by_zero(c, a);
  return b == -1 ? 0 : a % b;
}

int64_t gg_calc_ceil_div(gg_calc *c, int64_t a, int64_t b) {
  if (b == 0) return divided_by_zero(c, a);
  return gg_calc_div(c, gg_calc_sub(c, gg_calc_add(c, a, b), 1), b);
}

int64_t gg_calc_abs(gg_calc *c, int64_t a) {
  return a < 0 ? gg_calc_sub(c, 0, a) : a;
}

int64_t gg_gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

int64_t gg_multiple_below(int64_t value, int64_t step) {
  return value / step * step;
}

int64_t gg_multiple_above(int64_t value, int64_t step) {
  int64_t below = gg_multiple_below(value, step);
  return below > INT64_MAX - step ? below : below + step;
}

/* ---- Leaves ------------------------------------------------------------------------------ */

gg_node gg_leaf(int64_t value) {
  return (gg_node){.value = value, .kind = GG_NODE_INT, .span = 1};
}

bool gg_leaf_is(gg_node leaf, int64_t value) {
  return leaf.kind == GG_NODE_INT && leaf.value == value && !leaf.dynamic && !leaf.basis_rank;
}

bool gg_leaf_equal(gg_node a, gg_node b) {
  if (a.kind != b.kind || a.basis_rank != b.basis_rank) return false;
  if (a.kind != GG_NODE_INT) return true;
  return a.value == b.value && a.dynamic == b.dynamic &&
         memcmp(a.basis, b.basis, a.basis_rank) == 0;
}

/* `value` as a leaf with the basis path of a or b, whichever of them has one. Both having one is an
 * error. */
static gg_node mixed(gg_calc *c, int64_t value, gg_node a, gg_node b) {
  gg_node leaf = a.basis_rank ? a : b;
  if (a.basis_rank && b.basis_rank && c->status == GG_OK) {
    c->status = gg_fail(c->err, LAYOUT_BASIS, NULL, c->op);
  }
  leaf.kind = GG_NODE_INT;
  leaf.value = value;
  leaf.dynamic = a.dynamic || b.dynamic;
  return leaf;
}

gg_node gg_leaf_mul(gg_calc *c, gg_node a, gg_node b) {
  gg_node leaf = mixed(c, gg_calc_mul(c, a.value, b.value), a, b);
  bool static_zero = (a.value == 0 && !a.dynamic) || (b.value == 0 && !b.dynamic);
  if (static_zero) leaf.dynamic = false;
  return leaf;
}

gg_node gg_leaf_div(gg_calc *c, gg_node a, gg_node b) {
  gg_node leaf = mixed(c, gg_calc_div(c, a.value, b.value), a, b);
  if (a.value == 0 && !a.dynamic) leaf.dynamic = false;
  return leaf;
}

gg_node gg_leaf_ceil_div(gg_calc *c, gg_node a, gg_node b) {
  return mixed(c, gg_calc_ceil_div(c, a.value, b.value), a, b);
}

gg_node gg_leaf_abs(gg_calc *c, gg_node a) {
  a.value = gg_calc_abs(c, a.value);
  return a;
}

gg_node gg_leaf_min(gg_node a, gg_node b) {
  gg_node leaf = gg_leaf(a.value < b.value ? a.value : b.value);
  leaf.dynamic = a.dynamic || b.dynamic;
  return leaf;
}

/* ---- Building ---------------------------------------------------------------------------- */

static bool reserve(gg_calc *c, gg_tuple *t, int nodes) {
  if (c->status != GG_OK) return false;
  if (t->count + nodes <= GG_TUPLE_NODES) return true;
  c->status = gg_fail(c->err, LAYOUT_CAPACITY, NULL, c->op, (int)GG_TUPLE_NODES);
  return false;
}

int gg_build_open(gg_calc *c, gg_tuple *t) {
  if (!reserve(c, t, 1)) return 0;
  t->nodes[t->count] = (gg_node){.kind = GG_NODE_TUPLE, .span = 1};
  return t->count++;
}

void gg_build_close(gg_tuple *t, int at) {
  t->nodes[at].span = (uint8_t)(t->count - at);
}

void gg_build_leaf(gg_calc *c, gg_tuple *t, gg_node leaf) {
  if (!reserve(c, t, 1)) return;
  leaf.span = 1;
  t->nodes[t->count++] = leaf;
}

static void copy_nodes(gg_calc *c, gg_tuple *t, const gg_tuple *from, int begin, int end) {
  if (!reserve(c, t, end - begin)) return;
  memcpy(t->nodes + t->count, from->nodes + begin, (size_t)(end - begin) * sizeof(gg_node));
  t->count += end - begin;
}

void gg_build_tree(gg_calc *c, gg_tuple *t, const gg_tuple *from, int at) {
  copy_nodes(c, t, from, at, at + from->nodes[at].span);
}

void gg_build_children(gg_calc *c, gg_tuple *t, const gg_tuple *from, int at) {
  copy_nodes(c, t, from, at + gg_is_tuple(from, at), at + from->nodes[at].span);
}

int gg_build_open2(gg_calc *c, gg_layout *a) {
  gg_build_open(c, &a->shape);
  return gg_build_open(c, &a->stride);
}

void gg_build_close2(gg_layout *a, int at) {
  gg_build_close(&a->shape, at);
  gg_build_close(&a->stride, at);
}

void gg_build_mode(gg_calc *c, gg_layout *a, gg_node shape, gg_node stride) {
  gg_build_leaf(c, &a->shape, shape);
  gg_build_leaf(c, &a->stride, stride);
}

void gg_build_tree2(gg_calc *c, gg_layout *a, const gg_layout *from, int at) {
  gg_build_tree(c, &a->shape, &from->shape, at);
  gg_build_tree(c, &a->stride, &from->stride, at);
}

void gg_build_children2(gg_calc *c, gg_layout *a, const gg_layout *from, int at) {
  gg_build_children(c, &a->shape, &from->shape, at);
  gg_build_children(c, &a->stride, &from->stride, at);
}

/* Copies the subtree at `at`. A tree has room for many nodes and uses few; only those are copied.
 */
static void copy_tree(gg_tuple *out, const gg_tuple *from, int at) {
  out->count = from->nodes[at].span;
  memmove(out->nodes, from->nodes + at, (size_t)out->count * sizeof(gg_node));
}

gg_tuple gg_tuple_sub(const gg_tuple *t, int at) {
  gg_tuple sub;
  copy_tree(&sub, t, at);
  return sub;
}

gg_layout gg_layout_sub(const gg_layout *a, int at) {
  gg_layout sub;
  copy_tree(&sub.shape, &a->shape, at);
  copy_tree(&sub.stride, &a->stride, at);
  return sub;
}

gg_status gg_calc_tuple(gg_calc *c, gg_tuple *out, const gg_tuple *result) {
  if (c->status == GG_OK) copy_tree(out, result, 0);
  return c->status;
}

/* Finishes a layout after checking it: the product of its sizes and the sum of its extents bound
 * every partial result, too. */
gg_status gg_calc_layout(gg_calc *c, gg_layout *out, const gg_layout *result) {
  if (c->status != GG_OK) return c->status;
  int64_t size = 1, extent = 1;
  GG_EACH_LEAF(i, &result->shape) {
    int64_t s = result->shape.nodes[i].value, d = result->stride.nodes[i].value;
    if (s != 0) size = gg_calc_mul(c, size, s);
    int64_t last = gg_calc_abs(c, gg_calc_sub(c, s, 1));
    extent = gg_calc_add(c, extent, gg_calc_mul(c, last, gg_calc_abs(c, d)));
  }
  if (c->status == GG_OK) {
    copy_tree(&out->shape, &result->shape, 0);
    copy_tree(&out->stride, &result->stride, 0);
  }
  return c->status;
}

/* ---- Walking ----------------------------------------------------------------------------- */

int gg_rank_at(const gg_tuple *t, int at) {
  int rank = 0;
  GG_EACH_CHILD(child, t, at) rank++;
  return rank;
}

gg_node gg_product_at(gg_calc *c, const gg_tuple *t, int at) {
  gg_node product = gg_leaf(1);
  for (int i = at; i < at + t->nodes[at].span; i++) {
    if (!gg_is_tuple(t, i)) product = gg_leaf_mul(c, product, t->nodes[i]);
  }
  return product;
}

/* ---- Texts for messages ------------------------------------------------------------------- */

static gg_text cut(gg_str *str) {
  gg_text out;
  const char *text = gg_str_shown(str);
  size_t room = sizeof out.text - 4, whole = strlen(text);
  size_t length = whole < room ? whole : room;
  memcpy(out.text, text, length);
  memcpy(out.text + length, whole > room ? "..." : "", whole > room ? 4 : 1);
  gg_str_free(str);
  return out;
}

gg_text gg_tuple_text(const gg_tuple *t) {
  gg_str str = GG_STR_INIT;
  gg_tuple_print(&str, t, GG_NOTATION_PLAIN);
  return cut(&str);
}

gg_text gg_layout_text(const gg_layout *a) {
  gg_str str = GG_STR_INIT;
  gg_layout_print(&str, a, GG_NOTATION_PLAIN);
  return cut(&str);
}
