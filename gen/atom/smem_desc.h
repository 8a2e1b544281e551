/* Matrix descriptors of wgmma and tcgen05: 64 bits that tell the tensor core how an operand lies in
 * shared memory.
 *
 * The memory is read as tiles of 8 rows of 16 bytes, under a swizzle of 16 (none), 32, 64 or 128
 * bytes. The descriptor says where the first tile is, and how far apart tiles are in each
 * direction, all in units of 16 bytes. Only the canonical layouts can be described so, which
 * gg_smem_atom and gg_layout_tile_to_shape make. If 16 bytes hold T elements, and the swizzle is W
 * = 1, 2, 4 or 8 times 16 bytes wide, they are
 *
 *     K-major    ((8,m),(T,2)):((WT,SBO),(1,T))      (none: (1,LBO))
 *     MN-major   ((T,W,m),(8,k)):((1,T,LBO),(WT,SBO))  (none: LBO and SBO exchanged)
 *
 * Under tcgen05's swizzle of 128 bytes in units of 32 (SW128_32B), tiles have 4 rows along K.
 *
 * Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout" and "tcgen05: Matrix
 * Descriptors"; CuTe's mma_traits_sm90_gmma.hpp and mma_traits_sm100.hpp. */
#ifndef GG_ATOM_SMEM_DESC_H
#define GG_ATOM_SMEM_DESC_H

#include "layout/swizzle.h"

/* The instruction that reads the descriptor. */
typedef enum gg_smem_desc_kind { GG_SMEM_DESC_WGMMA, GG_SMEM_DESC_TCGEN05 } gg_smem_desc_kind;

typedef struct gg_smem_desc {
  uint64_t bits;      /* what the instruction takes */
  int start_address;  /* bits 0-13, in 16 bytes */
  int leading_offset; /* LBO, bits 16-29, in 16 bytes */
  int stride_offset;  /* SBO, bits 32-45, in 16 bytes */
  int layout_type;    /* wgmma, bits 62-63: 0 no swizzle, 1 128 bytes, 2 64 bytes, 3 32 bytes;
                       * tcgen05, bits 61-63: 0, 2, 4, 6, and 1 for 128 bytes in units of 32 */
} gg_smem_desc;

/* Makes the descriptor of one instruction's tile of A or B. `tile` is (MN,K) in smem_ptr form
 * ("Sw<3,4,3> o smem_ptr[16b](unset) o ..."), at byte `address` of the shared window. Fails with
 * DESCRIPTOR if the layout is not canonical, or a value does not fit in its field. The next tile
 * along K or MN has the same descriptor except for the start address. The base offset is 0, because
 * the tile's first row is the swizzle's first. */
gg_status gg_smem_desc_make(gg_smem_desc *out, gg_smem_desc_kind kind, const gg_composed *tile,
                            bool mn_major, int64_t address, gg_error *err);

/* Whether a shape is one of instructions' tiles, such as ((128,16),1,4) or ((128,16),1,4,3). */
bool gg_is_mma_shape(const gg_tuple *shape);

/* The instructions' tiles of an operand in shared memory, ((MN,K),count of MN,count of K), and its
 * stages if the shape has a mode for them. `atom` is repeated until it covers all of that, over MN,
 * K and stages in `order` (NULL: along MN first), and then divided into tiles. CuTe's
 * tile_to_mma_shape. */
gg_status gg_tile_to_mma_shape(gg_layout *out, const gg_layout *atom, const gg_tuple *shape,
                               const gg_tuple *order, gg_error *err);

#endif
