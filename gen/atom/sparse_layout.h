/* How a sparse A and its metadata lie in memory, as CUTLASS's kernels and compressors put them.
 *
 * The layouts map logical elements of the uncompressed M x K matrix, in units of a logical element.
 * Only every other element of A is stored, so two logical elements share a stored one (the mode of
 * size 2 and stride 1). The metadata has four bits for each chunk of four elements (for tf32 of
 * two, for packed 4-bit elements of eight). It consists of tiles, with 64 rows for wgmma and 128
 * for tcgen05, ordered so that each thread, or each copy to tensor memory, gets the words that it
 * needs at once.
 *
 * Source: CUTLASS's Sm90GemmSparseConfig and Sm1xxGemmSparseConfig; PTX ISA, "Asynchronous wgmma:
 * sparsity metadata" and "tcgen05: Sparsity Metadata Layout". */
#ifndef GG_ATOM_SPARSE_LAYOUT_H
#define GG_ATOM_SPARSE_LAYOUT_H

#include "layout/layout.h"

/* ---- sm_90: wgmma -------------------------------------------------------------------------- */

/* The tile of metadata for elements of 8, 16 or 32 bits: 64 x tile_k. Fails with ATOM_PARAMETER
 * unless tile_k is a multiple of the elements in 512 bits, which one row of a basic block has. */
gg_status gg_sparse_metadata_tile(gg_layout *out, int bits, int64_t tile_k, gg_error *err);

/* The layouts of a problem (M,N,K,L). The metadata is rounded up to whole tiles; A to whole chunks
 * of two or four, and to 16 bytes along its contiguous mode. L is the batch; for a single matrix
 * its stride is 0. */
gg_status gg_sparse_layout_e(gg_layout *out, int bits, int64_t tile_k, const gg_tuple *mnkl,
                             gg_error *err);
gg_status gg_sparse_layout_a(gg_layout *out, int bits, bool mn_major, const gg_tuple *mnkl,
                             gg_error *err);

/* ---- sm_100 on: tcgen05, and sm_120's mma.sp ------------------------------------------------ */

/* An element of A as the instruction's kind has it. */
typedef struct gg_sparse_element {
  int bits;      /* 4 or 6, 8, 16 or 32 */
  bool unpacked; /* for 4 bits: a byte each in shared memory, as kind f8f6f4 has them, not two to a
                  * byte (mxf4, mxf4nvf4); elements of 6 bits always have a byte each */
} gg_sparse_element;

/* Logical elements along K that four bits of metadata describe: 4; with elements of 32 bits 2; with
 * packed ones 8. And the K of a tile of metadata, 32 times as many. */
int64_t gg_sparse_chunk(gg_sparse_element element);
int64_t gg_sparse_tile_k(gg_sparse_element element);

/* The tile of metadata: 128 rows of 16 bytes, which describe 64 columns of A with 32-bit elements,
 * 256 with packed 4-bit ones, and 128 with all others. CuTe's TensorEAtom. Fails with
 * ATOM_PARAMETER if no instruction has such elements. */
gg_status gg_sm1xx_sparse_metadata_tile(gg_layout *out, gg_sparse_element element, gg_error *err);

/* The same as for sm_90, with that tile. A's contiguous mode is rounded up to what TMA moves: 16
 * bytes of stored elements, or 128 elements of 4 and 6 bits that it unpacks. */
gg_status gg_sm1xx_sparse_layout_e(gg_layout *out, gg_sparse_element element, const gg_tuple *mnkl,
                                   gg_error *err);
/* The metadata as MMAs of 64 rows want it copied to tensor memory: of each 32 lines of 16 bytes,
 * only the first half holds 16 rows. A tile then has 64 rows in 128 lines. */
gg_status gg_sm1xx_sparse_half_layout_e(gg_layout *out, gg_sparse_element element,
                                        const gg_tuple *mnkl, gg_error *err);
gg_status gg_sm1xx_sparse_layout_a(gg_layout *out, gg_sparse_element element, bool mn_major,
                                   const gg_tuple *mnkl, gg_error *err);

#endif
