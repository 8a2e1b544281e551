/* How the scale factors of block-scaled operands lie in global and shared memory, as cuBLAS and
 * CUTLASS put them.
 *
 * The layouts map elements of the operand to their factors, in units of a factor (a byte): the
 * `block` elements in a row that share a factor have stride 0. Everything consists of atoms of 128
 * rows (of M or N) by four factors, 512 bytes. Rows r and r + 32 are four bytes apart, so that the
 * four factors of a row are one word, which is what tensor memory takes:
 *
 *     K-major     ((32,4),(block,4)):((16,4),(0,1))
 *     MN-major    ((block,4),(32,4)):((0,1),(16,4))
 *
 * Source: CUTLASS's sm100_blockscaled_layout.hpp; cuBLAS, "1D Block Scaling Factors Layout"; PTX
 * ISA, "tcgen05: Scale Factor Layout". */
#ifndef GG_ATOM_SCALE_LAYOUT_H
#define GG_ATOM_SCALE_LAYOUT_H

#include "gemmgen.h"
#include "layout/layout.h"

enum { GG_SCALE_ROWS = 128, GG_SCALE_FACTORS = 4 }; /* of an atom */

/* Elements that share a factor of this type if nothing else is said: 16 for ue4m3, as in nvfp4,
 * else 32, as in the formats of the Open Compute Project (mxfp8, mxfp4). */
static inline int gg_scale_usual_block(gg_dtype type) {
  return type == GG_DTYPE_ue4m3 ? 16 : 32;
}

/* The byte of its atom where a row's factor lies, counted from the first row and factor of the atom
 * or of any atoms before it. */
static inline int64_t gg_scale_place(int64_t row, int64_t factor) {
  return row % 32 * 16 + row % GG_SCALE_ROWS / 32 * GG_SCALE_FACTORS + factor % GG_SCALE_FACTORS;
}

/* The atom, CuTe's SfAtom. `block` is the elements that share a factor: 16 or 32 (for a sparse
 * operand twice as many, so 64, too). Anything else is ATOM_PARAMETER. */
gg_status gg_scale_atom(gg_layout *out, int block, bool mn_major, gg_error *err);

/* Whose factors they are. */
typedef enum gg_scale_operand { GG_SCALE_A, GG_SCALE_B, GG_SCALE_D } gg_scale_operand;

/* The factors of a whole operand of the problem (M,N,K) or (M,N,K,L), in global memory: of A over
 * (M,K[,L]), of B over (N,K[,L]), of D over (M,N[,L]). Extents are rounded up to whole atoms. Atoms
 * follow each other along K first (for a D whose blocks run along M: along M first), then along the
 * rows, then over the batch. CuTe's tile_atom_to_shape_SFA, SFB and SFD. `mn_major` is only for D:
 * its blocks run along M. If an extent is dynamic, modes of size 1 keep their stride. */
gg_status gg_scale_layout(gg_layout *out, gg_scale_operand operand, int block, bool mn_major,
                          const gg_tuple *problem, gg_error *err);

/* The factors of a tile in shared memory, divided by instructions:
 *     (((32,4,rows/128),(block,factors of an instruction)),1,(instructions an atom,atoms along K))
 * with ((32,4),rows/128) nested so. `rows` is rounded up to 128; for A's factors it is the rows of
 * M that this CTA has, for B's all columns of N, even if B itself is split over a pair of CTAs.
 * `mma_k` is the K of one instruction: 1, 2 or 4 blocks. (sm_103's K of 96, whose factors begin
 * within words, cannot be expressed here.) `tile_k` must be whole atoms, a multiple of 4 blocks.
 * CuTe's deduce_smem_layoutSFA and SFB, for one stage. */
gg_status gg_scale_smem_layout(gg_layout *out, int block, int64_t rows, int64_t tile_k, int mma_k,
                               gg_error *err);

#endif
