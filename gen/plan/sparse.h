/* A sparse A: of every four elements along K only two are stored, and metadata says which.
 *
 * In global memory the metadata lies in tiles of 128 rows by 16 bytes (atom/sparse_layout.h). Warps
 * of family sm80 read it from there (plan/sm80_sparse.c). For tcgen05, a tensor map brings the
 * tiles that a CTA's rows touch to the stage of A and B, those of one K step behind each other. The
 * MMA issuer then copies them to tensor memory (tcgen05.cp), 4 columns for each tile in the same
 * order, before the MMAs that read them. An MMA reads one of these columns for elements of 16 and
 * 32 bits, else two. Each CTA of a pair has the metadata of its own rows.
 *
 * MMAs with 64 rows a CTA use only the first half of each warp's lanes for D, A and the metadata:
 * 16 rows in 32 lanes. No copy to tensor memory leaves lanes out, so the gaps must be in the stage
 * already. There, half a tile consists of blocks of 16 rows, each followed by zeros, and takes as
 * much room as a whole tile, as it does in tensor memory. The zeros are what the tensor map fills
 * in for coordinates outside of it: the map has five dimensions, one of which has one element where
 * the box has two. (An H200 copies such a map in this way.)
 *
 * (PTX ISA, "Sparse Matrices" of tcgen05: "Sparsity selector" draws the 64 rows of one CTA. No
 * figure has those of a pair's CTAs, layout C; "Alignment restriction" names them beside the
 * others.) */
#ifndef GG_PLAN_SPARSE_H
#define GG_PLAN_SPARSE_H

#include "atom/sparse_layout.h"
#include "plan/plan.h"

enum {
  GG_METADATA_TILE_ROWS = 128,
  GG_METADATA_TILE_BYTES = 2048,
  GG_METADATA_TILE_COLUMNS = 4, /* of tensor memory, for one tile */
  GG_METADATA_BLOCK_ROWS = 16,  /* rows of half a tile that stand together */
};

/* The kind of element that A has, as far as the layout of its metadata depends on it. */
gg_sparse_element gg_plan_sparse_element(const gg_plan *plan);

/* Elements along K that one tile of metadata describes, counting the zeros that are not stored. */
int gg_metadata_tile_k(const gg_plan *plan);

/* Whether MMAs have 64 rows a CTA, so that stages hold half tiles of metadata; and how many rows
 * one tile in a stage is for. */
bool gg_metadata_is_half(const gg_plan *plan);
int gg_metadata_rows(const gg_plan *plan);

/* Tiles of metadata in one stage: along K, and along the rows of A. 0 if stages hold none. */
int gg_metadata_tiles_k(const gg_plan *plan);
int gg_metadata_tiles_m(const gg_plan *plan);

/* For mma.sp, whose lanes read words of metadata from lines of 16 bytes. gg_metadata_step: bytes
 * from the word of one MMA to that of the next MMA along K; one word, or two if the other one
 * belongs to other lanes. gg_metadata_check_places fails with DERIVE_COVER if the compressor puts
 * the words elsewhere. */
int gg_metadata_step(const gg_plan *plan);
gg_status gg_metadata_check_places(const gg_plan *plan, gg_error *err);

/* Bytes of one stage's metadata, a multiple of a swizzle's pattern; and its columns of tensor
 * memory. */
int64_t gg_metadata_bytes(const gg_plan *plan);
int gg_metadata_columns(const gg_plan *plan);

#endif
