/* Tensor memory of a CTA, 128 lanes of 512 columns of 32 bits, as layouts: where tcgen05.mma leaves
 * the elements of D.
 *
 * An offset is an address in units of the value: lane * 65536 + column where it has 32 bits, twice
 * that where it has 16. A value may be stored in a wider element, so f16 sums take a column each.
 *
 *     gg_tmem_tile tile = {.ctas = 1, .m = 128, .n = 256, .rest = {1, 1, 2}, .rests = 3,
 *                          .value_bits = 32, .storage_bits = 32};
 *     gg_tmem_frg(&layout, &tile, &err);   ((128,256),1,1,2):((65536,1),0,0,256)
 *
 * Source: PTX ISA, "tcgen05: Data path layout organization"; CuTe's tmem_frg
 * (mma_traits_sm100.hpp). */
#ifndef GG_ATOM_TMEM_H
#define GG_ATOM_TMEM_H

#include "layout/layout.h"

enum { GG_TMEM_LANES = 128, GG_TMEM_COLUMNS = 512, GG_TMEM_RESTS = 3 };

/* What becomes of the lanes that M of 64 leaves free. */
typedef enum gg_tmem_alloc {
  GG_TMEM_INTERLEAVED,     /* one CTA: the next tile; a pair: the second half of the columns */
  GG_TMEM_NON_INTERLEAVED, /* one CTA: nothing */
  GG_TMEM_DUPLICATED,      /* a pair: the rows again */
} gg_tmem_alloc;

typedef struct gg_tmem_tile {
  int ctas; /* 1, or 2 for a pair */
  int m;    /* rows of one instruction that a CTA has: 64 or 128; of a pair 32 too */
  int n;
  int64_t rest[GG_TMEM_RESTS]; /* how many tiles along M and N, how many stages */
  int rests;                   /* 3, or 2 without a mode of stages */
  int value_bits, storage_bits;
  gg_tmem_alloc alloc;
} gg_tmem_tile;

/* ((M,N),tiles along M,along N,stages) -> offset. TMEM_TILE where no instruction has such a tile;
 * that the columns are there is gg_tmem_columns' matter. */
gg_status gg_tmem_frg(gg_layout *out, const gg_tmem_tile *tile, gg_error *err);

/* How many columns of 32 bits a layout of values of so many bits reaches over. */
int64_t gg_tmem_columns(const gg_layout *layout, int value_bits);

#endif
