/* What the model asks of a kernel: numbers that follow from its plan, and depend on no device and
 * no problem.
 *
 * Making a plan means reading a spec, choosing and checking. Its terms are a few hundred bytes that
 * mean the same in every process of one version of the library. Packs keep them
 * (runtime/pack_file.h), so kernels can be ranked without reading their specs. Therefore the struct
 * has no pointers and no gaps between members: the terms of one plan are always the same bytes. */
#ifndef GG_CHOICE_TERMS_H
#define GG_CHOICE_TERMS_H

#include "plan/distribution.h"
#include "plan/traits.h"

typedef struct gg_terms {
  gg_traits traits;
  gg_distributed distributed; /* tiles and clusters, in the plan's terms */
  double bytes_a, bytes_b;    /* of one element in global memory, with its share of a scale factor
                               */
  double m_step, n_step;      /* bytes of A and of B that one K step of a tile loads; */
  double m_read, n_read;      /* the same, as they lie in shared memory; */
  double scales_a, scales_b;  /* bytes of their scale factors; */
  double metadata;            /* bytes of metadata */
  double stored;              /* bytes of D and its factors, for each element of the product */
  gg_major a_major, b_major, d_major;
  int32_t d_bits;
  int32_t sparse_a, packed;     /* A's zeros are not stored; elements of 4 bits stay packed */
  int32_t swap_ab;              /* the plan's M is the problem's N */
  int32_t shares_tiles;         /* several clusters may share a tile */
  int32_t raster, raster_group; /* the order of tiles, a gg_raster; tiles in a band */
  int32_t threads, ctas_per_sm, stages;
  int32_t mma_ctas; /* CTAs that work on one MMA */
  int32_t swizzle_bytes_a, swizzle_bytes_b;
  int32_t copy_bytes_a, copy_bytes_b; /* of one copy of a thread */
  int32_t epi_m, epi_n;               /* of a box of the epilogue; epi_n is 0 if there are none */
  int32_t epi_columns, tile_columns;  /* columns of D that epi_n columns, and a tile, of the product
                                       * become */
  int32_t access_bytes_d;             /* of one store, if lanes store D; 0: boxes do */
  int32_t subtiles;                   /* 1 if C is fetched to stages of its own */
} gg_terms;

/* The terms of a plan's kernel on devices of architecture `arch`. */
gg_terms gg_terms_of(const gg_plan *plan, int arch);

#endif
