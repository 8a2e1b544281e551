/* Family sm100: plan -> layouts. Operands and staging are sm90's (derive_sm90.c); the accumulators
 * lie in tensor memory, where tcgen05.mma leaves them (atom/tmem.h), and a warp of the epilogue
 * reads them with tcgen05.ld.16x256b: 16 lanes by 8 columns at a time, of which a thread gets two
 * neighbouring columns of a row and of the row 8 further, as the accumulators of a wgmma lie. */
#include "atom/tmem.h"
#include "plan/check.h"
#include "plan/sm100.h"
#include "plan/sm90.h"

int gg_sm100_accumulator_columns(const gg_plan *plan) {
  return gg_sm100_mmas_m(plan) * plan->tile_n;
}

int gg_sm100_allocated_columns(const gg_plan *plan) {
  enum { least = 32 };
  int columns = least;
  while (columns < gg_sm100_accumulator_columns(plan) * plan->accumulator_stages)
    columns *= 2;
  return columns;
}

/* Where the tensor core leaves the sums: ((M,N),MMAs along M,along N,stages) -> lane and column. */
static gg_status derive_tensor_memory(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  const gg_tmem_tile tile = {
      .ctas = plan->cta_group,
      .m = gg_plan_mma_rows(plan),
      .n = plan->mma.n,
      .rest = {gg_sm100_mmas_m(plan), 1, plan->accumulator_stages},
      .rests = 3,
      .value_bits = 32,
      .storage_bits = 32,
      .alloc =
          gg_plan_mma_rows(plan) < GG_TMEM_LANES ? GG_TMEM_NON_INTERLEAVED : GG_TMEM_INTERLEAVED,
  };
  gg_layout layout;
  gg_status st = gg_tmem_frg(&layout, &tile, err);
  if (st) return st;
  gg_layouts_name_plain(out, "tCtC", "((m,n),MMA,1,stage) -> lane * 65536 + column", &layout);
  return GG_OK;
}

/* What the epilogue's threads read of a tile. */
static gg_status derive_reads(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int blocks = gg_sm100_blocks_of_mma(plan), mmas = gg_sm100_mmas_m(plan), m = plan->tile_m;
  int warp_rows = blocks * GG_SM90_STAGED_ROWS;
  gg_tuple threads = GG_TUPLE(4, 8, 4), thread_steps = GG_TUPLE(2 * m, 1, warp_rows);
  gg_tuple values = GG_TUPLE(2, 2, plan->tile_n / 8, blocks, mmas);
  gg_tuple value_steps = GG_TUPLE(m, 8, 8 * m, GG_SM90_STAGED_ROWS, gg_plan_mma_rows(plan));
  gg_tuple shape, stride;
  gg_status st;
  if ((st = gg_tuple_pair(&shape, &threads, &values, err))) return st;
  if ((st = gg_tuple_pair(&stride, &thread_steps, &value_steps, err))) return st;
  if ((st = gg_layout_make(&out->tCrC, &shape, &stride, err))) return st;
  return gg_check_cover("tCrC", &out->tCrC, (int64_t)plan->tile_m * plan->tile_n, err);
}

gg_status gg_sm100_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = gg_sm90_derive_operands(out, plan, err))) return st;
  if ((st = derive_reads(out, plan, err))) return st;
  if ((st = gg_sm90_derive_epilogue(out, plan, err))) return st;
  gg_sm90_name_layouts(out, plan);
  if ((st = derive_tensor_memory(out, plan, err))) return st;
  out->accumulator = (gg_accumulator_place){.home = GG_HOME_TENSOR,
                                            .sets = plan->accumulator_stages,
                                            .columns = gg_sm100_allocated_columns(plan)};
  gg_sm90_derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
