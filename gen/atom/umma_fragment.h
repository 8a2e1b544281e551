/* The operands of a tiled tcgen05.mma as its instructions have them, what CuTe's make_fragment_A,
 * B, C and FrgTypeE, SFA, SFB give: tiles in tensor memory, descriptors of shared memory.
 *
 * Extents are those of what is partitioned, for all CTAs of the MMA together; layouts are of one
 * CTA. Offsets in tensor memory are in units of the value: see tmem.h.
 *
 * Source: CuTe's mma_traits_sm100.hpp. */
#ifndef GG_ATOM_UMMA_FRAGMENT_H
#define GG_ATOM_UMMA_FRAGMENT_H

#include "atom/smem_desc.h"
#include "atom/tiled_mma.h"
#include "atom/tmem.h"

/* The accumulators of (M,N): ((MMA_M,MMA_N),tiles along M,along N[,stages]) -> offset; 0 stages:
 * none of that mode. Each takes a column of 32 bits, of f16 too; the offsets are in units of C's
 * type. Rows that M of 64 leaves free are used by the next tile, but where A is in tensor memory,
 * too. ATOM_PARAMETER where the atom is another than tcgen05's; TMEM_TILE. */
gg_status gg_umma_fragment_c(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             int64_t stages, gg_error *err);

/* A in tensor memory, of (M,K): ((MMA_M,MMA_K),tiles along M,along K) -> offset. 4- and 6-bit
 * elements have a byte each. For a pair with M of 128 the rows stand twice. */
gg_status gg_umma_fragment_a(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             gg_error *err);

/* The metadata of a sparse A of (M,K): see gg_tmem_e_frg. */
gg_status gg_umma_fragment_e(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             gg_error *err);

/* Scale factors of A (GG_MMA_SFA) or B (GG_MMA_SFB) of a tile (M,N,K), as they lie in shared memory
 * and in tensor memory. The block is the atom's. */
gg_status gg_umma_smem_sf(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                          const gg_tuple *tile, gg_error *err);
gg_status gg_umma_fragment_sf(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                              const gg_tuple *tile, gg_error *err);

/* An operand in shared memory, ((MN,K),tiles along MN,along K,...) as gg_tile_to_mma_shape makes
 * it, with its swizzle: (1,tiles along MN,along K,...) -> what is added to the start address of the
 * first instruction's descriptor, in 16 bytes. */
gg_status gg_umma_descriptor_steps(gg_layout *out, const gg_composed *smem, gg_error *err);

#endif
