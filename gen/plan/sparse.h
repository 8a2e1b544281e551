/* A sparse A: of every four elements along K two are stored, and metadata says which.
 *
 * In global memory the metadata lies in tiles of 128 rows by 16 bytes (atom/sparse_layout.h).
 * Warps of family sm80 read it from there (plan/sm80_sparse.c). For tcgen05 a tensor map brings the
 * tiles that a CTA's rows touch to the stage of A and B, a K step's rows behind each other; the MMA
 * issuer copies them to tensor memory (tcgen05.cp), 4 columns each in the same order, before the
 * MMAs that read them. An MMA reads one column of elements of 16 and 32 bits, else two. Each CTA of
 * a pair has the metadata of its own rows.
 *
 * MMAs of 64 rows a CTA have D, A and the metadata in the first half of each warp's lanes, 16 rows
 * in 32. No copy to tensor memory leaves lanes out, so that the stage has the gaps: half a tile,
 * blocks of 16 rows with zeros behind each, as large in the stage and in tensor memory as a whole
 * one. The zeros are what the tensor map has for what lies outside of it (an H200 copies such a map
 * so, in five dimensions, of which one has one element and the box two). (PTX ISA, "Sparse
 * Matrices" of tcgen05: "Sparsity selector" draws the 64 rows of one CTA; "Alignment restriction"
 * names those of a pair's CTAs, layout C, beside them, which no figure has.) */
#ifndef GG_PLAN_SPARSE_H
#define GG_PLAN_SPARSE_H

#include "atom/sparse_layout.h"
#include "plan/plan.h"

enum {
  GG_METADATA_TILE_ROWS = 128,
  GG_METADATA_TILE_BYTES = 2048,
  GG_METADATA_TILE_COLUMNS = 4, /* of tensor memory */
  GG_METADATA_BLOCK_ROWS = 16,  /* of half a tile, which stand together */
};

/* An element of A, as its metadata is laid out for it. */
gg_sparse_element gg_plan_sparse_element(const gg_plan *plan);

/* Elements along K that a tile of metadata is of, zeros among them. */
int gg_metadata_tile_k(const gg_plan *plan);

/* Whether MMAs have 64 rows of a CTA; rows that a tile of the stage is of. */
bool gg_metadata_is_half(const gg_plan *plan);
int gg_metadata_rows(const gg_plan *plan);

/* Tiles of a stage: along K; along the rows of A. 0 where stages have none. */
int gg_metadata_tiles_k(const gg_plan *plan);
int gg_metadata_tiles_m(const gg_plan *plan);

/* Of a lane's words for mma.sp, in a line of 16 bytes: bytes from that of an MMA to that of the
 * next along K, a word; or two, the other of which is of other lanes. DERIVE_COVER where that is
 * not where the compressor puts them. */
int gg_metadata_step(const gg_plan *plan);
gg_status gg_metadata_check_places(const gg_plan *plan, gg_error *err);

/* Bytes of a stage's metadata, which are whole patterns of a swizzle; columns of tensor memory. */
int64_t gg_metadata_bytes(const gg_plan *plan);
int gg_metadata_columns(const gg_plan *plan);

#endif
