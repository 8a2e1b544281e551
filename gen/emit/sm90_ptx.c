/* Family sm90: plan + layouts -> what templates/sm90_warp_specialised.ptx names.
 *
 * Every number is one that the plan or its layouts have; nothing is decided here. Rings and roles
 * are those of the .cu: one thread fills stages, consumers multiply and store. */
#include <string.h>

#include "atom/dtype.h"
#include "emit/ptx.h"
#include "emit/ptx_lacks.h"
#include "emit/sm90.h"
#include "emit/sm90_ptx.h"
#include "plan/narrow.h"
#include "plan/operands.h"

/* ---- What has no template ------------------------------------------------------------------ */

/* Whether blocks and K steps of descriptors are apart by numbers that add up, and a consumer's
 * first block is as many steps from the CTA's as it has blocks before it. */
static bool steps_add_up(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_layout *a = &layouts->boxes_a.steps;
  int64_t blocks = plan->tile_m / plan->mma.m, each = gg_plan_block_m(plan) / plan->mma.m;
  for (int64_t i = 0; i < gg_layout_size(a); i++) {
    int64_t block = i % blocks, first = block / each * each;
    int64_t whole = first / each * gg_layout_at(a, each % blocks);
    if (gg_layout_at(a, i) != whole + gg_layout_at(a, i - first)) return false;
  }
  return true;
}

const char *gg_sm90_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ptx_lack rows[] = {
      {plan->cluster_k > 1 && plan->cluster_m * plan->cluster_n > 1,
       "a cluster along K and M or N"},
      {plan->cluster_k > 1 && plan->has_c, "a cluster along K beside a C"},
      {gg_sm90_has_copiers(plan), "operands that warps copy or transpose"},
      {plan->claims, "raster.neighbours gpc"},
      {plan->a_in_registers, "an A in registers"},
      {plan->accumulator != GG_DTYPE_f32 && plan->accumulator != GG_DTYPE_s32, "sums of f16"},
      {plan->compute != GG_DTYPE_f32 && plan->operation_count, "operations on integers"},
      {layouts->result_count != 1 || !layouts->results[0].mapped, "lines of D that lanes store"},
      {plan->pingpong && plan->consumers != 2, "turns of other than two consumers"},
      {!steps_add_up(plan, layouts), "an A whose blocks of rows lie in turns"},
  };
  const char *lacks = gg_ptx_first_lack(rows, sizeof rows / sizeof *rows);
  if (!lacks) lacks = gg_sm90_ptx_finish_lacks(plan);
  if (!lacks) lacks = gg_sm90_ptx_boxes_lack(plan, layouts);
  return lacks ? lacks : gg_sm90_ptx_c_lacks(plan, layouts);
}

/* ---- Arguments and memory ------------------------------------------------------------------ */

static const gg_ring *stages_of(const gg_layouts *layouts) {
  return gg_rings_find(&layouts->rings, GG_RING_STAGES);
}

/* For each parameter that is a tensor map, the format with its register's name twice. */
static void write_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                       const char *format) {
  gg_param params[GG_PARAMS_MAX];
  size_t count = gg_kernel_params(params, plan, layouts);
  for (size_t i = 0; i < count; i++) {
    if (params[i].kind != GG_PARAM_MAP && params[i].kind != GG_PARAM_MAP_END) continue;
    const char *kind = params[i].kind == GG_PARAM_MAP ? "map" : "end";
    const char *of = gg_operand_word(params[i].operand);
    for (const char *at = format; *at; at++) {
      if (*at == '@')
        gg_str_printf(out, "%s_%s", kind, of);
      else
        gg_str_putc(out, *at);
    }
  }
}

void gg_sm90_ptx_bind_arguments(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  gg_ptx_write_parameters(&text, plan, layouts);
  gg_bind_str(out, "parameters", &text);
  gg_ptx_write_extents(&text, plan);
  write_maps(&text, plan, layouts, "  .reg .b64 %@;\n  mov.b64 %@, @;\n  cvta.param.u64 %@, %@;\n");
  gg_bind_str(out, "arguments", &text);
  write_maps(&text, plan, layouts, "  prefetch.tensormap [%@];\n");
  gg_bind_str(out, "prefetches", &text);
}

/* ---- Tiles and clusters -------------------------------------------------------------------- */

/* Where this CTA is in its cluster. */
void gg_sm90_ptx_write_ranks(gg_str *out, const gg_plan *plan) {
  gg_str_puts(out, "  .reg .b32 %rank;\n  mov.u32 %rank, %cluster_ctarank;\n");
  if (plan->cluster_m > 1) {
    gg_str_puts(out, "  .reg .b32 %rank_m;\n");
    gg_ptx_write_remainder(out, 2, "%rank_m", "%rank", plan->cluster_m);
  }
  if (plan->cluster_n > 1) {
    gg_str_puts(out, "  .reg .b32 %rank_n;\n");
    gg_ptx_write_quotient(out, 2, "%rank_n", "%rank", plan->cluster_m);
  }
  if (plan->cluster_k > 1) gg_str_puts(out, "  .reg .b32 %rank_k;\n  mov.u32 %rank_k, %rank;\n");
}

/* A tile's first row or column, by its place among clusters' tiles. */
void gg_sm90_ptx_write_origin(gg_str *out, char mode, const char *place, int cluster, int tile) {
  if (cluster > 1)
    gg_str_printf(out, "    mad.lo.u32 %s, %s, %d, %%rank_%c;\n", place, place, cluster, mode);
  gg_str_printf(out, "    mul.lo.u32 %%%c0, %s, %d;\n", mode, place, tile);
}

static void bind_tiles(gg_bindings *out, const gg_plan *plan) {
  bool along_m = plan->raster == GG_RASTER_ALONG_M;
  int plane = plan->cluster_m * plan->cluster_n, ctas = plane * plan->cluster_k;
  gg_str text = GG_STR_INIT;
  gg_ptx_bind_tile_counts(out, (ll)plan->cluster_m * plan->tile_m,
                          (ll)plan->cluster_n * plan->tile_n, plan->tile_k);
  gg_ptx_bind_number(out, "tile_k", plan->tile_k);
  gg_ptx_write_quotient(&text, 2, "%first_tile", "%first_tile", ctas);
  gg_ptx_write_quotient(&text, 2, "%tile_step", "%tile_step", ctas);
  gg_bind_str(out, "of_clusters", &text);
  gg_bind_flag(out, "cluster", ctas > 1);
  gg_bind_flag(out, "shares", plane > 1);
  gg_sm90_ptx_write_ranks(&text, plan);
  gg_bind_str(out, "ranks", &text);
  gg_ptx_bind_number(out, "raster_group", plan->raster_group);
  gg_bind_text(out, "tiles_along", along_m ? "%tiles_m" : "%tiles_n");
  gg_bind_text(out, "tiles_across", along_m ? "%tiles_n" : "%tiles_m");
  gg_sm90_ptx_write_origin(&text, 'm', along_m ? "%along" : "%across", plan->cluster_m,
                           plan->tile_m);
  gg_sm90_ptx_write_origin(&text, 'n', along_m ? "%across" : "%along", plan->cluster_n,
                           plan->tile_n);
  gg_bind_str(out, "origin", &text);
}

/* ---- The producer -------------------------------------------------------------------------- */

/* A or B, as it is copied. */
typedef struct input {
  char x, mn; /* 'a', 'm' */
  const gg_operand *operand;
  const gg_boxed_tile *boxes;
  int tile, cluster, sharers; /* along M or N; CTAs that it is copied to */
  int pieces;                 /* boxes below each other */
  bool k_major, end;
  bool behind; /* a tile of the cluster may lie behind the operand's last row */
  bool exists; /* boxes but the first may lie behind it, each by itself */
} input;

static input input_of(const gg_plan *plan, const gg_layouts *layouts, bool is_a) {
  input in = {.x = is_a ? 'a' : 'b',
              .mn = is_a ? 'm' : 'n',
              .operand = is_a ? &plan->a : &plan->b,
              .boxes = is_a ? &layouts->boxes_a : &layouts->boxes_b,
              .tile = is_a ? plan->tile_m : plan->tile_n,
              .cluster = is_a ? plan->cluster_m : plan->cluster_n,
              .sharers = is_a ? plan->cluster_n : plan->cluster_m};
  in.k_major = gg_sm90_is_k_major(plan, in.operand);
  in.pieces = in.k_major ? in.tile / in.boxes->lines : 1;
  in.end = gg_sm90_has_end(plan, in.operand);
  in.behind = in.end && in.cluster > 1;
  in.exists = in.end && !in.k_major && in.boxes->count > 1;
  return in;
}

/* The register with a tile's first row. */
static const char *first_of(const input *in) {
  if (in->behind) return in->x == 'a' ? "%first_a" : "%first_b";
  return in->x == 'a' ? "%m0" : "%n0";
}

static void declare_input(gg_str *out, const input *in) {
  char x = in->x;
  if (in->end) gg_str_printf(out, "  .reg .b32 %%rows_%c;\n", x);
  if (in->behind) gg_str_printf(out, "  .reg .b32 %%first_%c;\n", x);
  if (in->end)
    gg_str_printf(out, "  .reg .b64 %%of_%c<%d>;\n", x, in->k_major ? 1 : in->boxes->count);
  if (in->exists) gg_str_printf(out, "  .reg .pred %%has_%c<%d>;\n", x, in->boxes->count);
  if (in->pieces > 1) gg_str_puts(out, "  .reg .b32 %below;\n");
  if (in->sharers == 1) return;
  gg_str_printf(out, "  .reg .b16 %%sharers_%c;\n  .reg .pred %%turn_%c;\n", x, x);
}

/* As bits by their ranks in the cluster. */
static void write_sharers(gg_str *out, const gg_plan *plan, const input *in) {
  unsigned mask = 0;
  int step = in->x == 'a' ? plan->cluster_m : 1;
  for (int i = 0; i < in->sharers; i++)
    mask |= 1u << i * step;
  gg_str_printf(out, "  // The CTAs that share %c with this one, as bits.\n",
                in->x == 'a' ? 'A' : 'B');
  gg_str_printf(out, "  mov.u32 %%along, 0x%x;\n", mask);
  if (in->x == 'a' && plan->cluster_m > 1) gg_str_puts(out, "  shl.b32 %along, %along, %rank_m;\n");
  if (in->x == 'b' && plan->cluster_n > 1)
    gg_str_printf(out, "  mul.lo.u32 %%k0, %%rank_n, %d;\n  shl.b32 %%along, %%along, %%k0;\n",
                  plan->cluster_m);
  gg_str_printf(out, "  cvt.u16.u32 %%sharers_%c, %%along;\n", in->x);
}

/* How many rows of an operand a tile has, and which map has the boxes that they are in. */
static void write_end(gg_str *out, const gg_plan *plan, const input *in) {
  char x = in->x;
  char first[] = {'%', 'f', 'i', 'r', 's', 't', '_', x, '\0'};
  if (in->behind) {
    gg_str_printf(out, "  sub.u32 %s, %%%c, 1;\n", first, in->mn);
    gg_ptx_write_quotient(out, 2, first, first, in->tile);
    gg_str_printf(out, "  mul.lo.u32 %s, %s, %d;\n  min.u32 %s, %s, %%%c0;\n", first, first,
                  in->tile, first, first, in->mn);
  }
  gg_str_printf(out, "  sub.u32 %%rows_%c, %%%c, %s;\n", x, in->mn, first_of(in));
  if (!in->k_major) {
    int unit = (int)gg_dtype_unit(in->operand->type, 16);
    gg_str_printf(out,
                  "  add.u32 %%rows_%c, %%rows_%c, %d;  // in whole 16 bytes\n"
                  "  and.b32 %%rows_%c, %%rows_%c, -%d;\n",
                  x, x, unit - 1, x, x, unit);
  }
  gg_str_printf(out, "  min.u32 %%rows_%c, %%rows_%c, %d;\n", x, x, in->tile);
  for (int box = 0; box < (in->k_major ? 1 : in->boxes->count); box++) {
    int whole = in->k_major ? in->tile : (box + 1) * in->boxes->line;
    gg_str_printf(out,
                  "  setp.lt.u32 %%ended, %%rows_%c, %d;\n"
                  "  selp.b64 %%of_%c%d, %%end_%c, %%map_%c, %%ended;\n",
                  x, whole, x, box, x, x);
    if (in->exists && box)
      gg_str_printf(out, "  setp.gt.u32 %%has_%c%d, %%rows_%c, %d;\n", x, box, x,
                    box * in->boxes->line);
  }
  int k_bytes = (int)gg_plan_smem_bytes(plan, in->operand->type, plan->tile_k);
  gg_str_printf(out, "  mad.lo.u32 %%arriving, %%rows_%c, %d, %%arriving;\n", x, k_bytes);
}

/* A tile's bytes: of rows that there are, and of an operand without an end all. */
static void write_tile_begin(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                             const input inputs[2]) {
  ll bytes = (ll)stages_of(layouts)->tx_bytes;
  for (int i = 0; i < 2; i++)
    if (inputs[i].end)
      bytes -= (ll)gg_plan_smem_bytes(plan, inputs[i].operand->type, plan->tile_k) * inputs[i].tile;
  if (inputs[0].end || inputs[1].end)
    gg_str_puts(out,
                "  // Parts of a box that lie outside of its matrix take longer to copy. So the "
                "matrix's last\n  // rows have boxes of their own; a cluster's tile behind them "
                "is given those, too.\n");
  gg_str_printf(out, "  mov.u32 %%arriving, %lld;\n", bytes);
  for (int i = 0; i < 2; i++)
    if (inputs[i].end) write_end(out, plan, &inputs[i]);
}

/* One box: where from and where to. */
static void write_load(gg_str *out, const input *in, int box) {
  char x = in->x;
  bool shared = in->sharers > 1;
  int along = box / in->pieces * in->boxes->line, below = box % in->pieces * in->boxes->lines;
  const char *first = first_of(in), *line = in->k_major ? "%k0" : first;
  const char *across = in->k_major ? first : "%k0";
  if (in->exists && box) gg_str_printf(out, "  @!%%has_%c%d bra %c_copied;\n", x, box, x);
  if (along) gg_str_printf(out, "  add.u32 %%along, %s, %d;\n", line, along);
  if (below) gg_str_printf(out, "  add.u32 %%below, %s, %d;\n", across, below);
  gg_str_printf(
      out,
      "  cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
      "    %s",
      shared ? ".multicast::cluster " : "");
  gg_ptx_write_place(out, x == 'a' ? "%a_stage" : "%b_stage", (ll)box * in->boxes->bytes);
  gg_str_puts(out, ", ");
  if (in->end)
    gg_str_printf(out, "[%%of_%c%d, ", x, in->k_major ? 0 : box);
  else
    gg_str_printf(out, "[%%map_%c, ", x);
  gg_str_printf(out, "{%s, %s, %%batch}],%s[%%bar_full]", along ? "%along" : line,
                below ? "%below" : across, shared ? "\n    " : " ");
  if (shared) gg_str_printf(out, ", %%sharers_%c", x);
  gg_str_puts(out, ";\n");
}

/* Copies that some CTAs or tiles do not have are branched around: of a predicated one ptxas makes a
 * loop over a warp's lanes that all CTAs run through. */
static void write_loads(gg_str *out, const input *in) {
  char x = in->x;
  if (in->sharers > 1) {
    gg_str_printf(
        out, "  // CTAs that share %c take turns at copying it to all of them, a K tile each.\n",
        x - 'a' + 'A');
    gg_ptx_write_remainder(out, 2, "%along", "%k_tile", in->sharers);
    gg_str_printf(out,
                  "  setp.eq.u32 %%turn_%c, %%along, %%rank_%c;\n  @!%%turn_%c bra %c_copied;\n", x,
                  x == 'a' ? 'n' : 'm', x, x);
  }
  for (int box = 0; box < in->boxes->count; box++)
    write_load(out, in, box);
  if (in->sharers > 1 || in->exists) gg_str_printf(out, "%c_copied:\n", x);
}

static void bind_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const input inputs[2] = {input_of(plan, layouts, true), input_of(plan, layouts, false)};
  gg_str declare = GG_STR_INIT, begin = GG_STR_INIT, loads = GG_STR_INIT;
  bool along = plan->has_c;
  for (int i = 0; i < 2; i++) {
    bool shared = inputs[i].sharers > 1;
    along = along || shared || inputs[i].boxes->count > 1;
  }
  if (along) gg_str_puts(&declare, "  .reg .b32 %along;\n");
  for (int i = 0; i < 2; i++) {
    declare_input(&declare, &inputs[i]);
    if (inputs[i].sharers > 1) write_sharers(&declare, plan, &inputs[i]);
    write_loads(&loads, &inputs[i]);
  }
  write_tile_begin(&begin, plan, layouts, inputs);
  gg_bind_str(out, "declare_loads", &declare);
  gg_bind_str(out, "begin_loads", &begin);
  gg_bind_str(out, "loads", &loads);
  gg_bind_flag(out, "hands_over", plan->producer_registers > 0);
  gg_ptx_bind_number(out, "producer_registers", plan->producer_registers);
  gg_ptx_bind_number(out, "consumer_registers", plan->consumer_registers);
}

/* ---- The consumers ------------------------------------------------------------------------- */

/* A lane for each CTA that copies to this one; where A and B are copied by different ones, a lane
 * for each that copies A, and one for each that copies B. Without a cluster the address is a lane's
 * own, too: ptxas then reckons where to arrive between the first MMAs of a stage, which are
 * otherwise issued one right behind the other, and that costs up to 8 percent of a product that the
 * L2 cache and the card's power limit (docs/performance/h100.md, "PTX of templates"). */
static void write_arrivals(gg_str *out, const gg_plan *plan, const gg_ring *stages) {
  int plane = plan->cluster_m * plan->cluster_n;
  ll empty = (ll)(stages->empty[0].begin - stages->full.begin);
  gg_str_printf(out, "  add.u32 %%bar_empties, %%barriers, %lld;\n", empty);
  if (stages->empties == 1) {
    gg_str_printf(out, "  setp.lt.u32 %%arrives, %%lane, %d;\n", plane);
    if (plane > 1)
      gg_str_puts(out, "  @%arrives mapa.shared::cluster.u32 %bar_empties, %bar_empties, %lane;\n");
    else
      gg_str_puts(out, "  selp.u32 %bar_empties, %bar_empties, 0, %arrives;\n");
    return;
  }
  gg_str_printf(out, "  .reg .b32 %%operand, %%cta, %%cta_m, %%cta_n;\n  .reg .pred %%copies_b;\n");
  gg_ptx_write_split(out, 2, "%operand", "%cta", "%lane", plane);
  gg_ptx_write_split(out, 2, "%cta_n", "%cta_m", "%cta", plan->cluster_m);
  gg_str_printf(out,
                "  setp.eq.u32 %%arrives, %%operand, 0;  // it copies A\n"
                "  setp.eq.and.u32 %%arrives, %%cta_m, %%rank_m, %%arrives;\n"
                "  setp.eq.u32 %%copies_b, %%operand, 1;\n"
                "  setp.eq.and.u32 %%copies_b, %%cta_n, %%rank_n, %%copies_b;\n"
                "  or.pred %%arrives, %%arrives, %%copies_b;\n"
                "  mad.lo.u32 %%bar_empties, %%operand, %lld, %%bar_empties;\n"
                "  @%%arrives mapa.shared::cluster.u32 %%bar_empties, %%bar_empties, %%cta;\n",
                (ll)(stages->empty[1].begin - stages->empty[0].begin));
}

static void bind_consumers(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = stages_of(layouts);
  int frags = gg_plan_block_m(plan) / plan->mma.m;
  bool shares = plan->atoms_m > 1; /* consumers that each have a block of the tile */
  gg_str text = GG_STR_INIT;
  if (shares)
    gg_str_printf(&text,
                  "  .reg .b32 %%first_block;  // of the tile's blocks of %d rows, in descriptors\n"
                  "  mul.lo.u32 %%first_block, %%consumer, %lld;\n",
                  plan->mma.m, (ll)gg_layout_at(&layouts->boxes_a.steps, frags));
  write_arrivals(&text, plan, stages);
  gg_bind_str(out, "arrive_where", &text);
  gg_ptx_write_clear(&text, frags * gg_sm90_mma_registers(plan));
  gg_bind_str(out, "clear", &text);
  gg_bind_text(out, "sum_type", gg_ptx_sum_type(plan));
  gg_ptx_bind_number(out, "accumulators", frags * gg_sm90_mma_registers(plan));
  gg_ptx_bind_number(out, "block_rows", gg_plan_block_m(plan));
  gg_bind_flag(out, "pingpong", plan->pingpong);
  gg_ptx_bind_number(out, "turn_threads", (ll)plan->consumers * 128);
}

gg_status gg_sm90_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                           gg_error *err) {
  gg_ptx_bind_number(out, "threads", plan->threads);
  gg_ptx_bind_number(out, "ctas_per_sm", plan->ctas_per_sm);
  gg_sm90_ptx_bind_arguments(out, plan, layouts);
  gg_sm90_ptx_bind_memory(out, plan, layouts);
  gg_bind_flag(out, "box_of_warps", plan->box_warps > 1);
  gg_ptx_bind_number(out, "box_warps", plan->box_warps);
  bind_tiles(out, plan);
  gg_sm90_ptx_bind_walk(out, plan, layouts);
  bind_producer(out, plan, layouts);
  bind_consumers(out, plan, layouts);
  gg_sm90_ptx_bind_vectors(out, plan, layouts);
  gg_status st = gg_sm90_ptx_bind_multiply(out, plan, layouts, err);
  if (!st) st = gg_sm90_ptx_bind_c(out, plan, layouts, err);
  if (st) return st;
  return gg_sm90_ptx_bind_boxes(out, plan, layouts, err);
}
