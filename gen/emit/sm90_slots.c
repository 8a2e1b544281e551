/* Family sm90: what fills the slots of its templates, and the lists that the parts share: members
 * of structs, arguments, and what is done for each ring, role and operand in turn.
 *
 * A text that only some parts name is bound with those parts. */
#include "emit/sm90.h"
#include "plan/operands.h"
#include "plan/sm90.h"

static bool is_fetched(const gg_layouts *layouts) {
  return layouts->fetched_count > 0;
}

/* Where several CTAs add up a tile's sums, each stores some of its boxes, or none. */
static const char *if_sums(const gg_plan *plan, const char *text) {
  return gg_plan_reduces_sums(plan) ? text : "";
}

/* ---- The list of work -------------------------------------------------------------------- */

static void bind_list(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str members = GG_STR_INIT, fill = GG_STR_INIT;
  bool shares = gg_plan_shares_tiles(plan), in_cluster = plan->cluster_k > 1;
  bool fetches = is_fetched(layouts);
  if (shares) {
    gg_str_puts(
        &members,
        "  unsigned shared_tiles, shares;       // the first tiles are dealt in shares, the "
        "others whole\n"
        "  unsigned group_tiles, group_shares;  // of those that are dealt together\n"
        "  unsigned share_length;               // K tiles; one more in the first\n"
        "  unsigned longer_shares;              // of each group\n");
    gg_str_puts(&fill, "  deal(list, unsigned(shared_tiles), unsigned(group_tiles), "
                       "unsigned(group_shares));\n");
  }
  if (fetches) gg_str_puts(&members, "  int fetch_stages;  // behind a tile's last K tile\n");
  if (in_cluster) {
    gg_str_puts(&members,
                "  bool next_beside;  // the launch behind this one may begin before it ends\n");
    gg_str_puts(&fill, "  list.next_beside = next_beside != 0;\n");
  }
  if (fetches) {
    gg_str_printf(&fill, "  list.fetch_stages = %sfetch_stages%s;\n",
                  gg_sm90_fetches_c(layouts) ? "operands.beta != 0.0f ? " : "",
                  gg_sm90_fetches_c(layouts) ? " : fetched_c::first_stage" : "");
  }
  gg_bind_str(out, "list_members", &members);
  gg_bind_str(out, "fill_list", &fill);
  gg_bind_text(out, "list_type", shares || in_cluster || fetches ? "work_list" : "const work_list");
  gg_bind_text(out, "if_beside", in_cluster ? "if (list.next_beside) " : "");
  gg_bind_part(out, "walk", shares ? "sm90_shares" : "sm90_walk");
  gg_bind_part(out, "combine", in_cluster ? "sm90_parts" : NULL);
  gg_bind_text(
      out, "combine_boxes",
      shares ? "      const box_set boxes =\n"
               "          combine(tCrC, list, item, workspace, (warp - warps_per_group) % "
               "tile_warps, lane);\n"
      : in_cluster
          ? "      const box_set boxes = combine(tCrC, list, smem, warp - warps_per_group, "
            "lane);\n"
          : "");
  gg_bind_text(out, "if_boxes", if_sums(plan, "if (boxes != 0) "));
}

/* ---- Rings ------------------------------------------------------------------------------- */

static void bind_rings(gg_bindings *out, const gg_rings *rings) {
  gg_str init = GG_STR_INIT;
  bool both = gg_rings_find(rings, GG_RING_STAGES)->empties > 1;
  gg_bind_part(out, "why_two_empties", both ? "sm90_two_empties_why" : NULL);
  gg_bind_part(out, "empty_barrier", both ? "sm90_two_empties" : "sm90_one_empty");
  gg_bind_part(out, "empty_barriers_of",
               both ? "sm90_two_empties_readers" : "sm90_one_empty_readers");
  gg_str_puts(&init, "  for (int stage = 0; stage < stages; ++stage) {\n"
                     "    mbarrier_init(full_barrier(smem, stage), full_arrivals);\n");
  gg_str_puts(&init,
              both ? "    mbarrier_init(empty_barrier(smem, stage, 0), cluster_n * readers);\n"
                     "    mbarrier_init(empty_barrier(smem, stage, 1), cluster_m * readers);\n  }\n"
                   : "    mbarrier_init(empty_barrier(smem, stage), cluster_plane * readers);\n"
                     "  }\n");
  if (gg_rings_find(rings, GG_RING_SUMS)) gg_str_puts(&init, "  init_sum_barriers(smem);\n");
  if (gg_rings_find(rings, GG_RING_VECTORS)) gg_str_puts(&init, "  init_vector_barriers(smem);\n");
  gg_bind_str(out, "init_rings", &init);
}

/* ---- What the producer loads ------------------------------------------------------------- */

/* templates/parts/sm90_lines.cu: what is done for those of A and B whose lines threads copy, and
 * for the other one, which its map copies. */
static void bind_lines(gg_bindings *out, const gg_plan *plan) {
  static const struct {
    const char *name;
    bool lines;
    const char *a, *b;
  } steps[] = {
      {"load_boxes", false,
       "      load_tile<operand_a>(sA, from.a, full, at.tile.m0, at.k_tile, at.tile.batch, "
       "0, 0);\n",
       "      load_tile<operand_b>(sB, from.b, full, at.tile.n0, at.k_tile, at.tile.batch, "
       "0, 0);\n"},
      {"copy_lines", true,
       "  copy_tile<operand_a>(sA, from.a, at.tile.m0, k0, at.tile.batch, warp, lane);\n",
       "  copy_tile<operand_b>(sB, from.b, at.tile.n0, k0, at.tile.batch, warp, lane);\n"},
      {"last_chunks", true, "  last_chunks<operand_a> last_a;\n",
       "  last_chunks<operand_b> last_b;\n"},
      {"shift_lines", true,
       "    shift_lines<operand_a>(sA, last_a, from.a, move.tile.m0, k0, move.tile.batch, "
       "move.begins(),\n"
       "                           warp, lane);\n",
       "    shift_lines<operand_b>(sA + stage_bytes_a, last_b, from.b, move.tile.n0, k0, "
       "move.tile.batch,\n"
       "                           move.begins(), warp, lane);\n"},
  };
  bool lines_a = plan->copy_bytes_a > 0, lines_b = plan->copy_bytes_b > 0;
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (lines_a == steps[i].lines) gg_str_puts(&text, steps[i].a);
    if (lines_b == steps[i].lines) gg_str_puts(&text, steps[i].b);
    gg_bind_str(out, steps[i].name, &text);
  }
  gg_str_puts(&text, lines_a ? "  line_source a;\n" : "  const tensor_map &a;\n");
  gg_str_puts(&text, lines_b ? "  line_source b;\n" : "  const tensor_map &b;\n");
  gg_bind_str(out, "source_members", &text);
  gg_bind_flag(out, "tf32", plan->a.type == GG_DTYPE_tf32);
}

/* templates/parts/sm90_produce.cu: maps copy both. */
static void bind_boxes(gg_bindings *out, const gg_layouts *layouts) {
  bool both = gg_rings_find(&layouts->rings, GG_RING_STAGES)->empties > 1;
  gg_bind_part(out, "await_empty", both ? "sm90_two_empties_await" : "sm90_one_empty_await");
  gg_bind_part(out, "fetch", is_fetched(layouts) ? "sm90_fetch" : NULL);
  gg_bind_text(out, "list_parameters",
               is_fetched(layouts) ? "const fetch_maps &maps, const work_list &list,\n"
                                     "                                        unsigned smem"
                                   : "const work_list &list, unsigned smem");
}

/* The maps that every tile needs at once; what the epilogue reads comes later. */
static void bind_prefetches(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, plan, layouts);
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < count; i++) {
    bool later = rows[i].id == GG_OPERAND_C || rows[i].id == GG_OPERAND_EXTRA;
    if (!rows[i].map || later) continue;
    gg_str_printf(&text, "    prefetch_map(map_%c);\n", "-abcd"[rows[i].id]);
  }
  gg_bind_str(out, "prefetch_maps", &text);
}

/* ---- Roles ------------------------------------------------------------------------------- */

static void run_lines(gg_str *out, const gg_plan *plan) {
  gg_str_puts(out, "    const load_sources from = {\n");
  gg_str_puts(out, plan->copy_bytes_a
                       ? "        {A, lda, batch_stride_a, int(a_k_major ? k : m), int(a_k_major ? "
                         "m : k)},\n"
                       : "        map_a,\n");
  gg_str_puts(out, plan->copy_bytes_b
                       ? "        {B, ldb, batch_stride_b, int(b_k_major ? k : n), int(b_k_major ? "
                         "n : k)},\n"
                       : "        map_b,\n");
  gg_str_puts(out, "    };\n    produce(from, list, smem, warp, lane);\n");
}

/* Calls a role's function in its warp. */
static void run_in_warp(gg_str *out, const gg_role *role, const char *call) {
  if (!role) return;
  gg_str_printf(out, "    if (warp == %d%s) %s\n", role->first_warp,
                role->elected ? " && lane == 0" : "", call);
}

/* The roles of the first warpgroup. */
static void bind_producers(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *producer = gg_rings_role(&layouts->rings, GG_ROLE_PRODUCER),
                *vectors = gg_rings_role(&layouts->rings, GG_ROLE_VECTORS);
  gg_str run = GG_STR_INIT;
  gg_bind_part(out, "produce", producer->part);
  gg_bind_part(out, "load_vectors", vectors ? vectors->part : NULL);
  if (gg_sm90_copies_lines(plan)) {
    bind_lines(out, plan);
    run_lines(&run, plan);
  } else {
    bind_boxes(out, layouts);
    gg_sm90_write_fetch_maps(&run, plan, layouts);
    run_in_warp(&run, producer,
                is_fetched(layouts) ? "produce(map_a, map_b, maps, list, smem);"
                                    : "produce(map_a, map_b, list, smem);");
    run_in_warp(&run, vectors, "copy_vectors(operands, list, m, n, smem, lane);");
    gg_str_puts(&run, "    __syncwarp();\n");
  }
  gg_bind_str(out, "run_producers", &run);
}

static void bind_consumers(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_bind_part(out, "consume", gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER)->part);
  gg_bind_flag(out, "vectors", plan->vector_buffers > 0);
  gg_bind_part(out, "multiply",
               plan->promote                        ? "sm90_multiply_promoted"
               : gg_sm90_multiplies_registers(plan) ? "sm90_multiply_registers"
                                                    : "sm90_multiply");
  gg_bind_part(out, "fetched", is_fetched(layouts) ? "sm90_fetched" : NULL);
  gg_bind_text(out, "item_stages", is_fetched(layouts) ? "item.k_tiles + behind" : "item.k_tiles");
}

/* ---- The epilogue ------------------------------------------------------------------------ */

static void bind_epilogue(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str members = GG_STR_INIT, arguments = GG_STR_INIT;
  if (is_fetched(layouts)) {
    gg_str_puts(&members, "  fetched_tile fetched;\n");
    gg_str_puts(&arguments, "          {smem, empty_barriers, read.stage},\n");
  }
  gg_str_puts(&members, if_sums(plan, "  box_set boxes;  // of this warp's, those to store\n"));
  gg_str_puts(&arguments, if_sums(plan, "          boxes,\n"));
  gg_bind_str(out, "more_members", &members);
  if (plan->specialised) gg_bind_text(out, "more_arguments", gg_str_text(&arguments));
  if (arguments.failed) out->failed = true;
  gg_str_free(&arguments);
  gg_bind_flag(out, "sums", gg_plan_reduces_sums(plan));
  gg_bind_part(out, "cells", is_fetched(layouts) ? "sm90_cells" : NULL);
}

void gg_sm90_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_bind_part(out, "rasterise",
               plan->raster == GG_RASTER_HILBERT ? "rasterise_hilbert" : "rasterise");
  gg_bind_flag(out, "a_in_registers", plan->a_in_registers);
  gg_bind_text(out, "line_members_a",
               gg_sm90_copies_lines(plan) ? "  static constexpr int align = align_a;\n" : "");
  gg_bind_text(out, "line_members_b",
               gg_sm90_copies_lines(plan) ? "  static constexpr int align = align_b;\n" : "");
  bind_epilogue(out, plan, layouts);
  if (!plan->specialised) return;
  bind_list(out, plan, layouts);
  bind_rings(out, &layouts->rings);
  bind_prefetches(out, plan, layouts);
  gg_bind_part(out, "tma_prefetch", is_fetched(layouts) ? "sm90_tma_prefetch" : NULL);
  bind_producers(out, plan, layouts);
  bind_consumers(out, plan, layouts);
}
