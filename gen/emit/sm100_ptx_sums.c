/* Family sm100 in PTX: a tile's sums, from tensor memory to registers.
 *
 * A warp reads its 32 lanes in blocks of 16. tcgen05.ld.16x256b gives a lane two neighbouring
 * columns of every eight, in row lane / 4 and in the row 8 further down, just as the accumulators
 * of a wgmma lie. While one box is finished, the next one's sums are on their way: so there are
 * registers for two boxes, in turns. */
#include "emit/sm100_ptx.h"

#include "emit/sm90_ptx.h"
#include "plan/sm100.h"

enum { lane_step = 1 << 16 /* from lane to lane in addresses of tensor memory */ };

/* Appends the load of the sums of box `number`, counted over all blocks. */
static void write_load(gg_str *out, const gg_plan *plan, int number) {
  int all = gg_sm100_ptx_blocks(plan), box = number / all, block = number % all;
  int blocks = gg_sm100_blocks_of_mma(plan), boxes = gg_plan_boxes_of_mma(plan, plan->epi_n);
  int mma = block / blocks + box / boxes * gg_sm100_mmas_m(plan);
  gg_sm90_ptx_box_place place = gg_sm100_ptx_place_of(plan, box, block);
  int column = mma * gg_plan_warp_columns(plan) + place.column - box / boxes * plan->mma.n;
  int by = block % blocks * plan->epi_m * lane_step + column;
  if (by) gg_str_printf(out, "  add.u32 %%address, %%from_sums, 0x%x;\n", by);
  gg_str_printf(out, "  @%%any tcgen05.ld.sync.aligned.16x256b.x%d.b32\n    ", plan->epi_n / 8);
  gg_ptx_write_registers(out, "acc", place.word, plan->epi_n / 2, 4);
  gg_str_printf(out, " [%s];\n", by ? "%address" : "%from_sums");
}

/* Appends what follows the load of the last box: MMAs of another tile may then write to this one's
 * columns. */
static void write_release(gg_str *out, const gg_plan *plan) {
  gg_str_printf(out,
                "  // The last sums are in registers: MMAs of another tile may write where they "
                "were.\n"
                "  tcgen05.fence::before_thread_sync;\n"
                "  bar.warp.sync 0xffffffff;\n"
                "  @%%is_lane_0 mbarrier.arrive.shared::%s.b64 _, [%%bar_empty];\n",
                plan->cta_group > 1 ? "cluster" : "cta");
}

void gg_sm100_ptx_begin_box(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                            int block) {
  int blocks = gg_sm100_ptx_blocks(plan), number = box * blocks + block;
  gg_str_puts(out, "\n");
  if (number == 0) write_load(out, plan, 0);
  gg_str_puts(out, "  tcgen05.wait::ld.sync.aligned;\n");
  if (number + 1 < gg_sm100_ptx_boxes(plan) * blocks)
    write_load(out, plan, number + 1);
  else
    write_release(out, plan);
  if (plan->has_c && block % gg_sm100_blocks_of_mma(plan) == 0) gg_sm100_ptx_await_c(out, layouts);
}

void gg_sm100_ptx_end_box(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int block) {
  int blocks = gg_sm100_blocks_of_mma(plan);
  if (plan->has_c && block % blocks == blocks - 1) gg_sm100_ptx_release_c(out, layouts);
}

static void write_first(gg_str *out, const gg_plan *plan) {
  int rows = gg_sm100_blocks_of_mma(plan) * plan->epi_m;
  gg_str_puts(out, "  .reg .b32 %row0;  // this warp's first row of D\n");
  if (gg_plan_column_parts(plan) == 1) {
    gg_str_printf(out, "  mad.lo.u32 %%row0, %%warp_of_group, %d, %%m0;\n", rows);
    return;
  }
  gg_str_printf(out,
                "  and.b32 %%row0, %%warp_of_group, 1;\n"
                "  mad.lo.u32 %%row0, %%row0, %d, %%m0;\n"
                "  // The upper 64 lanes have the second half of the columns.\n"
                "  shr.u32 %%place, %%warp_of_group, 1;\n"
                "  mad.lo.u32 %%n0, %%place, %d, %%n0;\n",
                rows, gg_plan_half_step(plan));
}

void gg_sm100_ptx_write_origin(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  write_first(out, plan);
  gg_sm90_ptx_find_vectors(out, plan, layouts);
}

void gg_sm100_ptx_bind_sums(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *sums = gg_rings_find(&layouts->rings, GG_RING_ACCUMULATORS);
  ll begin = (ll)layouts->rings.barriers_begin, to_empty = (ll)sums->empty[0].begin - begin;
  gg_str text = GG_STR_INIT;
  gg_ptx_bind_number(out, "accumulator_stages", plan->accumulator_stages);
  gg_ptx_bind_number(out, "sums_columns", gg_sm100_accumulator_columns(plan));
  gg_ptx_bind_number(out, "to_full_sums", (ll)sums->full.begin - begin);
  gg_ptx_bind_number(out, "to_empty_sums", to_empty);
  gg_ptx_bind_number(out, "warp_rows", (ll)gg_sm100_blocks_of_mma(plan) * plan->epi_m);
  gg_ptx_bind_number(out, "accumulators", plan->epi_n);
  gg_bind_text(out, "sum_type", plan->accumulator == GG_DTYPE_s32 ? "b32" : "f32");
  gg_ptx_write_clear(&text, plan->epi_n);
  gg_bind_str(out, "clear", &text);
  gg_str_printf(&text, "  add.u32 %%bar_empties, %%barriers, %lld;\n", to_empty);
  if (plan->cta_group > 1)
    gg_str_puts(&text, "  and.b32 %place, %rank, -2;  // in the pair's first CTA\n"
                       "  mapa.shared::cluster.u32 %bar_empties, %bar_empties, %place;\n");
  gg_bind_str(out, "arrive_where", &text);
}
