/* Family sm100 in PTX: the thread that issues MMAs. Descriptors say what is multiplied: those of
 * the operands in a stage, and that of the instruction, one number that follows from the atom. */
#include "emit/sm100_ptx.h"

#include "emit/sm90_ptx.h"
#include "plan/scales.h"
#include "plan/sm100.h"

/* Appends the masks of the CTAs that are told that a stage has been read: those that copy to it. If
 * some CTAs of a cluster share A and others share B, these are two groups, with both CTAs of each
 * pair; if they share one operand, all CTAs of the cluster. */
static void write_hearers(gg_str *out, const gg_plan *plan) {
  bool pair = plan->cta_group > 1;
  if (plan->cluster_m * plan->cluster_n > 1) gg_str_puts(out, "  .reg .b32 %mask, %move;\n");
  if (pair)
    gg_str_puts(out, "  // The first CTA's thread issues for both.\n"
                     "  and.b32 %move, %rank_m, 1;\n"
                     "  setp.ne.u32 %ended, %move, 0;\n"
                     "  @%ended bra role_ended;\n"
                     "  // The CTAs of the pair, as bits; both read its sums.\n"
                     "  .reg .b16 %pair_ctas;\n"
                     "  shl.b32 %mask, 3, %rank;\n"
                     "  cvt.u16.u32 %pair_ctas, %mask;\n");
  if (gg_plan_both_shared(plan)) {
    gg_str_puts(out,
                "  // The CTAs that hear when a stage of A has been read, and those that hear when "
                "one of B has.\n");
    unsigned row = gg_sm100_ptx_row_ctas(plan), column = gg_sm100_ptx_column_ctas(plan);
    gg_sm100_ptx_write_ctas(out, plan, "%hear_a", pair ? 3 * row : row, GG_MOVE_ALONG_M, false);
    gg_sm100_ptx_write_ctas(out, plan, "%hear_b", column, GG_MOVE_NONE, true);
  } else if (plan->cluster_m * plan->cluster_n > 1) {
    gg_str_puts(out, "  // The CTAs that hear when a stage has been read, as bits: all of the "
                     "cluster.\n");
    gg_sm100_ptx_write_ctas(out, plan, "%hear", (1u << plan->cluster_m * plan->cluster_n) - 1,
                            GG_MOVE_NONE, false);
  }
}

/* Appends a tcgen05.commit. `ctas` is the register that says in which CTAs the barrier is arrived
 * at; NULL: in this one. */
static void write_commit(gg_str *out, const gg_plan *plan, const char *barrier, ll offset,
                         const char *ctas) {
  gg_str_printf(out, "  tcgen05.commit.cta_group::%d.mbarrier::arrive::one.shared::cluster",
                plan->cta_group);
  if (ctas) gg_str_puts(out, ".multicast::cluster");
  gg_str_puts(out, ".b64\n    ");
  gg_ptx_write_place(out, barrier, offset);
  gg_str_printf(out, "%s%s;\n", ctas ? ", " : "", ctas ? ctas : "");
}

static void bind_commits(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES),
                *sums = gg_rings_find(&layouts->rings, GG_RING_ACCUMULATORS);
  bool several = plan->cluster_m * plan->cluster_n > 1;
  gg_str text = GG_STR_INIT;
  for (int kind = 0; kind < stages->empties; kind++)
    write_commit(&text, plan, "%bar_full", (ll)(stages->empty[kind].begin - stages->full.begin),
                 stages->empties > 1 ? kind ? "%hear_b" : "%hear_a"
                 : several           ? "%hear"
                                     : NULL);
  gg_bind_str(out, "release_stage", &text);
  write_commit(&text, plan, "%bar_sums", (ll)(sums->full.begin - layouts->rings.barriers_begin),
               plan->cta_group > 1 ? "%pair_ctas" : NULL);
  gg_bind_str(out, "commit_sums", &text);
}

/* ---- Descriptors --------------------------------------------------------------------------- */

/* Whether a K step (of 96 elements) may lie in two lines, so that a descriptor has the addresses of
 * both. */
static bool has_two_addresses(const gg_plan *plan) {
  return plan->mma.k == GG_MMA_LONG_K;
}

/* The distance of a step's operand from the first one's. If a K step has several units of 16 bytes,
 * it may not fit in its line. Then its rest is in the line of the next box, whose address stands
 * where other descriptors have the leading dimension. */
static ll step_of(const gg_boxed_tile *boxes, int blocks, int block, int step) {
  int units = boxes->step_units;
  if (!units) return (ll)gg_layout_at(&boxes->steps, block + (int64_t)step * blocks);
  int all = (int)gg_layout_size(&boxes->steps) / blocks, line = all / boxes->count;
  int first = units * step, next = (first / line + 1) * line % all;
  return (ll)gg_layout_at(&boxes->steps, block + (int64_t)next * blocks) << 16 |
         (ll)gg_layout_at(&boxes->steps, block + (int64_t)first * blocks);
}

static void write_descriptor(gg_str *out, const gg_plan *plan, char x, const gg_boxed_tile *boxes) {
  if (!has_two_addresses(plan)) {
    gg_sm90_ptx_write_descriptor(out, x, boxes, false);
    return;
  }
  gg_str_printf(
      out,
      "  and.b32 %%address, %%%c_stage, 0x3ffff;  // the bits above name the CTA\n"
      "  shr.u32 %%address, %%address, 4;\n"
      "  mul.wide.u32 %%desc_%c, %%address, 0x10001;  // in the fields of both addresses\n"
      "  add.u64 %%desc_%c, %%desc_%c, 0x%llx;\n",
      x, x, x, x, (unsigned long long)boxes->descriptor);
}

/* ---- MMAs ---------------------------------------------------------------------------------- */

/* The register with the address of the sums of MMA `number`: those of MMAs below each other along M
 * stand side by side in tensor memory, and behind them those of the next columns. */
static const char *write_sums(gg_str *out, const gg_plan *plan, int number) {
  int column = number * gg_plan_warp_columns(plan);
  if (column) gg_str_printf(out, "  add.u32 %%address, %%sums, %d;\n", column);
  return column ? "%address" : "%sums";
}

static void write_mma(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int number,
                      int step, uint32_t what) {
  int m = gg_sm100_mmas_m(plan), n = gg_sm100_mmas_n(plan), i = number % m, j = number / m;
  const char *a = "[%a_at]";
  if (!plan->a_in_tensor)
    a = gg_sm90_ptx_write_step(out, 'a', step_of(&layouts->boxes_a, m, i, step));
  const char *b = gg_sm90_ptx_write_step(out, 'b', step_of(&layouts->boxes_b, n, j, step));
  gg_sm100_ptx_find_beside(out, plan, layouts, i, step);
  const char *sums = write_sums(out, plan, number);
  gg_str_puts(out, "  ");
  gg_mma_atom_ptx(out, &plan->mma);
  gg_str_printf(out, "\n    [%s], %s, %s, %s0x%x, %s%%%s;\n", sums, a, b,
                plan->sparse_a ? "[%metadata_at],\n    " : "",
                (unsigned)(what | gg_sm100_ptx_ids(plan, step)),
                gg_plan_is_scaled(plan) ? "[%scales_a_at], [%scales_b_at], " : "",
                step ? "always" : "accumulates");
}

static void write_multiply(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                           uint32_t what) {
  int all = gg_sm100_mmas_m(plan) * gg_sm100_mmas_n(plan);
  gg_sm100_ptx_write_copies(out, plan, layouts);
  for (int step = 0; step < plan->tile_k / plan->mma.k; step++) {
    gg_str_printf(out, "  // K from %d to %d.\n", step * plan->mma.k, (step + 1) * plan->mma.k - 1);
    for (int number = 0; number < all; number++)
      write_mma(out, plan, layouts, number, step, what);
  }
}

static void write_registers(gg_str *out, const gg_plan *plan) {
  if (plan->a_in_tensor) gg_str_puts(out, "  .reg .b32 %a_at;\n");
  if (plan->sparse_a) gg_str_puts(out, "  .reg .b32 %metadata_at;\n");
  if (gg_plan_is_scaled(plan)) gg_str_puts(out, "  .reg .b32 %scales_a_at, %scales_b_at;\n");
  if (plan->turns_pairs) gg_str_puts(out, "  .reg .b32 %scales_a;\n");
  if (gg_sm100_ptx_halves_factors(plan)) gg_str_puts(out, "  .reg .b32 %scales_b;\n");
  if (plan->a_in_tensor || plan->sparse_a || gg_plan_is_scaled(plan))
    gg_str_puts(out, "  .reg .b64 %from;\n");
}

gg_status gg_sm100_ptx_bind_issue(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                                  gg_error *err) {
  gg_instr_desc what = gg_mma_atom_instr_desc(&plan->mma);
  uint32_t bits;
  gg_str text = GG_STR_INIT;
  what.long_k = has_two_addresses(plan);
  gg_status st = gg_instr_desc_make(&bits, &what, err);
  if (st) return st;
  write_registers(&text, plan);
  write_hearers(&text, plan);
  gg_bind_str(out, "begin_issue", &text);
  gg_sm100_ptx_begin_factors(&text, plan);
  gg_bind_str(out, "begin_factors", &text);
  gg_bind_flag(out, "issuer_locates", plan->turns_pairs || gg_sm100_ptx_halves_factors(plan));
  write_descriptor(&text, plan, 'a', &layouts->boxes_a);
  write_descriptor(&text, plan, 'b', &layouts->boxes_b);
  gg_bind_str(out, "descriptors", &text);
  write_multiply(&text, plan, layouts, bits);
  gg_bind_str(out, "multiply", &text);
  bind_commits(out, plan, layouts);
  return GG_OK;
}
