/* Memory layouts of a sparse A and its metadata; see sparse_layout.h. */
#include "atom/sparse_layout.h"

#include <stdio.h>

#include "layout/calc.h"

enum { sm90_rows = 64, sm90_row_bits = 512, sm1xx_rows = 128, sparsity = 2 };

/* ---- Elements ------------------------------------------------------------------------------ */

static gg_status fail_bits(int bits, const char *legal, gg_error *err) {
  char given[32];
  snprintf(given, sizeof given, "of %d bits", bits);
  return gg_fail(err, ATOM_PARAMETER, NULL, "sparse A", "an element", given, legal);
}

static gg_status check_sm90(int bits, gg_error *err) {
  if (bits == 8 || bits == 16 || bits == 32) return GG_OK;
  return fail_bits(bits, "8, 16 or 32 bits", err);
}

static gg_status check_sm1xx(gg_sparse_element element, gg_error *err) {
  int bits = element.bits;
  if (bits == 4 || bits == 6 || bits == 8 || bits == 16 || bits == 32) return GG_OK;
  return fail_bits(bits, "4, 6, 8, 16 or 32 bits", err);
}

/* How many stored elements one unit of A's contiguous mode has. */
static int64_t line_of(gg_sparse_element element) {
  bool unpacks = element.bits == 6 || (element.bits == 4 && element.unpacked);
  return unpacks ? 128 : 128 / element.bits;
}

/* ---- The tile of metadata ------------------------------------------------------------------ */

/* Makes the tile of metadata. For elements below 16 bits, rows follow each other. For others it is
 * made of basic blocks of 16 rows, as 8 by 2, and 512 bits of columns, as half of them by 2. The
 * blocks stand along M for the warps and along K for the instructions; the order says which mode
 * runs fastest in memory. */
static gg_status make_tile(gg_layout *out, int bits, int64_t rows, int64_t columns, gg_error *err) {
  gg_status st;
  if (bits < 16) {
    gg_tuple shape = GG_TUPLE(rows, columns);
    return gg_layout_row_major(out, &shape, err);
  }
  int64_t half = 256 / bits;
  gg_tuple m = GG_TUPLE(8, 2, rows / 16), k = GG_TUPLE(half, 2, columns / (2 * half));
  gg_tuple shape, order, order_m = GG_TUPLE(3, 1, 5), order_k = GG_TUPLE(0, 4, 2);
  if ((st = gg_tuple_pair(&shape, &m, &k, err))) return st;
  if ((st = gg_tuple_pair(&order, &order_m, &order_k, err))) return st;
  return gg_layout_ordered(out, &shape, &order, err);
}

gg_status gg_sparse_metadata_tile(gg_layout *out, int bits, int64_t tile_k, gg_error *err) {
  gg_status st = check_sm90(bits, err);
  if (st) return st;
  int64_t block = sm90_row_bits / bits;
  if (tile_k < block || tile_k % block != 0) {
    char given[32], legal[32];
    snprintf(given, sizeof given, "%lld", (long long)tile_k);
    snprintf(legal, sizeof legal, "a multiple of %lld", (long long)block);
    return gg_fail(err, ATOM_PARAMETER, NULL, "metadata", "K of a tile", given, legal);
  }
  return make_tile(out, bits, sm90_rows, tile_k, err);
}

gg_status gg_sm1xx_sparse_metadata_tile(gg_layout *out, gg_sparse_element element, gg_error *err) {
  gg_status st = check_sm1xx(element, err);
  return st ? st : make_tile(out, element.bits, sm1xx_rows, gg_sparse_tile_k(element), err);
}

/* ---- Problems ------------------------------------------------------------------------------ */

/* M, K and L of a problem. None is negative. */
typedef struct problem {
  int64_t m, k, l;
} problem;

static gg_status read_problem(problem *out, const gg_tuple *mnkl, gg_error *err) {
  int rank = gg_tuple_rank(mnkl);
  bool legal = gg_tuple_depth(mnkl) == 1 && rank == 4;
  for (int i = 0; legal && i < rank; i++)
    legal = gg_tuple_value(mnkl, i) > 0;
  if (!legal) {
    return gg_fail(err, ATOM_PARAMETER, NULL, "sparse A", "the problem", gg_tuple_text(mnkl).text,
                   "(M,N,K,L), positive");
  }
  *out = (problem){gg_tuple_value(mnkl, 0), gg_tuple_value(mnkl, 2), gg_tuple_value(mnkl, 3)};
  return GG_OK;
}

static int64_t round_up(gg_calc *c, int64_t value, int64_t step) {
  return gg_calc_mul(c, gg_calc_ceil_div(c, value, step), step);
}

/* Appends a mode of the tiled layout: ((modes of the tile),tiles). */
static void put_tiled(gg_calc *c, gg_layout *a, const gg_layout *tile, int mode, int64_t tiles,
                      int64_t stride) {
  int open = gg_build_open2(c, a);
  gg_build_tree2(c, a, tile, gg_tuple_child(&tile->shape, 0, mode));
  gg_build_mode(c, a, gg_leaf(tiles), gg_leaf(stride));
  gg_build_close2(a, open);
}

/* Lays out a problem as tiles, each `step` units behind the one before. */
static gg_status tile_problem(gg_layout *out, const gg_layout *tile, int64_t step,
                              const gg_tuple *mnkl, gg_error *err) {
  gg_calc c = GG_CALC("metadata", err);
  gg_layout r = {.shape = {.count = 0}};
  problem p;
  if ((c.status = read_problem(&p, mnkl, err))) return c.status;
  int64_t down = gg_calc_ceil_div(&c, p.m, gg_layout_mode_size(tile, 0));
  int64_t along = gg_calc_ceil_div(&c, p.k, gg_layout_mode_size(tile, 1));
  int64_t column = gg_calc_mul(&c, step, down);
  int64_t matrix = gg_calc_mul(&c, column, along);
  int open = gg_build_open2(&c, &r);
  put_tiled(&c, &r, tile, 0, down, step);
  put_tiled(&c, &r, tile, 1, along, column);
  gg_build_mode(&c, &r, gg_leaf(p.l), gg_leaf(p.l == 1 ? 0 : matrix));
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_sparse_layout_e(gg_layout *out, int bits, int64_t tile_k, const gg_tuple *mnkl,
                             gg_error *err) {
  gg_layout tile;
  gg_status st = gg_sparse_metadata_tile(&tile, bits, tile_k, err);
  return st ? st : tile_problem(out, &tile, gg_layout_cosize(&tile), mnkl, err);
}

gg_status gg_sm1xx_sparse_layout_e(gg_layout *out, gg_sparse_element element, const gg_tuple *mnkl,
                                   gg_error *err) {
  gg_layout tile;
  gg_status st = gg_sm1xx_sparse_metadata_tile(&tile, element, err);
  return st ? st : tile_problem(out, &tile, gg_layout_cosize(&tile), mnkl, err);
}

gg_status gg_sm1xx_sparse_half_layout_e(gg_layout *out, gg_sparse_element element,
                                        const gg_tuple *mnkl, gg_error *err) {
  enum { block = 16, half = sm1xx_rows / 2 };
  int64_t line = gg_sparse_tile_k(element);
  gg_tuple shape = GG_TUPLE(block * line, half / block), stride = GG_TUPLE(1, 2 * block * line);
  gg_layout gaps, tile;
  gg_status st;
  if ((st = check_sm1xx(element, err))) return st;
  if ((st = make_tile(&tile, element.bits, half, line, err))) return st;
  if ((st = gg_layout_make(&gaps, &shape, &stride, err))) return st;
  if ((st = gg_layout_composition(&tile, &gaps, &tile, err))) return st;
  return tile_problem(out, &tile, sm1xx_rows * line, mnkl, err);
}

static gg_status make_a(gg_layout *out, gg_sparse_element element, bool mn_major,
                        const gg_tuple *mnkl, gg_error *err) {
  gg_calc c = GG_CALC("sparse A", err);
  gg_layout r = {.shape = {.count = 0}};
  problem p;
  if ((c.status = read_problem(&p, mnkl, err))) return c.status;
  int64_t line = line_of(element);
  int64_t m = mn_major ? round_up(&c, p.m, line) : p.m;
  int64_t k = round_up(&c, p.k, mn_major ? gg_sparse_chunk(element) : line * sparsity);
  int64_t matrix = gg_calc_mul(&c, m, k);
  int open = gg_build_open2(&c, &r);
  gg_build_mode(&c, &r, gg_leaf(m), gg_leaf(mn_major ? sparsity : k));
  int pairs = gg_build_open2(&c, &r);
  gg_build_mode(&c, &r, gg_leaf(sparsity), gg_leaf(1));
  int64_t step = mn_major ? gg_calc_mul(&c, m, sparsity) : sparsity;
  gg_build_mode(&c, &r, gg_leaf(k / sparsity), gg_leaf(step));
  gg_build_close2(&r, pairs);
  gg_build_mode(&c, &r, gg_leaf(p.l), gg_leaf(p.l == 1 ? 0 : matrix));
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_sparse_layout_a(gg_layout *out, int bits, bool mn_major, const gg_tuple *mnkl,
                             gg_error *err) {
  gg_status st = check_sm90(bits, err);
  return st ? st : make_a(out, (gg_sparse_element){.bits = bits}, mn_major, mnkl, err);
}

gg_status gg_sm1xx_sparse_layout_a(gg_layout *out, gg_sparse_element element, bool mn_major,
                                   const gg_tuple *mnkl, gg_error *err) {
  gg_status st = check_sm1xx(element, err);
  return st ? st : make_a(out, element, mn_major, mnkl, err);
}
