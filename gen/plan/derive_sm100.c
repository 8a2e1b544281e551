/* Family sm100: plan -> layouts.
 *
 * Operands and staging are sm90's (derive_sm90.c). The accumulators lie in tensor memory, where
 * tcgen05.mma leaves them (atom/tmem.h). A warp of the epilogue reads them with tcgen05.ld.16x256b,
 * 16 lanes by 8 columns at a time. A thread gets two neighbouring columns of a row and of the row 8
 * further down, just as the accumulators of a wgmma lie. */
#include "atom/dtype.h"
#include "atom/smem_desc.h"
#include "atom/tmem.h"
#include "atom/umma_fragment.h"
#include "plan/check.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/sparse.h"

int gg_sm100_accumulator_columns(const gg_plan *plan) {
  return gg_sm100_mmas_m(plan) * plan->tile_n / gg_plan_column_parts(plan);
}

int gg_sm100_columns_of_a(const gg_plan *plan) {
  if (!plan->a_in_tensor) return 0;
  return gg_sm100_mmas_m(plan) * plan->tile_k / plan->mma.k * GG_SM100_STEP_COLUMNS;
}

int gg_sm100_allocated_columns(const gg_plan *plan) {
  enum { least = 32 };
  int columns = least;
  int taken = gg_sm100_accumulator_columns(plan) * plan->accumulator_stages;
  int beside = gg_scale_columns(plan) + gg_metadata_columns(plan) + gg_sm100_columns_of_a(plan);
  while (columns < taken + beside)
    columns *= 2;
  return columns;
}

/* Where the tensor core leaves the sums: ((M, N), MMAs along M, MMAs along N, stages) -> lane and
 * column of tensor memory. */
static gg_status derive_tensor_memory(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  bool half = gg_sm100_blocks_of_mma(plan) == 1;
  const gg_tmem_tile tile = {
      .ctas = half ? 1 : plan->cta_group, /* if A is sparse, those of a pair lie as those of one CTA
                                           */
      .m = gg_plan_mma_rows(plan),
      .n = plan->mma.n,
      .rest = {gg_sm100_mmas_m(plan), gg_sm100_mmas_n(plan), plan->accumulator_stages},
      .rests = 3,
      .value_bits = gg_dtype_info_of(plan->accumulator)->bits,
      .storage_bits = 32,
      .alloc = half ? GG_TMEM_NON_INTERLEAVED : GG_TMEM_INTERLEAVED,
  };
  gg_layout layout;
  gg_status st = gg_tmem_frg(&layout, &tile, err);
  if (st) return st;
  gg_layouts_name_plain(out, "tCtC", "((m,n),MMA,1,stage) -> lane * 65536 + column", &layout);
  return GG_OK;
}

/* Where MMAs read an A in tensor memory. One copy brings 32 bytes of each row, an MMA's K step, to
 * eight columns of the row's lane. The blocks of rows of the tile's MMAs stand beside each other,
 * and behind them the next K step's. */
static gg_status derive_a(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  if (!plan->a_in_tensor) return GG_OK;
  int bits = gg_plan_smem_bits(plan, plan->a.type), mmas = gg_sm100_mmas_m(plan);
  const gg_tmem_tile tile = {.ctas = plan->cta_group,
                             .m = gg_plan_mma_rows(plan),
                             .n = plan->mma.k,
                             .rest = {mmas, plan->tile_k / plan->mma.k},
                             .rests = 2,
                             .value_bits = bits,
                             .storage_bits = bits};
  gg_layout layout;
  gg_status st = gg_tmem_frg(&layout, &tile, err);
  if (st) return st;
  int64_t all = (int64_t)plan->tile_m * plan->tile_k, in_mma = (int64_t)tile.m * tile.n, right = 0;
  for (int64_t i = 0; i < all; i++) {
    int64_t row = i % tile.m, k = i % in_mma / tile.m, copy = i / in_mma;
    int64_t byte = copy * GG_SM100_STEP_COLUMNS * 4 + k * bits / 8;
    right += gg_layout_at(&layout, i) == row * gg_tmem_lane(bits) + byte * 8 / bits;
  }
  if (right != all)
    return gg_fail(err, DERIVE_COVER, NULL, "tCtA", (long long)right, (long long)all);
  out->a_column = gg_sm100_accumulator_columns(plan) * plan->accumulator_stages;
  gg_layouts_name_plain(out, "tCtA", "((m,k),MMA,step) -> element of A in tensor memory", &layout);
  return GG_OK;
}

/* What the epilogue's threads read of a tile. Warps that read the lower lanes stand beside each
 * other along M. If the upper lanes hold other columns, the warps that read those stand along N. */
static gg_status derive_reads(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int blocks = gg_sm100_blocks_of_mma(plan), mmas = gg_sm100_mmas_m(plan), m = plan->tile_m;
  int warp_rows = blocks * GG_SM90_STAGED_ROWS, columns = gg_plan_warp_columns(plan);
  gg_tuple threads = GG_TUPLE(4, 8, 4), thread_steps = GG_TUPLE(2 * m, 1, warp_rows);
  gg_tuple values = GG_TUPLE(2, 2, columns / 8, blocks, mmas);
  gg_tuple value_steps = GG_TUPLE(m, 8, 8 * m, GG_SM90_STAGED_ROWS, gg_plan_mma_rows(plan));
  if (gg_plan_column_parts(plan) > 1) {
    threads = GG_TUPLE(4, 8, 2, 2);
    thread_steps = GG_TUPLE(2 * m, 1, warp_rows, m * columns);
  }
  if (gg_sm100_mmas_n(plan) > 1) {
    values = GG_TUPLE(2, 2, columns / 8, blocks, mmas, gg_sm100_mmas_n(plan));
    value_steps =
        GG_TUPLE(m, 8, 8 * m, GG_SM90_STAGED_ROWS, gg_plan_mma_rows(plan), m * plan->mma.n);
  }
  gg_tuple shape, stride;
  gg_status st;
  if ((st = gg_tuple_pair(&shape, &threads, &values, err))) return st;
  if ((st = gg_tuple_pair(&stride, &thread_steps, &value_steps, err))) return st;
  if ((st = gg_layout_make(&out->tCrC, &shape, &stride, err))) return st;
  return gg_check_cover("tCrC", &out->tCrC, (int64_t)plan->tile_m * plan->tile_n, err);
}

/* ---- Scale factors ------------------------------------------------------------------------ */

/* Adds the tensor map of an operand's factors. A box takes `rows` atoms along the rows, every
 * `step`-th one, and `k` along K. */
static void add_scale_map(gg_layouts *out, gg_operand_id operand, gg_dtype type, int rows, int step,
                          int k) {
  enum { atom_elements = GG_SCALE_ATOM_BYTES / 2 };
  out->maps[out->map_count++] =
      (gg_tensor_map){.operand = operand,
                      .type = type,
                      .rank = 4,
                      .modes = {GG_MAP_SCALE_ATOM, GG_MAP_SCALE_ROWS, GG_MAP_SCALE_K, GG_MAP_BATCH},
                      .box = {atom_elements, (rows - 1) * step + 1, k, 1},
                      .rows_step = step > 1 ? step : 0};
}

/* The descriptor of what one tcgen05.cp brings to tensor memory: `count` rows of 16 bytes.
 * Descriptors speak of 32 bytes, of which the copy reads the first 16. */
static gg_status describe_rows(uint64_t *out, int count, gg_error *err) {
  const gg_tuple rows = GG_TUPLE(count, 32), order = GG_TUPLE(1, 2);
  gg_composed pattern, atom;
  gg_layout whole;
  gg_smem_desc descriptor;
  gg_status st;
  if ((st = gg_smem_atom(&pattern, false, GG_SMEM_INTER, 8, err))) return st;
  if ((st = gg_layout_tile_to_shape(&whole, &pattern.layout, &rows, &order, err))) return st;
  atom = gg_composed_with(&pattern, &whole);
  st = gg_smem_desc_make(&descriptor, GG_SMEM_DESC_TCGEN05, &atom, false, 0, err);
  *out = descriptor.bits;
  return st;
}

enum {
  factor_lanes = 32, /* lanes that hold factors of their own */
  column_bytes = 4,
  lane_bytes = 65536 * column_bytes,
};

/* Checks the addresses of scale factors that the kernel computes by hand, which assume that atoms
 * lie one behind the other, against the layout of a stage's factors in shared memory, and against
 * where MMAs want them in tensor memory. In tensor memory, the atoms of one K step are beside each
 * other, or, if two are folded, one below the other. If the halves of N of a split gate have
 * factors of their own, `smem` is the layout of one atom's rows. Offsets are in bytes. */
static gg_status check_atoms(const gg_layout *smem, const gg_layout *tmem, const char *name,
                             int rows, int atoms_k, int block, bool folded, gg_error *err) {
  int64_t in_atom_k = (int64_t)block * GG_SCALE_FACTORS, all_k = atoms_k * in_atom_k;
  int64_t all_rows = (int64_t)rows * GG_SCALE_ROWS, copies = folded ? 2 : 4;
  int64_t own_rows = gg_layout_size(smem) / all_k, right = 0, all = 0;
  for (int64_t k = 0; k < all_k; k++) {
    /* That the elements of a block share their factor is seen in the first row. */
    int64_t checked = k % block == 0 ? all_rows : 1;
    all += checked;
    for (int64_t row = 0; row < checked; row++) {
      int64_t atom_k = k / in_atom_k, atom = atom_k * rows + row / GG_SCALE_ROWS;
      int64_t lane = row % factor_lanes, column = row % GG_SCALE_ROWS / factor_lanes;
      int64_t own = own_rows < all_rows ? atom_k : atom, factor = k % in_atom_k / block;
      int64_t in_smem = own * GG_SCALE_ATOM_BYTES + gg_scale_place(row, factor);
      int64_t place = folded ? atom_k : atom;
      if (folded) lane += row / GG_SCALE_ROWS * (GG_TMEM_LANES / 2);
      int64_t in_tmem =
          lane * lane_bytes + factor + (place * GG_SCALE_ATOM_COLUMNS + column) * column_bytes;
      right += gg_layout_at(smem, row % own_rows + k * own_rows) == in_smem &&
               gg_layout_at(tmem, row + k * all_rows * copies) == in_tmem;
    }
  }
  if (right == all && (own_rows == all_rows || own_rows == GG_SCALE_ROWS)) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, name, (long long)right, (long long)all);
}

/* Checks tiles whose pairs take rows in turns: two such tiles have all rows of two atoms, each CTA
 * those of one atom. And the MMAs read the factors where they are: as many columns behind the
 * atom's first one as the rows are behind its first row. `tmem` is the layout of an atom. */
static gg_status derive_turns(gg_layouts *out, const gg_plan *plan, const gg_layout *tmem,
                              gg_error *err) {
  int rows = plan->tile_m, right = 0, all = 4 * rows;
  if (!plan->turns_pairs) return GG_OK;
  const gg_tuple shape = GG_TUPLE(rows, 2, 2), stride = GG_TUPLE(1, GG_SCALE_ROWS, rows);
  gg_layout turns;
  gg_status st = gg_layout_make(&turns, &shape, &stride, err);
  if (!st) st = gg_check_cover("turns", &turns, all, err);
  if (st) return st;
  for (int i = 0; i < all; i++) {
    int own = i % rows, cta = i / rows % 2, first = (int)gg_layout_at(&turns, i - own);
    int row = (int)gg_layout_at(&turns, i), from = first % GG_SCALE_ROWS / factor_lanes;
    right +=
        row / GG_SCALE_ROWS == cta && gg_layout_at(tmem, row % GG_SCALE_ROWS) ==
                                          gg_layout_at(tmem, own) + (int64_t)from * column_bytes;
  }
  if (right != all)
    return gg_fail(err, DERIVE_COVER, NULL, "turns", (long long)right, (long long)all);
  gg_layouts_name_plain(out, "turns", "(row of a CTA, CTA, tile) -> row of two pairs' tiles",
                        &turns);
  return GG_OK;
}

/* The layouts of factors as the atom's instructions have them. If a tile's factors begin in the
 * middle of a word, the layouts of the words, one behind the other. */
static gg_status derive_factors(gg_layout *smem, gg_layout *tmem, const gg_plan *plan, bool is_a,
                                int rows, gg_error *err) {
  const gg_tuple tile = GG_TUPLE(plan->tile_m * plan->cta_group, plan->tile_n, plan->tile_k);
  gg_mma_operand operand = is_a ? GG_MMA_SFA : GG_MMA_SFB;
  gg_tuple shape = GG_TUPLE(1, 1, 1);
  int block = plan->scale_a.block;
  gg_layout atoms;
  gg_tiled_mma mma;
  gg_status st;
  if (plan->mma.k == GG_MMA_LONG_K) {
    st = gg_scale_smem_layout(smem, block, (int64_t)rows * GG_SCALE_ROWS, plan->tile_k,
                              block * GG_SCALE_FACTORS, err);
    return st ? st : gg_tmem_sf_frg(tmem, &smem->shape, false, err);
  }
  if ((st = gg_layout_col_major(&atoms, &shape, err))) return st;
  if ((st = gg_tiled_mma_make(&mma, &plan->mma, &atoms, NULL, err))) return st;
  if ((st = gg_umma_smem_sf(smem, &mma, operand, &tile, err))) return st;
  return gg_umma_fragment_sf(tmem, &mma, operand, &tile, err);
}

/* The layouts of a folded B's factors: in shared memory boxes of two atoms, one box behind the
 * other; in tensor memory an MMA reads those of a box from the columns of two atoms, one below the
 * other. */
static gg_status derive_halves(gg_layout *smem, gg_layout *tmem, const gg_plan *plan,
                               gg_error *err) {
  enum { rows = 2 * GG_SCALE_ROWS };
  int64_t k = (int64_t)plan->tile_k * gg_scale_places_b(plan);
  gg_status st = gg_scale_smem_layout(smem, plan->scale_a.block, rows, k, plan->mma.k, err);
  return st ? st : gg_tmem_sf_frg(tmem, &smem->shape, true, err);
}

/* Checks tiles that take their columns in turns: together they have all columns, both halves of a
 * tile begin at the same column of an atom, and the box that begins there has the atoms of all of
 * the half. */
static gg_status derive_turning_columns(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int half = gg_plan_warp_columns(plan), tiles = plan->turns_columns, right = 0;
  int places = gg_scale_places_b(plan), step = gg_plan_half_step(plan), all = 2 * half * tiles;
  if (!tiles) return GG_OK;
  const gg_tuple shape = GG_TUPLE(half, 2, tiles), stride = GG_TUPLE(1, step, half);
  gg_layout turns;
  gg_status st = gg_layout_make(&turns, &shape, &stride, err);
  if (!st) st = gg_check_cover("columns in turns", &turns, all, err);
  if (st) return st;
  for (int i = 0; i < all; i++) {
    int own = i % half, second = i / half % 2, tile = (int)gg_layout_at(&turns, i - i % (2 * half));
    int column = (int)gg_layout_at(&turns, i), atom = column / GG_SCALE_ROWS;
    int first = tile / GG_SCALE_ROWS + second * gg_scale_half_atoms(plan), box = atom - first;
    /* Columns of tensor memory behind the first box's: where the factor is, and where the MMA reads
     * it. */
    int here = GG_SCALE_ATOM_COLUMNS * box + column % GG_SCALE_ROWS / factor_lanes;
    int read = tile % GG_SCALE_ROWS / factor_lanes + own / factor_lanes;
    right +=
        box >= 0 && box < places && here == read && column % factor_lanes == own % factor_lanes;
  }
  if (right != all)
    return gg_fail(err, DERIVE_COVER, NULL, "columns in turns", (long long)right, (long long)all);
  gg_layouts_name_plain(out, "columns", "(column of a half, half, tile) -> column of all tiles'",
                        &turns);
  return GG_OK;
}

static gg_status derive_scaled(gg_layouts *out, const gg_plan *plan, bool is_a, int rows,
                               gg_error *err) {
  const char *name = is_a ? "sSFA" : "sSFB";
  bool folded = !is_a && gg_plan_folds_scales(plan);
  gg_layout smem, tmem;
  int block = plan->scale_a.block;
  int atoms_k = gg_scale_atoms_k(plan) * (folded ? gg_scale_places_b(plan) : 1);
  gg_status st = folded ? derive_halves(&smem, &tmem, plan, err)
                        : derive_factors(&smem, &tmem, plan, is_a, rows, err);
  if (!st && !is_a && gg_plan_splits_scales(plan))
    st = gg_scale_smem_layout(&smem, block, GG_SCALE_ROWS, plan->tile_k, plan->mma.k, err);
  if (!st) st = check_atoms(&smem, &tmem, name, folded ? 2 : rows, atoms_k, block, folded, err);
  if (!st && is_a) st = derive_turns(out, plan, &tmem, err);
  if (!st && !is_a) st = derive_turning_columns(out, plan, err);
  if (st) return st;
  gg_layouts_name_plain(out, name, "(row, k) -> byte of a stage's scale factors", &smem);
  gg_layouts_name_plain(out, is_a ? "tCtSFA" : "tCtSFB",
                        "((row,k),...) -> lane * 262144 + byte of tensor memory", &tmem);
  return GG_OK;
}

void gg_sm100_add_scale_maps(gg_layouts *out, const gg_plan *plan) {
  int rows_b = gg_scale_atoms_b(plan), k = gg_scale_atoms_k(plan);
  bool folded = gg_plan_folds_scales(plan);
  add_scale_map(out, GG_OPERAND_SCALE_A, plan->scale_a.type, gg_scale_atoms_a(plan), 1, k);
  if (gg_plan_splits_scales(plan)) rows_b /= 2; /* the box's rows are those of one half of N */
  add_scale_map(out, GG_OPERAND_SCALE_B, plan->scale_b.type, folded ? 2 : rows_b,
                folded ? gg_scale_half_atoms(plan) : 1, k);
}

static gg_status derive_scales(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  if (!gg_plan_is_scaled(plan)) return GG_OK;
  int rows_a = gg_scale_atoms_a(plan), rows_b = gg_scale_atoms_b(plan);
  gg_sm100_add_scale_maps(out, plan);
  out->scale_column = gg_sm100_accumulator_columns(plan) * plan->accumulator_stages;
  gg_status st = derive_scaled(out, plan, true, rows_a, err);
  if (!st) st = derive_scaled(out, plan, false, rows_b, err);
  /* An atom is 32 lines, each with the factors of four rows. If they are folded, two atoms are
   * copied at once. */
  int lines = gg_plan_folds_scales(plan) ? 2 * factor_lanes : factor_lanes;
  return st ? st : describe_rows(&out->scale_descriptor, lines, err);
}

/* ---- Metadata of a sparse A --------------------------------------------------------------- */

/* The map of half a tile of metadata: four blocks of 16 rows, each followed by zeros, which are
 * what a map gives for coordinates beyond its one element along the "gap" mode. */
static gg_tensor_map half_metadata_map(const gg_plan *plan) {
  enum { elements = GG_METADATA_TILE_BYTES / 8, rows = GG_METADATA_TILE_ROWS };
  enum { block = GG_METADATA_BLOCK_ROWS };
  return (gg_tensor_map){
      .operand = GG_OPERAND_METADATA,
      .type = GG_DTYPE_f64, /* the map copies units of 8 bytes, whatever they hold */
      .rank = 5,
      .modes = {GG_MAP_METADATA_BLOCK, GG_MAP_METADATA_GAP, GG_MAP_METADATA_BLOCKS,
                GG_MAP_METADATA_K, GG_MAP_BATCH},
      .box = {elements / rows * block, 2, rows / 2 / block, gg_metadata_tiles_k(plan), 1}};
}

static gg_tensor_map metadata_map(const gg_plan *plan) {
  enum { tile_elements = GG_METADATA_TILE_BYTES / 8 };
  if (gg_metadata_is_half(plan)) return half_metadata_map(plan);
  return (gg_tensor_map){
      .operand = GG_OPERAND_METADATA,
      .type = GG_DTYPE_f64, /* units of 8 bytes, whatever they hold */
      .rank = 4,
      .modes = {GG_MAP_METADATA_TILE, GG_MAP_METADATA_ROWS, GG_MAP_METADATA_K, GG_MAP_BATCH},
      .box = {tile_elements, gg_metadata_tiles_m(plan), gg_metadata_tiles_k(plan), 1}};
}

void gg_sm100_add_metadata_map(gg_layouts *out, const gg_plan *plan) {
  out->maps[out->map_count++] = metadata_map(plan);
}

/* Checks that a box brings tiles of metadata to where the layout of a stage's metadata has them,
 * and that a copy, which takes line r of a tile (16 bytes) to four columns of lane r, brings them
 * to where MMAs read. */
static gg_status check_metadata(const gg_layout *smem, const gg_layout *tmem, const gg_plan *plan,
                                gg_error *err) {
  enum { line_bits = 128, lines = GG_METADATA_TILE_ROWS };
  int64_t tile_k = gg_metadata_tile_k(plan), lane = gg_tmem_lane(line_bits) * tile_k, right = 0;
  int64_t all = (int64_t)plan->tile_m * plan->tile_k, rows = gg_metadata_rows(plan);
  for (int64_t i = 0; i < all; i++) {
    int64_t row = i % plan->tile_m, k = i / plan->tile_m, place = gg_layout_at(smem, i);
    int64_t tile = k / tile_k * gg_metadata_tiles_m(plan) + row / rows;
    int64_t in_smem = place - tile * lines * tile_k;
    int64_t in_tmem = gg_layout_at(tmem, row % rows + k % tile_k * rows);
    right += in_smem / tile_k == in_tmem / lane && in_smem % tile_k == in_tmem % lane;
  }
  if (right == all) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, "sE", (long long)right, (long long)all);
}

static gg_status derive_metadata(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  if (!plan->sparse_a) return GG_OK;
  const gg_sparse_element element = gg_plan_sparse_element(plan);
  int steps = gg_metadata_tile_k(plan) / plan->mma.k, bits = gg_plan_smem_bits(plan, plan->a.type);
  const gg_tuple mnkl = GG_TUPLE(plan->tile_m, plan->tile_n, plan->tile_k, 1);
  const gg_tuple mma = GG_TUPLE(gg_metadata_rows(plan), plan->mma.k), rest = GG_TUPLE(1, steps);
  gg_tuple shape;
  gg_layout smem, tmem;
  gg_status st;
  gg_sm100_add_metadata_map(out, plan);
  out->metadata_column =
      gg_sm100_accumulator_columns(plan) * plan->accumulator_stages + gg_scale_columns(plan);
  st = gg_metadata_is_half(plan) ? gg_sm1xx_sparse_half_layout_e(&smem, element, &mnkl, err)
                                 : gg_sm1xx_sparse_layout_e(&smem, element, &mnkl, err);
  if (st) return st;
  if ((st = gg_tuple_pair(&shape, &mma, &rest, err))) return st;
  if ((st = gg_tmem_e_frg(&tmem, bits, false, &shape, err))) return st;
  if ((st = check_metadata(&smem, &tmem, plan, err))) return st;
  gg_layouts_name_plain(out, "sE", "(row, k, 1) -> its part of four bits of a stage's metadata",
                        &smem);
  gg_layouts_name_plain(out, "tCtE", "((row,k),(1,step)) -> the same of a tile, in tensor memory",
                        &tmem);
  return describe_rows(&out->metadata_descriptor, GG_METADATA_TILE_ROWS, err);
}

gg_status gg_sm100_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = gg_sm90_derive_operands(out, plan, err))) return st;
  if ((st = derive_scales(out, plan, err))) return st;
  if ((st = derive_metadata(out, plan, err))) return st;
  if ((st = derive_a(out, plan, err))) return st;
  if ((st = derive_reads(out, plan, err))) return st;
  if ((st = gg_sm90_derive_epilogue(out, plan, err))) return st;
  gg_sm90_name_layouts(out, plan);
  if ((st = derive_tensor_memory(out, plan, err))) return st;
  out->accumulator = (gg_accumulator_place){.home = GG_HOME_TENSOR,
                                            .sets = plan->accumulator_stages,
                                            .columns = gg_sm100_allocated_columns(plan)};
  gg_sm90_derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
