/* wgmma matrix descriptors: 64 bits that tell the tensor core how an operand lies in shared memory.
 *
 * The memory is read as tiles of 8 rows of 16 bytes, under a swizzle of 16 (none), 32, 64 or 128
 * bytes; the descriptor says where the first one is and how far apart they are in each direction,
 * all in units of 16 bytes. Only the canonical layouts can be said so, those that gg_smem_atom and
 * gg_layout_tile_to_shape make; with T elements in 16 bytes and W = 1, 2, 4, 8 times 16 bytes of
 * swizzle width they are
 *
 *     K-major    ((8,m),(T,2)):((WT,SBO),(1,T))      (none: (1,LBO))
 *     MN-major   ((T,W,m),(8,k)):((1,T,LBO),(WT,SBO))  (none: LBO and SBO exchanged)
 *
 * Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"; CuTe's
 * mma_traits_sm90_gmma.hpp. */
#ifndef GG_ATOM_GMMA_DESC_H
#define GG_ATOM_GMMA_DESC_H

#include "layout/swizzle.h"

typedef struct gg_gmma_desc {
  uint64_t bits;      /* what the instruction takes */
  int start_address;  /* bits 0-13, in 16 bytes */
  int leading_offset; /* LBO, bits 16-29, in 16 bytes */
  int stride_offset;  /* SBO, bits 32-45, in 16 bytes */
  int layout_type;    /* bits 62-63: 0 no swizzle, 1 128 bytes, 2 64 bytes, 3 32 bytes */
} gg_gmma_desc;

/* The descriptor of one instruction's tile of A or B: `tile` (MN,K), in smem_ptr form
 * ("Sw<3,4,3> o smem_ptr[16b](unset) o ..."), at `address` bytes in the shared window. DESCRIPTOR
 * where the layout is not canonical or a field has not the bits for it. The next tile along K or
 * MN has the same descriptor but for the start address. */
gg_status gg_gmma_desc_make(gg_gmma_desc *out, const gg_composed *tile, bool mn_major,
                            int64_t address, gg_error *err);

#endif
