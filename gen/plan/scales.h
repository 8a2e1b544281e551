/* Scale factors of A and B: one of each block of elements along K, by which the tensor core
 * multiplies what it has of the block. Those of D, of each block along N, are what the epilogue
 * divides by (templates/parts/sm100_scale_d.cu).
 *
 * In global memory they lie in atoms of 128 rows by 4 factors, 512 bytes (atom/scale_layout.h). A
 * tensor map brings the atoms that a tile's rows touch to the stage of A and B, a K step's rows
 * behind each other; the MMA issuer copies them to tensor memory (tcgen05.cp), 4 columns each in
 * the same order, before the MMAs that read them. Tiles of N = 64 or 192 begin within an atom where
 * their number is odd: MMAs then read from 2 columns further on. Each CTA of a pair has the factors
 * of its own rows, and those of all columns.
 *
 * A pair with 64 rows a CTA (an atom with M = 128) has half an atom of A's for each CTA. Both CTAs'
 * factors are at one address of tensor memory, copied by one instruction, and the second half of an
 * atom is 8 bytes into lines of 16, where neither a tensor map nor tcgen05.cp can begin. So pairs
 * take rows in turns: tile t = 2 * u + h of a pair has, in CTA r, the rows from
 * 256 * u + 128 * r + 64 * h on. Each CTA brings the atom 2 * u + r, and MMAs read from column 2 *
 * h of its four on. Of B's factors such an MMA reads those of the first half of its columns in
 * lanes 0 to 63, those of the second in lanes 64 to 127, of the same columns of tensor memory. With
 * N = 256 the halves are whole atoms, which one copy brings to either half of the lanes. Fewer
 * columns side by side have halves that begin at different words of an atom's lines, which one copy
 * does not bring to the same column. So such tiles take columns in turns, too: of T tiles the first
 * halves lie beside each other, then the second halves, T = 2 for N = 128, 4 for 64 and 192, so
 * that both halves of a tile begin at the same word of an atom each, from where MMAs read:
 *
 *     tile T * u + h     columns T * N * u + N / 2 * h on, and T * N / 2 further on
 *
 * Halves of 96 end in the next atom. Their second halves are 3 atoms further on, so that a box has
 * every third atom along the rows; a stage has two of them, side by side in tensor memory. (PTX
 * ISA, "Block Scaling for tcgen05.mma"; CuTe's ScaleFactorDuplicated2by2.) */
#ifndef GG_PLAN_SCALES_H
#define GG_PLAN_SCALES_H

#include "atom/scale_layout.h"
#include "plan/plan.h"

enum {
  GG_SCALE_ATOM_BYTES = GG_SCALE_ROWS * GG_SCALE_FACTORS,
  GG_SCALE_ATOM_COLUMNS = 4, /* of tensor memory */
  GG_SCALE_COLUMN_ROWS = 32, /* of a column */
  GG_SCALE_TILE_STEP = 64,   /* columns of B that a tile has a multiple of */
  GG_SCALE_FOLDED_M = 64,    /* rows of A where halves of the lanes have halves of them */
  GG_SCALE_PACKED_STEP = 32, /* columns of a D of 4 bits: 16 bytes */
};

static inline bool gg_plan_is_scaled(const gg_plan *plan) {
  return plan->scale_a.block > 0;
}

/* Whether the halves of B's factors lie in halves of the lanes: see above. */
static inline bool gg_plan_folds_scales(const gg_plan *plan) {
  return gg_plan_is_scaled(plan) && gg_plan_column_parts(plan) > 1;
}

/* Whether the epilogue computes factors of D. */
static inline bool gg_plan_scales_d(const gg_plan *plan) {
  return plan->scale_d.block > 0;
}

/* Whether the halves of N that a split gate takes columns of have factors of B by themselves. */
bool gg_plan_splits_scales(const gg_plan *plan);

/* Elements along K of an atom. */
static inline int gg_scale_atom_k(const gg_plan *plan) {
  return GG_SCALE_FACTORS * plan->scale_a.block;
}

/* Atoms of a stage: along K; along the rows of A, and of B. 0 where nothing is scaled. */
int gg_scale_atoms_k(const gg_plan *plan);
int gg_scale_atoms_a(const gg_plan *plan);
int gg_scale_atoms_b(const gg_plan *plan);

/* Of tensor memory, what a K step's atoms of B take, in atoms' columns. Where they are folded, each
 * has two atoms: those of a box. */
int gg_scale_places_b(const gg_plan *plan);

/* Tiles along N that take halves of their columns in turns; 0: none do. Atoms from a tile's first
 * half to its second. */
int gg_scale_turns_of(int half);
int gg_scale_half_atoms(const gg_plan *plan);

/* Bytes of a stage's factors of A, and of B; columns of tensor memory of both. */
int64_t gg_scale_bytes_a(const gg_plan *plan);
int64_t gg_scale_bytes_b(const gg_plan *plan);
int64_t gg_scale_stage_bytes(const gg_plan *plan); /* of both, in whole patterns of a swizzle */
int gg_scale_columns(const gg_plan *plan);

/* Tensor maps of A, B and D, of factors and of metadata. */
int gg_plan_own_maps(const gg_plan *plan);

#endif
