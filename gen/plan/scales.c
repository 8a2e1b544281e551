#include "plan/scales.h"

#include "plan/operation.h"

bool gg_plan_splits_scales(const gg_plan *plan) {
  return plan->scale_b.block > 0 && gg_operations_split(plan->operations, plan->operation_count);
}

int gg_scale_atoms_k(const gg_plan *plan) {
  return gg_plan_is_scaled(plan) ? plan->tile_k / (GG_SCALE_FACTORS * plan->scale_a.block) : 0;
}

int gg_scale_atoms_a(const gg_plan *plan) {
  return gg_plan_is_scaled(plan) ? (plan->tile_m + GG_SCALE_ROWS - 1) / GG_SCALE_ROWS : 0;
}

/* In how many atoms a tile's factors of B may lie. With 64 or 192 columns, every other tile begins
 * in the middle of an atom. With folded halves of 96 columns, some halves begin in one atom and end
 * in the next. With a split gate, each half of N has atoms of its own. */
int gg_scale_places_b(const gg_plan *plan) {
  if (!gg_plan_is_scaled(plan)) return 0;
  if (gg_plan_splits_scales(plan))
    return 2 * ((plan->tile_n / 2 + GG_SCALE_ROWS - 1) / GG_SCALE_ROWS);
  if (gg_plan_folds_scales(plan)) return GG_SCALE_ROWS % gg_plan_warp_columns(plan) ? 2 : 1;
  return (plan->tile_n + GG_SCALE_ROWS - 1) / GG_SCALE_ROWS;
}

int gg_scale_atoms_b(const gg_plan *plan) {
  return gg_scale_places_b(plan) * (gg_plan_folds_scales(plan) ? 2 : 1);
}

int gg_scale_turns_of(int half) {
  int tiles = 1;
  while (tiles * half % GG_SCALE_ROWS != 0)
    tiles++;
  return tiles > 1 ? tiles : 0;
}

int gg_scale_half_atoms(const gg_plan *plan) {
  return gg_plan_half_step(plan) / GG_SCALE_ROWS;
}

int64_t gg_scale_bytes_a(const gg_plan *plan) {
  return (int64_t)gg_scale_atoms_a(plan) * gg_scale_atoms_k(plan) * GG_SCALE_ATOM_BYTES;
}

int64_t gg_scale_bytes_b(const gg_plan *plan) {
  return (int64_t)gg_scale_atoms_b(plan) * gg_scale_atoms_k(plan) * GG_SCALE_ATOM_BYTES;
}

int64_t gg_scale_stage_bytes(const gg_plan *plan) {
  enum { pattern = 1024 };
  return (gg_scale_bytes_a(plan) + gg_scale_bytes_b(plan) + pattern - 1) / pattern * pattern;
}

int gg_scale_columns(const gg_plan *plan) {
  int rows = gg_scale_atoms_a(plan) + gg_scale_places_b(plan);
  return GG_SCALE_ATOM_COLUMNS * rows * gg_scale_atoms_k(plan);
}

int gg_plan_own_maps(const gg_plan *plan) {
  return 3 + (gg_plan_is_scaled(plan) ? 2 : 0) + plan->sparse_a;
}
