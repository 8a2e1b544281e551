#include "choice/terms.h"

#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sparse.h"

/* Whether a member stands directly behind the one before it, so that there is no gap. */
#define IS_BEHIND(member, before)                                                                  \
  (offsetof(gg_terms, member) == offsetof(gg_terms, before) + sizeof(((const gg_terms *)0)->before))
_Static_assert(IS_BEHIND(distributed, traits) && IS_BEHIND(bytes_a, distributed) &&
                   IS_BEHIND(a_major, stored) && sizeof(gg_terms) % sizeof(double) == 0 &&
                   sizeof(gg_terms) == offsetof(gg_terms, subtiles) + sizeof(int32_t),
               "packs have the struct as it is");

static int bits_of(gg_dtype type) {
  return gg_dtype_info_of(type)->bits;
}

/* Bytes of scale factors for each element. */
static double factor_bytes(gg_scaling scaling) {
  return scaling.block ? 1.0 / scaling.block : 0;
}

/* Bytes of metadata for each element of A, counting zeros that are not stored. */
static double metadata_bytes(const gg_plan *plan) {
  enum { line = 16 /* bytes of a row of a tile */ };
  return plan->sparse_a ? (double)line / gg_metadata_tile_k(plan) : 0;
}

/* Sets the bytes of elements of A and B, and of a tile's K step. */
static void put_bytes(gg_terms *out, const gg_plan *plan) {
  double a = bits_of(plan->a.type) / 8.0, b = bits_of(plan->b.type) / 8.0;
  double m = plan->tile_m * gg_plan_k_of_a(plan, plan->tile_k);
  double n = gg_plan_rows_of_b(plan, plan->tile_n) * plan->tile_k;
  int stored_of_a = plan->sparse_a ? 2 : 1;
  double of_d = gg_plan_columns_of_d(plan, 2) / 2.0; /* of an element of the product */
  out->bytes_a = a / stored_of_a + factor_bytes(plan->scale_a) + metadata_bytes(plan);
  out->bytes_b = b + factor_bytes(plan->scale_b);
  out->m_step = m * a;
  out->n_step = n * b;
  out->m_read = m * gg_plan_smem_bits(plan, plan->a.type) / 8;
  out->n_read = n * gg_plan_smem_bits(plan, plan->b.type) / 8;
  out->scales_a = (double)gg_scale_bytes_a(plan);
  out->scales_b = (double)gg_scale_bytes_b(plan);
  out->metadata = (double)gg_metadata_bytes(plan);
  out->stored = of_d * bits_of(plan->d.type) / 8.0 + factor_bytes(plan->scale_d);
}

gg_terms gg_terms_of(const gg_plan *plan, int arch) {
  gg_terms out = {
      .traits = gg_traits_of(plan, arch),
      .distributed = gg_distributed_of_plan(plan),
      .a_major = plan->a.major,
      .b_major = plan->b.major,
      .d_major = plan->d.major,
      .d_bits = bits_of(plan->d.type),
      .sparse_a = plan->sparse_a,
      .packed = gg_plan_is_packed(plan),
      .swap_ab = plan->swap_ab,
      .shares_tiles = gg_plan_shares_tiles(plan),
      .raster = plan->raster,
      .raster_group = plan->raster_group,
      .threads = plan->threads,
      .ctas_per_sm = plan->ctas_per_sm,
      .stages = plan->stages,
      .mma_ctas = gg_plan_mma_ctas(plan),
      .swizzle_bytes_a = gg_swizzle_bytes(plan->swizzle_a),
      .swizzle_bytes_b = gg_swizzle_bytes(plan->swizzle_b),
      .copy_bytes_a = plan->copy_bytes_a,
      .copy_bytes_b = plan->copy_bytes_b,
      .epi_m = gg_plan_box_rows(plan),
      .epi_n = plan->epi_n,
      .epi_columns = gg_plan_columns_of_d(plan, plan->epi_n),
      .tile_columns = gg_plan_columns_of_d(plan, plan->tile_n),
      .access_bytes_d = plan->access_bytes_d,
      .subtiles = plan->subtile_stages != 0,
  };
  put_bytes(&out, plan);
  return out;
}
