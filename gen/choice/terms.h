/* What the model asks of a kernel: numbers that its plan comes to, of no device and no problem.
 *
 * A plan is read, chosen and checked; its terms are a few hundred bytes that mean the same in every
 * process of one library. Packs keep them (runtime/pack_file.h), so that kernels are ranked whose
 * specs nobody has read. So there is no pointer in them and no gap between members: the terms of
 * one plan are the same bytes, always. */
#ifndef GG_CHOICE_TERMS_H
#define GG_CHOICE_TERMS_H

#include "plan/distribution.h"
#include "plan/traits.h"

typedef struct gg_terms {
  gg_traits traits;
  gg_distributed distributed; /* tiles and clusters, in the plan's terms */
  double bytes_a, bytes_b;    /* of one element in global memory, with its part of a factor */
  double m_step, n_step;      /* bytes of A and of B that one K step of a tile loads; */
  double m_read, n_read;      /* the same, as they lie in shared memory; */
  double scales_a, scales_b;  /* of their scale factors; */
  double metadata;            /* and of metadata */
  double stored;              /* bytes of D and its factors, for each element of the product */
  gg_major a_major, b_major, d_major;
  int32_t d_bits;
  int32_t sparse_a, packed;     /* A's zeros are not stored; elements of 4 bits stay packed */
  int32_t swap_ab;              /* the plan's M is the problem's N */
  int32_t shares_tiles;         /* clusters may share one */
  int32_t raster, raster_group; /* the order of tiles: a gg_raster; tiles of a band */
  int32_t threads, ctas_per_sm, stages;
  int32_t mma_ctas; /* behind one MMA */
  int32_t swizzle_bytes_a, swizzle_bytes_b;
  int32_t copy_bytes_a, copy_bytes_b; /* of one thread's copies */
  int32_t epi_m, epi_n;               /* of a box of the epilogue; epi_n: 0 where there are none */
  int32_t epi_columns, tile_columns;  /* of D, of what epi_n and a tile have of the product */
  int32_t access_bytes_d;             /* of lanes that store D; 0: boxes do */
  int32_t subtiles;                   /* C has stages of its own */
} gg_terms;

/* Of a kernel on devices of `arch`, as the device's row of devices.def has it. */
gg_terms gg_terms_of(const gg_plan *plan, int arch);

#endif
