#include "plan/sparse.h"

#include "atom/dtype.h"
#include "layout/banks.h"
#include "plan/check.h"
#include "plan/narrow.h"

gg_sparse_element gg_plan_sparse_element(const gg_plan *plan) {
  return (gg_sparse_element){.bits = gg_dtype_info_of(plan->a.type)->bits,
                             .unpacked = gg_plan_unpacks(plan, plan->a.type)};
}

int gg_metadata_tile_k(const gg_plan *plan) {
  return (int)gg_sparse_tile_k(gg_plan_sparse_element(plan));
}

static bool is_multiplied_by(const gg_plan *plan, gg_mma_kind kind) {
  return plan->mma.row && plan->mma.row->kind == kind;
}

/* Whether stages hold metadata. Warps of family sm80 read it from global memory instead. */
static bool is_staged(const gg_plan *plan) {
  return plan->sparse_a && !is_multiplied_by(plan, GG_MMA_sync);
}

bool gg_metadata_is_half(const gg_plan *plan) {
  bool by_lanes = is_multiplied_by(plan, GG_MMA_mixed);
  return is_staged(plan) && !by_lanes && gg_plan_mma_rows(plan) < GG_METADATA_TILE_ROWS;
}

int gg_metadata_rows(const gg_plan *plan) {
  return gg_metadata_is_half(plan) ? GG_METADATA_TILE_ROWS / 2 : GG_METADATA_TILE_ROWS;
}

int gg_metadata_tiles_k(const gg_plan *plan) {
  return is_staged(plan) ? plan->tile_k / gg_metadata_tile_k(plan) : 0;
}

int gg_metadata_tiles_m(const gg_plan *plan) {
  return is_staged(plan) ? plan->tile_m / gg_metadata_rows(plan) : 0;
}

int64_t gg_metadata_bytes(const gg_plan *plan) {
  return (int64_t)gg_metadata_tiles_m(plan) * gg_metadata_tiles_k(plan) * GG_METADATA_TILE_BYTES;
}

int gg_metadata_columns(const gg_plan *plan) {
  return gg_metadata_tiles_m(plan) * gg_metadata_tiles_k(plan) * GG_METADATA_TILE_COLUMNS;
}

int gg_metadata_step(const gg_plan *plan) {
  enum { line_bytes = 16 };
  return line_bytes * plan->mma.k / gg_metadata_tile_k(plan);
}

/* Checks each bit of the metadata of each MMA along K: the compressor must put it where the text
 * has lanes look for the words, as the instruction's fragment describes them. */
gg_status gg_metadata_check_places(const gg_plan *plan, gg_error *err) {
  enum { lines = 8, line_bytes = 16, word_bytes = 4, word_bits = 32 };
  const gg_layout fragment = gg_mma_atom_layout(&plan->mma, GG_MMA_E);
  int tile_k = gg_metadata_tile_k(plan), step = gg_metadata_step(plan), m = plan->mma.m;
  int64_t all = 0, right = 0;
  gg_layout tile;
  gg_status st = gg_sm1xx_sparse_metadata_tile(&tile, gg_plan_sparse_element(plan), err);
  for (int mma = 0; !st && mma < tile_k / plan->mma.k; mma++) {
    for (int i = 0; i < GG_WARP * word_bits; i++, all++) {
      int lane = i % GG_WARP, bit = i / GG_WARP;
      int line = lane % 2 * lines + lane / 4, half = step > word_bytes ? lane / 2 % 2 : 0;
      int place = 8 * (line * line_bytes + mma * step + half * word_bytes) + bit;
      int64_t at = gg_layout_at(&fragment, i), k = at / m + (int64_t)mma * plan->mma.k;
      int64_t element = gg_layout_at(&tile, at % m + k * GG_METADATA_TILE_ROWS);
      right += element == place * tile_k / (8 * line_bytes);
    }
  }
  if (st || right == all) return st;
  return gg_fail(err, DERIVE_COVER, NULL, "tCrE", (long long)right, (long long)all);
}
