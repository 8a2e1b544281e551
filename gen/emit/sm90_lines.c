/* Families sm90 and sm100: the names of templates/parts/sm90_copiers.cu, for kernels in which all
 * warps of the producer's warpgroup fill the stages. They copy lines of A and B (sm90_lines.cu,
 * docs/adr/0006-unaligned-lines.md), or transpose them (sm90_transposed.cu,
 * docs/adr/0013-transposed-in-stages.md). */
#include <string.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/sm90.h"
#include "plan/gate.h"
#include "plan/narrow.h"
#include "plan/sm90.h"

/* How A or B gets into a stage: in boxes by its map (BOXES); by its map, and is transposed then
 * (RAW); or line by line (LINES). */
typedef enum way { BOXES, RAW, LINES } way;

/* What warps do for an operand that comes in a certain way. @ stands for the function that loads a
 * box of B. */
typedef struct step_of_way {
  const char *name;
  way way;
  const char *a, *b;
} step_of_way;

static const step_of_way steps_of_ways[] = {
    {"load_boxes", BOXES,
     "#pragma unroll\n"
     "      for (int box = 0; box < boxes_a; ++box)\n"
     "        tma_load(sA + box * box_bytes_a, from.a, full,\n"
     "                 (a_k_major ? k0 : at.tile.m0) + box * line_a,\n"
     "                 a_k_major ? at.tile.m0 : k0, at.tile.batch);\n",
     "#pragma unroll\n"
     "      for (int box = 0; box < boxes_b; ++box)\n"
     "        @(sB + box * box_bytes_b, from.b, full,\n"
     "                 [(b_k_major ? k0 : at.tile.n0) + box * line_b],\n"
     "                 b_k_major ? at.tile.n0 : k0, at.tile.batch);\n"},
    {"transpose", RAW, "    transpose_boxes<raw_a>(sA, warp, lane);\n",
     "    transpose_boxes<raw_b>(sA + stage_bytes_a, warp, lane);\n"},
    {"copy_lines", LINES,
     "  copy_tile<operand_a>(sA, from.a, at.tile.m0, k0, at.tile.batch, warp, lane);\n",
     "  copy_tile<operand_b>(sB, from.b, at.tile.n0, k0, at.tile.batch, copier_of_b(warp), lane);\n"},
    {"head_chunks", LINES, "  head_chunks<operand_a> heads_a;\n",
     "  head_chunks<operand_b> heads_b;\n"},
    {"load_heads", LINES,
     "      load_heads<operand_a>(heads_a, from.a, move.tile.m0, move.k_tile * tile_k,\n"
     "                            move.tile.batch, move.begins(), warp, lane);\n",
     "      load_heads<operand_b>(heads_b, from.b, move.tile.n0, move.k_tile * tile_k,\n"
     "                            move.tile.batch, move.begins(), copier_of_b(warp), lane);\n"},
    {"shift_lines", LINES,
     "    shift_lines<operand_a>(sA, heads_a, from.a, move.tile.m0, move.k_tile * tile_k,\n"
     "                           move.tile.batch, warp, lane);\n",
     "    shift_lines<operand_b>(sA + stage_bytes_a, heads_b, from.b, move.tile.n0,\n"
     "                           move.k_tile * tile_k, move.tile.batch, copier_of_b(warp), lane);\n"},
};

static way way_of(const gg_plan *plan, bool is_a) {
  if (is_a ? plan->copy_bytes_a : plan->copy_bytes_b) return LINES;
  return gg_sm90_transposes(plan, is_a ? &plan->a : &plan->b) ? RAW : BOXES;
}

/* If a tile has several MMAs along N, the columns of each have boxes of their own
 * (templates/parts/sm90_boxes_of_mmas.cu). */
static const char boxes_of_several_mmas[] =
    "#pragma unroll\n"
    "      for (int box = 0; box < boxes_b; ++box)\n"
    "        @(sB + box * box_bytes_b, from.b, full, [box_b_along(k0, at.tile.n0, box)],\n"
    "                 box_b_across(k0, at.tile.n0, box), at.tile.batch);\n";

const char *gg_sm90_load_of_b(const gg_plan *plan) {
  return gg_plan_splits_rows(plan) ? "tma_load_halves" : "tma_load";
}

const char *gg_sm90_half_of_b(const gg_plan *plan) {
  if (plan->turns_columns) return "half_step";
  return gg_plan_has_mmas_along_n(plan) ? "(mma_n / 2)" : "(tile_n / 2)";
}

/* Binds what is different in a pair. Each CTA copies its half of B's rows, and reports what has
 * arrived in its stages to the first CTA's barrier, where MMAs are issued for both. Threads of that
 * CTA must see what threads of this one wrote. */
static void bind_pair(gg_bindings *out, const gg_plan *plan) {
  bool pair = plan->cta_group > 1;
  gg_bind_flag(out, "pair_lines", pair);
  gg_str own = GG_STR_INIT;
  if (pair)
    gg_str_printf(&own, "    tile.n0 += list.rank_m %% 2 * %s;  // this CTA's half of B\n",
                  gg_sm90_half_of_b(plan));
  gg_bind_str(out, "own_rows_of_b", &own);
  bool boxes = way_of(plan, true) == BOXES || way_of(plan, false) == BOXES;
  bool raw = gg_sm90_transposes_any(plan);
  gg_bind_text(out, "announce_boxes",
               raw && !boxes ? ""
               : pair
                   ? "      const unsigned here = full_barrier(smem, at.ring.stage);\n"
                     "      const unsigned first_cta = cluster_rank() & ~1u;\n"
                     "      const unsigned full = in_cta(here, first_cta);\n"
                     "      if (cluster_rank() == first_cta) mbarrier_expect(here, 2 * tx_bytes);\n"
                   : "      const unsigned full = full_barrier(smem, at.ring.stage);\n"
                     "      mbarrier_expect(full, tx_bytes);\n");
  gg_bind_text(out, "say_full",
               pair ? "    if (lane == 0)\n"
                      "      mbarrier_release(in_cta(full_barrier(smem, move.ring.stage), "
                      "cluster_rank() & ~1u));\n"
                    : "    if (lane == 0) mbarrier_arrive(full_barrier(smem, move.ring.stage));\n");
}

/* Binds the strips of B. A box of a K-major B is for one MMA's rows. If there are several MMAs,
 * their boxes stand behind each other and together hold the lines of all of them. */
static void bind_strips_of_b(gg_bindings *out, const gg_plan *plan) {
  bool several = plan->b.major == GG_MAJOR_K && gg_plan_has_mmas_along_n(plan);
  gg_bind_text(out, "strip_boxes_b", several ? "boxes_b / mmas_n" : "boxes_b");
  gg_bind_text(out, "strip_lines_b", several ? "mmas_n * box_lines_b" : "box_lines_b");
}

/* Binds where the swizzle moves 32 bytes as one: for 32-bit elements along M or N, in the family
 * with tensor memory. */
static void bind_swizzle(gg_bindings *out, const gg_plan *plan) {
  bool a = gg_plan_swizzles_wide(plan, &plan->a), b = gg_plan_swizzles_wide(plan, &plan->b);
  bool wide = (a && plan->copy_bytes_a) || (b && plan->copy_bytes_b);
  gg_bind_flag(out, "wide_lines", wide);
  gg_bind_text(out, "wide_a", gg_cuda_bool(a));
  gg_bind_text(out, "wide_b", gg_cuda_bool(b));
  gg_bind_text(out, "turn_of_line", wide ? "turn(begin / 128)" : "begin / 128 % chunks");
  gg_bind_text(out, "turn_of_step", wide ? "tile::turn(i * 4)" : "i * 4 % steps");
}

/* Appends a step for B. Text between [ and ] is a column of the tile, which may lie in either half
 * of N. */
static void write_step_of_b(gg_str *out, const gg_plan *plan, const char *step) {
  const bool split = gg_plan_splits_columns(plan);
  for (; *step; step++) {
    if (*step == '@')
      gg_str_puts(out, gg_sm90_load_of_b(plan));
    else if (*step == '[')
      gg_str_puts(out, split ? "place_in_half(" : "");
    else if (*step == ']')
      gg_str_puts(out, split ? ", at.tile.half_n)" : "");
    else
      gg_str_putc(out, *step);
  }
}

static void bind_ways(gg_bindings *out, const gg_plan *plan) {
  way a = way_of(plan, true), b = way_of(plan, false);
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < sizeof steps_of_ways / sizeof *steps_of_ways; i++) {
    const step_of_way *step = &steps_of_ways[i];
    if (a == step->way) gg_str_puts(&text, step->a);
    bool boxes = step->way == BOXES && gg_plan_has_mmas_along_n(plan);
    if (b == step->way) write_step_of_b(&text, plan, boxes ? boxes_of_several_mmas : step->b);
    gg_bind_str(out, step->name, &text);
  }
  gg_str_puts(&text, a == LINES ? "  line_source a;\n" : "  const tensor_map &a;\n");
  gg_str_puts(&text, b == LINES ? "  line_source b;\n" : "  const tensor_map &b;\n");
  gg_bind_str(out, "source_members", &text);
}

/* Binds the names of sm90_lines.cu. */
static void bind_lines(gg_bindings *out, const gg_plan *plan) {
  bool split = gg_plan_splits_rows(plan);
  gg_bind_flag(out, "tf32", plan->a.type == GG_DTYPE_tf32);
  gg_bind_text(out, "place_of_line", split ? "place()" : "line");
  gg_bind_text(out, "lines_at_once", split ? "lines_at_once" : "at_once");
  bind_strips_of_b(out, plan);
  bind_swizzle(out, plan);
}

/* Appends how the boxes of an operand that is transposed lie in its tile. */
static void write_raw_boxes(gg_str *out, const gg_sm90_raw_boxes *boxes, char x) {
  gg_str_printf(out, "struct raw_%c {\n  static constexpr int boxes = %d, width = %d", x,
                boxes->count, boxes->width);
  if (boxes->across > 1 && boxes->across < boxes->count)
    gg_str_printf(out, ", across = %d", boxes->across);
  if (boxes->across < boxes->count) gg_str_printf(out, ", lines = %d", boxes->lines);
  gg_str_puts(out, ";\n};\n");
}

static void write_raw_load(gg_str *out, const gg_sm90_raw_boxes *boxes, char x, bool split) {
  char stage = x == 'a' ? 'A' : 'B', mn = x == 'a' ? 'm' : 'n';
  if (boxes->count == 1) {
    gg_str_printf(out, "      tma_load(s%c, from.%c, raw, at.tile.%c0, k0, at.tile.batch);\n",
                  stage, x, mn);
    return;
  }
  gg_str along = GG_STR_INIT, across = GG_STR_INIT;
  bool both = boxes->across > 1 && boxes->across < boxes->count;
  if (both) gg_str_printf(&across, "box %% raw_%c::across * raw_%c::width", x, x);
  if (both) gg_str_printf(&along, " + box / raw_%c::across * raw_%c::lines", x, x);
  if (boxes->across == 1) gg_str_printf(&along, " + box * raw_%c::lines", x);
  if (boxes->across == boxes->count) gg_str_printf(&across, "box * raw_%c::width", x);
  gg_str_printf(out,
                "#pragma unroll\n"
                "      for (int box = 0; box < raw_%c::boxes; ++box)\n"
                "        tma_load(s%c + box * raw_%c::width * line_bytes, from.%c, raw,\n"
                "                 %sat.tile.%c0%s%s%s,%sk0%s, at.tile.batch);\n",
                x, stage, x, x, split ? "place_in_half(" : "", mn, across.length ? " + " : "",
                gg_str_text(&across), split ? ", at.tile.half_n)" : "",
                both ? "\n                 " : " ", gg_str_text(&along));
  if (across.failed || along.failed) out->failed = true;
  gg_str_free(&across);
  gg_str_free(&along);
}

/* How the warps that transpose a box wait for each other before they write. Two warps and all four
 * warps have different barriers, because some may be at B's boxes while others are still at A's. */
static const char *meeting_of(bool alone, bool together) {
  if (!together) return "    __syncwarp();  // all of the box has been read\n";
  if (!alone)
    return "    // All of the box has been read.\n"
           "    named_barrier_sync(1 + consumers + warps % warps_per_group + warp / warps,\n"
           "                       warps * warp_size);\n";
  return "    // All of the box has been read.\n"
         "    if constexpr (warps > 1)\n"
         "      named_barrier_sync(1 + consumers + warps % warps_per_group + warp / warps,\n"
         "                         warps * warp_size);\n"
         "    else\n"
         "      __syncwarp();\n";
}

/* Binds what is transposed: how it arrives, and the names of sm90_transposed.cu. */
static void bind_transposed(gg_bindings *out, const gg_plan *plan, bool lines) {
  gg_str boxes = GG_STR_INIT, load = GG_STR_INIT;
  bool any = gg_sm90_transposes_any(plan), alone = false, together = false;
  if (any)
    gg_str_puts(&load, "      const unsigned raw = raw_barrier(smem, at.ring.stage);\n"
                       "      mbarrier_expect(raw, raw_bytes);\n");
  for (int i = 0; i < 2; i++) {
    if (way_of(plan, i == 0) != RAW) continue;
    const gg_sm90_raw_boxes raw = gg_sm90_raw_boxes_of(plan, i == 0);
    write_raw_boxes(&boxes, &raw, i == 0 ? 'a' : 'b');
    write_raw_load(&load, &raw, i == 0 ? 'a' : 'b', i > 0 && gg_plan_splits_columns(plan));
    *(raw.warps > 1 ? &together : &alone) = true;
  }
  gg_bind_str(out, "load_raw", &load);
  gg_bind_text(out, "await_raw",
               any ? "    mbarrier_wait(raw_barrier(smem, move.ring.stage), move.ring.parity ^ "
                     "1);\n"
                   : "");
  if (any) {
    gg_bind_str(out, "raw_boxes", &boxes);
    gg_bind_text(out, "meet", meeting_of(alone, together));
    gg_bind_flag(out, "chunks_apart", !lines);
  }
  gg_str_free(&boxes);
}

/* Binds who waits until a stage is empty: if nobody copies lines, only one lane of the first warp
 * has to. */
static void bind_asking(gg_bindings *out, bool lines, bool raw) {
  gg_bind_flag(out, "copies_lines", lines);
  gg_bind_text(out, "boxed", raw ? "true" : "tx_bytes > 0");
  gg_bind_text(out, "asks", lines ? "warp == 0 && lane == 0" : "lane == 0");
  gg_bind_text(out, "begins", lines ? "!copy.ended" : "warp == 0 && !copy.ended");
  gg_bind_text(out, "await_alone",
               lines ? ""
                     : "      mbarrier_wait(empty_barrier(smem, at.ring.stage), "
                       "at.ring.parity);\n");
  gg_bind_text(out, "what_begins",
               lines ? "// Begins to copy a K tile's lines, which all lanes do, and boxes, which "
                       "one lane does.\n"
                     : "// Begins to copy a K tile, in boxes, which one lane does.\n");
}

void gg_sm90_bind_copiers(gg_bindings *out, const gg_plan *plan) {
  bool lines = gg_sm90_copies_lines(plan), raw = gg_sm90_transposes_any(plan);
  gg_bind_part(out, "copied_lines", lines ? "sm90_lines" : NULL);
  gg_bind_part(out, "transposed_boxes", raw ? "sm90_transposed" : NULL);
  bind_ways(out, plan);
  if (gg_plan_in_tensor_memory(plan) && plan->cta_group < 2)
    gg_bind_text(out, "release_sharers", ""); /* stages that CTAs share are filled by maps */
  if (lines) bind_lines(out, plan);
  bind_transposed(out, plan, lines);
  bind_asking(out, lines, raw);
  bind_pair(out, plan);
}

void gg_sm90_run_copiers(gg_str *out, const gg_plan *plan) {
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
