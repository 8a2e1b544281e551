/* Family sm120: its two stages, plan and layouts. It differs from sm90 in how it multiplies, and
 * takes scale factors and narrow operands as sm100 does; most of the code is theirs. */
#ifndef GG_PLAN_SM120_H
#define GG_PLAN_SM120_H

#include "plan/target.h"

enum {
  GG_SM120_QUAD = 4,       /* lanes that together hold a row of an MMA's operands */
  GG_SM120_PIECE = 16,     /* columns of B that one ldmatrix brings */
  GG_SM120_ADDRESSES = 24, /* registers of a thread: addresses, loop state and predicates */
};

/* How many words of four scale factors each, of A's and of B's rows, a lane holds of one K tile. */
int gg_sm120_scale_words_a(const gg_plan *plan);
int gg_sm120_scale_words_b(const gg_plan *plan);

/* Whether a tile's factors of B may begin in the middle of an atom: the factors of a split gate's
 * half of N do, if a tile has fewer columns of it than an atom has rows. */
bool gg_sm120_begins_within_factors(const gg_plan *plan);

/* How many words of metadata of a sparse A a lane holds of one K tile: one for each MMA of its
 * rows. */
int gg_sm120_metadata_registers(const gg_plan *plan);

/* A lane's 32-bit registers for what it multiplies: fragments, two sets, of a K step of A and of
 * `piece` columns of B; scale factors and metadata. gg_sm120_least_registers: the fewest, those of
 * the narrowest piece, for a block of `blocks` times 64 rows by `n` columns by `k` elements along
 * K. gg_sm120_piece: how many columns of B the plan's warps load at once: as many of theirs as
 * registers are left for. (sm120_registers.c) */
int gg_sm120_least_registers(const gg_plan *plan, const gg_mma_atom *mma, int blocks, int n, int k);
int gg_sm120_fragment_registers(const gg_plan *plan);
int gg_sm120_piece(const gg_plan *plan);

gg_status gg_sm120_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm120.c */

extern const gg_target gg_target_sm120; /* sm120.c */

#endif
