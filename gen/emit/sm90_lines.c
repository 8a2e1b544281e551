/* Families sm90 and sm100: what templates/parts/sm90_lines.cu names, of A and B whose lines warps
 * copy (docs/adr/0006-unaligned-lines.md). */
#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/sm90.h"
#include "plan/narrow.h"
#include "plan/sm90.h"

/* What warps that copy lines do for those of A and B that are copied so, and for the other one,
 * which its map copies. */
typedef struct line_step {
  const char *name;
  bool lines;
  const char *a, *b;
} line_step;

static const line_step line_steps[] = {
    {"load_boxes", false,
     "#pragma unroll\n"
     "      for (int box = 0; box < boxes_a; ++box)\n"
     "        tma_load(sA + box * box_bytes_a, from.a, full,\n"
     "                 (a_k_major ? k0 : at.tile.m0) + box * line_a,\n"
     "                 a_k_major ? at.tile.m0 : k0, at.tile.batch);\n",
     "#pragma unroll\n"
     "      for (int box = 0; box < boxes_b; ++box)\n"
     "        tma_load(sB + box * box_bytes_b, from.b, full,\n"
     "                 (b_k_major ? k0 : at.tile.n0) + box * line_b,\n"
     "                 b_k_major ? at.tile.n0 : k0, at.tile.batch);\n"},
    {"copy_lines", true,
     "  copy_tile<operand_a>(sA, from.a, at.tile.m0, k0, at.tile.batch, warp, lane);\n",
     "  copy_tile<operand_b>(sB, from.b, at.tile.n0, k0, at.tile.batch, copier_of_b(warp), lane);\n"},
    {"last_chunks", true, "  last_chunks<operand_a> last_a;\n",
     "  last_chunks<operand_b> last_b;\n"},
    {"shift_lines", true,
     "    shift_lines<operand_a>(sA, last_a, from.a, move.tile.m0, k0, move.tile.batch, "
     "move.begins(),\n"
     "                           warp, lane);\n",
     "    shift_lines<operand_b>(sA + stage_bytes_a, last_b, from.b, move.tile.n0, k0, "
     "move.tile.batch,\n"
     "                           move.begins(), copier_of_b(warp), lane);\n"},
};

/* Columns of several MMAs have boxes of their own (templates/parts/sm100_box_columns.cu). */
static const char boxes_of_several_mmas[] =
    "#pragma unroll\n"
    "      for (int box = 0; box < boxes_b; ++box)\n"
    "        tma_load(sB + box * box_bytes_b, from.b, full, box_b_along(k0, at.tile.n0, box),\n"
    "                 box_b_across(k0, at.tile.n0, box), at.tile.batch);\n";

const char *gg_sm90_half_of_b(const gg_plan *plan) {
  if (plan->turns_columns) return "half_step";
  return gg_plan_has_mmas_along_n(plan) ? "(mma_n / 2)" : "(tile_n / 2)";
}

/* Of a pair each CTA copies its half of B's rows, and what has come of its stages is said to the
 * first one's barrier: there MMAs are issued for both. Threads of that CTA must see what those of
 * this one wrote. */
static void bind_pair(gg_bindings *out, const gg_plan *plan) {
  bool pair = plan->cta_group > 1;
  gg_bind_flag(out, "pair_lines", pair);
  gg_str own = GG_STR_INIT;
  if (pair)
    gg_str_printf(&own, "    tile.n0 += list.rank_m %% 2 * %s;  // this CTA's half of B\n",
                  gg_sm90_half_of_b(plan));
  gg_bind_str(out, "own_rows_of_b", &own);
  gg_bind_text(out, "announce_boxes",
               pair
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

/* Boxes of a K-major B are of one MMA's rows each: those of several stand behind each other, and
 * are the lines of all. */
static void bind_strips_of_b(gg_bindings *out, const gg_plan *plan) {
  bool several = plan->b.major == GG_MAJOR_K && gg_plan_has_mmas_along_n(plan);
  gg_bind_text(out, "strip_boxes_b", several ? "boxes_b / mmas_n" : "boxes_b");
  gg_bind_text(out, "strip_lines_b", several ? "mmas_n * box_lines_b" : "box_lines_b");
}

/* Where the swizzle moves 32 bytes as one: of elements of 32 bits along M or N in tensor memory's
 * family. */
static void bind_swizzle(gg_bindings *out, const gg_plan *plan) {
  bool a = gg_plan_swizzles_wide(plan, &plan->a), b = gg_plan_swizzles_wide(plan, &plan->b);
  bool wide = (a && plan->copy_bytes_a) || (b && plan->copy_bytes_b);
  gg_bind_flag(out, "wide_lines", wide);
  gg_bind_text(out, "wide_a", gg_cuda_bool(a));
  gg_bind_text(out, "wide_b", gg_cuda_bool(b));
  gg_bind_text(out, "turn_of_line", wide ? "turn(begin / 128)" : "begin / 128 % chunks");
  gg_bind_text(out, "turn_of_step", wide ? "tile::turn(i * 4)" : "i * 4 % steps");
}

void gg_sm90_bind_lines(gg_bindings *out, const gg_plan *plan) {
  bool lines_a = plan->copy_bytes_a > 0, lines_b = plan->copy_bytes_b > 0;
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < sizeof line_steps / sizeof *line_steps; i++) {
    const line_step *step = &line_steps[i];
    if (lines_a == step->lines) gg_str_puts(&text, step->a);
    bool boxes = !step->lines && gg_plan_has_mmas_along_n(plan);
    if (lines_b == step->lines) gg_str_puts(&text, boxes ? boxes_of_several_mmas : step->b);
    gg_bind_str(out, step->name, &text);
  }
  gg_str_puts(&text, lines_a ? "  line_source a;\n" : "  const tensor_map &a;\n");
  gg_str_puts(&text, lines_b ? "  line_source b;\n" : "  const tensor_map &b;\n");
  gg_bind_str(out, "source_members", &text);
  gg_bind_flag(out, "tf32", plan->a.type == GG_DTYPE_tf32);
  if (gg_plan_in_tensor_memory(plan) && plan->cta_group < 2)
    gg_bind_text(out, "release_sharers", ""); /* CTAs that share stages have maps copy to them */
  bind_strips_of_b(out, plan);
  bind_swizzle(out, plan);
  bind_pair(out, plan);
}

void gg_sm90_run_lines(gg_str *out, const gg_plan *plan) {
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
