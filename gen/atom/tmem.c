/* Layouts of tensor memory: one tile as the instruction leaves it, and further tiles behind it.
 * These go first into the lanes that a tile leaves free, where the allocation allows that. */
#include "atom/tmem.h"

#include "layout/calc.h"

enum { lane_words = 65536 }; /* stride from lane to lane in addresses, which count words */

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

/* Makes one tile. *next: how many columns further the next tile begins. */
static gg_status make_tile(gg_layout *out, int64_t *next, const gg_tmem_tile *t, int64_t lane,
                           gg_error *err) {
  int64_t column = t->storage_bits / t->value_bits, n = t->n;
  bool halves = t->ctas == 2 && t->m == 64 && t->alloc == GG_TMEM_INTERLEAVED;
  int64_t parts = t->ctas == 2 && t->m == 32 ? 4
                  : halves                   ? 2
                                             : 1; /* halves of the columns, side by side */
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
  lane = gg_tmem_lane(tile->value_bits);
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

/* How many columns a layout reaches over. `lane`: its stride from lane to lane. */
static int64_t columns_of(const gg_layout *layout, int64_t lane) {
  int64_t word = lane / lane_words, last = 0;
  GG_EACH_LEAF(i, &layout->shape) {
    int64_t stride = layout->stride.nodes[i].value;
    if (stride < lane) last += (layout->shape.nodes[i].value - 1) * stride;
  }
  return (last + word) / word;
}

int64_t gg_tmem_columns(const gg_layout *layout, int value_bits) {
  return columns_of(layout, gg_tmem_lane(value_bits));
}

/* ---- Scale factors and metadata ------------------------------------------------------------- */

/* Repeats one instruction's part over the modes of `shape` behind the first. The part is as CuTe
 * writes it: lane + 128 times the place in the lane. */
static gg_status repeat(gg_layout *out, const gg_layout *part, const gg_tuple *shape, int64_t lane,
                        gg_error *err) {
  gg_calc c = GG_CALC("tensor memory", err);
  gg_tuple places = GG_TUPLE(GG_TMEM_LANES, lane / GG_TMEM_LANES), steps = GG_TUPLE(lane, 1);
  gg_tuple rest = {.count = 0};
  gg_layout memory, tiles, all;
  int open = gg_build_open(&c, &rest);
  for (int i = 1; i < gg_tuple_rank(shape); i++)
    gg_build_tree(&c, &rest, shape, gg_tuple_child(shape, 0, i));
  gg_build_close(&rest, open);
  gg_status st = c.status;
  if (st || (st = gg_layout_make(&memory, &places, &steps, err))) return st;
  if ((st = gg_layout_col_major(&tiles, &rest, err))) return st;
  gg_tiler tiler = gg_tiler_of_layout(&tiles);
  if ((st = gg_layout_tiled_product(&all, part, &tiler, err))) return st;
  return gg_layout_composition(out, &memory, &all, err);
}

/* Whether a shape is ((a,b),...), and which of its nodes a and b are. */
static bool is_partitioned(const gg_tuple *shape, int *a, int *b) {
  int first = gg_tuple_child(shape, 0, 0);
  if (gg_tuple_rank(shape) < 2 || !gg_is_tuple(shape, first) || gg_rank_at(shape, first) != 2)
    return false;
  *a = gg_tuple_child(shape, first, 0);
  *b = gg_tuple_child(shape, first, 1);
  return true;
}

gg_status gg_tmem_sf_frg(gg_layout *out, const gg_tuple *shape, bool halved, gg_error *err) {
  enum { warp = 32, word = 4 * GG_TMEM_LANES };
  gg_calc c = GG_CALC("tmem_sf_frg", err);
  gg_layout r = {.shape = {.count = 0}};
  int mn, k, halves = halved ? 2 : 1;
  if (!is_partitioned(shape, &mn, &k) || !gg_is_tuple(shape, k) || gg_rank_at(shape, k) != 2)
    return gg_fail(err, LAYOUT_VALUE, NULL, "tmem_sf_frg",
                   "the shape must be ((MN,(block,factors)),tiles,...)");
  int64_t rows = gg_product_at(&c, shape, mn).value;
  gg_node block = shape->nodes[gg_tuple_child(shape, k, 0)];
  gg_node factors = shape->nodes[gg_tuple_child(shape, k, 1)];
  if (rows < warp * halves || rows % (warp * halves) != 0)
    return refuse("rows of scale factors", rows, halved ? "a multiple of 64" : "a multiple of 32",
                  err);
  if (factors.value != 1 && factors.value != 2 && factors.value != 4)
    return refuse("scale factors of an instruction", factors.value, "1, 2 or 4", err);
  int whole = gg_build_open2(&c, &r), lanes = gg_build_open2(&c, &r);
  int open = gg_build_open2(&c, &r);
  gg_build_mode(&c, &r, gg_leaf(warp), gg_leaf(1));
  gg_build_mode(&c, &r, gg_leaf(rows / warp / halves), gg_leaf(word));
  gg_build_close2(&r, open);
  if (halved) gg_build_mode(&c, &r, gg_leaf(2), gg_leaf(GG_TMEM_LANES / 2));
  gg_build_mode(&c, &r, gg_leaf(GG_TMEM_LANES / warp / halves), gg_leaf(warp));
  gg_build_close2(&r, lanes);
  open = gg_build_open2(&c, &r);
  gg_build_mode(&c, &r, block, gg_leaf(0));
  gg_build_mode(&c, &r, factors, gg_leaf(GG_TMEM_LANES));
  gg_build_close2(&r, open);
  gg_build_close2(&r, whole);
  gg_status st = gg_calc_layout(&c, &r, &r);
  return st ? st : repeat(out, &r, shape, gg_tmem_lane(8), err);
}

/* How many units of metadata one lane of 65536 words counts: 64 half bits of a word, divided by the
 * half bits of one element. */
static int64_t metadata_lane(int bits) {
  int half_bits = bits == 32 ? 4 : bits == 4 ? 1 : 2;
  return (int64_t)lane_words * (64 / half_bits);
}

/* An instruction's metadata, M x K -> lane + 128 times place. Where M is less than the lanes, the
 * metadata is repeated in the lanes that are left. */
static gg_status metadata_part(gg_layout *out, int bits, int64_t m, int64_t k, gg_error *err) {
  gg_calc c = GG_CALC("tmem_e_frg", err);
  gg_layout r = {.shape = {.count = 0}};
  int64_t copies = GG_TMEM_LANES / m, half = k / 2;
  int whole = gg_build_open2(&c, &r), open;
  if (bits < 16) {
    gg_build_mode(&c, &r, gg_leaf(m), gg_leaf(1));
    open = copies > 1 ? gg_build_open2(&c, &r) : 0;
    gg_build_mode(&c, &r, gg_leaf(k), gg_leaf(GG_TMEM_LANES));
    if (copies > 1) gg_build_mode(&c, &r, gg_leaf(copies), gg_leaf(m));
    if (copies > 1) gg_build_close2(&r, open);
  } else { /* 16 rows by half of K go to 8 lanes, the other half to the next 8 */
    open = gg_build_open2(&c, &r);
    gg_build_mode(&c, &r, gg_leaf(8), gg_leaf(1));
    gg_build_mode(&c, &r, gg_leaf(2), gg_leaf(half * GG_TMEM_LANES));
    gg_build_mode(&c, &r, gg_leaf(m / 16), gg_leaf(16));
    gg_build_close2(&r, open);
    open = gg_build_open2(&c, &r);
    gg_build_mode(&c, &r, gg_leaf(half), gg_leaf(GG_TMEM_LANES));
    gg_build_mode(&c, &r, gg_leaf(2), gg_leaf(8));
    gg_build_close2(&r, open);
    if (copies > 1) gg_build_mode(&c, &r, gg_leaf(copies), gg_leaf(m));
  }
  gg_build_close2(&r, whole);
  return gg_calc_layout(&c, out, &r);
}

/* The metadata of 64 rows: that of 128, of which they take the first 16 of each 32. */
static gg_status half_metadata(gg_layout *out, int bits, const gg_tuple *shape, int m,
                               gg_error *err) {
  enum { block = 16 };
  gg_layout rows, blocks;
  gg_tuple whole = *shape;
  whole.nodes[m].value = GG_TMEM_LANES;
  gg_status st = gg_tmem_e_frg(out, bits, false, &whole, err);
  if (st || (st = gg_layout_col_major(&rows, shape, err))) return st;
  gg_tuple counts = GG_TUPLE(block, gg_layout_size(&rows) / block), steps = GG_TUPLE(1, 2 * block);
  if ((st = gg_layout_make(&blocks, &counts, &steps, err))) return st;
  if ((st = gg_layout_composition(&rows, &blocks, &rows, err))) return st;
  return gg_layout_composition(out, out, &rows, err);
}

gg_status gg_tmem_e_frg(gg_layout *out, int bits, bool ws, const gg_tuple *shape, gg_error *err) {
  static const char *const legal[] = {"128", "64", "32", "16"};
  gg_layout part;
  int m, k;
  if ((bits != 4 || ws) && bits != 8 && bits != 16 && bits != 32)
    return refuse("bits of a sparse element", bits, ws ? "8, 16 or 32" : "4, 8, 16 or 32", err);
  if (!is_partitioned(shape, &m, &k))
    return gg_fail(err, LAYOUT_VALUE, NULL, "tmem_e_frg", "the shape must be ((M,K),tiles,...)");
  int64_t rows = shape->nodes[m].value, columns = shape->nodes[k].value;
  bool half = rows == GG_TMEM_LANES / 2, fits = rows == GG_TMEM_LANES || half;
  if (gg_is_tuple(shape, m) || !(fits || (ws && rows == 32)))
    return refuse("rows of metadata", rows, ws ? "32, 64 or 128" : "64 or 128", err);
  if (gg_is_tuple(shape, k) || columns != 512 / bits)
    return refuse("columns of an instruction's metadata", columns,
                  legal[bits == 4    ? 0
                        : bits == 8  ? 1
                        : bits == 16 ? 2
                                     : 3],
                  err);
  if (half && !ws) return half_metadata(out, bits, shape, m, err);
  gg_status st = metadata_part(&part, bits, rows, columns, err);
  return st ? st : repeat(out, &part, shape, metadata_lane(bits), err);
}

int64_t gg_tmem_e_columns(const gg_layout *layout, int bits) {
  return columns_of(layout, metadata_lane(bits));
}
