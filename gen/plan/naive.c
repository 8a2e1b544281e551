/* Family naive: one thread computes one element of D, straight from global memory.
 *
 * It is the first rung of specs/ladder, to which the others are compared, and it runs on
 * everything. A CTA's threads are its tile's elements; there is no shared memory and no stage.
 *
 * This file decides and derives; emit/naive.c writes the text. */
#include "plan/naive.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "atom/tiled_mma.h"
#include "plan/atoms.h"
#include "plan/check.h"
#include "plan/epilogue.h"

static bool accepts(const gg_spec *spec) {
  return spec->schedule.state == GG_SPEC_SET && spec->schedule.number == GG_SCHEDULE_NAIVE;
}

static bool has_atom(const gg_mma_row *row) {
  return row->kind == GG_MMA_fma;
}

/* The types that operands may have: what the atom multiplies, and 16-bit floats, which are widened
 * to that. */
static gg_type_set operand_types(const gg_plan *plan) {
  gg_type_set types = gg_atoms_types(plan, GG_MMA_A);
  for (int type = 0; type < GG_DTYPE_COUNT; type++) {
    bool half = gg_dtype_is_float((gg_dtype)type) && gg_dtype_info_of((gg_dtype)type)->bits == 16;
    if (half) types |= gg_type_bit((gg_dtype)type);
  }
  return types;
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_type_set types = operand_types(plan);
  if (!(types & gg_type_bit(plan->a.type)))
    return gg_refuse_types(plan, &spec->a.type, "A of type", plan->a.type, types, "", err);
  if (plan->b.type != plan->a.type)
    return gg_refuse_type(plan, &spec->b.type, "B of type", plan->b.type, "the type of A", err);
  gg_status st = gg_mma_atom_find(&plan->mma, "UniversalFMA", err);
  if (st) return st;
  const gg_spec_field *asked = &spec->accumulator;
  plan->accumulator = plan->mma.c;
  if (asked->state == GG_SPEC_SET && (gg_dtype)asked->number != plan->accumulator) {
    return gg_refuse_type(plan, asked, "accumulator of type", (gg_dtype)asked->number,
                          gg_dtype_info_of(plan->accumulator)->name, err);
  }
  return gg_choose_atom(plan, &plan->mma, "UniversalFMA", err);
}

/* The tile is a whole number of warps wide along N, so that a warp stores whole lines. */
static gg_status choose_tile(gg_plan *plan, gg_error *err) {
  enum { usual_m = 8, usual_n = 32, most_threads = 1024 };
  const gg_spec_field *tile = &plan->spec->tile, *threads = &plan->spec->threads;
  bool asked = tile->state == GG_SPEC_SET;
  plan->tile_m = asked ? (int)tile->tuple[0] : usual_m;
  plan->tile_n = asked ? (int)tile->tuple[1] : usual_n;
  plan->tile_k = 1;
  plan->atoms_m = plan->tile_m;
  plan->atoms_n = plan->tile_n;
  plan->threads = plan->tile_m * plan->tile_n;
  if (asked && tile->tuple[2] != 1) {
    return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(tile, 2), plan->target->family, "tile K",
                   "of more than 1", "1: a thread takes one element of A and of B at a time");
  }
  gg_status st =
      gg_check_multiple("tile N", plan->tile_n, GG_WARP, "a warp", gg_element_mark(tile, 1), err);
  if (st) return st;
  char count[16], has[48];
  snprintf(count, sizeof count, "%d", plan->threads);
  if (plan->threads > most_threads) {
    snprintf(has, sizeof has, "%d at most: threads of a CTA", most_threads);
    return gg_refuse(plan, tile, "tile of so many elements,", count, has, err);
  }
  if (threads->state == GG_SPEC_SET && threads->number != plan->threads) {
    snprintf(has, sizeof has, "%s: one an element of the tile", count);
    return gg_refuse(plan, threads, "threads", threads->text, has, err);
  }
  return GG_OK;
}

/* Refuses what a kernel without shared memory and without roles does not have. */
static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused all[] = {
      {&spec->stages, "stages", "no shared memory: leave it out"},
      {&spec->atom_layout, "atom_layout", "a thread an element of the tile: leave it out"},
      {&spec->permutation, "permutation", "rows of the tile one after the other: auto"},
      {&spec->swizzle.a, "swizzle", "no shared memory: leave it out"},
      {&spec->swizzle.b, "swizzle", "no shared memory: leave it out"},
      {&spec->swizzle.d, "swizzle", "no shared memory: leave it out"},
      {&spec->d.store, "key d.store:", "one way, each thread its own element: leave the key out"},
      {&spec->operand_source.a, "operand_source", "global memory: leave it out"},
      {&spec->operand_source.b, "operand_source", "global memory: leave it out"},
      {&spec->accumulator_stages, "accumulator_stages", "one accumulator a thread"},
      {&spec->cluster, "cluster", "one CTA: leave it out"},
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->ctas_per_sm, "ctas_per_sm", "as many as fit"},
      {&spec->scheduler.splits, "splits", "all of K in one thread"},
  };
  return gg_check_all_unused(plan, all, sizeof all / sizeof *all, err);
}

static gg_status choose_schedule(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *scheduler = &spec->scheduler.kind;
  if (scheduler->state == GG_SPEC_SET && scheduler->number != GG_SCHEDULER_DATA_PARALLEL)
    return gg_refuse(plan, scheduler, "scheduler", scheduler->text, "data_parallel", err);
  plan->cluster_m = plan->cluster_n = plan->cluster_k = plan->ctas_per_sm = 1;
  gg_status st;
  gg_order order = gg_choose_raster(&st, plan, &(gg_orders){GG_RASTER_ALONG_M}, err);
  if (st) return st;
  gg_plan_put_order(plan, &order);
  return refuse_unused(plan, err);
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = choose_types(plan, err))) return st;
  if ((st = gg_choose_operations(plan, plan->accumulator, err))) return st;
  if ((st = choose_tile(plan, err))) return st;
  return choose_schedule(plan, err);
}

/* Thread t has row t / tile_n and column t % tile_n of the tile. */
static gg_status derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_tuple shape = GG_TUPLE(plan->tile_m, plan->tile_n, 1), stride = GG_TUPLE(plan->tile_n, 1, 0);
  gg_layout threads;
  gg_tiled_mma mma;
  gg_status st;
  if ((st = gg_layout_make(&threads, &shape, &stride, err))) return st;
  if ((st = gg_tiled_mma_make(&mma, &plan->mma, &threads, NULL, err))) return st;
  if ((st = gg_tiled_mma_layout_tv(&out->tCrC, &mma, GG_MMA_C, err))) return st;
  gg_layouts_name_plain(out, "tCrC", "(thread, value) -> index in (m, n)", &out->tCrC);
  out->accumulator = (gg_accumulator_place){GG_HOME_REGISTERS, 1, 1, 0};
  return gg_check_cover("tCrC", &out->tCrC, (int64_t)plan->tile_m * plan->tile_n, err);
}

/* Each thread finishes one element, so every element is a box. */
static gg_sum_boxes sum_boxes(const gg_plan *plan) {
  return (gg_sum_boxes){plan->tile_m, plan->tile_n, .counted = plan->tile_m * plan->tile_n,
                        .sent_columns = 1, .sent_rows = 1};
}

const gg_target gg_target_naive = {
    .id = GG_TARGET_NAIVE,
    .ageless = true,
    .name = "naive",
    .family = "naive",
    .summary = "a thread an element, any architecture",
    .worker = "thread",
    .least = {.number = 80},
    .has_atom = has_atom,
    .accepts = accepts,
    .pointers = true,
    .sum_boxes = sum_boxes,
    .choose = choose,
    .derive = derive,
    .traits = gg_warp_traits,
};
