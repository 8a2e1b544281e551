/* How a sparse A and its metadata lie in memory: where CUTLASS's kernels, and its compressors, put
 * them.
 *
 * Layouts map the logical elements of the uncompressed M x K, in units of a logical element. Of A
 * every other one is stored, so that two share an element (the mode of size 2 and stride 1); the
 * metadata has four bits for a chunk of four, of tf32 of two, of packed 4-bit elements of eight. It
 * is made of tiles, 64 rows of them for wgmma and 128 for tcgen05, whose order lets each thread, or
 * each copy to tensor memory, have the words that it needs at once.
 *
 * Source: CUTLASS's Sm90GemmSparseConfig and Sm1xxGemmSparseConfig; PTX ISA, "Asynchronous wgmma:
 * sparsity metadata" and "tcgen05: Sparsity Metadata Layout". */
#ifndef GG_ATOM_SPARSE_LAYOUT_H
#define GG_ATOM_SPARSE_LAYOUT_H

#include "layout/layout.h"

/* ---- sm_90: wgmma -------------------------------------------------------------------------- */

/* The tile of metadata for elements of 8, 16 or 32 bits: 64 x tile_k, where tile_k is a multiple of
 * the 512 bits' worth that one row of a basic block has. ATOM_PARAMETER where it is not. */
gg_status gg_sparse_metadata_tile(gg_layout *out, int bits, int64_t tile_k, gg_error *err);

/* Of a problem (M,N,K,L), rounded up: the metadata to whole tiles; A to whole chunks of two or
 * four, and to 16 bytes along its contiguous mode. L is the batch; of one matrix its stride is 0.
 */
gg_status gg_sparse_layout_e(gg_layout *out, int bits, int64_t tile_k, const gg_tuple *mnkl,
                             gg_error *err);
gg_status gg_sparse_layout_a(gg_layout *out, int bits, bool mn_major, const gg_tuple *mnkl,
                             gg_error *err);

/* ---- sm_100 on: tcgen05, and sm_120's mma.sp ------------------------------------------------ */

/* An element of A, as the instruction's kind has it. */
typedef struct gg_sparse_element {
  int bits;      /* 4 or 6, 8, 16 or 32 */
  bool unpacked; /* of 4 bits: a byte each in shared memory, as kind f8f6f4 has them, not two a byte
                  * (mxf4, mxf4nvf4); elements of 6 bits always have a byte each */
} gg_sparse_element;

/* Logical elements along K that four bits of metadata speak of: 4, of 32 bits 2, packed 8; and K of
 * a tile of metadata, 32 of those. */
int64_t gg_sparse_chunk(gg_sparse_element element);
int64_t gg_sparse_tile_k(gg_sparse_element element);

/* The tile of metadata: 128 rows of 16 bytes, so 64 columns of A of 32 bits, 256 of packed 4 bits
 * and 128 of all others. CuTe's TensorEAtom. ATOM_PARAMETER where no instruction has the element.
 */
gg_status gg_sm1xx_sparse_metadata_tile(gg_layout *out, gg_sparse_element element, gg_error *err);

/* As for sm_90, with that tile. A's contiguous mode is rounded up to what TMA moves: 16 bytes of
 * stored elements, of 4 and 6 bits that it unpacks 128 of them. */
gg_status gg_sm1xx_sparse_layout_e(gg_layout *out, gg_sparse_element element, const gg_tuple *mnkl,
                                   gg_error *err);
/* Metadata as MMAs of 64 rows want it copied to tensor memory: 16 rows in the first half of each 32
 * lines of 16 bytes. Tiles have 64 rows then, in 128 lines. */
gg_status gg_sm1xx_sparse_half_layout_e(gg_layout *out, gg_sparse_element element,
                                        const gg_tuple *mnkl, gg_error *err);
gg_status gg_sm1xx_sparse_layout_a(gg_layout *out, gg_sparse_element element, bool mn_major,
                                   const gg_tuple *mnkl, gg_error *err);

#endif
