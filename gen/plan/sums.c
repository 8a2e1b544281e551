#include "plan/sums.h"

#include "atom/dtype.h"
#include "plan/target.h"

int gg_plan_sums(const gg_plan *plan, gg_span span) {
  int count = 0;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *op = &plan->operations[i];
    count += op->kind == GG_OP_SUM && (span == GG_SPAN_NONE || gg_operation_span(op) == span);
  }
  return count;
}

int64_t gg_plan_sum_bytes(const gg_plan *plan, gg_span span) {
  int sums = gg_plan_sums(plan, span);
  if (!sums) return 0;
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  int parts = span == GG_SPAN_COLUMNS ? boxes.m : boxes.n;
  return gg_dtype_bytes(plan->compute, (int64_t)parts * sums);
}

/* Boxes of MMAs: in each 8 x 8 block of an MMA, each lane has two neighbouring elements of a row.
 */
static gg_sum_boxes of_mmas(int m, int n, bool blocks, int sent_columns, int sent_rows) {
  return (gg_sum_boxes){m,
                        n,
                        .counted = m * n,
                        .blocks = blocks,
                        .row_lanes = 4 | 8 | 16,
                        .column_lanes = 1 | 2,
                        .pairs = true,
                        .sent_columns = sent_columns,
                        .sent_rows = sent_rows};
}

gg_sum_boxes gg_tile_sum_boxes(const gg_plan *plan) {
  return of_mmas(plan->tile_m / plan->epi_m, plan->tile_n / plan->epi_n, true, plan->epi_n / 8,
                 plan->epi_m / 8);
}

gg_sum_boxes gg_mma_sum_boxes(const gg_plan *plan) {
  int parts = plan->tile_n / gg_plan_warp_columns(plan);
  int n = parts * gg_plan_boxes_of_mma(plan, plan->epi_n);
  /* Of 32 columns each lane ends with the sum of one; more at once would take more registers. */
  int pairs = plan->epi_n / 8, at_once = pairs % 4 == 0 ? 4 : pairs % 2 == 0 ? 2 : 1;
  return of_mmas(plan->tile_m / plan->epi_m, n, n * plan->epi_n == plan->tile_n, at_once, 2);
}
