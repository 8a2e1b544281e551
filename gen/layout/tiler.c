/* Tilers: a layout for a whole domain, or a tree with a layout for each mode.
 *
 * All layouts of a tiler stand in one pair of trees. For each node, one bit says whether the root
 * of a layout is there. The nodes above such roots are the tuples of the tiler; a leaf without the
 * bit is `_`. */
#include "layout/tiler.h"

static uint64_t bit(int node) {
  return (uint64_t)1 << node;
}

gg_tiler gg_tiler_of_layout(const gg_layout *layout) {
  return (gg_tiler){*layout, bit(0), 0};
}

gg_tiler gg_tiler_of_shape(const gg_tuple *shape) {
  gg_tiler tiler = {{*shape, *shape}, 0, 0};
  for (int i = 0; i < shape->count; i++) {
    if (shape->nodes[i].kind != GG_NODE_INT) continue;
    tiler.tiles.stride.nodes[i] = gg_leaf(1);
    tiler.layouts |= bit(i);
  }
  tiler.integers = tiler.layouts;
  return tiler;
}

gg_tiler gg_tiler_empty(void) {
  return (gg_tiler){{gg_tuple_empty(), gg_tuple_empty()}, 0, 0};
}

gg_status gg_tiler_append(gg_tiler *tiler, const gg_tiler *mode, gg_error *err) {
  gg_calc c = GG_CALC("make_tile", err);
  gg_layout r = tiler->tiles;
  int at = r.shape.count;
  gg_build_tree2(&c, &r, &mode->tiles, 0);
  gg_build_close2(&r, 0);
  if (c.status != GG_OK) return c.status;
  tiler->tiles = r;
  tiler->layouts |= mode->layouts << at;
  tiler->integers |= mode->integers << at;
  return GG_OK;
}

gg_tuple gg_tiler_extents(const gg_tiler *tiler) {
  gg_calc c = GG_CALC("tiler", NULL);
  gg_tuple sizes = {0};
  bool layout = gg_tile_kind_at(tiler, 0) == GG_TILE_LAYOUT;
  int open = gg_build_open(&c, &sizes);
  if (layout) gg_build_leaf(&c, &sizes, gg_product_at(&c, &tiler->tiles.shape, 0));
  for (int i = 0; !layout && i < gg_rank_at(&tiler->tiles.shape, 0); i++) {
    int mode = gg_tuple_child(&tiler->tiles.shape, 0, i);
    gg_build_leaf(&c, &sizes, gg_product_at(&c, &tiler->tiles.shape, mode));
  }
  gg_build_close(&sizes, open);
  return sizes;
}

/* The part of a tiler at a node. */
static gg_tiler tiler_sub(const gg_tiler *tiler, int at) {
  gg_tiler r = {gg_layout_sub(&tiler->tiles, at), tiler->layouts >> at, tiler->integers >> at};
  uint64_t nodes = ~(uint64_t)0 >> (64 - r.tiles.shape.count);
  r.layouts &= nodes;
  r.integers &= nodes;
  return r;
}

gg_status gg_tiler_get(gg_tiler *out, const gg_tiler *tiler, int mode, gg_error *err) {
  const gg_tuple *tiles = &tiler->tiles.shape;
  bool tuple = gg_tile_kind_at(tiler, 0) == GG_TILE_TUPLE;
  int rank = tuple ? gg_rank_at(tiles, 0) : 0;
  if (mode < 0 || mode >= rank) {
    return gg_fail(err, LAYOUT_MODE, NULL, "get", (long long)mode, "the tiler", rank);
  }
  *out = tiler_sub(tiler, gg_tuple_child(tiles, 0, mode));
  return GG_OK;
}

/* Appends those modes of the tiler where the projection has an integer. A nested projection dices
 * its mode in the same way. */
static void dice(gg_calc *c, gg_tiler *r, const gg_tuple *proj, int at, const gg_tiler *tiler,
                 int tt) {
  if (!gg_is_tuple(proj, at)) {
    if (proj->nodes[at].kind == GG_NODE_KEEP) return;
    gg_tiler mode = tiler_sub(tiler, tt);
    if (c->status == GG_OK) c->status = gg_tiler_append(r, &mode, c->err);
    return;
  }
  const gg_tuple *tiles = &tiler->tiles.shape;
  int want = gg_rank_at(proj, at), have = gg_rank_at(tiles, tt), index = 0;
  bool fits = gg_tile_kind_at(tiler, tt) == GG_TILE_TUPLE && want == have;
  if (!fits && c->status == GG_OK) {
    c->status =
        gg_fail(c->err, LAYOUT_RANK, NULL, c->op, "the projection", want, "the tiler", have);
  }
  if (c->status != GG_OK) return;
  GG_EACH_CHILD(child, proj, at) dice(c, r, proj, child, tiler, gg_tuple_child(tiles, tt, index++));
}

gg_status gg_tiler_dice(gg_tiler *out, const gg_tuple *proj, const gg_tiler *tiler, gg_error *err) {
  gg_calc c = GG_CALC("dice", err);
  gg_tiler r = gg_tiler_empty();
  if (gg_tuple_is_int(proj)) {
    *out = proj->nodes[0].kind == GG_NODE_KEEP ? r : *tiler;
    return GG_OK;
  }
  dice(&c, &r, proj, 0, tiler, 0);
  if (c.status == GG_OK) *out = r;
  return c.status;
}

gg_tiler gg_tiler_compact(const gg_tiler *tiler) {
  gg_tiler r = *tiler;
  for (int i = 0; i < r.tiles.shape.count; i++) {
    bool one = (r.integers >> i & 1) && gg_leaf_is(r.tiles.shape.nodes[i], 1);
    if (one) r.tiles.stride.nodes[i] = gg_leaf(0);
  }
  return r;
}

bool gg_tiler_is_layout(const gg_tiler *tiler) {
  return tiler->layouts & 1;
}

/* ---- By mode ----------------------------------------------------------------------------- */

typedef struct by_mode {
  gg_calc calc;
  const gg_layout *a;
  const gg_tiler *tiler;
  bool keep_rest;
  gg_mode_fn fn;
} by_mode;

static void apply(by_mode *b, gg_layout *r, int at, int tt);

static void apply_tuple(by_mode *b, gg_layout *r, int at, int tt) {
  gg_calc *c = &b->calc;
  const gg_tuple *shape = &b->a->shape, *tiles = &b->tiler->tiles.shape;
  int have = gg_rank_at(shape, at), given = gg_rank_at(tiles, tt), index = 0;
  if (given > have && c->status == GG_OK) {
    gg_layout mode = gg_layout_sub(b->a, at);
    c->status = gg_fail(c->err, LAYOUT_RANK, NULL, c->op, "the tiler", given,
                        gg_layout_text(&mode).text, have);
  }
  if (c->status != GG_OK) return;
  int open = gg_build_open2(c, r);
  GG_EACH_CHILD(child, tiles, tt) apply(b, r, gg_tuple_child(shape, at, index++), child);
  for (; b->keep_rest && index < have; index++) {
    gg_build_tree2(c, r, b->a, gg_tuple_child(shape, at, index));
  }
  gg_build_close2(r, open);
}

static void apply(by_mode *b, gg_layout *r, int at, int tt) {
  gg_calc *c = &b->calc;
  if (c->status != GG_OK) return;
  gg_tile_kind kind = gg_tile_kind_at(b->tiler, tt);
  if (kind == GG_TILE_TUPLE) {
    apply_tuple(b, r, at, tt);
  } else if (kind == GG_TILE_KEEP) {
    gg_build_tree2(c, r, b->a, at);
  } else {
    gg_layout mode = gg_layout_sub(b->a, at), tile = gg_layout_sub(&b->tiler->tiles, tt);
    if ((c->status = b->fn(&mode, &mode, &tile, c->err))) return;
    gg_build_tree2(c, r, &mode, 0);
  }
}

gg_status gg_layout_by_mode(const char *op, gg_layout *out, const gg_layout *a,
                            const gg_tiler *tiler, bool keep_rest, gg_mode_fn fn, gg_error *err) {
  by_mode b = {GG_CALC(op, err), a, tiler, keep_rest, fn};
  gg_layout r = {0};
  apply(&b, &r, 0, 0);
  return gg_calc_layout(&b.calc, out, &r);
}

/* ---- Unzip ------------------------------------------------------------------------------- */

/* Appends, for the pairs at the tiler's leaves, the halves with the tiles (half 0) or with the
 * rests (half 1). */
static void unzip_half(gg_calc *c, gg_layout *r, const gg_layout *a, int at, const gg_tiler *tiler,
                       int tt, int half) {
  const gg_tuple *tiles = &tiler->tiles.shape;
  if (c->status != GG_OK) return;
  if (gg_tile_kind_at(tiler, tt) != GG_TILE_TUPLE) {
    if (gg_is_tuple(&a->shape, at) && gg_rank_at(&a->shape, at) == 2) {
      gg_build_tree2(c, r, a, gg_tuple_child(&a->shape, at, half));
    } else {
      gg_layout mode = gg_layout_sub(a, at);
      c->status = gg_fail(c->err, LAYOUT_RANK, NULL, c->op, gg_layout_text(&mode).text,
                          gg_rank_at(&a->shape, at), "a (tile,rest) pair", 2);
    }
    return;
  }
  int open = gg_build_open2(c, r), index = 0, have = gg_rank_at(&a->shape, at);
  GG_EACH_CHILD(child, tiles, tt) {
    unzip_half(c, r, a, gg_tuple_child(&a->shape, at, index++), tiler, child, half);
  }
  for (; half == 1 && index < have; index++) {
    gg_build_tree2(c, r, a, gg_tuple_child(&a->shape, at, index));
  }
  gg_build_close2(r, open);
}

gg_status gg_layout_tile_unzip(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                               gg_error *err) {
  gg_calc c = GG_CALC("tile_unzip", err);
  gg_layout r = {0};
  int open = gg_build_open2(&c, &r);
  unzip_half(&c, &r, a, 0, tiler, 0, 0);
  unzip_half(&c, &r, a, 0, tiler, 0, 1);
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}
