/* Family sm100: plan + layouts -> the names of templates/sm100_warp_specialised.ptx.
 *
 * Every number comes from the plan or its layouts; nothing is decided here. Rings and roles are
 * those of the .cu: one thread fills stages, one issues MMAs, one may fetch C, and four warps read
 * the sums from tensor memory and store. */
#include "emit/sm100_ptx.h"

#include "atom/arch.h"
#include "emit/ptx.h"
#include "emit/ptx_lacks.h"
#include "emit/sm90_ptx.h"
#include "plan/narrow.h"
#include "plan/operands.h"
#include "plan/scales.h"
#include "plan/sm100.h"

/* ---- What has no template ------------------------------------------------------------------ */

const char *gg_sm100_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ptx_lack rows[] = {
      {gg_plan_shares_tiles(plan), "split_k or stream_k"},
      {gg_sm90_has_copiers(plan), "operands that warps copy"},
      {gg_plan_scales_d(plan), "a D with scale factors of blocks"},
      {plan->accumulator != GG_DTYPE_f32 && plan->accumulator != GG_DTYPE_s32, "sums of f16"},
      {plan->compute != GG_DTYPE_f32 && plan->operation_count, "operations on integers"},
      {layouts->result_count != 1 || !layouts->results[0].mapped, "lines of D that lanes store"},
  };
  const char *lacks = gg_ptx_first_lack(rows, sizeof rows / sizeof *rows);
  if (!lacks) lacks = gg_sm90_ptx_finish_lacks(plan);
  if (!lacks) lacks = gg_sm90_ptx_boxes_lack(plan, layouts);
  return lacks ? lacks : gg_sm100_ptx_c_lacks(plan, layouts);
}

/* ---- The text's head ----------------------------------------------------------------------- */

static void bind_memory(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm90_ptx_bind_memory(out, plan, layouts);
  gg_ptx_bind_number(out, "tmem_address_begin", (ll)layouts->rings.word_begin);
  gg_ptx_bind_number(out, "tmem_columns", gg_sm100_allocated_columns(plan));
}

/* ---- Tiles --------------------------------------------------------------------------------- */

/* Appends the count of tiles if pairs of CTAs with 64 rows each take rows in turns: the rows of
 * four CTAs belong to two pairs. */
static void write_pairs(gg_str *out, const gg_plan *plan) {
  int of_two = 4 * plan->tile_m;
  gg_str_printf(out, "  {\n  .reg .b32 %%second;\n  add.u32 %%tiles_m, %%m, %d;\n", of_two - 1);
  gg_ptx_write_quotient(out, 2, "%tiles_m", "%tiles_m", of_two);
  gg_str_printf(out, "  add.u32 %%second, %%m, %d;\n", of_two - plan->tile_m - 1);
  gg_ptx_write_quotient(out, 2, "%second", "%second", of_two);
  gg_str_printf(out,
                "  add.u32 %%tiles_m, %%tiles_m, %%second;\n  add.u32 %%tiles_m, %%tiles_m, %d;\n",
                plan->cluster_m / 2 - 1);
  gg_ptx_write_quotient(out, 2, "%tiles_m", "%tiles_m", plan->cluster_m / 2);
  gg_str_puts(out, "  }\n");
}

/* Appends the count of tiles that take halves of their columns in turns. */
static void write_turns(gg_str *out, const gg_plan *plan) {
  int columns = gg_plan_warp_columns(plan);
  gg_str_puts(out, "  {\n  .reg .b32 %whole, %begun;\n");
  gg_ptx_write_split(out, 2, "%whole", "%begun", "%n", plan->turns_columns * plan->tile_n);
  gg_str_printf(out, "  add.u32 %%begun, %%begun, %d;\n", columns - 1);
  gg_ptx_write_quotient(out, 2, "%begun", "%begun", columns);
  gg_str_printf(out,
                "  min.u32 %%begun, %%begun, %d;\n  mad.lo.u32 %%tiles_n, %%whole, %d, %%begun;\n"
                "  add.u32 %%tiles_n, %%tiles_n, %d;\n",
                plan->turns_columns, plan->turns_columns, plan->cluster_n - 1);
  gg_ptx_write_quotient(out, 2, "%tiles_n", "%tiles_n", plan->cluster_n);
  gg_str_puts(out, "  }\n");
}

/* Binds the counts that differ if rows or columns are taken in turns (plan/scales.h). */
static void bind_counts_in_turns(gg_bindings *out, const gg_plan *plan) {
  gg_str text = GG_STR_INIT;
  if (plan->turns_pairs) write_pairs(&text, plan);
  if (plan->turns_columns) write_turns(&text, plan);
  if (text.length)
    gg_str_puts(&text, "  mul.lo.u32 %tiles, %tiles_m, %tiles_n;\n"
                       "  mul.lo.u32 %tiles, %tiles, %batches;\n");
  gg_bind_str(out, "counts_in_turns", &text);
}

static void write_row(gg_str *out, const gg_plan *plan, const char *place) {
  if (!plan->turns_pairs) {
    gg_sm90_ptx_write_origin(out, 'm', place, plan->cluster_m, plan->tile_m);
    return;
  }
  gg_str_printf(
      out,
      "    // Two pairs of CTAs share the rows of four tiles: the first CTAs of both pairs have the\n"
      "    // first two, in the order of the pairs, the second CTAs the last two.\n"
      "    mad.lo.u32 %s, %s, %d, %%rank_m;\n"
      "    shr.u32 %%m0, %s, 2;\n    shl.b32 %%m0, %%m0, 2;\n"
      "    and.b32 %%whole, %s, 1;\n    mad.lo.u32 %%m0, %%whole, 2, %%m0;\n"
      "    shr.u32 %%whole, %s, 1;\n    and.b32 %%whole, %%whole, 1;\n"
      "    add.u32 %%m0, %%m0, %%whole;\n    mul.lo.u32 %%m0, %%m0, %d;\n",
      place, place, plan->cluster_m, place, place, place, plan->tile_m);
}

static void write_column(gg_str *out, const gg_plan *plan, const char *place) {
  if (!plan->turns_columns) {
    gg_sm90_ptx_write_origin(out, 'n', place, plan->cluster_n, plan->tile_n);
    return;
  }
  gg_str_printf(
      out, "    // Of %d tiles the first halves lie beside each other, then the second halves.\n",
      plan->turns_columns);
  if (plan->cluster_n > 1)
    gg_str_printf(out, "    mad.lo.u32 %s, %s, %d, %%rank_n;\n", place, place, plan->cluster_n);
  gg_ptx_write_split(out, 4, "%n0", "%whole", place, plan->turns_columns);
  gg_str_printf(out, "    mul.lo.u32 %%n0, %%n0, %d;\n    mad.lo.u32 %%n0, %%whole, %d, %%n0;\n",
                plan->turns_columns * plan->tile_n, gg_plan_warp_columns(plan));
}

static void bind_tiles(gg_bindings *out, const gg_plan *plan) {
  bool along_m = plan->raster == GG_RASTER_ALONG_M;
  int ctas = plan->cluster_m * plan->cluster_n;
  gg_str text = GG_STR_INIT;
  gg_ptx_bind_tile_counts(out, (ll)plan->cluster_m * plan->tile_m,
                          (ll)plan->cluster_n * plan->tile_n, plan->tile_k);
  bind_counts_in_turns(out, plan);
  gg_ptx_bind_number(out, "tile_k", plan->tile_k);
  gg_bind_flag(out, "cluster", ctas > 1);
  if (ctas > 1) {
    gg_ptx_write_quotient(&text, 2, "%first_tile", "%first_tile", ctas);
    gg_ptx_write_quotient(&text, 2, "%tile_step", "%tile_step", ctas);
    gg_sm90_ptx_write_ranks(&text, plan);
  }
  gg_bind_str(out, "of_clusters", &text);
  gg_ptx_bind_number(out, "raster_group", plan->raster_group);
  gg_bind_text(out, "tiles_along", along_m ? "%tiles_m" : "%tiles_n");
  gg_bind_text(out, "tiles_across", along_m ? "%tiles_n" : "%tiles_m");
  write_row(&text, plan, along_m ? "%along" : "%across");
  write_column(&text, plan, along_m ? "%across" : "%along");
  gg_bind_str(out, "origin", &text);
  gg_bind_flag(out, "persistent", gg_plan_is_persistent(plan));
  gg_bind_flag(out, "strides", gg_plan_is_persistent(plan) && !gg_plan_is_dynamic(plan));
}

/* Binds the ring of answers, which clusters read that ask for their tiles. Whoever has read an
 * answer reports it to the cluster's first CTA, one thread of which asks. */
static void bind_answers(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_ANSWERS);
  static const gg_ring none = {0};
  const gg_ring *answers = ring ? ring : &none;
  int ctas = plan->cluster_m * plan->cluster_n;
  ll begin = (ll)layouts->rings.barriers_begin, to_empty = (ll)answers->empty[0].begin - begin;
  gg_str text = GG_STR_INIT;
  gg_bind_flag(out, "dynamic", ring != NULL);
  gg_ptx_bind_number(out, "scheduler",
                     ring ? gg_rings_role(&layouts->rings, GG_ROLE_SCHEDULER)->first_warp : 0);
  gg_ptx_bind_number(out, "answer_stages", answers->depth);
  gg_ptx_bind_number(out, "answer_bytes", (ll)answers->bytes);
  gg_ptx_bind_number(out, "answers_begin", (ll)answers->begin);
  gg_ptx_bind_number(out, "to_full_answer", (ll)answers->full.begin - begin);
  gg_ptx_bind_number(out, "to_empty_answer", to_empty);
  gg_bind_text(out, "cancel_form", ctas > 1 ? ".multicast::cluster::all" : "");
  gg_bind_text(out, "answer_space", ctas > 1 ? "cluster" : "cta");
  if (ctas > 1) gg_ptx_write_quotient(&text, 2, "%tile", "%tile", ctas);
  gg_bind_str(out, "tile_of_answer", &text);
  gg_str_printf(&text, "  add.u32 %%bar_empty_answer, %%bar_answer, %lld;\n", to_empty);
  if (ctas > 1)
    gg_str_puts(&text, "  mapa.shared::cluster.u32 %bar_empty_answer, %bar_empty_answer, 0;\n");
  gg_bind_str(out, "find_empty_answer", &text);
  gg_bind_text(out, "who_asks",
               ctas > 1 ? "  setp.eq.u32 %asks, %rank, 0;\n" : "  setp.eq.u32 %asks, 0, 0;\n");
}

gg_status gg_sm100_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                            gg_error *err) {
  gg_ptx_bind_number(out, "threads", plan->threads);
  gg_ptx_bind_number(out, "ctas_per_sm", plan->ctas_per_sm);
  gg_ptx_bind_number(out, "cta_group", plan->cta_group);
  gg_ptx_bind_number(out, "issuer", gg_sm100_issuer(plan));
  gg_sm90_ptx_bind_arguments(out, plan, layouts);
  bind_memory(out, plan, layouts);
  bind_tiles(out, plan);
  bind_answers(out, plan, layouts);
  gg_sm100_ptx_bind_producer(out, plan, layouts);
  gg_sm100_ptx_bind_sums(out, plan, layouts);
  gg_sm90_ptx_bind_vectors(out, plan, layouts);
  gg_status st = gg_sm100_ptx_bind_issue(out, plan, layouts, err);
  if (!st) st = gg_sm100_ptx_bind_c(out, plan, layouts, err);
  return st ? st : gg_sm90_ptx_bind_boxes(out, plan, layouts, err);
}
