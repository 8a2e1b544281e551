/* Family sm120: plan -> layouts. Operands and staging are sm90's (derive_sm90.c), but nothing has a
 * descriptor: ldmatrix reads the operands, and lanes read their scale factors. The accumulators of
 * a consumer's four warps lie as those of a wgmma do. */
#include "atom/tiled_mma.h"
#include "plan/check.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm120.h"
#include "plan/sm90.h"
#include "plan/sparse.h"

/* ---- The MMA ---------------------------------------------------------------------------- */

/* Checks that what ldmatrix gives a lane of B is what the MMA takes: two words of column lane / 4,
 * from byte lane % 4 * 4 and from 16 bytes further on. */
static gg_status check_fragments_of_b(const gg_plan *plan, gg_error *err) {
  enum { word_bits = 32 };
  gg_layout layout = gg_mma_atom_layout(&plan->mma, GG_MMA_B);
  int64_t lanes = gg_layout_mode_size(&layout, 0), values = gg_layout_mode_size(&layout, 1);
  int64_t in_word = word_bits / gg_plan_smem_bits(plan, plan->b.type), right = 0;
  for (int64_t i = 0; i < lanes * values; i++) {
    int64_t lane = i % lanes, value = i / lanes, word = value / in_word;
    int64_t k = (lane % GG_SM120_QUAD + word * GG_SM120_QUAD) * in_word + value % in_word;
    right += gg_layout_at(&layout, i) == lane / GG_SM120_QUAD + k * plan->mma.n;
  }
  if (right == lanes * values) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, "tCrB", (long long)right, (long long)(lanes * values));
}

/* The tiled MMA: consumers side by side along M or N, each with a contiguous block of the tile's
 * rows or columns. Of each 64 rows of the block, each warp has 16. */
static gg_status derive_mma(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int64_t m = plan->mma.m, rows = gg_plan_mma_rows(plan), warps = rows / m;
  int64_t blocks = gg_plan_block_m(plan) / rows;
  int64_t n = plan->mma.n, block_n = gg_plan_block_n(plan);
  gg_tuple atoms = GG_TUPLE(warps * plan->atoms_m, plan->atoms_n, 1);
  gg_tuple shape_m = GG_TUPLE(m, warps, plan->atoms_m, blocks);
  gg_tuple stride_m = GG_TUPLE(1, m, rows * blocks, rows);
  gg_tuple shape_n = GG_TUPLE(n, plan->atoms_n, block_n / n), stride_n = GG_TUPLE(1, block_n, n);
  gg_tiler permutation = gg_tiler_empty(), modes[2];
  gg_layout of_rows, of_columns, layout;
  gg_status st;
  if ((st = gg_layout_make(&of_rows, &shape_m, &stride_m, err))) return st;
  if ((st = gg_layout_make(&of_columns, &shape_n, &stride_n, err))) return st;
  modes[0] = gg_tiler_of_layout(&of_rows);
  modes[1] = gg_tiler_of_layout(&of_columns);
  for (int i = 0; i < 2; i++)
    if ((st = gg_tiler_append(&permutation, &modes[i], err))) return st;
  if ((st = gg_layout_col_major(&layout, &atoms, err))) return st;
  if ((st = gg_layouts_fragments(out, plan, &layout, &permutation, err))) return st;
  if ((st = gg_sm90_check_fragments(plan, err))) return st;
  if ((st = check_fragments_of_b(plan, err))) return st;
  return gg_check_cover("tCrC", &out->tCrC, (int64_t)plan->tile_m * plan->tile_n, err);
}

/* ---- Scale factors ------------------------------------------------------------------------ */

/* Checks that the text looks for a row's factors where a stage has them: the words of an atom's row
 * lie behind those of the 32 rows before it, and the atoms of a K step behind each other. */
static gg_status check_places(gg_layouts *out, const gg_plan *plan, bool is_a, gg_error *err) {
  const char *name = is_a ? "sSFA" : "sSFB";
  int block = plan->scale_a.block;
  int64_t atoms = is_a ? gg_scale_atoms_a(plan) : gg_scale_atoms_b(plan);
  if (!is_a && gg_plan_splits_scales(plan)) atoms /= 2; /* those of one half of N */
  int64_t rows = atoms * GG_SCALE_ROWS, right = 0, all = 0;
  gg_layout smem;
  gg_status st = gg_scale_smem_layout(&smem, block, rows, plan->tile_k, plan->mma.k, err);
  if (st) return st;
  for (int64_t k = 0; k < plan->tile_k; k++) {
    /* That the elements of a block share their factor is seen in the first row. */
    int64_t checked = k % block == 0 ? rows : 1;
    all += checked;
    for (int64_t row = 0; row < checked; row++) {
      int64_t factor = k / block, atom_k = factor / GG_SCALE_FACTORS;
      int64_t atom = atom_k * atoms + row / GG_SCALE_ROWS;
      int64_t place = atom * GG_SCALE_ATOM_BYTES + gg_scale_place(row, factor);
      right += gg_layout_at(&smem, row + k * rows) == place;
    }
  }
  if (right != all || gg_layout_size(&smem) != rows * plan->tile_k)
    return gg_fail(err, DERIVE_COVER, NULL, name, (long long)right, (long long)all);
  gg_layouts_name_plain(out, name, "(row, k) -> byte of a stage's scale factors", &smem);
  return GG_OK;
}

/* Checks which factors a lane has to hold. For A's rows lane / 4 and lane / 4 + 8, two lanes of
 * each quad (the first two or the last two) are named by the instruction; for B's column lane / 4,
 * one lane of each quad is. */
static gg_status check_lanes(const gg_plan *plan, bool is_a, gg_error *err) {
  gg_layout layout = gg_mma_atom_layout(&plan->mma, is_a ? GG_MMA_SFA : GG_MMA_SFB);
  int64_t lanes = gg_layout_mode_size(&layout, 0), right = 0;
  for (int64_t lane = 0; lane < lanes; lane++) {
    int64_t row = lane / GG_SM120_QUAD + (is_a ? lane % 2 * 8 : 0);
    right += gg_layout_at(&layout, lane) == row;
  }
  if (right == lanes) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, is_a ? "tCrSFA" : "tCrSFB", (long long)right,
                 (long long)lanes);
}

static gg_status derive_scales(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st = GG_OK;
  if (!gg_plan_is_scaled(plan)) return GG_OK;
  gg_sm100_add_scale_maps(out, plan);
  for (int is_a = 1; is_a >= 0 && !st; is_a--) {
    st = check_places(out, plan, is_a, err);
    if (!st) st = check_lanes(plan, is_a, err);
  }
  return st;
}

static gg_status derive_metadata(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  if (!plan->sparse_a) return GG_OK;
  const gg_layout fragment = gg_mma_atom_layout(&plan->mma, GG_MMA_E);
  gg_sm100_add_metadata_map(out, plan);
  out->metadata_registers = gg_sm120_metadata_registers(plan);
  gg_layouts_name_plain(out, "tCrE", "an MMA's metadata: (lane, bit) -> index in (m, k)",
                        &fragment);
  return gg_metadata_check_places(plan, err);
}

/* ---- The whole -------------------------------------------------------------------------- */

gg_status gg_sm120_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = gg_sm90_derive_operands(out, plan, err))) return st;
  if ((st = derive_scales(out, plan, err))) return st;
  if ((st = derive_metadata(out, plan, err))) return st;
  if ((st = derive_mma(out, plan, err))) return st;
  if ((st = gg_sm90_derive_epilogue(out, plan, err))) return st;
  gg_sm90_name_layouts(out, plan);
  out->accumulator = (gg_accumulator_place){
      .home = GG_HOME_REGISTERS, .sets = 1, .registers = gg_sm90_accumulator_registers(plan)};
  out->fragment_registers = gg_sm120_fragment_registers(plan);
  gg_sm90_derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
