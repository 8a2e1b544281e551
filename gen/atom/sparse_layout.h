/* How a 2:4 sparse A and its metadata lie in memory for sm_90: where CUTLASS's kernels, and its
 * compressor, put them.
 *
 * Layouts map the logical elements of the uncompressed M x K, in units of a logical element. Of A
 * every other one is stored, so that two share an element (the mode of size 2 and stride 1); the
 * metadata has four bits for a chunk of four, of tf32 of two. It is made of tiles of 64 rows, whose
 * order lets each thread of wgmma load the word that it needs at once. Source: CUTLASS's
 * Sm90GemmSparseConfig; PTX ISA, "Asynchronous wgmma: sparsity metadata". */
#ifndef GG_ATOM_SPARSE_LAYOUT_H
#define GG_ATOM_SPARSE_LAYOUT_H

#include "layout/layout.h"

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

#endif
