/* Scale factors of A, B and D, of families sm100 and sm120.
 *
 * A and B have one factor for each block of elements along K; the tensor core multiplies what it
 * reads of a block by its factor. D has one for each block along N, which the epilogue computes and
 * divides by (templates/parts/sm100_scale_d.cu).
 *
 * The way of A's and B's factors. In global memory they lie in atoms of 128 rows by 4 factors, 512
 * bytes (atom/scale_layout.h). A tensor map brings the atoms that a tile's rows touch to the stage
 * of A and B, those of one K step behind each other. The MMA issuer then copies them to tensor
 * memory (tcgen05.cp), 4 columns for each atom in the same order, before the MMAs that read them. A
 * tile with N = 64 or 192 begins in the middle of an atom if its number is odd; its MMAs read from
 * 2 columns further on. Each CTA of a pair has the factors of its own rows of A, and those of all
 * columns of B.
 *
 * Pairs with 64 rows a CTA (an MMA with M = 128). Each CTA would need half an atom of A's. But both
 * CTAs' factors are at one address of tensor memory, copied by one instruction, and the second half
 * of an atom is 8 bytes into lines of 16, where neither a tensor map nor tcgen05.cp can begin. So
 * two neighbouring tiles of pairs take rows in turns: tile t = 2 * u + h of a pair has, in CTA r,
 * the rows from 256 * u + 128 * r + 64 * h on. Each CTA brings the whole atom 2 * u + r, and its
 * MMAs read from the atom's column 2 * h on.
 *
 * B's factors in such pairs ("folded"). The MMA reads the factors of the first half of its columns
 * in lanes 0 to 63, and those of the second half in lanes 64 to 127, of the same columns of tensor
 * memory. With N = 256 the halves are whole atoms, which one copy brings to either half of the
 * lanes. With fewer columns side by side, the halves would begin at different words of an atom's
 * lines, and one copy does not bring these to the same column. So such tiles take their columns in
 * turns as well: of T neighbouring tiles the first halves lie beside each other, then the second
 * halves, with T = 2 for N = 128, and 4 for 64 and 192. Then both halves of a tile begin at the
 * same word of an atom each, and MMAs read from there:
 *
 *     tile T * u + h     columns T * N * u + N / 2 * h on, and T * N / 2 further on
 *
 * Halves of 96 columns end in the next atom. Their second halves are 3 atoms further on, so a box
 * has every third atom along the rows; a stage has two such boxes, side by side in tensor memory.
 *
 * (PTX ISA, "Block Scaling for tcgen05.mma"; CuTe's ScaleFactorDuplicated2by2.) */
#ifndef GG_PLAN_SCALES_H
#define GG_PLAN_SCALES_H

#include "atom/scale_layout.h"
#include "plan/plan.h"

enum {
  GG_SCALE_ATOM_BYTES = GG_SCALE_ROWS * GG_SCALE_FACTORS,
  GG_SCALE_ATOM_COLUMNS = 4, /* of tensor memory, for one atom */
  GG_SCALE_COLUMN_ROWS = 32, /* rows that one such column has a factor of */
  GG_SCALE_TILE_STEP = 64,   /* a tile's columns of B are a multiple of this */
  GG_SCALE_FOLDED_M = 64,    /* rows of A in a CTA whose factors of B are folded (see above) */
  GG_SCALE_PACKED_STEP = 32, /* a D of 4 bits has columns in multiples of this: 16 bytes */
};

static inline bool gg_plan_is_scaled(const gg_plan *plan) {
  return plan->scale_a.block > 0;
}

/* Whether the halves of B's factors are folded into the two halves of the lanes (see above). */
static inline bool gg_plan_folds_scales(const gg_plan *plan) {
  return gg_plan_is_scaled(plan) && gg_plan_column_parts(plan) > 1;
}

/* Whether the epilogue computes scale factors of D. */
static inline bool gg_plan_scales_d(const gg_plan *plan) {
  return plan->scale_d.block > 0;
}

/* Whether a split gate's two halves of N have atoms of B's factors of their own. */
bool gg_plan_splits_scales(const gg_plan *plan);

/* Elements along K that one atom has factors for. */
static inline int gg_scale_atom_k(const gg_plan *plan) {
  return GG_SCALE_FACTORS * plan->scale_a.block;
}

/* Atoms in one stage: along K, along the rows of A, and along the rows of B (columns of the
 * product). 0 if nothing is scaled. */
int gg_scale_atoms_k(const gg_plan *plan);
int gg_scale_atoms_a(const gg_plan *plan);
int gg_scale_atoms_b(const gg_plan *plan);

/* How many atoms' worth of tensor-memory columns one K step's factors of B take. A folded one holds
 * two atoms, those of a box. */
int gg_scale_places_b(const gg_plan *plan);

/* gg_scale_turns_of: how many tiles along N take the halves of their columns in turns, for halves
 * of `half` columns; 0: none do. gg_scale_half_atoms: atoms from a tile's first half to its second.
 */
int gg_scale_turns_of(int half);
int gg_scale_half_atoms(const gg_plan *plan);

/* Bytes of one stage's factors of A, and of B; the columns of tensor memory of both. */
int64_t gg_scale_bytes_a(const gg_plan *plan);
int64_t gg_scale_bytes_b(const gg_plan *plan);
int64_t gg_scale_stage_bytes(const gg_plan *plan); /* bytes of both, rounded up to whole swizzle
                                                    * patterns */
int gg_scale_columns(const gg_plan *plan);

/* How many tensor maps the kernel has for A, B and D, their scale factors and metadata. */
int gg_plan_own_maps(const gg_plan *plan);

#endif
