/* Tensor memory as layouts: a tile as the instruction leaves it, and the others behind it, in the
 * lanes that it leaves free first where they may be. */
#include "atom/tmem.h"

#include "layout/calc.h"

enum { lane_bits = 65536 * 32 }; /* from lane to lane, in bits as addresses count them */

static gg_status refuse(const char *what, int64_t value, const char *legal, gg_error *err) {
  return gg_fail(err, TMEM_TILE, NULL, what, (long long)value, legal);
}

static gg_status check(const gg_tmem_tile *t, gg_error *err) {
  bool pair = t->ctas == 2;
  if (t->ctas != 1 && !pair) return refuse("CTAs", t->ctas, "1 or 2", err);
  if (t->m != 64 && t->m != 128 && !(pair && t->m == 32))
    return refuse("rows a CTA", t->m, pair ? "32, 64 or 128" : "64 or 128", err);
  if (t->n < 8 || t->n > 256 || t->n % 8 != 0)
    return refuse("columns", t->n, "a multiple of 8 up to 256", err);
  if (t->storage_bits != 8 && t->storage_bits != 16 && t->storage_bits != 32)
    return refuse("bits of an element's place", t->storage_bits, "8, 16 or 32", err);
  if (t->value_bits < 1 || t->storage_bits % t->value_bits != 0)
    return refuse("bits of an element", t->value_bits, "a divisor of its place's", err);
  for (int i = 0; i < t->rests; i++)
    if (t->rest[i] < 1) return refuse("tiles of a mode", t->rest[i], "1 or more", err);
  if (t->alloc == GG_TMEM_NON_INTERLEAVED && (pair || t->m != 64))
    return refuse("rows that are not interleaved", t->m, "64 of one CTA", err);
  if (t->alloc == GG_TMEM_DUPLICATED && (!pair || t->m != 64))
    return refuse("rows that are duplicated", t->m, "64 of each CTA of a pair", err);
  return GG_OK;
}

/* One tile, and how far the columns of the next are from its. */
static gg_status make_tile(gg_layout *out, int64_t *next, const gg_tmem_tile *t, int64_t lane,
                           gg_error *err) {
  int64_t column = t->storage_bits / t->value_bits, n = t->n;
  bool halves = t->ctas == 2 && t->m == 64 && t->alloc == GG_TMEM_INTERLEAVED;
  int64_t parts = t->ctas == 2 && t->m == 32 ? 4
                  : halves                   ? 2
                                             : 1; /* of the columns, side by side */
  gg_tuple m_shape = gg_tuple_int(t->m), m_stride = gg_tuple_int(lane);
  gg_tuple n_shape = gg_tuple_int(n), n_stride = gg_tuple_int(column);
  gg_tuple shape, stride;
  gg_status st;
  if (t->ctas == 1 && t->m == 64) {
    m_shape = GG_TUPLE(16, 4);
    m_stride = GG_TUPLE(lane, 32 * lane);
  } else if (t->alloc == GG_TMEM_DUPLICATED) {
    m_shape = gg_tuple_int(GG_TMEM_LANES);
  }
  if (parts > 1) {
    n_shape = GG_TUPLE(n / parts, parts);
    n_stride = GG_TUPLE(column, GG_TMEM_LANES / parts * lane);
  }
  *next = n / parts * column;
  if ((st = gg_tuple_pair(&shape, &m_shape, &n_shape, err))) return st;
  if ((st = gg_tuple_pair(&stride, &m_stride, &n_stride, err))) return st;
  return gg_layout_make(out, &shape, &stride, err);
}

gg_status gg_tmem_frg(gg_layout *out, const gg_tmem_tile *tile, gg_error *err) {
  int64_t lane, next;
  gg_layout one, behind, rest, result;
  gg_status st = check(tile, err);
  if (st) return st;
  lane = lane_bits / tile->value_bits;
  if ((st = make_tile(&one, &next, tile, lane, err))) return st;
  bool fills = tile->ctas == 1 && tile->m == 64 && tile->alloc == GG_TMEM_INTERLEAVED;
  gg_tuple counts = gg_tuple_make(tile->rests, tile->rest);
  gg_tuple shape = GG_TUPLE(fills ? 2 : 1, GG_TMEM_COLUMNS);
  gg_tuple stride = GG_TUPLE(fills ? 16 * lane : 0, next);
  if ((st = gg_layout_make(&behind, &shape, &stride, err))) return st;
  if ((st = gg_layout_col_major(&rest, &counts, err))) return st;
  if ((st = gg_layout_composition(&rest, &behind, &rest, err))) return st;
  if ((st = gg_layout_wrap(&result, &one, err))) return st;
  for (int i = 0; i < tile->rests; i++) {
    gg_layout mode;
    if ((st = gg_layout_get(&mode, &rest, i, err))) return st;
    if ((st = gg_layout_append(&result, &result, &mode, err))) return st;
  }
  *out = result;
  return GG_OK;
}

int64_t gg_tmem_columns(const gg_layout *layout, int value_bits) {
  int64_t lane = lane_bits / value_bits, last = 0;
  GG_EACH_LEAF(i, &layout->shape) {
    int64_t stride = layout->stride.nodes[i].value;
    if (stride < lane) last += (layout->shape.nodes[i].value - 1) * stride;
  }
  return ((last + 1) * value_bits + 31) / 32;
}
