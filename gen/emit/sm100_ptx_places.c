/* Family sm100 in PTX: which part of a tile's sums a warp reads, in blocks of 16 rows and in D's
 * boxes. */
#include "emit/sm100_ptx.h"

#include "plan/sm100.h"

int gg_sm100_ptx_blocks(const gg_plan *plan) {
  return gg_sm100_blocks_of_mma(plan) * gg_sm100_mmas_m(plan);
}

int gg_sm100_ptx_boxes(const gg_plan *plan) {
  return gg_sm100_mmas_n(plan) * gg_plan_boxes_of_mma(plan, plan->epi_n);
}

/* The first column of a box, among the columns of its MMA that the warp reads. The last box may
 * begin within the one before it. */
static int column_of_mma(const gg_plan *plan, int box) {
  int column = box % gg_plan_boxes_of_mma(plan, plan->epi_n) * plan->epi_n;
  int last = gg_plan_warp_columns(plan) - plan->epi_n;
  return column < last ? column : last;
}

/* The first register of box `number`: two boxes are in registers at a time, in turns. */
static int first_word(const gg_plan *plan, int number) {
  return number % 2 * plan->epi_n / 2;
}

gg_sm90_ptx_box_place gg_sm100_ptx_place_of(const gg_plan *plan, int box, int block) {
  int blocks = gg_sm100_blocks_of_mma(plan), boxes = gg_plan_boxes_of_mma(plan, plan->epi_n);
  return (gg_sm90_ptx_box_place){.row = block / blocks * gg_plan_mma_rows(plan) +
                                        block % blocks * plan->epi_m,
                                 .column = box / boxes * plan->mma.n + column_of_mma(plan, box),
                                 .word = first_word(plan, box * gg_sm100_ptx_blocks(plan) + block)};
}
