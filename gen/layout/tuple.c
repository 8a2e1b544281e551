/* Int tuples: making, asking, structure. Arithmetic and coordinates are in tuple_math.c. */
#include "layout/tuple.h"

#include "layout/calc.h"

/* ---- Making ------------------------------------------------------------------------------ */

static gg_tuple of_leaf(gg_node leaf) {
  gg_tuple t; /* nodes beyond `count` mean nothing and are not cleared */
  t.count = 1;
  t.nodes[0] = leaf;
  return t;
}

gg_tuple gg_tuple_int(int64_t value) {
  return of_leaf(gg_leaf(value));
}

gg_tuple gg_tuple_keep(void) {
  return of_leaf((gg_node){.kind = GG_NODE_KEEP, .span = 1});
}

gg_tuple gg_tuple_empty(void) {
  return of_leaf((gg_node){.kind = GG_NODE_TUPLE, .span = 1});
}

gg_tuple gg_tuple_make(int rank, const int64_t *values) {
  gg_tuple t = gg_tuple_empty();
  for (int i = 0; i < rank && i < GG_TUPLE_NODES - 1; i++) {
    t.nodes[t.count++] = gg_leaf(values[i]);
  }
  t.nodes[0].span = (uint8_t)t.count;
  return t;
}

gg_status gg_tuple_pair(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err) {
  gg_calc c = GG_CALC("make_tuple", err);
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  gg_build_tree(&c, &r, a, 0);
  gg_build_tree(&c, &r, b, 0);
  gg_build_close(&r, at);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_repeat(gg_tuple *out, int count, const gg_tuple *x, gg_error *err) {
  gg_calc c = GG_CALC("repeat", err);
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  for (int i = 0; i < count && c.status == GG_OK; i++)
    gg_build_tree(&c, &r, x, 0);
  gg_build_close(&r, at);
  return gg_calc_tuple(&c, out, &r);
}

static void repeat_like(gg_calc *c, gg_tuple *r, const gg_tuple *like, int at, const gg_tuple *x) {
  if (!gg_is_tuple(like, at)) {
    gg_build_tree(c, r, x, 0);
    return;
  }
  int open = gg_build_open(c, r);
  GG_EACH_CHILD(child, like, at) repeat_like(c, r, like, child, x);
  gg_build_close(r, open);
}

gg_status gg_tuple_repeat_like(gg_tuple *out, const gg_tuple *like, const gg_tuple *x,
                               gg_error *err) {
  gg_calc c = GG_CALC("repeat_like", err);
  gg_tuple r = {0};
  repeat_like(&c, &r, like, 0, x);
  return gg_calc_tuple(&c, out, &r);
}

/* Appends the basis vectors of a shape's leaves. `unit`: the path to node `at`. */
static void basis_like(gg_calc *c, gg_tuple *r, const gg_tuple *shape, int at, gg_node unit) {
  if (!gg_is_tuple(shape, at)) {
    gg_build_leaf(c, r, unit);
    return;
  }
  int open = gg_build_open(c, r), mode = 0;
  if (unit.basis_rank == GG_BASIS_RANK && c->status == GG_OK) {
    c->status = gg_fail(c->err, LAYOUT_CAPACITY, NULL, c->op, (int)GG_BASIS_RANK);
  }
  GG_EACH_CHILD(child, shape, at) {
    if (c->status != GG_OK) return;
    gg_node next = unit;
    next.basis[next.basis_rank++] = (uint8_t)mode++;
    basis_like(c, r, shape, child, next);
  }
  gg_build_close(r, open);
}

gg_status gg_tuple_basis_like(gg_tuple *out, const gg_tuple *shape, gg_error *err) {
  gg_calc c = GG_CALC("make_basis_like", err);
  gg_tuple r = {0};
  basis_like(&c, &r, shape, 0, gg_leaf(1));
  return gg_calc_tuple(&c, out, &r);
}

/* ---- Asking ------------------------------------------------------------------------------ */

bool gg_tuple_is_int(const gg_tuple *t) {
  return !gg_is_tuple(t, 0);
}

int gg_tuple_rank(const gg_tuple *t) {
  return gg_rank_at(t, 0);
}

static int depth_at(const gg_tuple *t, int at) {
  if (!gg_is_tuple(t, at)) return 0;
  int depth = 0;
  GG_EACH_CHILD(child, t, at) {
    int below = depth_at(t, child);
    if (below > depth) depth = below;
  }
  return depth + 1;
}

int gg_tuple_depth(const gg_tuple *t) {
  return depth_at(t, 0);
}

int gg_tuple_leaves(const gg_tuple *t) {
  int leaves = 0;
  GG_EACH_LEAF(i, t) leaves++;
  return leaves;
}

bool gg_tuple_has_keep(const gg_tuple *t) {
  GG_EACH_LEAF(i, t) {
    if (t->nodes[i].kind == GG_NODE_KEEP) return true;
  }
  return false;
}

int gg_tuple_child(const gg_tuple *t, int at, int index) {
  int count = 0;
  GG_EACH_CHILD(child, t, at) {
    if (count++ == index) return child;
  }
  return at;
}

int64_t gg_tuple_value(const gg_tuple *t, int index) {
  return t->nodes[gg_tuple_child(t, 0, index)].value;
}

bool gg_tuple_congruent(const gg_tuple *a, const gg_tuple *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++) {
    if (gg_is_tuple(a, i) != gg_is_tuple(b, i) || a->nodes[i].span != b->nodes[i].span) {
      return false;
    }
  }
  return true;
}

bool gg_tuple_equal(const gg_tuple *a, const gg_tuple *b) {
  if (!gg_tuple_congruent(a, b)) return false;
  GG_EACH_LEAF(i, a) {
    if (!gg_leaf_equal(a->nodes[i], b->nodes[i])) return false;
  }
  return true;
}

static bool weakly_congruent(const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  if (!gg_is_tuple(a, at)) return true;
  if (!gg_is_tuple(b, bt) || gg_rank_at(a, at) != gg_rank_at(b, bt)) return false;
  int other = bt + 1;
  GG_EACH_CHILD(child, a, at) {
    if (!weakly_congruent(a, child, b, other)) return false;
    other += b->nodes[other].span;
  }
  return true;
}

bool gg_tuple_weakly_congruent(const gg_tuple *a, const gg_tuple *b) {
  return weakly_congruent(a, 0, b, 0);
}

/* ---- Orders: negative, zero or positive as a comes before b ------------------------------- */

static int compare_leaves(gg_node a, gg_node b) {
  return (a.value > b.value) - (a.value < b.value);
}

/* Compares two tuples. `backward`: the last modes are compared first. Modes that only one tuple has
 * decide last. */
static int compare(const gg_tuple *a, int at, const gg_tuple *b, int bt, bool backward) {
  if (!gg_is_tuple(a, at) && !gg_is_tuple(b, bt)) {
    return compare_leaves(a->nodes[at], b->nodes[bt]);
  }
  int ranks[2] = {gg_rank_at(a, at), gg_rank_at(b, bt)};
  for (int i = 0; i < ranks[0] && i < ranks[1]; i++) {
    int order = compare(a, gg_tuple_child(a, at, backward ? ranks[0] - 1 - i : i), b,
                        gg_tuple_child(b, bt, backward ? ranks[1] - 1 - i : i), backward);
    if (order) return order;
  }
  return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1]);
}

bool gg_tuple_lex_less(const gg_tuple *a, const gg_tuple *b) {
  return compare(a, 0, b, 0, false) < 0;
}

bool gg_tuple_colex_less(const gg_tuple *a, const gg_tuple *b) {
  return compare(a, 0, b, 0, true) < 0;
}

static bool elem_less(const gg_tuple *a, int at, const gg_tuple *b, int bt) {
  if (!gg_is_tuple(a, at) && !gg_is_tuple(b, bt)) return a->nodes[at].value < b->nodes[bt].value;
  if (gg_rank_at(a, at) > gg_rank_at(b, bt)) return false;
  int index = 0;
  GG_EACH_CHILD(child, a, at) {
    if (!elem_less(a, child, b, gg_tuple_child(b, bt, index++))) return false;
  }
  return true;
}

bool gg_tuple_elem_less(const gg_tuple *a, const gg_tuple *b) {
  return elem_less(a, 0, b, 0);
}

/* ---- Structure --------------------------------------------------------------------------- */

static gg_status check_mode(const char *op, const gg_tuple *t, int64_t mode, gg_error *err) {
  int rank = gg_tuple_rank(t);
  if (mode >= 0 && mode < rank) return GG_OK;
  return gg_fail(err, LAYOUT_MODE, NULL, op, (long long)mode, gg_tuple_text(t).text, rank);
}

gg_status gg_tuple_get(gg_tuple *out, const gg_tuple *t, int index, gg_error *err) {
  gg_status st = check_mode("get", t, index, err);
  if (st) return st;
  *out = gg_tuple_sub(t, gg_tuple_child(t, 0, index));
  return GG_OK;
}

gg_status gg_tuple_at(gg_tuple *out, const gg_tuple *t, const gg_tuple *path, gg_error *err) {
  gg_tuple r = *t, modes = gg_tuple_flatten(path);
  gg_status st;
  GG_EACH_LEAF(i, &modes) {
    int64_t mode = modes.nodes[i].value;
    if ((st = check_mode("get", &r, mode, err))) return st;
    r = gg_tuple_sub(&r, gg_tuple_child(&r, 0, (int)mode));
  }
  *out = r;
  return GG_OK;
}

/* Appends the modes [begin, end) of t, as far as t has them. */
static void build_range(gg_calc *c, gg_tuple *r, const gg_tuple *t, int begin, int end) {
  int index = 0;
  GG_EACH_CHILD(child, t, 0) {
    if (index >= begin && index < end) gg_build_tree(c, r, t, child);
    index++;
  }
}

static gg_status check_range(const char *op, const gg_tuple *t, int begin, int *end,
                             gg_error *err) {
  int rank = gg_tuple_rank(t);
  if (*end == -1) *end = rank;
  if (begin >= 0 && begin < *end && *end <= rank) return GG_OK;
  return gg_fail(err, LAYOUT_RANGE, NULL, op, begin, *end, gg_tuple_text(t).text, rank);
}

gg_status gg_tuple_take(gg_tuple *out, const gg_tuple *t, int begin, int end, gg_error *err) {
  gg_calc c = GG_CALC("take", err);
  if ((c.status = check_range("take", t, begin, &end, err))) return c.status;
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  build_range(&c, &r, t, begin, end);
  gg_build_close(&r, at);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_select(gg_tuple *out, const gg_tuple *t, const gg_tuple *modes, gg_error *err) {
  gg_calc c = GG_CALC("select", err);
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  GG_EACH_LEAF(i, modes) {
    int64_t mode = modes->nodes[i].value;
    if ((c.status = check_mode("select", t, mode, err))) return c.status;
    gg_build_tree(&c, &r, t, gg_tuple_child(t, 0, (int)mode));
    if (c.status != GG_OK) return c.status;
  }
  gg_build_close(&r, at);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_group(gg_tuple *out, const gg_tuple *t, int begin, int end, gg_error *err) {
  gg_calc c = GG_CALC("group_modes", err);
  if ((c.status = check_range("group_modes", t, begin, &end, err))) return c.status;
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  build_range(&c, &r, t, 0, begin);
  int group = gg_build_open(&c, &r);
  build_range(&c, &r, t, begin, end);
  gg_build_close(&r, group);
  build_range(&c, &r, t, end, gg_tuple_rank(t));
  gg_build_close(&r, at);
  return gg_calc_tuple(&c, out, &r);
}

/* Makes (t..., x * count) or, with `front`, (x * count, t...). */
static gg_status extend(gg_calc *c, gg_tuple *out, const gg_tuple *t, int count, const gg_tuple *x,
                        bool front) {
  gg_tuple r = {0};
  int at = gg_build_open(c, &r);
  if (!front) gg_build_children(c, &r, t, 0);
  for (int i = 0; i < count && c->status == GG_OK; i++)
    gg_build_tree(c, &r, x, 0);
  if (front) gg_build_children(c, &r, t, 0);
  gg_build_close(&r, at);
  return gg_calc_tuple(c, out, &r);
}

gg_status gg_tuple_append(gg_tuple *out, const gg_tuple *t, const gg_tuple *x, gg_error *err) {
  gg_calc c = GG_CALC("append", err);
  return extend(&c, out, t, 1, x, false);
}

gg_status gg_tuple_prepend(gg_tuple *out, const gg_tuple *t, const gg_tuple *x, gg_error *err) {
  gg_calc c = GG_CALC("prepend", err);
  return extend(&c, out, t, 1, x, true);
}

static gg_status extend_to(const char *op, gg_tuple *out, const gg_tuple *t, int rank,
                           const gg_tuple *x, bool front, gg_error *err) {
  gg_calc c = GG_CALC(op, err);
  int have = gg_tuple_rank(t);
  if (have > rank) {
    return gg_fail(err, LAYOUT_RANK, NULL, op, gg_tuple_text(t).text, have, "the result", rank);
  }
  if (have == rank) {
    *out = *t;
    return GG_OK;
  }
  return extend(&c, out, t, rank - have, x, front);
}

gg_status gg_tuple_append_to(gg_tuple *out, const gg_tuple *t, int rank, const gg_tuple *x,
                             gg_error *err) {
  return extend_to("append", out, t, rank, x, false, err);
}

gg_status gg_tuple_prepend_to(gg_tuple *out, const gg_tuple *t, int rank, const gg_tuple *x,
                              gg_error *err) {
  return extend_to("prepend", out, t, rank, x, true, err);
}

/* Makes the tuple of the modes [0, begin), x unless it is NULL, and the modes [end, rank). */
static gg_status splice(const char *op, gg_tuple *out, const gg_tuple *t, int begin, int end,
                        const gg_tuple *x, gg_error *err) {
  gg_calc c = GG_CALC(op, err);
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  build_range(&c, &r, t, 0, begin);
  if (x) gg_build_tree(&c, &r, x, 0);
  build_range(&c, &r, t, end, gg_tuple_rank(t));
  gg_build_close(&r, at);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_replace(gg_tuple *out, const gg_tuple *t, int index, const gg_tuple *x,
                           gg_error *err) {
  gg_status st = check_mode("replace", t, index, err);
  if (st) return st;
  if (gg_tuple_is_int(t)) {
    *out = *x;
    return GG_OK;
  }
  return splice("replace", out, t, index, index + 1, x, err);
}

gg_status gg_tuple_insert(gg_tuple *out, const gg_tuple *t, int index, const gg_tuple *x,
                          gg_error *err) {
  int rank = gg_tuple_rank(t);
  if (index < 0 || index > rank) {
    return gg_fail(err, LAYOUT_MODE, NULL, "insert", (long long)index, gg_tuple_text(t).text, rank);
  }
  return splice("insert", out, t, index, index, x, err);
}

gg_status gg_tuple_remove(gg_tuple *out, const gg_tuple *t, int index, gg_error *err) {
  gg_status st = check_mode("remove", t, index, err);
  return st ? st : splice("remove", out, t, index, index + 1, NULL, err);
}

gg_tuple gg_tuple_reverse(const gg_tuple *t) {
  if (gg_tuple_is_int(t)) return *t;
  gg_calc c = GG_CALC("reverse", NULL);
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  for (int i = gg_tuple_rank(t); i-- > 0;)
    gg_build_tree(&c, &r, t, gg_tuple_child(t, 0, i));
  gg_build_close(&r, at);
  return r;
}

gg_tuple gg_tuple_flatten(const gg_tuple *t) {
  if (gg_tuple_is_int(t)) return *t;
  gg_calc c = GG_CALC("flatten", NULL);
  gg_tuple r = {0};
  int at = gg_build_open(&c, &r);
  GG_EACH_LEAF(i, t) gg_build_leaf(&c, &r, t->nodes[i]);
  gg_build_close(&r, at);
  return r;
}

gg_tuple gg_tuple_unwrap(const gg_tuple *t) {
  int at = 0;
  while (gg_is_tuple(t, at) && gg_rank_at(t, at) == 1)
    at++;
  return gg_tuple_sub(t, at);
}

gg_status gg_tuple_wrap(gg_tuple *out, const gg_tuple *t, gg_error *err) {
  if (!gg_tuple_is_int(t)) {
    *out = *t;
    return GG_OK;
  }
  return gg_tuple_repeat(out, 1, t, err);
}

/* Builds a tree like `profile` from the leaves of a flat tuple, from *next on. */
static void unflatten(gg_calc *c, gg_tuple *r, const gg_tuple *flat, int *next,
                      const gg_tuple *profile, int at) {
  if (!gg_is_tuple(profile, at)) {
    gg_build_leaf(c, r, flat->nodes[(*next)++]);
    return;
  }
  int open = gg_build_open(c, r);
  GG_EACH_CHILD(child, profile, at) unflatten(c, r, flat, next, profile, child);
  gg_build_close(r, open);
}

gg_status gg_tuple_unflatten(gg_tuple *out, const gg_tuple *t, const gg_tuple *profile,
                             gg_error *err) {
  gg_calc c = GG_CALC("unflatten", err);
  int have = gg_tuple_rank(t), want = gg_tuple_leaves(profile);
  if (have != want || gg_tuple_depth(t) > 1) {
    return gg_fail(err, LAYOUT_PROFILE, NULL, "unflatten", gg_tuple_text(t).text,
                   gg_tuple_text(profile).text);
  }
  gg_tuple r = {0};
  int next = gg_is_tuple(t, 0);
  unflatten(&c, &r, t, &next, profile, 0);
  return gg_calc_tuple(&c, out, &r);
}

/* ---- Slice and dice ---------------------------------------------------------------------- */

/* Appends to r the subtrees of t whose leaf of coord is `_` (keep), or an integer (!keep). */
static void lift(gg_calc *c, gg_tuple *r, const gg_tuple *coord, int at, const gg_tuple *t, int bt,
                 bool keep) {
  if (!gg_is_tuple(coord, at)) {
    if ((coord->nodes[at].kind == GG_NODE_KEEP) == keep) gg_build_tree(c, r, t, bt);
    return;
  }
  int rank = gg_rank_at(coord, at);
  if (!gg_is_tuple(t, bt) || gg_rank_at(t, bt) != rank) {
    if (c->status == GG_OK) {
      gg_tuple have = gg_tuple_sub(t, bt), want = gg_tuple_sub(coord, at);
      c->status = gg_fail(c->err, LAYOUT_RANK, NULL, c->op, gg_tuple_text(&want).text, rank,
                          gg_tuple_text(&have).text, gg_rank_at(t, bt));
    }
    return;
  }
  int other = bt + 1;
  GG_EACH_CHILD(child, coord, at) {
    lift(c, r, coord, child, t, other, keep);
    other += t->nodes[other].span;
  }
}

static gg_status cut(const char *op, gg_tuple *out, const gg_tuple *coord, const gg_tuple *t,
                     bool keep, gg_error *err) {
  gg_calc c = GG_CALC(op, err);
  gg_tuple r = {0};
  if (!gg_is_tuple(coord, 0) && (coord->nodes[0].kind == GG_NODE_KEEP) == keep) {
    *out = *t;
    return GG_OK;
  }
  int open = gg_build_open(&c, &r);
  lift(&c, &r, coord, 0, t, 0, keep);
  gg_build_close(&r, open);
  return gg_calc_tuple(&c, out, &r);
}

gg_status gg_tuple_slice(gg_tuple *out, const gg_tuple *coord, const gg_tuple *t, gg_error *err) {
  return cut("slice", out, coord, t, true, err);
}

gg_status gg_tuple_dice(gg_tuple *out, const gg_tuple *coord, const gg_tuple *t, gg_error *err) {
  return cut("dice", out, coord, t, false, err);
}

/* ---- Zip --------------------------------------------------------------------------------- */

gg_status gg_tuple_zip(gg_tuple *out, const gg_tuple *t, gg_error *err) {
  gg_calc c = GG_CALC("zip", err);
  if (gg_tuple_is_int(t)) {
    *out = *t;
    return GG_OK;
  }
  if (t->count == 1 || !gg_is_tuple(t, 1)) return gg_tuple_repeat(out, 1, t, err);
  int rank = gg_rank_at(t, 1);
  GG_EACH_CHILD(child, t, 0) {
    if (!gg_is_tuple(t, child) || gg_rank_at(t, child) != rank) {
      return gg_fail(err, LAYOUT_RANK, NULL, "zip", "a mode", gg_rank_at(t, child), "mode 0", rank);
    }
  }
  gg_tuple r = {0};
  int open = gg_build_open(&c, &r);
  for (int i = 0; i < rank; i++) {
    int mode = gg_build_open(&c, &r);
    GG_EACH_CHILD(child, t, 0) gg_build_tree(&c, &r, t, gg_tuple_child(t, child, i));
    gg_build_close(&r, mode);
  }
  gg_build_close(&r, open);
  return gg_calc_tuple(&c, out, &r);
}
