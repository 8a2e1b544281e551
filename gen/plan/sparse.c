#include "plan/sparse.h"

#include "atom/dtype.h"
#include "plan/narrow.h"

gg_sparse_element gg_plan_sparse_element(const gg_plan *plan) {
  return (gg_sparse_element){.bits = gg_dtype_info_of(plan->a.type)->bits,
                             .unpacked = gg_plan_unpacks(plan, plan->a.type)};
}

int gg_metadata_tile_k(const gg_plan *plan) {
  return (int)gg_sparse_tile_k(gg_plan_sparse_element(plan));
}

/* Warps that multiply by MMAs of their own read metadata from global memory. */
static bool is_staged(const gg_plan *plan) {
  return plan->sparse_a && !(plan->mma.row && plan->mma.row->kind == GG_MMA_sync);
}

bool gg_metadata_is_half(const gg_plan *plan) {
  return is_staged(plan) && gg_plan_mma_rows(plan) < GG_METADATA_TILE_ROWS;
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
