/* Memory layouts of scale factors; see scale_layout.h. */
#include "atom/scale_layout.h"

#include <stdio.h>

#include "layout/calc.h"

static gg_status refuse(const char *what, int64_t value, const char *legal, gg_error *err) {
  char given[32];
  snprintf(given, sizeof given, "%lld", (long long)value);
  return gg_fail(err, ATOM_PARAMETER, NULL, "scale factors", what, given, legal);
}

static gg_status check_block(int block, gg_error *err) {
  if (block == 16 || block == 32 || block == 64) return GG_OK;
  return refuse("the block", block, "16, 32 or, of sparse operands, 64", err);
}

/* Appends the mode (32,4):(16,4), the 128 rows of an atom. */
static void put_rows(gg_calc *c, gg_layout *r) {
  int rows = gg_build_open2(c, r);
  gg_build_mode(c, r, gg_leaf(32), gg_leaf(16));
  gg_build_mode(c, r, gg_leaf(GG_SCALE_ROWS / 32), gg_leaf(GG_SCALE_FACTORS));
  gg_build_close2(r, rows);
}

/* Appends the mode (block,factors):(0,1). */
static void put_factors(gg_calc *c, gg_layout *r, int block, int64_t factors) {
  int open = gg_build_open2(c, r);
  gg_build_mode(c, r, gg_leaf(block), gg_leaf(0));
  gg_build_mode(c, r, gg_leaf(factors), gg_leaf(1));
  gg_build_close2(r, open);
}

gg_status gg_scale_atom(gg_layout *out, int block, bool mn_major, gg_error *err) {
  gg_calc c = GG_CALC("SfAtom", err);
  gg_layout r = {.shape = {.count = 0}};
  if ((c.status = check_block(block, err))) return c.status;
  int open = gg_build_open2(&c, &r);
  if (mn_major) put_factors(&c, &r, block, GG_SCALE_FACTORS);
  put_rows(&c, &r);
  if (!mn_major) put_factors(&c, &r, block, GG_SCALE_FACTORS);
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}

/* ---- Global memory ------------------------------------------------------------------------- */

gg_status gg_scale_layout(gg_layout *out, gg_scale_operand operand, int block, bool mn_major,
                          const gg_tuple *problem, gg_error *err) {
  static const int modes[][2] = {
      [GG_SCALE_A] = {0, 2}, [GG_SCALE_B] = {1, 2}, [GG_SCALE_D] = {0, 1}};
  gg_calc c = GG_CALC("scale factors", err);
  gg_layout atom;
  gg_status st = gg_scale_atom(&atom, block, mn_major, err);
  if (st) return st;
  int rank = gg_tuple_rank(problem);
  bool legal = gg_tuple_depth(problem) == 1 && (rank == 3 || rank == 4);
  for (int i = 0; legal && i < rank; i++)
    legal = gg_tuple_value(problem, i) > 0;
  if (!legal)
    return gg_fail(err, ATOM_PARAMETER, NULL, "scale factors", "the problem",
                   gg_tuple_text(problem).text, "(M,N,K) or (M,N,K,L), positive");
  if (mn_major && operand != GG_SCALE_D)
    return gg_fail(err, ATOM_PARAMETER, NULL, "scale factors", "the major of A's and B's", "MN",
                   "K alone");
  gg_tuple extents = {.count = 0}, order = GG_TUPLE(mn_major ? 1 : 2, mn_major ? 2 : 1, 3);
  if (rank == 3) order = GG_TUPLE(mn_major ? 1 : 2, mn_major ? 2 : 1);
  int open = gg_build_open(&c, &extents);
  for (int i = 0; i < rank - 1; i++) {
    gg_node extent = problem->nodes[gg_tuple_child(problem, 0, i < 2 ? modes[operand][i] : 3)];
    int64_t whole = i < 2 ? gg_layout_mode_size(&atom, i) : 1;
    extent.value = gg_calc_mul(&c, gg_calc_ceil_div(&c, extent.value, whole), whole);
    gg_build_leaf(&c, &extents, extent);
  }
  gg_build_close(&extents, open);
  return c.status ? c.status : gg_layout_tile_to_shape(out, &atom, &extents, &order, err);
}

/* ---- Shared memory ------------------------------------------------------------------------- */

gg_status gg_scale_smem_layout(gg_layout *out, int block, int64_t rows, int64_t tile_k, int mma_k,
                               gg_error *err) {
  enum { atom_bytes = GG_SCALE_ROWS * GG_SCALE_FACTORS };
  gg_calc c = GG_CALC("scale factors", err);
  gg_layout r = {.shape = {.count = 0}};
  if ((c.status = check_block(block, err))) return c.status;
  if (rows < 1) return refuse("the number of rows", rows, "1 or more", err);
  int64_t factors = mma_k / block, atom_k = (int64_t)block * GG_SCALE_FACTORS;
  if (mma_k % block != 0 || (factors != 1 && factors != 2 && factors != 4))
    return refuse("K of an instruction", mma_k, "1, 2 or 4 blocks", err);
  if (tile_k < atom_k || tile_k % atom_k != 0) {
    char legal[32];
    snprintf(legal, sizeof legal, "a multiple of %lld", (long long)atom_k);
    return refuse("K of a tile", tile_k, legal, err);
  }
  int64_t down = gg_calc_ceil_div(&c, rows, GG_SCALE_ROWS);
  int whole = gg_build_open2(&c, &r), first = gg_build_open2(&c, &r);
  int open = gg_build_open2(&c, &r);
  put_rows(&c, &r);
  gg_build_mode(&c, &r, gg_leaf(down), gg_leaf(atom_bytes));
  gg_build_close2(&r, open);
  put_factors(&c, &r, block, factors);
  gg_build_close2(&r, first);
  gg_build_mode(&c, &r, gg_leaf(1), gg_leaf(0));
  open = gg_build_open2(&c, &r);
  gg_build_mode(&c, &r, gg_leaf(GG_SCALE_FACTORS / factors), gg_leaf(factors));
  gg_build_mode(&c, &r, gg_leaf(tile_k / atom_k), gg_leaf(gg_calc_mul(&c, down, atom_bytes)));
  gg_build_close2(&r, open);
  gg_build_close2(&r, whole);
  return gg_calc_layout(&c, out, &r);
}
