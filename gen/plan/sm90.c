/* Family sm90: warpgroup-wide wgmma on operands that TMA brings to shared memory.
 *
 * A CTA computes one tile of D after the other. One warpgroup loads: a thread of it issues the
 * copies of boxes, by tensor maps, into a ring of stages. The other warpgroups, the consumers,
 * multiply: the tile's rows are split among them, and each has all of its columns; or two of them
 * take whole tiles in turns (pingpong), so that one multiplies while the other stores. Accumulators
 * leave through staging buffers of each warp, from which boxes are stored while the next tile is
 * multiplied. CTAs of a cluster share operands: each loads a part, for all.
 *
 * It needs sm_90a: wgmma and setmaxnreg are of that architecture alone. This file decides;
 * derive_sm90.c derives the layouts, emit/sm90.c writes the text. */
#include "plan/sm90.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "plan/choices.h"

enum {
  warpgroup = 128,      /* threads */
  block_m = 64,         /* rows of a wgmma */
  line_bytes = 128,     /* the widest swizzle's pattern, and K a step where none is asked for */
  map_alignment = 16,   /* bytes: what tensor maps take of addresses and strides */
  box_extent_max = 256, /* elements, in each direction */
  fp8_sum_bits = 14,    /* 13 of the fraction: arXiv 2511.10909, and as measured on an H100 */
};

static bool accepts(const gg_spec *spec) {
  const gg_spec_field *schedule = &spec->schedule;
  bool multistage = schedule->state == GG_SPEC_SET && schedule->number == GG_SCHEDULE_MULTISTAGE;
  return spec->arch.arch.number == 90 && spec->arch.arch.suffix == 'a' && !multistage;
}

static gg_status unsupported(const gg_plan *plan, const gg_spec_field *field, const char *what,
                             const char *asked, const char *instead, gg_error *err) {
  return gg_fail(err, PLAN_UNSUPPORTED, &field->mark, plan->target->family, what, asked, instead);
}

/* ---- Types and the MMA ------------------------------------------------------------------ */

static bool is_half(gg_dtype type) {
  return type == GG_DTYPE_f16 || type == GG_DTYPE_bf16;
}

static bool is_fp8(gg_dtype type) {
  return type == GG_DTYPE_e4m3 || type == GG_DTYPE_e5m2;
}

static bool is_int8(gg_dtype type) {
  return type == GG_DTYPE_s8 || type == GG_DTYPE_u8;
}

static gg_status choose_inputs(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_dtype a = plan->a.type, b = plan->b.type;
  if (!is_half(a) && !is_fp8(a) && !is_int8(a) && a != GG_DTYPE_tf32) {
    return gg_refuse_type(plan, &spec->a.type, "A of type", a,
                          "f16, bf16, tf32, e4m3, e5m2, s8 and u8", err);
  }
  if (is_fp8(a) ? !is_fp8(b) : is_int8(a) ? !is_int8(b) : b != a) {
    return gg_refuse_type(plan, &spec->b.type, "B of type", b,
                          is_fp8(a)    ? "e4m3 and e5m2 beside an 8-bit float"
                          : is_int8(a) ? "s8 and u8 beside an 8-bit integer"
                                       : "the type of A",
                          err);
  }
  return GG_OK;
}

/* Accumulators, and what they are converted to. */
static gg_status choose_results(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *asked = &spec->accumulator;
  bool integers = is_int8(plan->a.type), half = plan->a.type == GG_DTYPE_f16;
  gg_dtype usual = integers ? GG_DTYPE_s32 : GG_DTYPE_f32;
  plan->accumulator = asked->state == GG_SPEC_SET ? (gg_dtype)asked->number : usual;
  if (plan->accumulator != usual && !(half && plan->accumulator == GG_DTYPE_f16)) {
    return gg_refuse_type(plan, asked, "accumulator of type", plan->accumulator,
                          integers ? "s32 for integers"
                          : half   ? "f32 and f16 for f16 operands"
                                   : "f32 for these operands",
                          err);
  }
  plan->accumulator_bits = is_fp8(plan->a.type) ? fp8_sum_bits : 0;
  gg_dtype d = plan->d.type;
  bool has = integers ? d == GG_DTYPE_s32 || d == GG_DTYPE_s8
                      : is_half(d) || d == GG_DTYPE_f32 || is_fp8(d);
  if (!has) {
    return gg_refuse_type(plan, &spec->d.type, "D of type", d,
                          integers ? "s32 and s8 from integers" : "f16, bf16, f32, e4m3 and e5m2",
                          err);
  }
  if (plan->has_c && integers) {
    return unsupported(plan, &spec->c.here, "C", "beside integers", "D = A * B of integers", err);
  }
  if (plan->has_c && !is_half(plan->c.type) && plan->c.type != GG_DTYPE_f32) {
    return gg_refuse_type(plan, &spec->c.type, "C of type", plan->c.type, "f16, bf16 and f32", err);
  }
  return GG_OK;
}

/* A tensor map wants addresses and strides in multiples of 16 bytes: where nothing is said about
 * alignment, that is promised, whatever packed lines would have. */
static gg_status choose_alignment(const gg_plan *plan, gg_operand *operand,
                                  const gg_spec_operand *asked, const char *what, gg_error *err) {
  if (asked->align.state != GG_SPEC_SET && operand->align < map_alignment) {
    operand->align = map_alignment;
  }
  if (operand->align >= map_alignment) return GG_OK;
  return unsupported(plan, &asked->align, what, asked->align.text,
                     "16: tensor maps take addresses and strides in multiples of 16 bytes", err);
}

static gg_status choose_operands(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st;
  if ((st = choose_alignment(plan, &plan->a, &spec->a, "A aligned to", err))) return st;
  if ((st = choose_alignment(plan, &plan->b, &spec->b, "B aligned to", err))) return st;
  if ((st = choose_alignment(plan, &plan->d, &spec->d, "D aligned to", err))) return st;
  const gg_spec_operand *inputs[] = {&spec->a, &spec->b};
  const gg_operand *operands[] = {&plan->a, &plan->b};
  for (int i = 0; i < 2; i++) {
    if (operands[i]->major == GG_MAJOR_K || is_half(operands[i]->type)) continue;
    return unsupported(plan, &inputs[i]->major,
                       i ? "B of this type with major" : "A of this type with major",
                       inputs[i]->major.text, "k: wgmma reads others of 16-bit types alone", err);
  }
  return GG_OK;
}

/* K of a wgmma is 32 bytes. */
static int mma_k_of(const gg_plan *plan) {
  return 32 * 8 / gg_dtype_info_of(plan->a.type)->bits;
}

/* One wgmma is as wide as the tile; stmatrix stages 16 columns at once. */
static gg_status choose_mma(gg_plan *plan, gg_error *err) {
  const gg_mark *mark = gg_element_mark(&plan->spec->tile, 1);
  gg_status st = gg_check_multiple("tile N", plan->tile_n, 16, "what stmatrix stages", mark, err);
  if (st) return st;
  char shape[32];
  if (plan->tile_n > 256) {
    snprintf(shape, sizeof shape, "%d", plan->tile_n);
    return gg_fail(err, PLAN_UNSUPPORTED, mark, plan->target->family, "tile N", shape,
                   "256 at most: N of the atom");
  }
  gg_str ptx = GG_STR_INIT;
  snprintf(shape, sizeof shape, "m64n%dk%d", plan->tile_n, mma_k_of(plan));
  gg_str_printf(&ptx, "wgmma.mma_async.sync.aligned.%s.%s.%s.%s", shape,
                gg_dtype_info_of(plan->accumulator)->ptx, gg_dtype_info_of(plan->a.type)->ptx,
                gg_dtype_info_of(plan->b.type)->ptx);
  st = gg_mma_atom_find(&plan->mma, gg_str_text(&ptx), err);
  gg_str_free(&ptx);
  if (st) return st;
  plan->mma.a_mn_major = plan->a.major != GG_MAJOR_K;
  plan->mma.b_mn_major = plan->b.major != GG_MAJOR_K;
  return gg_choose_atom(plan, shape, err);
}

/* ---- Tile and consumers ----------------------------------------------------------------- */

/* Tiles of a fixed problem, batches counted; 0 where M or N is dynamic. */
static double tiles_of(const gg_plan *plan, int m, int n) {
  if (plan->fixed_m == GG_FIXED_NONE || plan->fixed_n == GG_FIXED_NONE) return 0;
  double batch = plan->fixed_batch == GG_FIXED_NONE ? 1 : (double)plan->fixed_batch;
  int64_t tiles_m = (plan->fixed_m + m - 1) / m, tiles_n = (plan->fixed_n + n - 1) / n;
  return (double)tiles_m * (double)tiles_n * batch;
}

/* The largest tile that gives most multiprocessors of a large device one. */
static void usual_tile(gg_plan *plan) {
  enum { enough = 100 };
  static const int shapes[][2] = {{128, 256}, {128, 128}, {64, 128}, {64, 64}};
  size_t last = sizeof shapes / sizeof *shapes - 1, at = 0;
  bool known = tiles_of(plan, 1, 1) > 0;
  while (known && at < last && tiles_of(plan, shapes[at][0], shapes[at][1]) < enough)
    at++;
  int k = line_bytes * 8 / gg_dtype_info_of(plan->a.type)->bits;
  plan->tile_m = gg_usual_extent(plan->fixed_m, block_m, shapes[at][0]);
  plan->tile_n = gg_usual_extent(plan->fixed_n, 16, shapes[at][1]);
  plan->tile_k = gg_usual_extent(plan->fixed_k, mma_k_of(plan), k);
}

/* Three consumers where the tile's rows are three of theirs, else two where there are two. */
static int usual_consumers(const gg_plan *plan) {
  const gg_spec_field *schedule = &plan->spec->schedule;
  if (schedule->state == GG_SPEC_SET && schedule->number == GG_SCHEDULE_WARP_SPECIALIZED) return 1;
  return plan->tile_m % (2 * block_m) == 0 ? 2 : plan->tile_m == 3 * block_m ? 3 : 1;
}

static gg_status check_schedule(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *schedule = &plan->spec->schedule;
  if (schedule->state != GG_SPEC_SET || plan->pingpong) return GG_OK;
  bool one = plan->consumers == 1;
  if (schedule->number == (one ? GG_SCHEDULE_WARP_SPECIALIZED : GG_SCHEDULE_COOPERATIVE))
    return GG_OK;
  return unsupported(plan, schedule, "schedule", schedule->text,
                     one ? "warp_specialized with one consumer" : "cooperative with several", err);
}

static gg_status choose_atom_layout(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  plan->atoms_m = plan->pingpong ? 1 : usual_consumers(plan);
  plan->atoms_n = 1;
  if (asked->state != GG_SPEC_SET) return GG_OK;
  plan->atoms_m = (int)asked->tuple[0];
  bool fits = plan->pingpong ? plan->atoms_m == 1 : plan->atoms_m <= 3;
  if (fits && asked->tuple[1] == 1 && asked->tuple[2] == 1) return GG_OK;
  return unsupported(plan, asked, "atom_layout", "of this shape",
                     plan->pingpong ? "one warpgroup a tile: [1, 1, 1]"
                                    : "1 to 3 warpgroups along M: [2, 1, 1]",
                     err);
}

/* Pingpong: two consumers, one of which multiplies while the other stores. */
static gg_status choose_consumers(gg_plan *plan, gg_error *err) {
  const gg_spec_field *schedule = &plan->spec->schedule, *threads = &plan->spec->threads;
  plan->pingpong = schedule->state == GG_SPEC_SET && schedule->number == GG_SCHEDULE_PINGPONG;
  gg_status st = choose_atom_layout(plan, err);
  if (st) return st;
  plan->consumers = plan->pingpong ? 2 : plan->atoms_m;
  plan->threads = warpgroup * (plan->consumers + 1);
  if (threads->state == GG_SPEC_SET && threads->number != plan->threads) {
    char has[96];
    snprintf(has, sizeof has, "%d: %d warpgroups that multiply and one that loads", plan->threads,
             plan->consumers);
    return unsupported(plan, threads, "threads", threads->text, has, err);
  }
  char why[64];
  snprintf(why, sizeof why, "%d warpgroups x %d (M of the atom)", plan->atoms_m, block_m);
  st = gg_check_multiple("tile M", plan->tile_m, plan->atoms_m * block_m, why,
                         gg_element_mark(&plan->spec->tile, 0), err);
  return st ? st : check_schedule(plan, err);
}

/* A multiprocessor's registers are dealt evenly at launch; then the warpgroup that loads gives most
 * of its own to those that multiply. Counts are multiples of 8. */
static gg_status choose_registers(gg_plan *plan, gg_error *err) {
  static const int producers[] = {0, 40, 40, 32}, consumers[] = {0, 232, 232, 160};
  enum { addresses = 24 }; /* descriptors, loop state and predicates */
  plan->producer_registers = producers[plan->consumers];
  plan->consumer_registers = consumers[plan->consumers];
  int blocks = gg_plan_block_m(plan) / block_m;
  int acc = blocks * gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL);
  if (acc + addresses <= plan->consumer_registers) return GG_OK;
  return gg_fail(err, PLAN_REGISTERS, &plan->spec->tile.mark, plan->target->worker,
                 gg_plan_block_m(plan), gg_plan_block_n(plan), acc, 0, addresses, acc + addresses,
                 plan->consumer_registers, plan->threads, plan->ctas_per_sm);
}

static gg_status choose_tile(gg_plan *plan, gg_error *err) {
  const gg_spec_field *tile = &plan->spec->tile;
  usual_tile(plan);
  if (tile->state == GG_SPEC_SET) {
    plan->tile_m = (int)tile->tuple[0];
    plan->tile_n = (int)tile->tuple[1];
    plan->tile_k = (int)tile->tuple[2];
  }
  gg_status st;
  if ((st = choose_mma(plan, err))) return st;
  if ((st = choose_consumers(plan, err))) return st;
  st = gg_check_multiple("tile K", plan->tile_k, plan->mma.k, "K of the atom",
                         gg_element_mark(tile, 2), err);
  return st ? st : choose_registers(plan, err);
}

/* ---- Clusters and boxes ----------------------------------------------------------------- */

/* Two CTAs share B where there are several tiles along M to share it, and A likewise along N. */
static gg_status choose_cluster(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->cluster;
  bool large = plan->tile_m * plan->tile_n >= 128 * 256;
  bool several = plan->fixed_m == GG_FIXED_NONE || plan->fixed_m > plan->tile_m;
  plan->cluster_m = large && several && plan->tile_n % 16 == 0 ? 2 : 1;
  plan->cluster_n = 1;
  if (asked->state != GG_SPEC_SET) return GG_OK;
  int64_t m = asked->tuple[0], n = asked->tuple[1];
  if (m > 2 || n > 2 || m * n > 2 || asked->tuple[2] != 1) {
    return unsupported(plan, asked, "cluster", "of this shape",
                       "[1, 1, 1], [2, 1, 1] and [1, 2, 1]", err);
  }
  plan->cluster_m = (int)m;
  plan->cluster_n = (int)n;
  return GG_OK;
}

/* One operand's tile: its swizzle, and whether boxes can bring it. */
static gg_status choose_box(gg_swizzle_kind *out, const gg_plan *plan, const char *name, bool is_a,
                            gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  const gg_spec_field *asked = is_a ? &spec->swizzle.a : &spec->swizzle.b;
  int bytes = gg_dtype_info_of(operand->type)->bits / 8, mn = is_a ? plan->tile_m : plan->tile_n;
  bool k_major = operand->major == GG_MAJOR_K;
  int line = (k_major ? plan->tile_k : mn) * bytes, lines = k_major ? mn : plan->tile_k;
  int sharers = is_a ? plan->cluster_n : plan->cluster_m;
  gg_status st = gg_choose_swizzle(out, asked, name, line, err);
  if (st) return st;
  if (gg_swizzle_bytes(*out) == 0) {
    bool set = asked->state == GG_SPEC_SET;
    return gg_fail(err, PLAN_UNSUPPORTED, set ? &asked->mark : gg_element_mark(&spec->tile, !is_a),
                   plan->target->family, "swizzle", gg_swizzle_name(*out),
                   "128B, 64B and 32B, which divide a line of the operand's tile");
  }
  /* Lines are whole multiples of 16, so that each of two sharers has whole patterns of 8. */
  if (lines / sharers <= box_extent_max) return GG_OK;
  char what[16], asked_lines[16], has[64];
  snprintf(what, sizeof what, "tile %s", !k_major ? "K" : is_a ? "M" : "N");
  snprintf(asked_lines, sizeof asked_lines, "%d", lines);
  snprintf(has, sizeof has, "%d at most: lines of a tensor map's box", box_extent_max * sharers);
  return gg_fail(err, PLAN_UNSUPPORTED,
                 gg_element_mark(&spec->tile, !k_major ? 2
                                              : is_a   ? 0
                                                       : 1),
                 plan->target->family, what, asked_lines, has);
}

/* ---- Pipeline, schedule and epilogue ---------------------------------------------------- */

/* A staged line: the largest power of two that divides the tile's N, up to 128 bytes. */
static int staged_line(const gg_plan *plan) {
  int most = line_bytes * 8 / gg_dtype_info_of(plan->d.type)->bits;
  int power = plan->tile_n & -plan->tile_n;
  return power < most ? power : most;
}

static gg_status choose_epilogue(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st = gg_choose_factors(plan, err);
  if (st) return st;
  if (is_int8(plan->a.type)) {
    if (plan->alpha && spec->op_count) {
      return gg_fail(err, PLAN_UNSUPPORTED, &spec->ops[0].mark, plan->target->family, "alpha",
                     "of integers", "D = A * B of integers: leave the epilogue out");
    }
    plan->alpha = false;
  }
  if ((st = gg_check_unused(plan, &spec->swizzle.d, "swizzle of D", "the widest, by itself", err)))
    return st;
  plan->epi_m = 16;
  plan->epi_n = staged_line(plan);
  /* Buffers take turns, the same from tile to tile. A consumer whose tile is stored while the other
   * multiplies has time: the memory is better spent on stages. */
  int boxes = gg_plan_block_m(plan) / block_m * plan->tile_n / plan->epi_n;
  plan->epi_buffers = !plan->pingpong && boxes % 2 == 0 ? 2 : 1;
  return GG_OK;
}

/* As many stages as fit, up to eight: more never measured faster. */
static gg_status choose_stages(gg_plan *plan, gg_error *err) {
  enum { most = 8, barriers = 1024 };
  const gg_spec_field *stages = &plan->spec->stages;
  if (stages->state == GG_SPEC_SET) {
    plan->stages = (int)stages->number;
    return plan->stages >= 2 ? GG_OK : gg_fail(err, PLAN_STAGES, &stages->mark, plan->stages);
  }
  int64_t bits = gg_dtype_info_of(plan->a.type)->bits;
  int64_t stage = (plan->tile_m + plan->tile_n) * plan->tile_k * bits / 8;
  int64_t staged = (int64_t)plan->consumers * block_m * plan->epi_n * plan->epi_buffers *
                   gg_dtype_info_of(plan->d.type)->bits / 8;
  int64_t fit = (gg_smem_limit(plan) - staged - barriers) / stage;
  plan->stages = (int)(fit > most ? most : fit < 2 ? 2 : fit);
  return GG_OK;
}

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const struct {
    const gg_spec_field *field;
    const char *what, *instead;
  } all[] = {
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->accumulator_stages, "accumulator_stages", "accumulators in registers, one set"},
      {&spec->permutation, "permutation", "one contiguous block of rows a warpgroup: auto"},
      {&spec->scheduler.splits, "splits", "all of K in one CTA"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    gg_status st = gg_check_unused(plan, all[i].field, all[i].what, all[i].instead, err);
    if (st) return st;
  }
  const gg_spec_field *sources[] = {&spec->operand_source.a, &spec->operand_source.b};
  for (int i = 0; i < 2; i++) {
    if (sources[i]->state == GG_SPEC_SET && sources[i]->number == GG_SOURCE_SHARED) continue;
    gg_status st = gg_check_unused(plan, sources[i], "operand_source", "shared", err);
    if (st) return st;
  }
  return GG_OK;
}

static gg_status choose_schedule(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *scheduler = &spec->scheduler.kind, *ctas = &spec->ctas_per_sm;
  if (scheduler->state == GG_SPEC_SET && scheduler->number != GG_SCHEDULER_PERSISTENT) {
    return unsupported(plan, scheduler, "scheduler", scheduler->text, "persistent", err);
  }
  if (ctas->state == GG_SPEC_SET && ctas->number != 1) {
    return unsupported(plan, ctas, "ctas_per_sm", ctas->text,
                       "1: its warpgroups share all of a multiprocessor's registers", err);
  }
  plan->persistent = true;
  const gg_spec_field *order = &spec->raster.order, *group = &spec->raster.group;
  /* Across a band lies the longer side of the clusters' tiles: what runs at once is then nearest to
   * a square, which reads the least. */
  bool taller = plan->tile_m * plan->cluster_m > plan->tile_n * plan->cluster_n;
  plan->raster = order->state == GG_SPEC_SET ? (gg_raster)order->number
                 : taller                    ? GG_RASTER_ALONG_N
                                             : GG_RASTER_ALONG_M;
  plan->raster_group = group->state == GG_SPEC_SET ? (int)group->number : 8;
  if (plan->raster == GG_RASTER_HILBERT) {
    return unsupported(plan, order, "raster", order->text, "along_m and along_n", err);
  }
  return refuse_unused(plan, err);
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_status st;
  plan->ctas_per_sm = 1;
  if ((st = choose_inputs(plan, err))) return st;
  if ((st = choose_results(plan, err))) return st;
  if ((st = choose_operands(plan, err))) return st;
  if ((st = choose_tile(plan, err))) return st;
  if ((st = choose_cluster(plan, err))) return st;
  if ((st = choose_box(&plan->swizzle_a, plan, "A", true, err))) return st;
  if ((st = choose_box(&plan->swizzle_b, plan, "B", false, err))) return st;
  if ((st = choose_schedule(plan, err))) return st;
  if ((st = choose_epilogue(plan, err))) return st;
  return choose_stages(plan, err);
}

const gg_target gg_target_sm90 = {
    .family = "sm90",
    .summary = "warp-specialised wgmma fed by TMA, sm_90a",
    .template_name = "sm90_warp_specialised.cu",
    .worker = "warpgroup",
    .least = {.number = 90, .suffix = 'a'},
    .accepts = accepts,
    .choose = choose,
    .derive = gg_sm90_derive,
    .bind = gg_sm90_bind,
};
