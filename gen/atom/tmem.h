/* The tensor memory of a CTA (128 lanes of 512 columns of 32 bits) as layouts: where tcgen05.mma
 * leaves the elements of D, where it reads those of A, and where it wants scale factors and
 * metadata.
 *
 * An offset is an address in units of the value: lane * 65536 + column for values of 32 bits, twice
 * that for 16 bits. A value may be stored in a wider element: f16 sums take a column each.
 *
 *     gg_tmem_tile tile = {.ctas = 1, .m = 128, .n = 256, .rest = {1, 1, 2}, .rests = 3,
 *                          .value_bits = 32, .storage_bits = 32};
 *     gg_tmem_frg(&layout, &tile, &err);   ((128,256),1,1,2):((65536,1),0,0,256)
 *
 * Source: PTX ISA, "tcgen05: Data path layout organization", "Scale Factor Layout", "Sparsity
 * Metadata Layout"; CuTe's tmem_frg, tmem_sf_frg, tmem_e_frg (mma_traits_sm100_frag.hpp). */
#ifndef GG_ATOM_TMEM_H
#define GG_ATOM_TMEM_H

#include "layout/layout.h"

enum { GG_TMEM_LANES = 128, GG_TMEM_COLUMNS = 512, GG_TMEM_RESTS = 3 };

/* The distance from one lane to the next, in units of a value of `value_bits` bits. */
static inline int64_t gg_tmem_lane(int value_bits) {
  return (int64_t)65536 * 32 / value_bits;
}

/* What the lanes hold that an M of 64 leaves free. */
typedef enum gg_tmem_alloc {
  GG_TMEM_INTERLEAVED,     /* one CTA: the next tile; a pair: the second half of the columns */
  GG_TMEM_NON_INTERLEAVED, /* one CTA: nothing */
  GG_TMEM_DUPLICATED,      /* a pair: the rows again */
} gg_tmem_alloc;

typedef struct gg_tmem_tile {
  int ctas; /* 1, or 2 for a pair */
  int m;    /* rows of one instruction that a CTA has: 64 or 128, for a pair also 32 */
  int n;
  int64_t rest[GG_TMEM_RESTS]; /* number of tiles along M and along N, and of stages */
  int rests;                   /* 3, or 2 if there is no mode of stages */
  int value_bits, storage_bits;
  gg_tmem_alloc alloc;
} gg_tmem_tile;

/* ((M,N),tiles along M,along N,stages) -> offset. Fails with TMEM_TILE if no instruction has such a
 * tile. Whether there are enough columns is not checked: see gg_tmem_columns. */
gg_status gg_tmem_frg(gg_layout *out, const gg_tmem_tile *tile, gg_error *err);

/* How many columns of 32 bits a layout of values of `value_bits` bits spans. */
int64_t gg_tmem_columns(const gg_layout *layout, int value_bits);

/* Scale factors, offsets in units of a factor (8 bits: a lane is 262144 on). `shape` is that of the
 * factors in shared memory, ((MN,(block,factors of an instruction)),tiles,...): see
 * gg_scale_smem_layout; MN may have modes, and is a multiple of 32. 32 lanes have a row each,
 * further rows are further columns of them, and each warp's 32 lanes hold the same again, the mode
 * of 4:
 *     ((((32,MN/32),4),(block,factors)),tiles,...):((((262144,4),8388608),(0,1)),...)
 * `halved`: factors of B where a pair of CTAs has M of 128; MN is then a multiple of 64, whose
 * second half the upper 64 lanes have, and each half stands twice: (((32,MN/64),2,2),...). CuTe's
 * tmem_sf_frg, ScaleFactorDuplicated4by1 and 2by2. TMEM_TILE where the shape is another. */
gg_status gg_tmem_sf_frg(gg_layout *out, const gg_tuple *shape, bool halved, gg_error *err);

/* Metadata of a sparse A with elements of 4 (packed, two a byte), 8 (4 and 6 unpacked too), 16 or
 * 32 bits: where the bits of each logical element are, in units of the metadata of one, which is
 * 1/2, 1, 1 or 2 bits. `shape`: ((M,K),tiles,...), M 128, K of one instruction: 128, 64, 32, 16.
 * CuTe's tmem_e_frg. M of 64, which CuTe's lacks: 16 rows in the first half of each 32 lanes, as D
 * has them; the other lanes have nothing. `ws`: of tcgen05.mma.ws, with M of 128, 64 or 32 and
 * elements of 8 bits on; the lanes that M leaves hold the same again, a mode of 128 / M. CuTe's
 * tmem_e_frg_ws. TMEM_TILE where it is another. */
gg_status gg_tmem_e_frg(gg_layout *out, int bits, bool ws, const gg_tuple *shape, gg_error *err);
/* How many columns of 32 bits that layout spans. */
int64_t gg_tmem_e_columns(const gg_layout *layout, int bits);

#endif
