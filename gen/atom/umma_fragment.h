/* The operands of a tiled tcgen05.mma as its instructions have them, as CuTe's make_fragment_A, B,
 * C and FrgTypeE, SFA, SFB give them: tiles in tensor memory, and descriptors of shared memory.
 *
 * Extents are those of what is partitioned, for all CTAs of the MMA together; layouts are for one
 * CTA. Offsets in tensor memory are in units of the value: see tmem.h.
 *
 * Source: CuTe's mma_traits_sm100.hpp. */
#ifndef GG_ATOM_UMMA_FRAGMENT_H
#define GG_ATOM_UMMA_FRAGMENT_H

#include "atom/smem_desc.h"
#include "atom/tiled_mma.h"
#include "atom/tmem.h"

/* The accumulators of (M,N): ((MMA_M,MMA_N),tiles along M,along N[,stages]) -> offset; `stages` 0:
 * without that mode. Each takes a column of 32 bits, even f16; offsets are in units of C's type.
 * The next tile uses the lanes that an M of 64 leaves free, unless A is in tensor memory. Fails
 * with ATOM_PARAMETER if the atom is not tcgen05's, and with TMEM_TILE. */
gg_status gg_umma_fragment_c(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             int64_t stages, gg_error *err);

/* An A in tensor memory, of (M,K): ((MMA_M,MMA_K),tiles along M,along K) -> offset. Elements of 4
 * and 6 bits have a byte each. For a pair with M of 128 the rows are there twice. */
gg_status gg_umma_fragment_a(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             gg_error *err);

/* The metadata of a sparse A of (M,K): see gg_tmem_e_frg. */
gg_status gg_umma_fragment_e(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             gg_error *err);

/* Scale factors of A (GG_MMA_SFA) or B (GG_MMA_SFB) of a tile (M,N,K), as they lie in shared memory
 * and in tensor memory. The block is that of the atom. */
gg_status gg_umma_smem_sf(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                          const gg_tuple *tile, gg_error *err);
gg_status gg_umma_fragment_sf(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                              const gg_tuple *tile, gg_error *err);

/* For an operand in shared memory, ((MN,K),tiles along MN,along K,...) as gg_tile_to_mma_shape
 * makes it, with its swizzle: (1,tiles along MN,along K,...) -> what has to be added to the start
 * address of the first instruction's descriptor, in units of 16 bytes. */
gg_status gg_umma_descriptor_steps(gg_layout *out, const gg_composed *smem, gg_error *err);

#endif
