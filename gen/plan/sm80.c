/* Family sm80: warp-wide mma.sync fed by ldmatrix from a multistage cp.async pipeline.
 *
 * A CTA computes one tile of D. Warps split it into atoms_m x atoms_n contiguous blocks; operands
 * come through `stages` buffers of shared memory, swizzled so that cp.async's writes and
 * ldmatrix's reads are free of bank conflicts; accumulators leave through staging memory of each
 * warp, so that stores are whole lines. It runs on every architecture from sm_80 on.
 *
 * This file decides; derive_sm80.c derives the layouts, emit/sm80.c writes the text. */
#include <stdio.h>
#include <stdlib.h>

#include "atom/dtype.h"
#include "plan/epilogue.h"
#include "plan/sm80.h"

static bool accepts(const gg_spec *spec) {
  const gg_spec_field *schedule = &spec->schedule;
  return schedule->state != GG_SPEC_SET || schedule->number == GG_SCHEDULE_MULTISTAGE;
}

/* ---- Types and the MMA ------------------------------------------------------------------ */

static bool is_half(gg_dtype type) {
  return type == GG_DTYPE_f16 || type == GG_DTYPE_bf16;
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  if (!is_half(plan->a.type)) {
    return gg_refuse_type(plan, &spec->a.type, "A of type", plan->a.type, "f16 and bf16", err);
  }
  if (plan->b.type != plan->a.type) {
    return gg_refuse_type(plan, &spec->b.type, "B of type", plan->b.type,
                          plan->a.type == GG_DTYPE_f16 ? "f16, as A is" : "bf16, as A is", err);
  }
  gg_dtype c = plan->c.type;
  if (plan->has_c && !is_half(c) && c != GG_DTYPE_f32) {
    return gg_refuse_type(plan, &spec->c.type, "C of type", c, "f16, bf16 and f32", err);
  }
  const gg_spec_field *acc = &spec->accumulator;
  plan->accumulator = acc->state == GG_SPEC_SET ? (gg_dtype)acc->number : GG_DTYPE_f32;
  if (plan->accumulator == GG_DTYPE_f32) return GG_OK;
  if (plan->accumulator == GG_DTYPE_f16 && plan->a.type == GG_DTYPE_f16) return GG_OK;
  return gg_refuse_type(
      plan, acc, "accumulator of type", plan->accumulator,
      plan->a.type == GG_DTYPE_f16 ? "f32 and f16 for f16 operands" : "f32 for bf16 operands", err);
}

/* mma.sync's A is row-major and its B column-major; the operands' majors are ldmatrix's business.
 */
static gg_status choose_mma(gg_plan *plan, gg_error *err) {
  const char *in = gg_dtype_info_of(plan->a.type)->ptx;
  const char *acc = gg_dtype_info_of(plan->accumulator)->ptx;
  gg_str ptx = GG_STR_INIT;
  gg_str_printf(&ptx, "mma.sync.aligned.m16n8k16.row.col.%s.%s.%s.%s", acc, in, in, acc);
  gg_status st = ptx.failed ? gg_fail(err, MEMORY, NULL, "")
                            : gg_mma_atom_find(&plan->mma, gg_str_text(&ptx), err);
  gg_str_free(&ptx);
  return st ? st : gg_choose_atom(plan, "m16n8k16", err);
}

/* ---- Tile and warps --------------------------------------------------------------------- */

/* A warp's block: 64 x 64 with f32 accumulators takes 128 of a thread's 255 registers and reads
 * the fewest bytes of shared memory an MMA that leave room for double-buffered fragments. */
enum { usual_warp_extent = 64, max_warps = 16, operand_bytes = 2 };

/* Worth a second warp a scheduler, or a persistent grid. */
static bool is_large(const gg_plan *plan) {
  return plan->tile_m * plan->tile_n >= 128 * 128;
}

/* Splits the tile among warps: into blocks of at most usual_warp_extent each way, then further
 * until there are enough. A multiprocessor has four schedulers, and each wants two warps: one
 * multiplies while the other waits. So a large CTA that is alone there takes eight, others four. */
static void usual_layout(gg_plan *plan) {
  int m = 1, n = 1;
  while (plan->tile_m / m > usual_warp_extent && plan->tile_m % (2 * m * plan->mma.m) == 0)
    m *= 2;
  while (plan->tile_n / n > usual_warp_extent && plan->tile_n % (2 * n * plan->mma.n) == 0)
    n *= 2;
  bool alone = plan->ctas_per_sm == 1 && plan->spec->tile.state != GG_SPEC_SET;
  int enough = alone && is_large(plan) ? (int)plan->device->warps_wanted : 4;
  while (m * n < enough) {
    bool m_splits = plan->tile_m % (2 * m * plan->mma.m) == 0;
    bool n_splits = plan->tile_n % (2 * n * 2 * plan->mma.n) == 0;
    if (!m_splits && !n_splits) break;
    if (m_splits && (!n_splits || plan->tile_m / m > plan->tile_n / n)) {
      m *= 2;
    } else {
      n *= 2;
    }
  }
  plan->atoms_m = m;
  plan->atoms_n = n;
}

static gg_status choose_warps(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  usual_layout(plan);
  if (asked->state == GG_SPEC_SET) {
    plan->atoms_m = (int)asked->tuple[0];
    plan->atoms_n = (int)asked->tuple[1];
    if (asked->tuple[2] != 1) {
      return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(asked, 2), plan->target->family,
                     "atom_layout along K of", "more than 1", "1: every warp walks all of K");
    }
  }
  int warps = plan->atoms_m * plan->atoms_n;
  plan->threads = warps * GG_WARP;
  if (warps > max_warps) {
    return gg_fail(err, PLAN_TOO_MANY_THREADS, &asked->mark, plan->atoms_m, plan->atoms_n,
                   plan->threads, max_warps * GG_WARP);
  }
  const gg_spec_field *threads = &plan->spec->threads;
  if (threads->state == GG_SPEC_SET && threads->number != plan->threads) {
    return gg_fail(err, PLAN_THREADS, &threads->mark, (long long)threads->number, plan->atoms_m,
                   plan->atoms_n, plan->threads);
  }
  return GG_OK;
}

static gg_status check_tile(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *tile = &plan->spec->tile;
  char why[96];
  gg_status st;
  snprintf(why, sizeof why, "%d warps x %d (M of the atom)", plan->atoms_m, plan->mma.m);
  if ((st = gg_check_multiple("tile M", plan->tile_m, plan->atoms_m * plan->mma.m, why,
                              gg_element_mark(tile, 0), err))) {
    return st;
  }
  snprintf(why, sizeof why, "%d warps x %d (N of the atom)", plan->atoms_n, plan->mma.n);
  if ((st = gg_check_multiple("tile N", plan->tile_n, plan->atoms_n * plan->mma.n, why,
                              gg_element_mark(tile, 1), err))) {
    return st;
  }
  return gg_check_multiple("tile K", plan->tile_k, plan->mma.k, "K of the atom",
                           gg_element_mark(tile, 2), err);
}

/* 32-bit registers of a thread that certainly live at once. */
static gg_status check_registers(const gg_plan *plan, gg_error *err) {
  enum { addresses = 24 }; /* pointers, loop state and predicates, seen in every build */
  int atoms_m = gg_plan_block_m(plan) / plan->mma.m, atoms_n = gg_plan_block_n(plan) / plan->mma.n;
  int acc = atoms_m * atoms_n * gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL);
  int fragments = atoms_m * gg_mma_atom_registers(&plan->mma, GG_MMA_A, NULL) +
                  atoms_n * gg_mma_atom_registers(&plan->mma, GG_MMA_B, NULL);
  int most = GG_REGISTERS_PER_SM / (plan->threads * plan->ctas_per_sm) / 8 * 8;
  if (most > GG_REGISTERS_PER_THREAD) most = GG_REGISTERS_PER_THREAD;
  if (acc + fragments + addresses <= most) return GG_OK;
  const gg_spec_field *cause =
      plan->spec->atom_layout.state == GG_SPEC_SET ? &plan->spec->atom_layout : &plan->spec->tile;
  return gg_fail(err, PLAN_REGISTERS, &cause->mark, plan->target->worker, gg_plan_block_m(plan),
                 gg_plan_block_n(plan), acc, fragments, addresses, acc + fragments + addresses,
                 most, plan->threads, plan->ctas_per_sm);
}

/* What staging memory a warp takes where nothing is padded: a sub-tile of 16 lines of 128 bytes. */
enum { staging_of_warp = 16 * 128 };

/* Bytes of an operand's tile, 16 of padding behind each line where padding is asked for. */
static int64_t tile_bytes(const gg_plan *plan, const gg_spec_field *swizzle, bool k_major, int mn) {
  bool pads = swizzle->state == GG_SPEC_SET && swizzle->number == GG_SWIZZLE_PADDING;
  int64_t lines = k_major ? mn : plan->tile_k;
  return (int64_t)mn * plan->tile_k * operand_bytes + (pads ? 16 * lines : 0);
}

/* Whether every CTA of a multiprocessor has room for its pipeline, and for the staging memory of
 * `warps` behind it. */
static bool fits(const gg_plan *plan, int stages, int64_t warps) {
  const gg_spec *spec = plan->spec;
  int64_t a = tile_bytes(plan, &spec->swizzle.a, plan->a.major == GG_MAJOR_K, plan->tile_m);
  int64_t b = tile_bytes(plan, &spec->swizzle.b, plan->b.major == GG_MAJOR_K, plan->tile_n);
  return stages * (a + b) + warps * staging_of_warp <= gg_smem_limit(plan);
}

/* Fewer tiles of 128 x 128 than a large device has multiprocessors: smaller ones spread better. */
static bool is_small(const gg_plan *plan) {
  if (plan->fixed_m == GG_FIXED_NONE || plan->fixed_n == GG_FIXED_NONE) return false;
  double batch = plan->fixed_batch == GG_FIXED_NONE ? 1 : (double)plan->fixed_batch;
  return (double)plan->fixed_m * (double)plan->fixed_n * batch <
         plan->device->tiles_enough * 128.0 * 128.0;
}

/* The tile where none is asked for. K steps of 64 are 128-byte lines of memory, and always
 * measured faster than 32. Two CTAs of 128 x 128 are the best all-rounder: one multiplies through
 * the other's epilogue, and tiles are fine enough for ragged extents. Where shared memory has no
 * room for two, one CTA of 128 x 256 reads as little. See docs/performance/sm80.md. */
static void usual_tile(gg_plan *plan) {
  static const struct {
    int m, n, ctas, warps;
  } large[] = {{128, 128, 2, 4}, {128, 256, 1, 8}, {128, 128, 1, 4}};
  const gg_spec *spec = plan->spec;
  int stages = spec->stages.state == GG_SPEC_SET ? (int)spec->stages.number : 3;
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    plan->tile_m = large[i].m, plan->tile_n = large[i].n, plan->tile_k = 64;
    bool ctas_asked = spec->ctas_per_sm.state == GG_SPEC_SET;
    plan->ctas_per_sm = ctas_asked ? (int)spec->ctas_per_sm.number : large[i].ctas;
    const int64_t *atoms = spec->atom_layout.tuple;
    bool warps_asked = spec->atom_layout.state == GG_SPEC_SET;
    if (warps_asked && atoms[0] * atoms[1] < large[i].warps) continue;
    if (plan->ctas_per_sm * large[i].warps > plan->device->warps_wanted) continue;
    if (fits(plan, stages, large[i].warps)) break;
  }
  if (is_small(plan)) {
    plan->tile_m = plan->tile_n = 64;
    plan->ctas_per_sm = 1;
  }
  plan->tile_m = gg_usual_extent(plan->fixed_m, plan->mma.m, plan->tile_m);
  plan->tile_n = gg_usual_extent(plan->fixed_n, 2 * plan->mma.n, plan->tile_n);
  plan->tile_k = gg_usual_extent(plan->fixed_k, plan->mma.k, plan->tile_k);
}

static gg_status choose_tile(gg_plan *plan, gg_error *err) {
  const gg_spec_field *tile = &plan->spec->tile, *ctas = &plan->spec->ctas_per_sm;
  if (tile->state == GG_SPEC_SET) {
    plan->ctas_per_sm = 1;
    plan->tile_m = (int)tile->tuple[0];
    plan->tile_n = (int)tile->tuple[1];
    plan->tile_k = (int)tile->tuple[2];
  } else {
    usual_tile(plan);
  }
  if (ctas->state == GG_SPEC_SET) plan->ctas_per_sm = (int)ctas->number;
  gg_status st;
  if ((st = choose_warps(plan, err))) return st;
  if ((st = check_tile(plan, err))) return st;
  return check_registers(plan, err);
}

/* ---- Pipeline --------------------------------------------------------------------------- */

/* How many stages, up to four, leave each CTA of a multiprocessor its shared memory; at least two,
 * whether or not they fit. */
static int stages_that_fit(const gg_plan *plan, int64_t warps_staging) {
  int stages = 4;
  while (stages > 2 && !fits(plan, stages, warps_staging))
    stages--;
  return stages;
}

/* Deep enough to cover the latency of global memory. Where the scheduler is ours to choose, a third
 * stage is worth more than staging memory of its own. */
static int usual_stages(const gg_plan *plan) {
  const gg_spec_field *scheduler = &plan->spec->scheduler.kind;
  int alone = stages_that_fit(plan, 0), staged = stages_that_fit(plan, plan->threads / GG_WARP);
  bool asked = scheduler->state == GG_SPEC_SET;
  bool persistent =
      asked ? scheduler->number == GG_SCHEDULER_PERSISTENT : is_large(plan) && staged > 2;
  return persistent ? staged : alone;
}

static gg_status choose_pipeline(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  /* cp.async moves 4, 8 or 16 bytes; an operand aligned to 2 goes through registers. A line that no
   * swizzle fits is an odd number of 16-byte chunks, which spreads over the banks by itself. */
  plan->copy_bytes_a = gg_access_bytes(plan->a);
  plan->copy_bytes_b = gg_access_bytes(plan->b);
  int line_a = (plan->a.major == GG_MAJOR_K ? plan->tile_k : plan->tile_m) * operand_bytes;
  int line_b = (plan->b.major == GG_MAJOR_K ? plan->tile_k : plan->tile_n) * operand_bytes;
  gg_status st;
  if ((st = gg_choose_swizzle(&plan->swizzle_a, &spec->swizzle.a, "A", line_a, err))) return st;
  if ((st = gg_choose_swizzle(&plan->swizzle_b, &spec->swizzle.b, "B", line_b, err))) return st;

  const gg_spec_field *stages = &spec->stages;
  if (stages->state == GG_SPEC_SET) {
    plan->stages = (int)stages->number;
    if (plan->stages < 2) {
      return gg_fail(err, PLAN_STAGES, &stages->mark, plan->stages);
    }
    return GG_OK;
  }
  plan->stages = usual_stages(plan);
  return GG_OK;
}

/* ---- Schedule and epilogue -------------------------------------------------------------- */

/* Large tiles have long epilogues and long first copies, worth overlapping where shared memory has
 * room for both; small ones overlap by running several to a multiprocessor. */
static bool gains_by_persistence(const gg_plan *plan) {
  return is_large(plan) && fits(plan, plan->stages, plan->threads / GG_WARP);
}

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused unused[] = {
      {&spec->cluster, "cluster", "one CTA: leave it out"},
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->accumulator_stages, "accumulator_stages", "accumulators in registers, one set"},
      {&spec->permutation, "permutation", "one contiguous block of the tile a warp: auto"},
  };
  return gg_check_all_unused(plan, unused, sizeof unused / sizeof *unused, err);
}

static gg_status choose_schedule(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st;
  const gg_spec_field *sources[] = {&spec->operand_source.a, &spec->operand_source.b};
  for (int i = 0; i < 2; i++) {
    if (sources[i]->state == GG_SPEC_SET && sources[i]->number == GG_SOURCE_REGISTERS) continue;
    if ((st = gg_check_unused(plan, sources[i], "operand_source", "registers", err))) return st;
  }
  const gg_spec_field *scheduler = &spec->scheduler.kind;
  bool asked = scheduler->state == GG_SPEC_SET;
  if (asked && scheduler->number != GG_SCHEDULER_DATA_PARALLEL &&
      scheduler->number != GG_SCHEDULER_PERSISTENT) {
    return gg_refuse(plan, scheduler, "scheduler", scheduler->text, "data_parallel and persistent",
                     err);
  }
  if ((st = gg_check_unused(plan, &spec->scheduler.splits, "splits", "all of K in one CTA", err)))
    return st;
  plan->cluster_m = plan->cluster_n = plan->cluster_k = 1;
  plan->scheduler = asked                        ? (gg_scheduler)scheduler->number
                    : gains_by_persistence(plan) ? GG_SCHEDULER_PERSISTENT
                                                 : GG_SCHEDULER_DATA_PARALLEL;
  return gg_choose_raster(plan, GG_RASTER_ALONG_M, false, err);
}

/* A staged line: the largest power of two that divides `extent`, which stages without conflicts,
 * up to 128 bytes of C or D, which is what global memory moves at once. */
static int staged_line(const gg_plan *plan, int extent) {
  int bits = gg_dtype_info_of(plan->d.type)->bits;
  if (plan->has_c && gg_dtype_info_of(plan->c.type)->bits > bits) {
    bits = gg_dtype_info_of(plan->c.type)->bits;
  }
  int most = 128 * 8 / bits, power = extent & -extent;
  return power < most ? power : most;
}

static gg_status choose_epilogue(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st;
  if ((st = gg_check_unused(plan, &spec->swizzle.d, "swizzle of D", "padding, by itself", err))) {
    return st;
  }
  /* A sub-tile is a whole number of atoms, and of lines as long as the warp's block has them. */
  int warp_m = gg_plan_block_m(plan), warp_n = gg_plan_block_n(plan);
  bool row_major = plan->d.major == GG_MAJOR_N;
  int two_atoms = 2 * plan->mma.n;
  plan->epi_m = row_major ? plan->mma.m : staged_line(plan, warp_m);
  plan->epi_n = row_major            ? staged_line(plan, warp_n)
                : warp_n % two_atoms ? plan->mma.n
                                     : two_atoms;
  plan->epi_buffers = 1;
  plan->access_bytes_c = gg_access_bytes(plan->c);
  plan->access_bytes_d = gg_access_bytes(plan->d);
  /* 8 columns of an 8-bit D are less than a widest access. */
  int line = (row_major ? plan->epi_n : plan->epi_m) * gg_dtype_info_of(plan->d.type)->bits / 8;
  if (line < plan->access_bytes_d) plan->access_bytes_d = line;
  return GG_OK;
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = choose_types(plan, err))) return st;
  if ((st = gg_choose_operations(plan, err))) return st;
  if ((st = refuse_unused(plan, err))) return st;
  if ((st = choose_mma(plan, err))) return st;
  if ((st = choose_tile(plan, err))) return st;
  if ((st = choose_pipeline(plan, err))) return st;
  if ((st = choose_schedule(plan, err))) return st;
  return choose_epilogue(plan, err);
}

const gg_target gg_target_sm80 = {
    .family = "sm80",
    .summary = "mma.sync fed by a multistage cp.async pipeline, sm_80 and newer",
    .template_name = "sm80_multistage.cu",
    .worker = "warp",
    .least = {.number = 80},
    .accepts = accepts,
    .choose = choose,
    .derive = gg_sm80_derive,
    .traits = gg_warp_traits,
    .bind = gg_sm80_bind,
};
