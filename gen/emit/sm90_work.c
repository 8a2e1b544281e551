/* Families sm90, sm100 and sm120: which work a cluster computes, and how all roles go through it.
 */
#include <string.h>

#include "emit/shares.h"
#include "emit/sm90.h"
#include "plan/scales.h"
#include "plan/sm120.h"
#include "plan/sm90.h"

/* ---- The list of work -------------------------------------------------------------------- */

/* Appends where a CTA is in its cluster. A coordinate that is the same for all CTAs has no member.
 */
static void write_ranks(gg_str *members, gg_str *lines, const gg_plan *plan) {
  bool m = plan->cluster_m > 1, n = plan->cluster_n > 1, k = plan->cluster_k > 1;
  if (!m && !n && !k) return;
  gg_str_printf(members, "  int %s%s%s%s%s;  // this CTA's place in its cluster\n",
                m ? "rank_m" : "", m && (n || k) ? ", " : "", n ? "rank_n" : "", n && k ? ", " : "",
                k ? "rank_k" : "");
  gg_str_puts(lines, "  const int rank = int(cluster_rank());\n");
  if (m) gg_str_puts(lines, "  list.rank_m = rank % cluster_m;\n");
  if (n)
    gg_str_puts(lines, m ? "  list.rank_n = rank / cluster_m % cluster_n;\n"
                         : "  list.rank_n = rank % cluster_n;\n");
  if (k) gg_str_puts(lines, "  list.rank_k = rank / cluster_plane;\n");
}

/* Appends what a CTA does with each tile along K. */
static void write_k_tiles(gg_str *members, gg_str *lines, const gg_plan *plan) {
  if (plan->cluster_k == 1) {
    gg_str_puts(members, "  int k_tiles;  // of a tile\n");
    gg_str_puts(lines, "  list.k_tiles = int((k + tile_k - 1) / tile_k);\n");
    return;
  }
  gg_str_puts(members, "  int k_first, k_tiles;  // of a tile, this CTA's\n");
  gg_str_puts(lines, "  const int k_tiles = int((k + tile_k - 1) / tile_k);\n"
                     "  list.k_first = part_begin(k_tiles, list.rank_k);\n"
                     "  list.k_tiles = part_begin(k_tiles, list.rank_k + 1) - list.k_first;\n");
}

/* Binds where the sums of a shared tile are, and what becomes of those that another cluster stores.
 */
static void bind_sums(gg_bindings *out, const gg_plan *plan) {
  bool apart = gg_plan_in_tensor_memory(plan);
  gg_bind_part(out, "sums", apart ? "sm100_sums" : "sm90_sums");
  gg_bind_part(out, "store_others", apart ? "sm100_store_others" : "sm90_store_others");
  if (apart) gg_bind_sums(out, plan, "unsigned tCtC", "tCtC", NULL);
}

bool gg_sm90_finds_halves(const gg_plan *plan) {
  return plan->split_columns > 0 || gg_plan_splits_scales(plan);
}

void gg_sm90_bind_combine(gg_bindings *out, const gg_plan *plan, const char *call) {
  gg_str text = GG_STR_INIT;
  if (call && plan->trace) gg_str_puts(&text, "      stamp<trace_combine>(0);\n");
  if (call) gg_str_printf(&text, "      const box_set boxes =%s;\n", call);
  if (call && plan->trace) gg_str_puts(&text, "      stamp<trace_combined>(0);\n");
  gg_bind_str(out, "combine_boxes", &text);
}

/* Where a cluster's work begins: at its number in the launch. If it claims its work, it begins with
 * that instead (bind_begin). */
#define LAUNCHED_WORK "blockIdx.x / cluster_size"
#define LAUNCHED_WALK "work_walk walk;"

/* Binds `text` under `name`, with the number in the launch replaced by the claimed work if clusters
 * claim. */
static void bind_begin(gg_bindings *out, const char *name, const char *text, const gg_plan *plan) {
  static const char *const words[][2] = {{LAUNCHED_WORK, "list.work"},
                                         {LAUNCHED_WALK, "work_walk walk = {list.work};"}};
  gg_str bound = GG_STR_INIT;
  while (plan->claims && *text) {
    size_t word = 0;
    while (word < 2 && strncmp(text, words[word][0], strlen(words[word][0])) != 0)
      word++;
    gg_str_append(&bound, word < 2 ? words[word][1] : text, word < 2 ? strlen(words[word][1]) : 1);
    text += word < 2 ? strlen(words[word][0]) : 1;
  }
  gg_str_puts(&bound, text);
  gg_bind_str(out, name, &bound);
}

static void bind_claims(gg_bindings *out, const gg_plan *plan) {
  if (gg_plan_in_tensor_memory(plan)) return;
  bool clustered = gg_plan_cluster_size(plan) > 1;
  gg_bind_flag(out, "claims_work", plan->claims);
  gg_bind_flag(out, "clustered", clustered);
  gg_bind_text(out, "first_cta", clustered ? " && cluster_rank() == 0" : "");
  gg_bind_part(out, "claims", plan->claims ? "sm90_claims" : NULL);
}

/* Binds what a cluster begins with. The first of whole tiles is located ahead of time. */
static void bind_first(gg_bindings *out, gg_str *members, gg_str *lines, const gg_plan *plan,
                       bool shares) {
  gg_str take = GG_STR_INIT;
  if (!shares) gg_str_puts(members, "  tile_origin first;  // of this cluster's tiles\n");
  if (!shares && !plan->claims)
    gg_str_puts(lines, "  list.first = origin_of(list, " LAUNCHED_WORK ");\n");
  if (plan->claims) {
    gg_str_puts(members, "  unsigned work;  // that this cluster has claimed\n");
    gg_str_puts(&take, "  list.work = told_work(smem);\n");
    if (!shares) gg_str_puts(&take, "  list.first = origin_of(list, list.work);\n");
  }
  if (!gg_plan_in_tensor_memory(plan)) gg_bind_str(out, "take_work", &take);
  bind_begin(out, "first_origin",
             shares ? "" : "  if (tile == " LAUNCHED_WORK ") return list.first;\n", plan);
}

static void bind_list(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str members = GG_STR_INIT, lines = GG_STR_INIT, fill = GG_STR_INIT;
  bool shares = gg_plan_shares_tiles(plan), in_cluster = plan->cluster_k > 1;
  bool fetches = gg_sm90_fetches_behind(layouts);
  if (plan->scheduler != GG_SCHEDULER_DATA_PARALLEL || gg_sm90_has_copiers(plan)) {
    gg_str_puts(&members, "  unsigned tiles;  // in all batches\n");
    gg_str_puts(&lines, "  list.tiles = list.tiles_m * list.tiles_n * unsigned(batch);\n");
  }
  if (gg_sm90_has_end(plan, &plan->a)) {
    gg_str_puts(&members, "  int m;  // rows of A\n");
    gg_str_puts(&lines, "  list.m = int(m);\n");
  }
  if (gg_sm90_has_end(plan, &plan->b)) {
    gg_str_puts(&members, "  int n;  // columns of B\n");
    gg_str_puts(&lines, "  list.n = int(n);\n");
  }
  write_ranks(&members, &lines, plan);
  write_k_tiles(&members, &lines, plan);
  if (shares) {
    gg_write_share_members(&members);
    gg_str_puts(&fill, "  deal(list, unsigned(shared_tiles), unsigned(group_tiles), "
                       "unsigned(group_shares));\n");
  }
  if (gg_sm90_finds_halves(plan)) {
    gg_str_puts(&members, "  int half_n;  // columns of a gate's half of N\n");
    gg_str_puts(&lines, "  list.half_n = int(n / 2);\n");
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
  bind_first(out, &members, &lines, plan, shares);
  gg_bind_flag(out, "turns_pairs", plan->turns_pairs);
  gg_bind_flag(out, "turns_columns", plan->turns_columns > 0);
  gg_bind_str(out, "list_members", &members);
  gg_bind_str(out, "list_lines", &lines);
  gg_bind_str(out, "fill_list", &fill);
  gg_bind_text(out, "list_type",
               shares || in_cluster || fetches || plan->claims ? "work_list" : "const work_list");
  if (shares) bind_sums(out, plan);
  if (gg_plan_in_tensor_memory(plan)) return;
  if (gg_plan_reduces_sums(plan))
    gg_bind_sums(out, plan, "acc_t (&tCrC)[frags_m][acc_words]", "tCrC",
                 "tCrC[first / fragment_chunks][first % fragment_chunks * sum_words + w]");
  gg_bind_part(out, "combine", in_cluster ? "sm90_parts" : NULL);
  gg_sm90_bind_combine(out, plan,
                       shares       ? "\n          combine(tCrC, list, item, workspace, (warp - "
                                      "warps_per_group) % tile_warps, lane)"
                       : in_cluster ? " combine(tCrC, list, smem, warp - warps_per_group, lane)"
                                    : NULL);
}

/* How the roles go through the work. Shares of tiles, and the two positions of a producer that
 * copies lines, use an object that walks the work. Whole tiles use a loop over their numbers. The
 * only tile of a cluster needs neither: a loop of one round is reduced to its body. */
typedef struct walk {
  const char *part;
  const char *each, *each_turn; /* heads of the loops: of a role; of consumers */
  const char *each_of_warp;     /* head for roles of a whole warp, if it differs; else NULL */
  bool held;                    /* all loops of a role share one object that walks the work */
  const char *next, *next_turn; /* the lines at the beginning of a round; `item` is the work */
  const char *each_k_tile, *next_k_tile;
  const char *tile, *k_tiles;
  const char *any, *more; /* added to another condition: whether there is a tile; another one */
} walk;

static const walk items = {.each = "for (" LAUNCHED_WALK " walk.more(list);)",
                           .each_turn = "while (walk.more(list))",
                           .next = "    const work_item item = walk.next(list);\n",
                           .next_turn = "      const work_item item = walk.next(list);\n",
                           .tile = "item.tile",
                           .each_k_tile = "for (int i = 0; i < item.k_tiles; ++i, "
                                          "write.advance())",
                           .next_k_tile = "      const int k_tile = item.k_first + i;\n",
                           .k_tiles = "item.k_tiles",
                           .any = " && walk.more(list)",
                           .more = "walk.more(list)"},
                  tiles = {.each = "for (unsigned tile = " LAUNCHED_WORK "; tile < "
                                   "list.tiles;\n       tile += gridDim.x / cluster_size)",
                           .each_turn = "for (unsigned tile = " LAUNCHED_WORK "; tile < "
                                        "list.tiles;\n         tile += gridDim.x / cluster_size)",
                           .next = "",
                           .next_turn = "",
                           .tile = "tile",
                           .k_tiles = "list.k_tiles",
                           .any = " && " LAUNCHED_WORK " < list.tiles",
                           .more = "next < list.tiles"},
                  dynamic = {.part = "sm100_dynamic",
                             .each = "for (work_walk walk; walk.any; walk.advance(smem))",
                             .each_of_warp =
                                 "for (work_walk walk; walk.any; walk.advance_warp(smem, lane))",
                             .each_turn =
                                 "for (work_walk walk; walk.any; walk.advance_warp(smem, lane))",
                             .next = "",
                             .next_turn = "",
                             .tile = "walk.tile",
                             .k_tiles = "list.k_tiles"},
                  alone = {.each = "for (int once = 0; once < 1; ++once)",
                           .next = "    const unsigned tile = " LAUNCHED_WORK ";\n",
                           .next_turn = "      const unsigned tile = " LAUNCHED_WORK ";\n",
                           .tile = "tile",
                           .k_tiles = "list.k_tiles",
                           .any = "",
                           .more = "false"};

static walk walk_of(const gg_plan *plan, bool shares) {
  bool copiers = gg_sm90_has_copiers(plan);
  walk out = shares || copiers                               ? items
             : gg_plan_is_dynamic(plan)                      ? dynamic
             : plan->scheduler == GG_SCHEDULER_DATA_PARALLEL ? alone
                                                             : tiles;
  out.held = shares || copiers;
  if (out.held) out.part = shares ? "shares" : "sm90_walk";
  bool part = plan->cluster_k > 1;
  if (!out.each_k_tile) {
    out.each_k_tile = part ? "for (int i = 0; i < list.k_tiles; ++i, write.advance())"
                           : "for (int k_tile = 0; k_tile < list.k_tiles; ++k_tile, "
                             "write.advance())";
    out.next_k_tile = part ? "      const int k_tile = list.k_first + i;\n" : "";
  }
  if (plan->pingpong)
    out.each_turn = out.part ? "for (int i = 0; walk.more(list); ++i)"
                             : "for (unsigned i = 0, next = " LAUNCHED_WORK "; "
                               "next < list.tiles; ++i)";
  if (plan->pingpong && !out.part)
    out.next_turn = "      const unsigned tile = next;\n"
                    "      next += gridDim.x / cluster_size;\n";
  if (!out.each_turn) out.each_turn = out.each;
  return out;
}

/* Binds what consumers need that multiply, maybe in turns, and share tiles with other clusters. */
static void bind_turns(gg_bindings *out, const gg_plan *plan, const walk *w) {
  bind_begin(out, "and_work", w->any, plan);
  gg_bind_text(out, "more_tiles", w->more);
}

/* Binds the lines at the beginning of a round, and, if the kernel is traced, behind them which tile
 * it is for. */
static void bind_round(gg_bindings *out, const char *name, const char *next, const gg_plan *plan,
                       const walk *w, const char *indent) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, next);
  if (plan->trace) gg_str_printf(&text, "%sstamp<trace_tile>(%s);\n", indent, w->tile);
  const char *part = w->held ? "item" : plan->cluster_k > 1 ? "list" : NULL;
  if (plan->trace && part)
    gg_str_printf(&text,
                  "%sstamp<trace_k_tile>(%s.k_first);\n%sstamp<trace_k_tiles>(%s.k_tiles);\n",
                  indent, part, indent, part);
  gg_bind_str(out, name, &text);
}

static void bind_walk(gg_bindings *out, const gg_plan *plan) {
  bool shares = gg_plan_shares_tiles(plan), copiers = gg_sm90_has_copiers(plan);
  walk w = walk_of(plan, shares);
  bind_round(out, "next_turn", w.next_turn, plan, &w, "      ");
  bind_begin(out, "each_turn", w.each_turn, plan);
  gg_bind_text(out, "k_tiles", w.k_tiles);
  gg_bind_text(out, "last_share", shares ? "item.k_first + item.k_tiles == list.k_tiles" : "true");
  gg_bind_part(out, "walk", w.part);
  bind_begin(out, "walk_object", w.held ? "    " LAUNCHED_WALK "\n" : "", plan);
  if (!gg_plan_in_tensor_memory(plan)) bind_turns(out, plan, &w);
  /* Four kinds of consumers locate their tile at different times: those in turns while they await
   * their turn; those that prefetch what the epilogue reads when they do so; those that look for
   * its scale factors before the tile; and others, which share tiles, while the last MMAs run. */
  bool within = gg_sm120_begins_within_factors(plan);
  if (!gg_plan_in_tensor_memory(plan))
    gg_bind_text(out, "first_factor", within ? ", at.n0 / 2 % scale_rows" : "");
  bool early = plan->pingpong || within || gg_sm90_reads_directly(plan, plan->fetches);
  gg_str locate = GG_STR_INIT;
  gg_str_printf(&locate, "      const tile_origin at = locate(list, %s);%s\n", w.tile,
                early ? "" : "  // the last MMAs are running");
  gg_bind_text(out, early ? "locate_late" : "locate_early", "");
  gg_bind_str(out, early ? "locate_early" : "locate_late", &locate);
  if (!copiers || gg_plan_in_tensor_memory(plan)) {
    bind_begin(out, "each_tile", w.each, plan);
    if (plan->vector_buffers)
      bind_begin(out, "each_vectors_tile", w.each_of_warp ? w.each_of_warp : w.each, plan);
    bind_round(out, "next_item", w.next, plan, &w, "    ");
    gg_bind_text(out, "tile", w.tile);
  }
  if (copiers) return;
  gg_bind_text(out, "each_k_tile", w.each_k_tile);
  gg_bind_text(out, "next_k_tile", w.next_k_tile);
  if (plan->cta_group < 2)
    gg_bind_text(out, "k_step", strstr(w.each_k_tile, "int i ") ? "i" : "k_tile");
}

void gg_sm90_bind_work(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bind_claims(out, plan);
  bind_list(out, plan, layouts);
  bind_walk(out, plan);
}
