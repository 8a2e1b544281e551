/* Family sm90: warpgroup-wide wgmma on operands that TMA brings to shared memory.
 *
 * A CTA computes one tile of D after the other. One warpgroup loads: one of its threads issues the
 * copies of boxes, by tensor maps, into a ring of stages. The other warpgroups, the consumers,
 * multiply. Either they share each tile: its rows are split among them, and each has all of its
 * columns. Or two of them take whole tiles in turns (pingpong), so that one multiplies while the
 * other stores. Accumulators leave through staging buffers of each warp, from which boxes are
 * stored while the next tile is multiplied. CTAs of a cluster share operands: each loads a part for
 * all of them.
 *
 * Operands that promise less than 16 bytes of alignment cannot be addressed by tensor maps. All
 * warps of the first warpgroup copy these, and such a D is stored by the warps that computed it.
 *
 * The family needs sm_90a, because wgmma and setmaxnreg exist only there. This file decides, with
 * sm90_tile.c for the tile and the warpgroups; derive_sm90.c derives the layouts, emit/sm90.c
 * writes the text. */
#include "plan/sm90.h"

#include <math.h>
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/map_sets.h"
#include "plan/narrow.h"
#include "plan/transpose.h"

enum {
  line_bytes = 128,   /* bytes of a line of the widest swizzle's pattern */
  map_alignment = 16, /* bytes: what tensor maps take of addresses and strides */
  fp8_sum_bits = 14,  /* 13 of the fraction: arXiv 2511.10909, and as measured on an H100 */
};

static bool is_sm90a(const gg_spec *spec) {
  return spec->arch.arch.number == 90 && spec->arch.arch.suffix == 'a';
}

static bool asks_multistage(const gg_spec *spec) {
  return spec->schedule.state == GG_SPEC_SET && spec->schedule.number == GG_SCHEDULE_MULTISTAGE;
}

static bool accepts(const gg_spec *spec) {
  return is_sm90a(spec) && !asks_multistage(spec);
}

static bool accepts_multistage(const gg_spec *spec) {
  return is_sm90a(spec) && asks_multistage(spec);
}

/* ---- Types ------------------------------------------------------------------------------ */

/* The family's atoms: MMAs of a warpgroup. Sums of 8-bit floats must be in f32, in which promotion
 * adds them up. */
static bool has_atom(const gg_mma_row *row) {
  if (row->kind != GG_MMA_wgmma) return false;
  bool short_sums = gg_dtype_is_fp8(row->a) && row->c != GG_DTYPE_f32;
  return !short_sums && gg_mma_row_is_plain(row);
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  gg_status st = gg_choose_inputs(plan, err);
  if (!st) st = gg_choose_accumulator(plan, err);
  plan->accumulator_bits = gg_dtype_is_fp8(plan->a.type) ? fp8_sum_bits : 0;
  return st;
}

/* The tensor core keeps too few bits in its sums of 8-bit floats. So these are promoted: added up
 * in registers, unless the spec asks for short sums. */
static gg_status choose_promotion(int *out, const gg_plan *plan, gg_error *err) {
  enum { usual = 4 /* 128 of K; fewer where the tile's K has no whole ones: sm90_tile.c */ };
  const gg_spec_field *asked = &plan->spec->promote, *schedule = &plan->spec->schedule;
  bool chosen = asked->state == GG_SPEC_SET;
  *out = chosen ? (int)asked->number : gg_dtype_is_fp8(plan->a.type) ? usual : 0;
  if (*out == 0) return GG_OK;
  if (!chosen && !plan->specialised) {
    return gg_refuse(plan, schedule, "full sums of 8-bit floats beside schedule", schedule->text,
                     "short ones there, `promote: 0`, and full ones with a warpgroup that loads",
                     err);
  }
  if (!gg_dtype_is_fp8(plan->a.type)) {
    return gg_refuse_type(plan, asked, "promote with operands of type", plan->a.type,
                          "e4m3 and e5m2: sums of others are as long as the accumulator", err);
  }
  if (plan->specialised) return GG_OK;
  return gg_refuse(plan, asked, "promote", "beside schedule multistage",
                   "the schedules with a warpgroup that loads", err);
}

/* Chooses an operand's alignment. A tensor map needs addresses and strides in multiples of 16
 * bytes. If the spec says nothing about alignment, these are assumed to be promised, whatever
 * packed lines would have. Operands that promise less are copied by threads, 16 bytes at once, and
 * such a D is stored by threads in units of its alignment. */
static void choose_alignment(gg_operand *operand, const gg_spec_operand *asked) {
  if (asked->align.state == GG_SPEC_SET || operand->align >= map_alignment) return;
  operand->align = map_alignment;
}

/* Chooses how D is stored: in boxes if tensor maps can address its lines, unless the spec asks for
 * lanes. */
static gg_status choose_store(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->d.store;
  bool chosen = asked->state == GG_SPEC_SET, lanes = chosen && asked->number == GG_STORE_LANES;
  bool mapped = plan->d.align >= map_alignment;
  plan->access_bytes_d = mapped && !lanes ? 0 : gg_access_bytes(plan->d);
  if (mapped || lanes || !chosen) return GG_OK;
  char align[16];
  snprintf(align, sizeof align, "%d", plan->d.align);
  return gg_refuse(plan, asked, "boxes for a D aligned to", align,
                   "lanes for it, and boxes from 16 bytes on", err);
}

gg_status gg_sm90_choose_copies(gg_plan *plan, bool may_copy_lines, gg_error *err) {
  const gg_spec *spec = plan->spec;
  choose_alignment(&plan->a, &spec->a);
  choose_alignment(&plan->b, &spec->b);
  choose_alignment(&plan->d, &spec->d);
  choose_alignment(&plan->c, &spec->c);
  plan->copy_bytes_a = plan->a.align < map_alignment ? map_alignment : 0;
  plan->copy_bytes_b = plan->b.align < map_alignment ? map_alignment : 0;
  gg_status st = choose_store(plan, err);
  if (st) return st;
  const gg_spec_field *asked = plan->copy_bytes_a ? &spec->a.align : &spec->b.align;
  if (may_copy_lines || !gg_sm90_copies_lines(plan)) return GG_OK;
  return gg_refuse(plan, asked,
                   plan->copy_bytes_a ? gg_as_asked(plan, "A aligned to", "B aligned to")
                                      : gg_as_asked(plan, "B aligned to", "A aligned to"),
                   asked->text,
                   plan->specialised
                       ? "16: it loads by tensor maps alone"
                       : "16 beside schedule multistage: it loads by tensor maps alone",
                   err);
}

static gg_status choose_operands(gg_plan *plan, gg_error *err) {
  gg_status st = gg_sm90_choose_copies(plan, plan->specialised, err);
  if (!st) st = gg_sm90_check_transposed(plan, err);
  return st ? st : gg_plan_check_map_sets(plan, err);
}

/* ---- Boxes ------------------------------------------------------------------------------ */

/* Checks lines along M or N of an operand's tile. They must be 16 bytes at least, or whole lines of
 * the widest pattern if no other swizzle will do. A CTA of a pair has half of B's lines. */
static gg_status check_line(const gg_plan *plan, const gg_sm90_tile *tile, bool is_a,
                            gg_error *err) {
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  if (gg_sm90_is_k_major(plan, operand)) return GG_OK;
  int least_bytes = gg_plan_swizzles_wide(plan, operand) ? line_bytes : 16;
  int unit = (int)gg_dtype_unit(operand->type, least_bytes);
  bool halves = !is_a && plan->cta_group > 1, split = !is_a && gg_plan_splits_columns(plan);
  const char *what = is_a != plan->swap_ab ? "tile M" : "tile N";
  int mmas = is_a ? 1 : tile->n / tile->mma_columns;
  char why[96], of_mmas[32] = "";
  if (mmas > 1) snprintf(of_mmas, sizeof of_mmas, "%d MMAs x ", mmas);
  snprintf(why, sizeof why, "%s%s%s%d bytes of a line of a box", of_mmas, halves ? "2 CTAs x " : "",
           split ? "2 halves of N x " : "", least_bytes);
  int lines = mmas * (halves ? 2 : 1) * (split ? 2 : 1);
  return gg_check_multiple(what, is_a ? tile->m : tile->n, lines * unit, why,
                           gg_element_mark(&plan->spec->tile, is_a ? 0 : 1), err);
}

/* Chooses the swizzle of one operand's tile, and checks that boxes can bring it. */
static gg_status choose_box(gg_swizzle_kind *out, const gg_plan *plan, const gg_sm90_tile *tile,
                            bool is_a, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  const gg_spec_field *asked = is_a ? &spec->swizzle.a : &spec->swizzle.b;
  const char *name = is_a != plan->swap_ab ? "A" : "B";
  /* A box of B is for one MMA. */
  int mn = is_a ? tile->m : gg_plan_rows_of_b(plan, tile->mma_columns);
  int k = is_a ? gg_plan_k_of_a(plan, tile->k) : tile->k;
  bool k_major = gg_sm90_is_k_major(plan, operand);
  bool split = !is_a && !k_major && gg_plan_splits_columns(plan);
  int across = split ? gg_sm90_split_most(plan, mn) : mn;
  int line = (int)gg_plan_smem_bytes(plan, operand->type, k_major ? k : across);
  int lines = k_major ? mn : k;
  gg_status st = gg_choose_swizzle(out, asked, name, line, err);
  if (st) return st;
  if (*out == GG_SWIZZLE_PADDING) {
    return gg_refuse(plan, asked, "swizzle", asked->text, "128B, 64B, 32B and none", err);
  }
  if (gg_plan_swizzles_wide(plan, operand) && *out != GG_SWIZZLE_128B)
    return gg_refuse(plan, asked, "swizzle of 32-bit elements along M or N", asked->text,
                     "128B, in units of 32 bytes", err);
  const char *what = !k_major ? "tile K" : is_a != plan->swap_ab ? "tile M" : "tile N";
  const gg_mark *mark = gg_element_mark(&spec->tile, !k_major ? 2 : is_a ? 0 : 1);
  if (lines > GG_BOX_EXTENT_MAX) {
    char asked_lines[16], has[64];
    snprintf(asked_lines, sizeof asked_lines, "%d", lines);
    snprintf(has, sizeof has, "%d at most: lines of a tensor map's box", GG_BOX_EXTENT_MAX);
    return gg_fail(err, PLAN_UNSUPPORTED, mark, plan->target->family, what, asked_lines, has);
  }
  st = gg_check_multiple(what, lines, 8, "lines of a swizzle's pattern", mark, err);
  if (st || !gg_sm90_transposes(plan, operand)) return st;
  return gg_sm90_check_transposed_tile(plan, tile, is_a, *out, err);
}

/* Columns of one line of a box of B: all of one half of N. */
static int split_columns(const gg_plan *plan, int tile_n) {
  if (gg_sm90_transposes(plan, &plan->b)) return gg_sm90_raw_width(plan, false, tile_n);
  return gg_sm90_pattern_width(plan->swizzle_b) * 8 / gg_dtype_info_of(plan->b.type)->bits;
}

gg_status gg_sm90_choose_boxes(gg_plan *plan, const gg_sm90_tile *tile, gg_error *err) {
  gg_status st;
  if ((st = check_line(plan, tile, true, err))) return st;
  if ((st = check_line(plan, tile, false, err))) return st;
  if ((st = gg_sm90_check_split(plan, err))) return st;
  if ((st = choose_box(&plan->swizzle_a, plan, tile, true, err))) return st;
  if ((st = choose_box(&plan->swizzle_b, plan, tile, false, err))) return st;
  if (gg_sm90_halves_tile(plan))
    plan->split_columns = tile->n / 2;
  else if (gg_plan_splits_columns(plan))
    plan->split_columns = split_columns(plan, tile->n);
  return GG_OK;
}

/* ---- The plan --------------------------------------------------------------------------- */

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused all[] = {
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->accumulator_stages, "accumulator_stages", "accumulators in registers, one set"},
      {&spec->permutation, "permutation", "one contiguous block of rows a warpgroup: auto"},
  };
  return gg_check_all_unused(plan, all, sizeof all / sizeof *all, err);
}

static void put_tile(gg_plan *plan, const gg_sm90_tile *tile, const gg_sm90_workers *workers) {
  plan->tile_m = tile->m;
  plan->tile_n = tile->n;
  plan->tile_k = tile->k;
  plan->mma = tile->mma;
  plan->a_in_registers = tile->a_in_registers;
  plan->pingpong = workers->pingpong;
  plan->atoms_m = workers->atoms_m;
  plan->atoms_n = 1;
  plan->consumers = workers->consumers;
  plan->threads = workers->threads;
}

static void put_schedule(gg_plan *plan, gg_sm90_cluster cluster, const gg_sm90_schedule *schedule,
                         const gg_order *order) {
  plan->cluster_m = cluster.m;
  plan->cluster_n = cluster.n;
  plan->cluster_k = cluster.k;
  plan->scheduler = schedule->scheduler;
  plan->splits = schedule->splits;
  gg_plan_put_order(plan, order);
}

static void put_registers(gg_plan *plan, const gg_sm90_sums *sums,
                          const gg_sm90_registers *registers) {
  plan->promote = sums->promote;
  plan->ctas_per_sm = registers->ctas_per_sm;
  plan->producer_registers = registers->producer;
  plan->consumer_registers = registers->consumer;
  plan->sum_sets = registers->sum_sets;
}

/* Decides types, copies and operations, which the steps below find in the plan. Returns how many
 * MMAs are to be summed before their sum is promoted. */
static int choose_problem(gg_status *st, gg_plan *plan, gg_error *err) {
  int promote = 0;
  plan->specialised = !asks_multistage(plan->spec);
  if ((*st = choose_types(plan, err))) return 0;
  if ((*st = choose_promotion(&promote, plan, err))) return 0;
  if ((*st = choose_operands(plan, err))) return 0;
  if ((*st = gg_choose_operations(plan, plan->accumulator, err))) return 0;
  *st = refuse_unused(plan, err);
  return promote;
}

/* Refuses the dynamic scheduler: only since sm_100 can a cluster take over the work of one that has
 * not begun. */
static gg_status refuse_dynamic(const gg_plan *plan, const gg_sm90_schedule *schedule,
                                gg_error *err) {
  if (schedule->scheduler != GG_SCHEDULER_DYNAMIC) return GG_OK;
  return gg_refuse(
      plan, &plan->spec->scheduler.kind, "scheduler", "dynamic",
      "persistent, data_parallel, split_k and stream_k: clusters cannot take over each "
      "other's work before sm_100",
      err);
}

/* Who computes which tile, and in which registers. */
typedef struct share_of_work {
  gg_sm90_tile tile;
  gg_sm90_workers workers;
  gg_sm90_sums sums;
  gg_sm90_cluster cluster;
  gg_sm90_schedule schedule;
  gg_sm90_registers registers;
} share_of_work;

static share_of_work choose_share(gg_status *st, const gg_plan *plan, int promote, int too_large,
                                  gg_error *err) {
  share_of_work w = {.tile = gg_sm90_choose_tile(st, plan, promote > 0, too_large, err)};
  if (!*st) w.workers = gg_sm90_choose_workers(st, plan, &w.tile, err);
  if (!*st) w.sums = gg_sm90_choose_sums(st, plan, &w.tile, promote, err);
  if (*st) return w;
  w.cluster = gg_sm90_choose_cluster(plan, &w.tile);
  w.schedule = gg_sm90_choose_schedule(plan, w.cluster);
  w.registers = gg_sm90_choose_registers(st, plan, &w.tile, &w.workers, &w.sums, &w.schedule, err);
  return w;
}

/* The largest of the usual tiles that is possible with everything else that is asked: one warpgroup
 * to a tile, or several CTAs on a multiprocessor, leave fewer registers for it. If none is
 * possible, the error says why the largest is not. */
static share_of_work choose_usual(gg_status *st, const gg_plan *plan, int promote, gg_error *err) {
  bool asked = plan->spec->tile.state == GG_SPEC_SET;
  for (int too_large = 0; !asked && too_large < GG_SM90_USUAL_TILES; too_large++) {
    share_of_work w = choose_share(st, plan, promote, too_large, NULL);
    if (!*st) return w;
  }
  return choose_share(st, plan, promote, 0, err);
}

/* Decides who computes which tile, and puts it into the plan. */
static gg_sm90_schedule choose_tiles(gg_status *st, gg_plan *plan, int promote, gg_error *err) {
  gg_sm90_schedule none = {.splits = 0};
  const share_of_work w = choose_usual(st, plan, promote, err);
  if (*st || (*st = gg_sm90_check_cluster(plan, w.cluster, err))) return none;
  if ((*st = gg_sm90_choose_boxes(plan, &w.tile, err))) return none;
  *st = gg_sm90_check_schedule(plan, &w.tile, &w.workers, w.cluster, &w.schedule, err);
  if (*st) return none;
  if ((*st = refuse_dynamic(plan, &w.schedule, err))) return none;
  const gg_order order = gg_sm90_choose_order(st, plan, &w.tile, w.cluster, &w.schedule, err);
  if (*st) return none;
  put_tile(plan, &w.tile, &w.workers);
  put_schedule(plan, w.cluster, &w.schedule, &order);
  put_registers(plan, &w.sums, &w.registers);
  return w.schedule;
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_status st;
  const int promote = choose_problem(&st, plan, err);
  if (st) return st;
  const gg_sm90_schedule schedule = choose_tiles(&st, plan, promote, err);
  if (st || (st = gg_sm90_check_staging(plan, err))) return st;
  const gg_sm90_memory m = gg_sm90_choose_memory(&st, plan, &schedule, err);
  if (st) return st;
  gg_sm90_put_memory(plan, &m);
  return GG_OK;
}

/* Matrices come in boxes of the ring, vectors by warps of the producer's warpgroup. If warps copy
 * lines of A and B, these push C's lines out of the L1 cache, where a row of C is read in many
 * pieces. */
void gg_sm90_move_fetched(gg_epilogue_work *out, const gg_plan *plan) {
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t count = gg_sm90_fetched(fetched, plan);
  for (size_t i = 0; i < count; i++) {
    double bytes = gg_dtype_info_of(fetched[i].operand.type)->bits / 8.0;
    out->read -= bytes;
    out->fetched += bytes;
  }
  if (plan->vector_buffers) out->vectors = 0;
  out->crowded = gg_sm90_copies_lines(plan) && plan->d.major == GG_MAJOR_N;
}

enum { copying_warps = 4 };

/* Copies are counted in strips: the part of a line that lies in one box, which is as wide as the
 * swizzle's pattern. A warp copies 32 strips of an operand's K tile at once. */
static double strips_of(const gg_plan *plan, gg_dtype type, gg_swizzle_kind swizzle, int lines) {
  return (double)gg_plan_smem_bytes(plan, type, (int64_t)lines * plan->tile_k) /
         gg_sm90_pattern_width(swizzle);
}

/* B's strips begin with the warp after the one that copies the last of A's. */
int gg_sm90_first_copier_of_b(const gg_plan *plan) {
  if (!plan->copy_bytes_a || !plan->copy_bytes_b) return 0;
  double strips = strips_of(plan, plan->a.type, plan->swizzle_a, plan->tile_m);
  return (int)ceil(strips / GG_WARP) % copying_warps;
}

/* How many strips the busiest of the copying warps has, divided by their mean. */
static double unevenness(const gg_plan *plan) {
  double a = strips_of(plan, plan->a.type, plan->swizzle_a, plan->tile_m) / GG_WARP,
         b = strips_of(plan, plan->b.type, plan->swizzle_b, gg_plan_rows_of_b(plan, plan->tile_n)) /
             GG_WARP;
  double busiest = ceil((ceil(a) + ceil(b)) / copying_warps);
  return busiest * copying_warps / (a + b);
}

/* Whether the operand's lines continue in the next K tile where they ended in this one, in the same
 * thread (templates/parts/sm90_lines.cu). */
static bool goes_on(const gg_plan *plan, const gg_operand *operand, gg_swizzle_kind swizzle) {
  int64_t bytes = gg_plan_smem_bytes(plan, operand->type, plan->tile_k);
  return operand->major == GG_MAJOR_K && bytes <= gg_swizzle_bytes(swizzle);
}

void gg_sm90_put_copiers(gg_traits *out, const gg_plan *plan) {
  if (!plan->copy_bytes_a || !plan->copy_bytes_b) return;
  out->loader = GG_LOADER_WARPS;
  out->uneven = unevenness(plan);
  out->heads =
      !goes_on(plan, &plan->a, plan->swizzle_a) + !goes_on(plan, &plan->b, plan->swizzle_b);
}

/* The work of transposing, in bytes of 32-bit words: four times the busiest warp's part of the
 * boxes of A or B. 8-bit elements take extra instructions. */
static double transposing(const gg_plan *plan, const gg_sm90_raw_boxes *boxes) {
  enum { box_bytes_a_warp = 4096 };
  double rounds = ceil((double)boxes->count * boxes->warps / copying_warps);
  double each = gg_dtype_info_of(plan->a.type)->bits == 8 ? 1.5 : 1;
  return rounds * copying_warps * box_bytes_a_warp * each;
}

static void put_transposed(gg_traits *out, const gg_plan *plan) {
  for (int is_a = 0; is_a < 2; is_a++) {
    if (!gg_sm90_transposes(plan, is_a ? &plan->a : &plan->b)) continue;
    const gg_sm90_raw_boxes boxes = gg_sm90_raw_boxes_of(plan, is_a);
    out->transposed += (double)boxes.bytes;
    out->transposing += transposing(plan, &boxes);
  }
}

/* What the model asks. A warpgroup's MMA reads its rows of A, and all of B, from shared memory. The
 * additions of promoted sums in a K step show less if a consumer has two sets of sums, and if other
 * consumers multiply meanwhile, as consumers are seldom all in step. */
static void traits(gg_traits *out, const gg_plan *plan, int arch) {
  (void)arch;
  out->reads_a = (double)plan->tile_n / plan->mma.n;
  out->reads_b = (double)plan->tile_m / plan->mma.m;
  out->owners = plan->pingpong ? 1 : plan->consumers;
  if (out->owners > 2) out->tensor_share = gg_device_times(1, GG_DEVICE_third_share);
  if (plan->promote) out->promotions = (double)plan->tile_k / (plan->mma.k * plan->promote);
  out->promotions_hidden = plan->sum_sets * out->owners * out->owners;
  gg_sm90_put_copiers(out, plan);
  put_transposed(out, plan);
  if (plan->pingpong) out->overlap = GG_OVERLAP_TURNS;
  out->stores_units = plan->access_bytes_d >= map_alignment;
  out->buffer_waits = gg_sm90_buffer_waits(plan);
  gg_sm90_move_fetched(&out->epilogue, plan);
}

/* The two targets differ in their skeletons: in who loads. */
const gg_target gg_target_sm90 = {
    .id = GG_TARGET_SM90,
    .name = "sm90",
    .family = "sm90",
    .summary = "warp-specialised wgmma fed by TMA, sm_90a",
    .worker = "warpgroup",
    .pointers = true,
    .gates = true,
    .claims = true,
    .traces = true,
    .least = {.number = 90, .suffix = 'a'},
    .int32_coordinates = true,
    .promotes = true,
    .has_atom = has_atom,
    .accepts = accepts,
    .sum_boxes = gg_mma_sum_boxes,
    .swaps_ab = gg_sm90_swaps_ab,
    .choose = choose,
    .derive = gg_sm90_derive,
    .traits = traits,
};

const gg_target gg_target_sm90_multistage = {
    .id = GG_TARGET_SM90_MULTISTAGE,
    .name = "sm90_multistage",
    .family = "sm90",
    .summary = "wgmma fed by TMA, every warpgroup alike, sm_90a",
    .worker = "warpgroup",
    .gates = true,
    .traces = true,
    .least = {.number = 90, .suffix = 'a'},
    .int32_coordinates = true,
    .promotes = true,
    .has_atom = has_atom,
    .accepts = accepts_multistage,
    .sum_boxes = gg_mma_sum_boxes,
    .swaps_ab = gg_sm90_swaps_ab,
    .choose = choose,
    .derive = gg_sm90_derive,
    .traits = traits,
};
