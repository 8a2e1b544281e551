/* Family sm100 in PTX: the thread that fills stages. Each CTA brings its rows of A and its columns
 * of B (a CTA of a pair half of these). CTAs that share an operand take turns at bringing it to all
 * of them. */
#include "emit/sm100_ptx.h"

#include "emit/sm90_ptx.h"
#include "plan/scales.h"
#include "plan/sm100.h"

/* A or B as it is copied. `turns` CTAs share it, and this one's turn is in register `turn`. */
typedef struct input {
  char x;
  const gg_boxed_tile *boxes;
  const char *first; /* registers: with a tile's first row or column; and with its first K */
  const char *k;
  bool k_major;
  int turns;
  const char *turn;
  int mmas, mma_n; /* MMAs side by side along N, if their columns have boxes of their own */
} input;

static input input_of(const gg_plan *plan, const gg_layouts *layouts, bool is_a) {
  bool pair = plan->cta_group > 1;
  if (is_a)
    return (input){.x = 'a',
                   .boxes = &layouts->boxes_a,
                   .first = "%m0",
                   .k = plan->sparse_a ? "%k_a" : "%k0",
                   .k_major = gg_sm90_is_k_major(plan, &plan->a),
                   .turns = plan->cluster_n,
                   .turn = "%rank_n",
                   .mmas = 1};
  return (input){.x = 'b',
                 .boxes = &layouts->boxes_b,
                 .first = pair ? "%half_n0" : "%n0",
                 .k = "%k0",
                 .k_major = gg_sm90_is_k_major(plan, &plan->b),
                 .turns = plan->cluster_m / plan->cta_group,
                 .turn = pair ? "%pair" : "%rank_m",
                 .mmas = gg_sm100_mmas_n(plan),
                 .mma_n = plan->mma.n};
}

/* How far along K, and along the rows or columns, box `box` begins. */
static void place_of_box(const input *in, int box, int *along, int *across) {
  int each = in->boxes->count / in->mmas, line = in->boxes->line;
  *along = in->k_major ? box / in->mmas * line : box / each * in->mma_n + box % each * line;
  *across = in->k_major ? box % in->mmas * in->mma_n : 0;
}

/* Appends the copy of one box. */
static void write_load(gg_str *out, const gg_plan *plan, const input *in, int box) {
  bool shared = in->turns > 1, pair = plan->cta_group > 1;
  const char *line = in->k_major ? in->k : in->first, *lines = in->k_major ? in->first : in->k;
  int along, across;
  place_of_box(in, box, &along, &across);
  if (along) gg_str_printf(out, "  add.u32 %%along, %s, %d;\n", line, along);
  if (across) gg_str_printf(out, "  add.u32 %%across, %s, %d;\n", lines, across);
  gg_str_puts(out, "  ");
  gg_str_printf(out,
                "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
                "    %s%s%s",
                shared ? ".multicast::cluster" : "", pair ? ".cta_group::2" : "",
                shared || pair ? " " : "");
  gg_ptx_write_place(out, in->x == 'a' ? "%a_stage" : "%b_stage", (ll)box * in->boxes->bytes);
  gg_str_printf(out, ", [%%map_%c, {%s, %s, %%batch}],%s[%s]", in->x, along ? "%along" : line,
                across ? "%across" : lines, shared ? "\n    " : " ",
                pair ? "%bar_first" : "%bar_full");
  if (shared) gg_str_printf(out, ", %%sharers_%c", in->x);
  gg_str_puts(out, ";\n");
}

/* Appends the test whose turn it is: CTAs that share something take turns at copying it to all of
 * them, a K tile each. */
static void write_turn(gg_str *out, const char *what, int turns, const char *own,
                       const char *label) {
  gg_str_printf(out,
                "  // CTAs that share %s take turns at copying it to all of them, a K tile each.\n",
                what);
  gg_ptx_write_remainder(out, 2, "%along", "%k_tile", turns);
  gg_str_printf(out, "  setp.ne.u32 %%others, %%along, %s;\n  @%%others bra %s;\n", own, label);
}

/* Whether scale factors come together with this operand. Those of A come with A. Those of B come
 * with B, except in a pair, because both CTAs need the factors of all columns. */
static bool brings_factors(const gg_plan *plan, const input *in) {
  return gg_plan_is_scaled(plan) && (in->x == 'a' || plan->cta_group < 2);
}

static void write_loads(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                        const input *in) {
  bool is_a = in->x == 'a', shared = in->turns > 1;
  const char *label = is_a ? "a_copied" : "b_copied";
  if (is_a && plan->sparse_a)
    gg_str_puts(out, "  shr.u32 %k_a, %k0, 1;  // A's stored elements are half of all\n");
  if (shared) write_turn(out, is_a ? "A" : "B", in->turns, in->turn, label);
  for (int box = 0; box < in->boxes->count; box++)
    write_load(out, plan, in, box);
  if (brings_factors(plan, in))
    gg_sm100_ptx_load_factors(out, plan, layouts, is_a,
                              !shared ? NULL
                              : is_a  ? "%sharers_a"
                                      : "%sharers_b");
  if (shared) gg_str_printf(out, "%s:\n", label);
}

/* Appends the copies of what comes to a stage in addition to A and B and what belongs to them. */
static void write_others(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  if (plan->sparse_a) gg_sm100_ptx_load_metadata(out, plan, layouts);
  if (!gg_plan_is_scaled(plan) || plan->cta_group < 2) return;
  write_turn(out, "B's scale factors", plan->cluster_m, "%rank_m", "factors_copied");
  gg_sm100_ptx_load_factors(out, plan, layouts, false, "%sharers_factors");
  gg_str_puts(out, "factors_copied:\n");
}

static void write_sharers(gg_str *out, const gg_plan *plan, const input *in) {
  bool is_a = in->x == 'a', pair = plan->cta_group > 1;
  if (!is_a && pair && gg_plan_is_scaled(plan)) {
    gg_str_puts(out, "  // The CTAs that need the same scale factors of B, as bits.\n");
    gg_sm100_ptx_write_ctas(out, plan, "%sharers_factors", gg_sm100_ptx_column_ctas(plan),
                            GG_MOVE_NONE, true);
  }
  if (in->turns == 1) return;
  gg_str_printf(out, "  // The CTAs that share %s with this one, as bits.\n",
                is_a   ? "A"
                : pair ? "its half of B"
                       : "B");
  unsigned columns = gg_sm100_ptx_column_ctas(plan);
  if (is_a)
    gg_sm100_ptx_write_ctas(out, plan, "%sharers_a", gg_sm100_ptx_row_ctas(plan), GG_MOVE_ALONG_M,
                            false);
  else
    gg_sm100_ptx_write_ctas(out, plan, "%sharers_b", pair ? columns / 3 : columns,
                            pair ? GG_MOVE_IN_PAIR : GG_MOVE_NONE, true);
}

/* Binds where a pair's second CTA has its half of B, and at whose barrier both CTAs' bytes arrive.
 */
static void bind_pair(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool pair = plan->cta_group > 1, both = gg_plan_both_shared(plan);
  int half = plan->turns_columns              ? gg_plan_half_step(plan)
             : gg_plan_has_mmas_along_n(plan) ? plan->mma.n / 2
                                              : plan->tile_n / 2;
  ll bytes = (ll)gg_rings_find(&layouts->rings, GG_RING_STAGES)->tx_bytes;
  gg_str begin = GG_STR_INIT, expect = GG_STR_INIT;
  if (!pair) {
    gg_str_printf(&expect, "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%bar_full], %lld;\n",
                  bytes);
  } else {
    gg_str_printf(&begin, "  mad.lo.u32 %%half_n0, %%in_pair, %d, %%n0;  // this CTA's half of B\n",
                  half);
    gg_str_printf(
        &expect,
        "  // What both CTAs copy arrives at the first one's barrier.\n"
        "  mapa.shared::cluster.u32 %%bar_first, %%bar_full, %%first_cta;\n"
        "  @%%is_first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%bar_full], %lld;\n",
        2 * bytes);
    if (both)
      gg_str_puts(&expect,
                  "  // The second CTA may have no turn, but must not fall a round behind.\n"
                  "  @!%is_first mbarrier.arrive.shared::cluster.b64 _, [%bar_first];\n");
  }
  gg_sm100_ptx_begin_beside(&begin, plan);
  gg_bind_str(out, "begin_loads", &begin);
  gg_bind_str(out, "expect", &expect);
  gg_bind_flag(out, "pair", pair);
}

static void write_pair(gg_str *out) {
  gg_str_puts(out, "  // Each CTA of a pair copies its rows of A and its half of B.\n"
                   "  .reg .b32 %pair, %in_pair, %first_cta, %half_n0, %bar_first;\n"
                   "  .reg .pred %is_first;\n"
                   "  shr.u32 %pair, %rank_m, 1;\n"
                   "  and.b32 %in_pair, %rank_m, 1;\n"
                   "  sub.u32 %first_cta, %rank, %in_pair;\n"
                   "  setp.eq.u32 %is_first, %in_pair, 0;\n");
}

/* Declares registers that only some producers need. */
static void write_registers(gg_str *out, const gg_plan *plan, const input inputs[2]) {
  bool turns = plan->cta_group > 1 && gg_plan_is_scaled(plan), along = false;
  for (int i = 0; i < 2; i++) {
    turns = turns || inputs[i].turns > 1;
    along = along || inputs[i].boxes->count > (inputs[i].k_major ? inputs[i].mmas : 1);
  }
  if (along || turns) gg_str_puts(out, "  .reg .b32 %along;\n");
  if (inputs[1].k_major && inputs[1].mmas > 1) gg_str_puts(out, "  .reg .b32 %across;\n");
  if (plan->sparse_a) gg_str_puts(out, "  .reg .b32 %k_a;\n");
  if (turns)
    gg_str_puts(out,
                "  .reg .b32 %mask, %move;\n  .reg .pred %others;  // others have this turn\n");
  gg_sm100_ptx_declare_beside(out, plan);
  if (plan->cta_group > 1) write_pair(out);
}

void gg_sm100_ptx_bind_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const input inputs[2] = {input_of(plan, layouts, true), input_of(plan, layouts, false)};
  gg_str declare = GG_STR_INIT, loads = GG_STR_INIT;
  write_registers(&declare, plan, inputs);
  for (int i = 0; i < 2; i++) {
    write_sharers(&declare, plan, &inputs[i]);
    write_loads(&loads, plan, layouts, &inputs[i]);
  }
  write_others(&loads, plan, layouts);
  gg_bind_str(out, "declare_loads", &declare);
  gg_bind_str(out, "loads", &loads);
  bind_pair(out, plan, layouts);
  gg_bind_flag(out, "hands_over", plan->producer_registers > 0);
  gg_ptx_bind_number(out, "producer_registers", plan->producer_registers);
  gg_ptx_bind_number(out, "consumer_registers", plan->consumer_registers);
}
