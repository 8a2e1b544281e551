/* Family sm120: how many 32-bit registers a lane needs for operands and their scale factors. */
#include "plan/scales.h"
#include "plan/sm120.h"
#include "plan/sm90.h"

/* Words of A's factors that a lane holds of one K tile: one for each two blocks of rows, which the
 * lanes of a quad hold together, and each atom of factors along K. (Of B, the lanes of a quad hold
 * the columns of four atoms together.) */
static int words_a(const gg_plan *plan, int blocks, int k) {
  return gg_plan_is_scaled(plan) ? (blocks + 1) / 2 * (k / gg_scale_atom_k(plan)) : 0;
}

static int words_b(const gg_plan *plan, int columns, int k) {
  enum { atom_columns = 8 };
  int words = columns / (atom_columns * GG_SM120_QUAD);
  return gg_plan_is_scaled(plan) ? words * (k / gg_scale_atom_k(plan)) : 0;
}

static int blocks_of(const gg_plan *plan) {
  return gg_plan_block_m(plan) / gg_plan_mma_rows(plan);
}

int gg_sm120_scale_words_a(const gg_plan *plan) {
  return words_a(plan, blocks_of(plan), plan->tile_k);
}

int gg_sm120_scale_words_b(const gg_plan *plan) {
  return words_b(plan, plan->tile_n, plan->tile_k);
}

static int metadata_words(const gg_plan *plan, const gg_mma_atom *mma, int blocks, int k) {
  return plan->sparse_a ? blocks * (k / mma->k) : 0;
}

int gg_sm120_metadata_registers(const gg_plan *plan) {
  return metadata_words(plan, &plan->mma, blocks_of(plan), plan->tile_k);
}

bool gg_sm120_begins_within_factors(const gg_plan *plan) {
  return gg_plan_splits_scales(plan) && plan->tile_n < 2 * GG_SCALE_ROWS;
}

/* Two sets of A's fragments, for one K step each, and of B's, for a piece's columns each: while one
 * set is multiplied, the next one is loaded. */
static int fragments_of(const gg_mma_atom *mma, int blocks, int piece) {
  enum { sets = 2, columns = 8 /* of an MMA */ };
  int a = gg_mma_atom_registers(mma, GG_MMA_A, NULL),
      b = gg_mma_atom_registers(mma, GG_MMA_B, NULL);
  return sets * (blocks * a + piece / columns * b);
}

static int words_beside(const gg_plan *plan, const gg_mma_atom *mma, int blocks, int n, int k) {
  return words_a(plan, blocks, k) + words_b(plan, n, k) + metadata_words(plan, mma, blocks, k);
}

int gg_sm120_least_registers(const gg_plan *plan, const gg_mma_atom *mma, int blocks, int n,
                             int k) {
  return fragments_of(mma, blocks, GG_SM120_PIECE) + words_beside(plan, mma, blocks, n, k);
}

/* With few wide pieces ptxas has more MMAs between loads and their use. (Measured:
 * docs/performance/sm80.md, "Copies by a warpgroup of their own".) Beside scale factors and
 * metadata nobody has measured any but the narrowest. */
int gg_sm120_piece(const gg_plan *plan) {
  int left = plan->consumer_registers - GG_SM120_ADDRESSES - gg_sm90_accumulator_registers(plan);
  int piece = gg_plan_warp_columns(plan);
  if (gg_plan_is_scaled(plan) || plan->sparse_a) return GG_SM120_PIECE;
  while (piece % (2 * GG_SM120_PIECE) == 0 &&
         fragments_of(&plan->mma, blocks_of(plan), piece) > left)
    piece /= 2;
  return fragments_of(&plan->mma, blocks_of(plan), piece) > left ? GG_SM120_PIECE : piece;
}

int gg_sm120_fragment_registers(const gg_plan *plan) {
  int blocks = blocks_of(plan);
  return fragments_of(&plan->mma, blocks, gg_sm120_piece(plan)) +
         words_beside(plan, &plan->mma, blocks, plan->tile_n, plan->tile_k);
}
