/* Family sm90: warpgroup-wide wgmma on operands that TMA brings to shared memory.
 *
 * A CTA computes one tile of D after the other. One warpgroup loads: a thread of it issues the
 * copies of boxes, by tensor maps, into a ring of stages. The other warpgroups, the consumers,
 * multiply: the tile's rows are split among them, and each has all of its columns; or two of them
 * take whole tiles in turns (pingpong), so that one multiplies while the other stores. Accumulators
 * leave through staging buffers of each warp, from which boxes are stored while the next tile is
 * multiplied. CTAs of a cluster share operands: each loads a part, for all.
 *
 * Operands that promise less than 16 bytes of alignment, which tensor maps cannot address, are
 * copied by all warps of the first warpgroup, D is stored by the warps that computed it.
 *
 * It needs sm_90a: wgmma and setmaxnreg are of that architecture alone. This file decides;
 * sm90_tile.c does so for the tile and the warpgroups; derive_sm90.c derives the layouts,
 * emit/sm90.c writes the text. */
#include "plan/sm90.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/transpose.h"

enum {
  line_bytes = 128,     /* the widest swizzle's pattern */
  map_alignment = 16,   /* bytes: what tensor maps take of addresses and strides */
  box_extent_max = 256, /* elements, in each direction */
  fp8_sum_bits = 14,    /* 13 of the fraction: arXiv 2511.10909, and as measured on an H100 */
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

/* A warpgroup's MMA. Sums of 8-bit floats are kept in f32, which promotion adds them up in. */
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

/* The tensor core's sums of 8-bit floats are short; promotion adds them up in registers, unless
 * short sums are asked for. */
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

/* A tensor map wants addresses and strides in multiples of 16 bytes: where nothing is said about
 * alignment, that is promised, whatever packed lines would have. Operands that promise less are
 * copied by threads, 16 bytes at once, and D is stored by them in what it is aligned to. */
static void choose_alignment(gg_operand *operand, const gg_spec_operand *asked) {
  if (asked->align.state == GG_SPEC_SET || operand->align >= map_alignment) return;
  operand->align = map_alignment;
}

static gg_status choose_copies(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  choose_alignment(&plan->a, &spec->a);
  choose_alignment(&plan->b, &spec->b);
  choose_alignment(&plan->d, &spec->d);
  choose_alignment(&plan->c, &spec->c);
  plan->copy_bytes_a = plan->a.align < map_alignment ? map_alignment : 0;
  plan->copy_bytes_b = plan->b.align < map_alignment ? map_alignment : 0;
  plan->access_bytes_d = plan->d.align < map_alignment ? plan->d.align : 0;
  const gg_spec_field *asked = plan->copy_bytes_a ? &spec->a.align : &spec->b.align;
  if (plan->specialised || !gg_sm90_copies_lines(plan)) return GG_OK;
  return gg_refuse(plan, asked,
                   plan->copy_bytes_a ? gg_as_asked(plan, "A aligned to", "B aligned to")
                                      : gg_as_asked(plan, "B aligned to", "A aligned to"),
                   asked->text, "16 beside schedule multistage: it loads by tensor maps alone",
                   err);
}

static gg_status choose_operands(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st = choose_copies(plan, err);
  if (st) return st;
  const gg_spec_operand *inputs[] = {&spec->a, &spec->b};
  const gg_operand *operands[] = {&plan->a, &plan->b};
  const gg_mma_row *row = gg_atoms_row(plan, GG_MMA_SHARED);
  for (int i = 0; i < 2; i++) {
    if (operands[i]->major == GG_MAJOR_K || !row->k_major) continue;
    gg_str has = GG_STR_INIT;
    gg_str_puts(&has, "k: wgmma reads others of ");
    gg_type_set_print(&has, gg_atoms_types_of_any_major(plan), GG_DTYPE_COUNT);
    gg_str_puts(&has, " alone");
    st = gg_refuse(plan, &inputs[i]->major,
                   i == plan->swap_ab ? "A of this type with major" : "B of this type with major",
                   inputs[i]->major.text, gg_str_shown(&has), err);
    gg_str_free(&has);
    return st;
  }
  return GG_OK;
}

/* ---- Boxes ------------------------------------------------------------------------------ */

/* One operand's tile: its swizzle, and whether boxes can bring it. */
static gg_status choose_box(gg_swizzle_kind *out, const gg_plan *plan, const gg_sm90_tile *tile,
                            bool is_a, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  const gg_spec_field *asked = is_a ? &spec->swizzle.a : &spec->swizzle.b;
  const char *name = is_a != plan->swap_ab ? "A" : "B";
  int mn = is_a ? tile->m : tile->n;
  bool k_major = operand->major == GG_MAJOR_K;
  int line = (int)gg_dtype_bytes(operand->type, k_major ? tile->k : mn);
  int lines = k_major ? mn : tile->k;
  gg_status st = gg_choose_swizzle(out, asked, name, line, err);
  if (st) return st;
  if (*out == GG_SWIZZLE_PADDING) {
    return gg_refuse(plan, asked, "swizzle", asked->text, "128B, 64B, 32B and none", err);
  }
  const char *what = !k_major ? "tile K" : is_a != plan->swap_ab ? "tile M" : "tile N";
  const gg_mark *mark = gg_element_mark(&spec->tile, !k_major ? 2 : is_a ? 0 : 1);
  if (lines > box_extent_max) {
    char asked_lines[16], has[64];
    snprintf(asked_lines, sizeof asked_lines, "%d", lines);
    snprintf(has, sizeof has, "%d at most: lines of a tensor map's box", box_extent_max);
    return gg_fail(err, PLAN_UNSUPPORTED, mark, plan->target->family, what, asked_lines, has);
  }
  return gg_check_multiple(what, lines, 8, "lines of a swizzle's pattern", mark, err);
}

/* ---- Pipeline, schedule and epilogue ---------------------------------------------------- */

/* How a warp stages its block of D: boxes of so many columns, one after the other. */
typedef struct staging {
  int columns, buffers;
} staging;

enum { barriers_reserved = 1024 }; /* bytes, more than they ever take */

/* Memory beside the staging buffers and barriers: for stages. */
static int64_t beside_stages(const gg_plan *plan, staging s) {
  int64_t staged = (int64_t)plan->consumers * plan->mma.m * s.columns * s.buffers *
                   gg_sm90_result_bits(plan) / 8;
  return gg_smem_limit(plan) - staged - gg_sm90_sums_bytes_in(plan, s.columns) - barriers_reserved;
}

/* As many stages as fit beside the staging buffers, up to eight; small ones, of problems that wait
 * for memory, up to sixteen, while a CTA loads no more bytes at a time than ever measured faster.
 */
static int fitting_stages(const gg_plan *plan, staging s) {
  enum { usual = 8, twice = 16 };
  const gg_spec_field *asked = &plan->spec->stages;
  int64_t small = (int64_t)plan->device->bytes_enough / gg_sm90_loaded_bytes(plan);
  int64_t most = small < usual ? usual : small > twice ? twice : small;
  if (asked->state == GG_SPEC_SET) most = asked->number;
  int64_t fit = beside_stages(plan, s) / gg_sm90_stage_bytes(plan);
  return (int)(fit > most ? most : fit);
}

/* ---- Staging ---------------------------------------------------------------------------- */

static int staged_boxes(const gg_plan *plan, int columns) {
  return (plan->tile_n + columns - 1) / columns;
}

/* Buffers take turns, the same from tile to tile. A consumer whose tile is stored while the other
 * multiplies has time, and a thread that stores by itself is done then: the memory is better spent
 * on stages. */
static int most_buffers(const gg_plan *plan, int columns) {
  int boxes = gg_plan_block_m(plan) / plan->mma.m * staged_boxes(plan, columns);
  if (boxes <= plan->cluster_k) return 1; /* a warp has one at most */
  return !plan->pingpong && !plan->access_bytes_d && boxes % 2 == 0 ? 2 : 1;
}

/* Columns of boxes that one of a cluster's CTAs along K adds up and stores. */
static int columns_of_a_part(const gg_plan *plan, int columns) {
  int boxes = plan->tile_m / GG_SM90_STAGED_ROWS * staged_boxes(plan, columns);
  return (boxes + plan->cluster_k - 1) / plan->cluster_k * columns;
}

/* In columns: a box takes as long as staging so many more, and a wait for its buffer. */
static double staging_cost(const gg_plan *plan, staging s) {
  double box = plan->device->box_columns, wait = plan->device->buffer_columns;
  return staged_boxes(plan, s.columns) * (s.columns + box + (s.buffers == 1 ? wait : 0));
}

/* Boxes of a power of two of columns, up to 128 bytes, that divides the tile's N. Or of a larger
 * one, for lines of more bytes: the last box then begins within the one before it, and the columns
 * of both are stored twice. So nothing may be read that a store has replaced, but it be fetched
 * before, and no box be another cluster's; and no stage is given up for it. Of a tile whose boxes
 * are divided among the CTAs of a cluster, as many columns as divide them most evenly. */
static staging choose_staging(const gg_plan *plan, const gg_sm90_schedule *schedule, bool fetches) {
  enum { least = 16 };
  int most = line_bytes * 8 / gg_sm90_result_bits(plan);
  int power = plan->tile_n & -plan->tile_n;
  staging best = {.columns = power < most ? power : most};
  while (best.columns > least &&
         columns_of_a_part(plan, best.columns / 2) < columns_of_a_part(plan, best.columns))
    best.columns /= 2;
  best.buffers = most_buffers(plan, best.columns);
  bool once = schedule->reduces_sums || gg_sm90_reads_directly(plan, fetches);
  if (once || plan->d.major != GG_MAJOR_N) return best;
  int stages = fitting_stages(plan, best);
  for (int columns = 2 * power; columns <= most && columns <= plan->tile_n; columns *= 2) {
    for (int buffers = most_buffers(plan, columns); buffers > 0; buffers--) {
      staging s = {columns, buffers};
      bool fits = fitting_stages(plan, s) >= stages;
      if (fits && staging_cost(plan, s) < staging_cost(plan, best)) best = s;
    }
  }
  return best;
}

/* A line of 8-bit elements that a box stores is 16 bytes at least. */
static gg_status check_staging(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st =
      gg_check_unused(plan, &spec->swizzle.d, "swizzle of D", "the widest, by itself", err);
  bool bytes = gg_dtype_info_of(plan->d.type)->bits == 8;
  if (st || plan->d.major != GG_MAJOR_N || !bytes) return st;
  return gg_check_multiple(gg_as_asked(plan, "tile N", "tile M"), plan->tile_n, 16,
                           "16 bytes of D: a line of a box", gg_element_mark(&spec->tile, 1), err);
}

/* ---- Memory ----------------------------------------------------------------------------- */

/* The ring of stages, and the staging beside it. */
typedef struct memory {
  staging staged;
  bool fetches;
  int stages;
} memory;

static gg_status choose_stages(int *out, const gg_plan *plan, staging staged, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->stages;
  int fit = fitting_stages(plan, staged);
  *out = asked->state == GG_SPEC_SET ? (int)asked->number : fit < 2 ? 2 : fit;
  if (*out >= 2 || !plan->specialised) return GG_OK;
  return gg_fail(err, PLAN_STAGES, &asked->mark, *out);
}

/* All that is fetched for a tile is in the ring together; and consumers in turns, which await it
 * while their last MMAs run, have the stage that these read. */
static bool fits_fetched(const gg_plan *plan, const memory *m) {
  gg_fetched all[GG_FETCHED_MAX];
  size_t count = gg_sm90_fetched_in(all, plan, m->staged.columns);
  return count > 0 && gg_sm90_stages_of(all, count) <= m->stages - plan->pingpong;
}

static memory choose_memory(gg_status *st, const gg_plan *plan, const gg_sm90_schedule *schedule,
                            gg_error *err) {
  memory out = {.fetches = false};
  for (int fetches = 1; fetches >= 0; fetches--) {
    out = (memory){.staged = choose_staging(plan, schedule, fetches), .fetches = fetches};
    *st = choose_stages(&out.stages, plan, out.staged, err);
    if (*st || (fetches && fits_fetched(plan, &out))) break;
  }
  return out;
}

/* As many as the registers hold that accumulators leave; whole lines of matrices of 32 bits. */
static int columns_read(const gg_plan *plan, const memory *m) {
  enum { most = 32, few = 16, others = 40 };
  int least = m->staged.columns % 16 ? 8 : 16;
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t count = m->fetches ? gg_sm90_fetched_in(fetched, plan, m->staged.columns) : 0;
  for (size_t i = 0; i < count; i++) {
    bool halves = gg_sm90_cells_of(&fetched[i].operand, fetched[i].line) == GG_SM90_CELLS_HALVES;
    if (halves && fetched[i].line > least) least = fetched[i].line;
  }
  int left = plan->consumer_registers - gg_sm90_accumulator_registers(plan) - others;
  int room = left < most ? few : most;
  gg_result results[GG_RESULTS_MAX];
  if (gg_sm90_results_in(results, plan, m->staged.columns, count) > 1)
    room = few / 2; /* of a box all are held at once */
  return gg_columns_read(plan, m->staged.columns, least, room);
}

/* How many K tiles threads begin to copy before they see to one that has arrived. Two stages are
 * the consumers': they give one back when the next one's MMAs are issued. */
static int copies_ahead(const gg_plan *plan, int stages) {
  if (!gg_sm90_copies_lines(plan)) return 0;
  return stages > 2 ? (stages + 1) / 4 : 0;
}

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused all[] = {
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->accumulator_stages, "accumulator_stages", "accumulators in registers, one set"},
      {&spec->permutation, "permutation", "one contiguous block of rows a warpgroup: auto"},
  };
  return gg_check_all_unused(plan, all, sizeof all / sizeof *all, err);
}

/* ---- The plan --------------------------------------------------------------------------- */

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

/* What the stages leave for vectors and all barriers. */
static int64_t left_for_vectors(const gg_plan *plan, const memory *m) {
  int64_t beside = beside_stages(plan, m->staged) + barriers_reserved;
  return beside - m->stages * gg_sm90_stage_bytes(plan);
}

static void put_memory(gg_plan *plan, const memory *m) {
  plan->epi_m = GG_SM90_STAGED_ROWS;
  plan->epi_n = m->staged.columns;
  plan->epi_buffers = m->staged.buffers;
  plan->read_n = columns_read(plan, m);
  plan->fetches = m->fetches;
  plan->stages = m->stages;
  plan->copies_ahead = copies_ahead(plan, m->stages);
  plan->vector_buffers = gg_sm90_choose_vectors(plan, left_for_vectors(plan, m));
}

/* Types, copies and operations: what the steps below find in the plan. How many MMAs are to be
 * summed before they are promoted. */
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

/* Who computes which tile; the plan then has it. */
static gg_sm90_schedule choose_tiles(gg_status *st, gg_plan *plan, int promote, gg_error *err) {
  gg_sm90_schedule none = {.splits = 0};
  const gg_sm90_tile tile = gg_sm90_choose_tile(st, plan, promote > 0, err);
  if (*st) return none;
  const gg_sm90_workers workers = gg_sm90_choose_workers(st, plan, &tile, err);
  if (*st) return none;
  const gg_sm90_sums sums = gg_sm90_choose_sums(st, plan, &tile, promote, err);
  if (*st) return none;
  const gg_sm90_cluster cluster = gg_sm90_choose_cluster(plan, &tile);
  const gg_sm90_schedule schedule = gg_sm90_choose_schedule(plan, cluster);
  const gg_sm90_registers registers =
      gg_sm90_choose_registers(st, plan, &tile, &workers, &sums, &schedule, err);
  if (*st || (*st = gg_sm90_check_cluster(plan, cluster, err))) return none;
  if ((*st = choose_box(&plan->swizzle_a, plan, &tile, true, err))) return none;
  if ((*st = choose_box(&plan->swizzle_b, plan, &tile, false, err))) return none;
  *st = gg_sm90_check_schedule(plan, &tile, &workers, cluster, &schedule, err);
  if (*st) return none;
  const gg_order order = gg_sm90_choose_order(st, plan, &tile, cluster, err);
  if (*st) return none;
  put_tile(plan, &tile, &workers);
  put_schedule(plan, cluster, &schedule, &order);
  put_registers(plan, &sums, &registers);
  return schedule;
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_status st;
  const int promote = choose_problem(&st, plan, err);
  if (st) return st;
  const gg_sm90_schedule schedule = choose_tiles(&st, plan, promote, err);
  if (st || (st = check_staging(plan, err))) return st;
  const memory m = choose_memory(&st, plan, &schedule, err);
  if (st) return st;
  put_memory(plan, &m);
  return GG_OK;
}

/* Boxes of the ring bring matrices, and warps of the producer's vectors. Lines of A and B that
 * warps copy push those of C out of the L1 cache, where a row of C is read in many pieces. */
static void move_fetched(gg_epilogue_work *out, const gg_plan *plan) {
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

/* A warpgroup's MMA reads its rows of A, and all of B, from shared memory. Of a K step's additions
 * of sums that are promoted less shows where a consumer has two sets of sums, and where the others
 * multiply, which are seldom all in step. */
static void traits(gg_traits *out, const gg_plan *plan, const gg_device_model *device) {
  out->reads_a = (double)plan->tile_n / plan->mma.n;
  out->reads_b = (double)plan->tile_m / plan->mma.m;
  out->owners = plan->pingpong ? 1 : plan->consumers;
  out->tensor_share = out->owners > 2 ? device->third_share : 1;
  if (plan->promote) out->promotions = (double)plan->tile_k / (plan->mma.k * plan->promote);
  out->promotions_hidden = plan->sum_sets * out->owners * out->owners;
  if (plan->copy_bytes_a && plan->copy_bytes_b) out->loader = GG_LOADER_WARPS;
  if (plan->pingpong) out->overlap = GG_OVERLAP_TURNS;
  move_fetched(&out->epilogue, plan);
}

/* The two differ in their skeletons: who loads. */
const gg_target gg_target_sm90 = {
    .id = GG_TARGET_SM90,
    .name = "sm90",
    .family = "sm90",
    .summary = "warp-specialised wgmma fed by TMA, sm_90a",
    .worker = "warpgroup",
    .least = {.number = 90, .suffix = 'a'},
    .int32_coordinates = true,
    .promotes = true,
    .has_atom = has_atom,
    .accepts = accepts,
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
    .least = {.number = 90, .suffix = 'a'},
    .int32_coordinates = true,
    .promotes = true,
    .has_atom = has_atom,
    .accepts = accepts_multistage,
    .swaps_ab = gg_sm90_swaps_ab,
    .choose = choose,
    .derive = gg_sm90_derive,
    .traits = traits,
};
