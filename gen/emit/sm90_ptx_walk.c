/* Family sm90 in PTX: which tiles a role walks, and tiles that several clusters share.
 *
 * Whole tiles follow each other by the number of clusters. Of shared ones a role walks items: a
 * tile, and K tiles of it. What several clusters have of a tile then comes together box by box
 * (parts/sm90_combine.ptx): sums lie in the workspace in chunks of four of each lane's. */
#include <stdio.h>

#include "emit/sm90.h"
#include "emit/sm90_ptx.h"
#include "gemmgen.h"
#include "plan/distribution.h"

/* ---- Sums ---------------------------------------------------------------------------------- */

enum { sum_words = 4, chunk_bytes = GG_WARP * sum_words * 4 };

/* A lane's sums in chunks and boxes, and what is read of them at once: chunks of a box, of so many
 * other parts, as registers allow. */
typedef struct sums {
  int words, chunks; /* of a block, and of a lane */
  int block_boxes, boxes, box_chunks;
  int together, at_once;
  ll warp_bytes, part_bytes;
  int cluster, tile_warps;
  const char *add; /* the instruction's types */
} sums;

static int chunks_in_flight(const gg_plan *plan, int registers) {
  int lane = plan->producer_registers > 0 ? plan->consumer_registers
                                          : 65536 / plan->threads / plan->ctas_per_sm;
  int spare = lane - registers - 56;
  return spare >= 128 ? 32 : spare >= 64 ? 16 : spare >= 32 ? 8 : 2;
}

static sums sums_of(const gg_plan *plan) {
  int fragments = gg_plan_block_m(plan) / plan->mma.m, words = gg_sm90_mma_registers(plan);
  sums s = {.words = words,
            .chunks = fragments * words / sum_words,
            .block_boxes = gg_plan_mma_columns(plan) / plan->epi_n,
            .cluster = plan->cluster_m * plan->cluster_n,
            .tile_warps = gg_plan_tile_warps(plan),
            .add = plan->accumulator == GG_DTYPE_f32 ? "rn.f32" : "s32"};
  int flying = chunks_in_flight(plan, fragments * words);
  s.boxes = fragments * s.block_boxes;
  s.box_chunks = s.chunks / s.boxes;
  s.together = s.box_chunks <= flying ? s.box_chunks : s.box_chunks % flying == 0 ? flying : 1;
  s.at_once = flying / s.together < 64 / s.chunks ? flying / s.together : 64 / s.chunks;
  s.warp_bytes = (ll)s.chunks * chunk_bytes;
  s.part_bytes = s.warp_bytes * s.cluster * s.tile_warps;
  return s;
}

/* Four registers of a chunk. */
static void write_chunk(gg_str *out, const char *name, int chunk) {
  gg_str_puts(out, "{");
  for (int i = 0; i < sum_words; i++)
    gg_str_printf(out, "%s%%%s%d", i ? ", " : "", name, chunk * sum_words + i);
  gg_str_puts(out, "}");
}

static void write_owned(gg_str *out, int box, bool if_own, const char *label) {
  gg_str_printf(out,
                "    and.b64 %%bit, %%own, 0x%llx;\n    setp.%s.u64 %%is_own, %%bit, 0;\n"
                "    @%%is_own bra %s_%d;\n",
                1ull << box, if_own ? "ne" : "eq", label, box);
}

static void write_store_others(gg_str *out, const sums *s) {
  for (int box = 0; box < s->boxes; box++) {
    write_owned(out, box, true, "kept");
    for (int chunk = box * s->box_chunks; chunk < (box + 1) * s->box_chunks; chunk++) {
      gg_str_puts(out, "    st.global.cg.v4.b32 ");
      gg_ptx_write_place(out, "%from0", (ll)chunk * chunk_bytes);
      gg_str_puts(out, ", ");
      write_chunk(out, "acc", chunk);
      gg_str_puts(out, ";\n");
    }
    gg_str_printf(out, "kept_%d:\n", box);
  }
}

/* Where the sums of some others are; those behind the first may not be there. */
static void write_others(gg_str *out, const sums *s) {
  for (int i = 0; i < s->at_once; i++) {
    gg_str_printf(out, "    add.u32 %%other_part, %%other, %d;\n", i);
    if (i) gg_str_printf(out, "    setp.lt.u32 %%there%d, %%other_part, %%others;\n", i);
    gg_str_printf(out,
                  "    setp.ge.u32 %%is_longer, %%other_part, %%part;  // others: all but %%part\n"
                  "    @%%is_longer add.u32 %%other_part, %%other_part, 1;\n"
                  "    mul.wide.u32 %%from%d, %%other_part, %lld;\n"
                  "    add.u64 %%from%d, %%from%d, %%sums;\n",
                  i, s->part_bytes, i, i);
  }
}

/* Of one box: some chunks of all those others are read, then added. */
static void write_add_chunks(gg_str *out, const sums *s, int first) {
  for (int i = 0; i < s->at_once; i++) {
    for (int c = 0; c < s->together; c++) {
      char from[32], there[32] = "";
      snprintf(from, sizeof from, "%%from%d", i);
      if (i) snprintf(there, sizeof there, "@%%there%d ", i);
      gg_str_printf(out, "    %sld.global.cg.v4.b32 ", there);
      write_chunk(out, "x", i * s->together + c);
      gg_str_puts(out, ", ");
      gg_ptx_write_place(out, from, (ll)(first + c) * chunk_bytes);
      gg_str_puts(out, ";\n");
    }
  }
  for (int i = 0; i < s->at_once; i++) {
    char there[32] = "";
    if (i) snprintf(there, sizeof there, "@%%there%d ", i);
    for (int w = 0; w < s->together * sum_words; w++) {
      int acc = first * sum_words + w, x = i * s->together * sum_words + w;
      gg_str_printf(out, "    %sadd.%s %%acc%d, %%acc%d, %%x%d;\n", there, s->add, acc, acc, x);
    }
  }
}

static void write_add_others(gg_str *out, const sums *s) {
  write_others(out, s);
  for (int box = 0; box < s->boxes; box++) {
    write_owned(out, box, false, "others");
    for (int first = box * s->box_chunks; first < (box + 1) * s->box_chunks; first += s->together)
      write_add_chunks(out, s, first);
    gg_str_printf(out, "others_%d:\n", box);
  }
}

/* The share that K tile `of` of a group is in. */
static void bind_share(gg_bindings *out, const char *name, const char *to, const char *of) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text,
                "    setp.lt.u32 %%is_longer, %s, %%longer;\n"
                "    selp.b32 %%length, %%one_more, %%share_length, %%is_longer;\n"
                "    selp.b32 %s, 0, %%longer, %%is_longer;\n    sub.u32 %s, %s, %s;\n"
                "    div.u32 %s, %s, %%length;\n"
                "    @!%%is_longer add.u32 %s, %s, %%longer_shares;\n",
                of, to, to, of, to, to, to, to, to);
  gg_bind_str(out, name, &text);
}

/* %in_clusters, which numbers shares or tiles, then numbers this warp's part of each CTA of it. */
static void bind_in_clusters(gg_bindings *out, const gg_plan *plan, const sums *s) {
  gg_str text = GG_STR_INIT;
  if (s->cluster > 1)
    gg_str_printf(&text, "    mul.lo.u32 %%in_clusters, %%in_clusters, %d;\n", s->cluster);
  if (plan->cluster_m > 1) gg_str_puts(&text, "    add.u32 %in_clusters, %in_clusters, %rank_m;\n");
  if (plan->cluster_n > 1)
    gg_str_printf(&text, "    mad.lo.u32 %%in_clusters, %%rank_n, %d, %%in_clusters;\n",
                  plan->cluster_m);
  gg_str_printf(&text, "    mad.lo.u32 %%in_clusters, %%in_clusters, %d, %%warp_of_tile;\n",
                s->tile_warps);
  gg_bind_str(out, "in_clusters", &text);
}

static void bind_combine(gg_bindings *out, const gg_plan *plan) {
  sums s = sums_of(plan);
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "0x%llx", ~0ull >> (64 - s.boxes));
  gg_bind_str(out, "all_boxes", &text);
  gg_ptx_bind_number(out, "at_once", s.at_once);
  gg_ptx_bind_number(out, "words_at_once", (ll)s.at_once * s.together * sum_words);
  gg_ptx_bind_number(out, "warp_boxes", s.boxes);
  gg_ptx_bind_number(out, "warp_bytes", s.warp_bytes);
  gg_ptx_bind_number(out, "part_bytes", s.part_bytes);
  gg_ptx_bind_number(out, "counters_bytes", GG_WORKSPACE_COUNTERS);
  gg_str_puts(&text, "    sub.u32 %warp_of_tile, %warp, 4;\n");
  if (plan->pingpong)
    gg_ptx_write_remainder(&text, 4, "%warp_of_tile", "%warp_of_tile", s.tile_warps);
  gg_bind_str(out, "warp_of_tile", &text);
  bind_share(out, "first_share", "%first_share", "%tile_begin");
  bind_share(out, "last_share", "%parts", "%at");
  bind_in_clusters(out, plan, &s);
  write_store_others(&text, &s);
  gg_bind_str(out, "store_others", &text);
  write_add_others(&text, &s);
  gg_bind_str(out, "add_others", &text);
}

/* ---- Parts that the CTAs of a cluster have -------------------------------------------------- */

/* A box of this warp's by its number among the tile's: its owner, and how many of that one's are
 * before it. */
static void write_owner(gg_str *out, int box, int parts) {
  gg_str_printf(out, "    add.u32 %%box, %%first_box, %d;\n", box);
  gg_ptx_write_split(out, 4, "%place", "%owner", "%box", parts);
}

static void write_send(gg_str *out, const sums *s, int box, int parts, ll sums_begin) {
  ll box_bytes = (ll)s->box_chunks * chunk_bytes;
  write_owner(out, box, parts);
  gg_str_printf(out,
                "    setp.eq.u32 %%is_own, %%owner, %%rank_k;\n    @%%is_own bra sent_%d;\n"
                "    mad.lo.u32 %%to, %%place, %lld, %%lane_sums;\n"
                "    setp.lt.u32 %%is_before, %%rank_k, %%owner;  // others: all but %%owner\n"
                "    sub.u32 %%place, %%rank_k, 1;\n    @%%is_before mov.u32 %%place, %%rank_k;\n"
                "    mad.lo.u32 %%to, %%place, %lld, %%to;\n"
                "    mapa.shared::cluster.u32 %%to, %%to, %%owner;\n"
                "    mapa.shared::cluster.u32 %%there, %%bar_sums, %%owner;\n",
                box, (parts - 1) * box_bytes, box_bytes);
  for (int chunk = 0; chunk < s->box_chunks; chunk++) {
    gg_str_puts(out,
                "    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32\n      ");
    gg_ptx_write_place(out, "%to", sums_begin + (ll)chunk * chunk_bytes);
    gg_str_puts(out, ", ");
    write_chunk(out, "acc", box * s->box_chunks + chunk);
    gg_str_puts(out, ", [%there];\n");
  }
  gg_str_printf(out, "sent_%d:\n", box);
}

static void write_receive(gg_str *out, const sums *s, int box, int parts, ll sums_begin) {
  write_owned(out, box, false, "others");
  write_owner(out, box, parts);
  gg_str_printf(out, "    mad.lo.u32 %%to, %%place, %lld, %%lane_sums;\n",
                (ll)(parts - 1) * s->box_chunks * chunk_bytes);
  for (int chunk = 0; chunk < s->box_chunks; chunk++) {
    gg_str_puts(out, "    ld.shared.v4.b32 ");
    write_chunk(out, "x", chunk);
    gg_str_puts(out, ", ");
    gg_ptx_write_place(out, "%to", sums_begin + (ll)chunk * chunk_bytes);
    gg_str_puts(out, ";\n");
  }
  for (int i = 0; i < s->box_chunks * sum_words; i++) {
    int acc = box * s->box_chunks * sum_words + i;
    gg_str_printf(out, "    add.%s %%acc%d, %%acc%d, %%x%d;\n", s->add, acc, acc, i);
  }
  gg_str_printf(out, "others_%d:\n", box);
}

static void bind_along_k(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUMS);
  sums s = sums_of(plan);
  int parts = plan->cluster_k;
  ll box_bytes = (ll)s.box_chunks * chunk_bytes;
  gg_str deal = GG_STR_INIT, send = GG_STR_INIT, add = GG_STR_INIT;
  for (int box = 0; box < s.boxes; box++) {
    write_owner(&deal, box, parts);
    gg_str_printf(&deal,
                  "    setp.eq.u32 %%is_own, %%owner, %%rank_k;\n"
                  "    @%%is_own or.b64 %%own, %%own, 0x%llx;\n"
                  "    @%%is_own add.u32 %%bytes, %%bytes, %lld;\n",
                  1ull << box, (parts - 1) * box_bytes);
    write_send(&send, &s, box, parts, (ll)ring->begin);
    write_receive(&add, &s, box, parts, (ll)ring->begin);
  }
  gg_bind_str(out, "deal_boxes", &deal);
  gg_bind_str(out, "send_others", &send);
  gg_bind_str(out, "add_others", &add);
  gg_ptx_bind_number(out, "words_at_once", (ll)s.box_chunks * sum_words);
  gg_ptx_bind_number(out, "warp_boxes", s.boxes);
  gg_ptx_bind_number(out, "box_bytes", box_bytes);
  gg_ptx_bind_number(out, "others", parts - 1);
  gg_ptx_bind_number(out, "sum_barriers", (ll)(ring->full.begin - layouts->rings.barriers_begin));
}

/* This CTA's K tiles of those that its tile has. */
static void write_part(gg_str *out, int parts) {
  gg_str_puts(out,
              "  // The CTAs along K have equal parts of a tile's K tiles, or one K tile more.\n"
              "  .reg .b32 %k_first, %k_end, %part, %longer_parts;\n  .reg .pred %is_longer;\n");
  gg_ptx_write_split(out, 2, "%part", "%longer_parts", "%k_tiles", parts);
  gg_str_puts(out, "  min.u32 %k_first, %rank_k, %longer_parts;\n"
                   "  mad.lo.u32 %k_first, %rank_k, %part, %k_first;\n"
                   "  setp.lt.u32 %is_longer, %rank_k, %longer_parts;\n"
                   "  mov.u32 %k_tiles, %part;\n  @%is_longer add.u32 %k_tiles, %k_tiles, 1;\n"
                   "  add.u32 %k_end, %k_first, %k_tiles;\n");
}

/* Where the launch behind this one may only begin beside it if it is told so. */
static const char ask_dependents[] =
    "  .reg .b32 %next_beside;\n  .reg .pred %is_beside;\n"
    "  ld.param.u32 %next_beside, [next_beside];\n  setp.ne.u32 %is_beside, %next_beside, 0;\n"
    "  @%is_beside griddepcontrol.launch_dependents;\n";

/* ---- Items --------------------------------------------------------------------------------- */

/* What the launch has chosen. */
static const char deal[] =
    "  // The first %shared_tiles tiles are dealt in shares of %share_length K tiles; the first\n"
    "  // %longer_shares of a group have one more. The other tiles are dealt whole.\n"
    "  .reg .b32 %shared_tiles, %group_tiles, %group_shares, %shares, %all_work;\n"
    "  .reg .b32 %group_k, %share_length, %longer_shares;\n"
    "  ld.param.u32 %shared_tiles, [shared_tiles];\n"
    "  ld.param.u32 %group_tiles, [group_tiles];\n"
    "  ld.param.u32 %group_shares, [group_shares];\n"
    "  div.u32 %shares, %shared_tiles, %group_tiles;\n"
    "  mul.lo.u32 %shares, %shares, %group_shares;\n"
    "  sub.u32 %all_work, %tiles, %shared_tiles;\n"
    "  add.u32 %all_work, %all_work, %shares;\n"
    "  mul.lo.u32 %group_k, %group_tiles, %k_tiles;\n"
    "  div.u32 %share_length, %group_k, %group_shares;\n"
    "  mul.lo.u32 %longer_shares, %share_length, %group_shares;\n"
    "  sub.u32 %longer_shares, %group_k, %longer_shares;\n";

static void bind_items(gg_bindings *out, const gg_plan *plan, bool deals) {
  bool turns = plan->pingpong;
  gg_bind_part(out, "any_work", deals ? "sm90_any_item" : "sm90_any_tile");
  gg_bind_part(out, "any_next", deals ? "sm90_any_item" : "sm90_any_next");
  gg_bind_part(out, "next_item", deals ? "sm90_next_item" : NULL);
  gg_bind_part(out, "declare_items", deals ? "sm90_declare_items" : NULL);
  gg_bind_part(out, "begin_turns", !turns ? NULL : deals ? "sm90_item_turns" : "sm90_turns");
  gg_bind_part(out, "locate_early", turns && deals ? "sm90_own_item" : "sm90_locate_next");
  gg_bind_part(out, "locate_late", deals ? "locate" : "sm90_locate_next");
  gg_bind_part(out, "combine",
               deals                 ? "sm90_combine"
               : plan->cluster_k > 1 ? "sm90_combine_along_k"
                                     : NULL);
  gg_bind_part(out, "step", deals ? NULL : turns ? "sm90_step_turns" : "sm90_step");
  gg_str part = GG_STR_INIT;
  if (plan->cluster_k > 1) write_part(&part, plan->cluster_k);
  gg_str_puts(&part, deals ? deal : "");
  gg_bind_str(out, "deal", &part);
  bool begins = deals || plan->cluster_k > 1; /* with other than the first K tile */
  gg_bind_text(out, "k_first", begins ? "%k_first" : "0");
  gg_bind_text(out, "k_end", begins ? "%k_end" : "%k_tiles");
  gg_bind_text(out, "item_k", deals ? "%item_k" : "%k_tiles");
}

void gg_sm90_ptx_bind_walk(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  int stages = gg_rings_find(&layouts->rings, GG_RING_STAGES)->depth;
  bool deals = gg_plan_shares_tiles(plan);
  gg_str text = GG_STR_INIT;
  gg_bind_flag(out, "deals", deals);
  gg_bind_flag(out, "persistent", gg_plan_is_persistent(plan));
  bind_items(out, plan, deals);
  gg_bind_flag(out, "reduces", gg_plan_reduces_sums(plan));
  gg_bind_text(out, "launch_dependents",
               plan->cluster_k > 1 ? ask_dependents : "  griddepcontrol.launch_dependents;\n");
  if (deals) bind_combine(out, plan);
  if (plan->cluster_k > 1) bind_along_k(out, plan, layouts);
  if (!plan->pingpong) return;
  gg_ptx_write_split(&text, 4, "%rounds", "%stage", "%stage", stages);
  gg_bind_str(out, "rounds", &text);
}
