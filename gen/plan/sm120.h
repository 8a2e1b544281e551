/* Family sm120: its two stages. It is sm90 but for who multiplies, and takes sm100's scale factors
 * and narrow operands: most of it is theirs. */
#ifndef GG_PLAN_SM120_H
#define GG_PLAN_SM120_H

#include "plan/target.h"

enum {
  GG_SM120_QUAD = 4,   /* lanes that have a row of an MMA's operands between them */
  GG_SM120_PIECE = 16, /* columns of B that ldmatrix brings at once */
};

/* Words of four scale factors of A's and of B's rows that a lane has of a K tile. */
int gg_sm120_scale_words_a(const gg_plan *plan);
int gg_sm120_scale_words_b(const gg_plan *plan);

/* Whether a tile's factors of B may begin within their atoms: those of a half of N, of which it has
 * less than an atom's rows. */
bool gg_sm120_begins_within_factors(const gg_plan *plan);

/* ... and of metadata of a sparse A, a word for each of a K tile's MMAs of its rows. */
int gg_sm120_metadata_registers(const gg_plan *plan);

/* A lane's registers for what it multiplies: fragments of two steps, and factors; of so many blocks
 * of 64 rows, columns and elements along K, or the plan's. sm120_registers.c */
int gg_sm120_registers_of(const gg_plan *plan, const gg_mma_atom *mma, int blocks, int n, int k);
int gg_sm120_fragment_registers(const gg_plan *plan);

gg_status gg_sm120_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm120.c */

extern const gg_target gg_target_sm120; /* sm120.c */

#endif
