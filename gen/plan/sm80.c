/* Family sm80: warp-wide mma.sync fed by ldmatrix from a multistage cp.async pipeline.
 *
 * A CTA computes one tile of D. Its warps split the tile into atoms_m x atoms_n contiguous blocks.
 * If there are several warps along K, they split the steps along K of each block among them, in
 * turns, and their sums meet in shared memory after the tile's last step (sm80_along_k.cu).
 * Operands come through `stages` buffers of shared memory, swizzled so that cp.async's writes and
 * ldmatrix's reads are free of bank conflicts. Accumulators leave through staging memory of each
 * warp, so that whole lines are stored. It runs on every architecture from sm_80 on.
 *
 * This file decides; derive_sm80.c derives the layouts, emit/sm80.c writes the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/sm80.h"

static bool accepts(const gg_spec *spec) {
  const gg_spec_field *schedule = &spec->schedule;
  return schedule->state != GG_SPEC_SET || schedule->number == GG_SCHEDULE_MULTISTAGE;
}

/* ---- Types and the MMA ------------------------------------------------------------------ */

/* The family's atoms: MMAs of a warp whose K is two matrices of ldmatrix, 32 bytes, in elements
 * that ldmatrix keeps together; with a sparse A, that much of what is stored. And all MMAs of f64,
 * which lanes read one by one. */
static bool has_atom(const gg_mma_row *row) {
  enum { matrices_bits = 2 * 16 * 8 };
  int bits = gg_dtype_info_of(row->a)->bits;
  int stored_k = row->sparse ? row->k / 2 : row->k;
  bool plain = row->sparse || gg_mma_row_is_plain(row);
  if (row->kind != GG_MMA_sync || row->threads != GG_TV_warp || !plain) return false;
  return bits == 64 || (row->m == 16 && stored_k * bits == matrices_bits);
}

/* Refuses 8-bit floats for architectures without them. The atom rows imply it; this message says
 * which architectures have them. */
static gg_status check_fp8(const gg_plan *plan, gg_error *err) {
  if (!gg_dtype_is_fp8(plan->a.type) || plan->limits->converts_fp8) return GG_OK;
  return gg_refuse_type(plan, &plan->spec->a.type, "A of type", plan->a.type,
                        "8-bit floats from sm_89 on: older architectures do not multiply them",
                        err);
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = check_fp8(plan, err))) return st;
  if ((st = gg_choose_inputs(plan, err))) return st;
  if ((st = gg_sm80_check_packed(plan, err))) return st;
  /* Where ptxas replaces an 8-bit MMA by several others, it begins each of these with sums of zero
   * and adds up the results. Text that multiplies in f16 itself, which can hold every value of
   * 8-bit floats, begins with the accumulators instead. A sparse A is left to ptxas, because its
   * metadata is made for 8-bit elements. */
  plan->widens = gg_dtype_is_fp8(plan->a.type) && !plan->limits->multiplies_fp8 && !plan->sparse_a;
  plan->rounded_a = gg_spec_is_rounded(&plan->spec->a);
  plan->rounded_b = gg_spec_is_rounded(&plan->spec->b);
  return gg_choose_accumulator(plan, err);
}

/* The tensor core keeps too few bits in its sums of 8-bit floats. So these are promoted: added up
 * in registers, unless the spec asks for short sums. Sums in f16 are as short themselves, and what
 * is multiplied in f16 is summed as f16 is. */
static gg_status choose_sums(gg_plan *plan, gg_error *err) {
  enum { usual = 4 /* 128 of K */, fp8_sum_bits = 14 };
  const gg_spec_field *asked = &plan->spec->promote;
  bool is_short =
      gg_dtype_is_fp8(plan->a.type) && plan->accumulator == GG_DTYPE_f32 && !plan->widens;
  plan->accumulator_bits = is_short ? fp8_sum_bits : 0;
  plan->promote = asked->state == GG_SPEC_SET ? (int)asked->number : is_short ? usual : 0;
  if (is_short || plan->promote == 0) return GG_OK;
  if (plan->widens)
    return gg_refuse(plan, asked, "promote", "where 8-bit floats are multiplied as f16",
                     "sums in full there, `promote: 0`", err);
  if (gg_dtype_is_fp8(plan->a.type))
    return gg_refuse(plan, asked, "promote", "beside sums in f16", "it beside sums in f32", err);
  return gg_refuse_type(plan, asked, "promote with operands of type", plan->a.type,
                        "e4m3 and e5m2: sums of others are as long as the accumulator", err);
}

/* For messages: what one MMA of each of the warps along K takes of K, in words. */
typedef struct step_text {
  char text[64];
} step_text;

static step_text print_step(const gg_plan *plan, int warps_k) {
  step_text out;
  if (warps_k == 1)
    snprintf(out.text, sizeof out.text, "%d (K of the atom)", plan->mma.k);
  else
    snprintf(out.text, sizeof out.text, "%d warps x %d (K of the atom)", warps_k, plan->mma.k);
  return out;
}

/* Checks that a warp's K of the tile consists of whole promoted sums. If the usual number of MMAs
 * in a sum does not divide it, a smaller one is taken. */
static gg_status check_sums(gg_plan *plan, int tile_k, int warps_k, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->promote;
  int step = warps_k * plan->mma.k, steps = tile_k / step;
  while (asked->state != GG_SPEC_SET && plan->promote > 1 && steps % plan->promote != 0)
    plan->promote--;
  if (plan->promote == 0) return GG_OK;
  char why[96];
  snprintf(why, sizeof why, "%d MMAs x %s", plan->promote, print_step(plan, warps_k).text);
  return gg_check_multiple("tile K", tile_k, plan->promote * step, why, &asked->mark, err);
}

static void print_shape(char out[32], const gg_mma_row *row) {
  snprintf(out, 32, "m%dn%dk%d", row->m, row->n, row->k);
}

static bool is_named(const gg_mma_row *row, const char *shape, const char *name) {
  return !strcmp(name, shape) || !strcmp(name, row->ptx) || !strcmp(name, row->cute);
}

/* The row of the atom. For f64 there are several: the one that the spec names, else the largest
 * whose fragments leave a thread room for two sets beside its sums. */
static const gg_mma_row *choose_row(const gg_plan *plan) {
  enum { usual_k = 8 };
  const gg_spec_field *asked = &plan->spec->atom;
  const gg_mma_row *best = gg_atoms_row(plan, GG_MMA_REGISTERS);
  if (plan->a.type != GG_DTYPE_f64) return best;
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (size_t i = 0; i < count; i++) {
    char shape[32];
    const gg_mma_row *row = &rows[i];
    if (row->a != GG_DTYPE_f64 || !has_atom(row) || !gg_arch_runs(plan->arch, row->arch)) continue;
    print_shape(shape, row);
    if (asked->state == GG_SPEC_SET && is_named(row, shape, asked->text)) return row;
    if (row->m >= best->m && row->k >= best->k && row->k <= usual_k) best = row;
  }
  return best;
}

/* Chooses the atom. mma.sync's A is row-major and its B column-major, always; whatever reads the
 * fragments deals with the operands' own majors. */
static gg_status choose_mma(gg_plan *plan, gg_error *err) {
  char shape[32];
  const gg_mma_row *row = choose_row(plan);
  gg_mma_row_atom(&plan->mma, row, row->n);
  print_shape(shape, row);
  return gg_choose_atom(plan, &plan->mma, shape, err);
}

/* ---- Tile and warps --------------------------------------------------------------------- */

/* A warp's block: 64 x 64 with f32 accumulators takes 128 of a thread's 255 registers. Of the
 * blocks that leave room for double-buffered fragments, it reads the fewest bytes of shared memory
 * for each MMA. */
enum { usual_warp_extent = 64, max_warps = 16 };

/* Whether a warp's block has room for only half as many rows. Sums of f64, and sums that are
 * promoted, take twice the registers. tf32 needs some if it is rounded by several instructions, or
 * read from many addresses. And MMAs that ptxas replaces by several instructions need some. */
static bool has_low_blocks(const gg_plan *plan) {
  bool by_elements = gg_sm80_by_elements(&plan->a) || gg_sm80_by_elements(&plan->b);
  bool promised = plan->rounded_a && plan->rounded_b;
  bool rounds =
      plan->a.type == GG_DTYPE_tf32 && (by_elements || !(promised || gg_sm80_converts_tf32(plan)));
  bool widens = gg_sm80_packed(plan) > 1 && !gg_sm80_is_one_mma(plan, plan->arch.number);
  return rounds || widens || plan->accumulator == GG_DTYPE_f64 || plan->promote > 0;
}

static int usual_warp_rows(const gg_plan *plan) {
  return has_low_blocks(plan) ? usual_warp_extent / 2 : usual_warp_extent;
}

/* The columns of a warp's usual block. Beside a sparse A, fragments of B are twice as long: so
 * blocks that are not low are narrow, and with promoted sums blocks are both low and narrow. */
static int usual_warp_columns(const gg_plan *plan) {
  bool narrow = plan->sparse_a && (!has_low_blocks(plan) || plan->promote > 0);
  return narrow ? usual_warp_extent / 2 : usual_warp_extent;
}

/* What is decided one after the other, each from the values before it, so that another order does
 * not compile. Only `choose` writes these to the plan, which has types and the MMA already. */
typedef struct tile {
  int m, n, k;
  int ctas; /* that a multiprocessor holds at once */
} tile;

typedef struct warps {
  int m, n; /* side by side */
  int k;    /* that take turns along K, for the same block */
} warps;

static int warps_of(warps w) {
  return w.m * w.n * w.k;
}

typedef struct pipeline {
  int stages;
  gg_scheduler scheduler;
} pipeline;

/* Whether a tile is large enough for a second warp on each scheduler, or for a persistent grid. */
static bool is_large(tile t) {
  return t.m * t.n >= 128 * 128;
}

/* Bytes of staging memory that a warp takes if nothing is padded: a sub-tile of 16 lines of 128
 * bytes. */
enum { staging_of_warp = 16 * 128 };

/* Bytes of an operand's tile, with 16 bytes behind each line if the spec asks for padding. */
static int64_t tile_bytes(gg_dtype type, const gg_spec_field *swizzle, bool k_major, int mn,
                          int k) {
  bool pads = swizzle->state == GG_SPEC_SET && swizzle->number == GG_SWIZZLE_PADDING;
  int64_t lines = k_major ? mn : k;
  return gg_dtype_bytes(type, (int64_t)mn * k) + (pads ? 16 * lines : 0);
}

/* The number of warps along K: one, unless the spec asks for more. */
static int asked_along_k(const gg_plan *plan) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  return asked->state == GG_SPEC_SET ? (int)asked->tuple[2] : 1;
}

static int64_t greater(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Whether all CTAs of a multiprocessor have room for their pipelines, or for the sums that take the
 * pipeline's place later, and behind these for the staging memory of `count` warps. */
static bool fits(const gg_plan *plan, tile t, int stages, int64_t count) {
  const gg_spec *spec = plan->spec;
  int64_t a = tile_bytes(plan->a.type, &spec->swizzle.a, plan->a.major == GG_MAJOR_K, t.m,
                         gg_plan_k_of_a(plan, t.k));
  int64_t b = tile_bytes(plan->b.type, &spec->swizzle.b, plan->b.major == GG_MAJOR_K, t.n, t.k);
  int64_t sums = gg_sm80_along_k_bytes(plan, t.m, t.n, asked_along_k(plan));
  return greater(stages * (a + b), sums) + count * staging_of_warp <=
         gg_smem_limit_for(plan, t.ctas);
}

/* Whether the problem has fewer tiles of 128 x 128 than a large device has multiprocessors, so that
 * smaller tiles spread better. */
static bool is_small(const gg_plan *plan) {
  if (plan->fixed_m == GG_FIXED_NONE || plan->fixed_n == GG_FIXED_NONE) return false;
  double batch = plan->fixed_batch == GG_FIXED_NONE ? 1 : (double)plan->fixed_batch;
  return (double)plan->fixed_m * (double)plan->fixed_n * batch <
         plan->device->tiles_enough * 128.0 * 128.0;
}

/* The tile for large problems. K steps of 64 f16 elements are 128-byte lines of memory, and always
 * measured faster than 32; so other types take as many as make 128 bytes. Two CTAs of 128 x 128 are
 * the best all-rounder: one multiplies through the other's epilogue, and tiles are fine enough for
 * ragged extents. If shared memory has no room for two, one CTA of 128 x 256 reads as little. Tiles
 * of low blocks, or of narrow ones, have eight warps in one CTA; tiles of blocks that are both have
 * half the columns. See docs/performance/sm80.md. */
static tile large_tile(const gg_plan *plan) {
  static const struct {
    tile tile;
    int warps;
  } large[] = {{{128, 128, .ctas = 2}, 4}, {{128, 256, .ctas = 1}, 8}, {{128, 128, .ctas = 1}, 4}};
  const gg_spec *spec = plan->spec;
  int k = (int)gg_dtype_unit(plan->a.type, 128);
  if (plan->sparse_a && plan->promote > 0) return (tile){128, 64, k, 1};
  if (has_low_blocks(plan) || plan->sparse_a) return (tile){128, 128, k, 1};
  const int64_t *atoms = spec->atom_layout.tuple;
  int stages = spec->stages.state == GG_SPEC_SET ? (int)spec->stages.number : 3;
  tile out = large[0].tile;
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    out = large[i].tile;
    out.k = k;
    if (spec->ctas_per_sm.state == GG_SPEC_SET) out.ctas = (int)spec->ctas_per_sm.number;
    bool warps_asked = spec->atom_layout.state == GG_SPEC_SET;
    if (warps_asked && atoms[0] * atoms[1] < large[i].warps) continue;
    if (out.ctas * large[i].warps * asked_along_k(plan) > plan->device->warps_wanted) continue;
    if (fits(plan, out, stages, large[i].warps)) break;
  }
  return out;
}

/* For a split gate beside an N-major B: how many columns of each half of N lines of B have in
 * turns. Those of one atom, or of the two that twins are dealt to. */
static int split_columns(const gg_plan *plan) {
  if (!gg_plan_splits_columns(plan)) return 0;
  return gg_sm80_has_twins(&plan->b) ? 2 * plan->mma.n : plan->mma.n;
}

/* The fewest columns that a warp must have for itself: those of one atom, or of the two that twins
 * are dealt to; with a split gate, of both halves of N. */
static int least_columns(const gg_plan *plan) {
  if (split_columns(plan)) return 2 * split_columns(plan);
  return gg_sm80_has_twins(&plan->b) ? 2 * plan->mma.n : plan->mma.n;
}

/* The tile if the spec asks for none. */
static tile usual_tile(const gg_plan *plan) {
  tile t = large_tile(plan);
  if (is_small(plan)) t.m = t.n = 64, t.ctas = 1;
  t.m = gg_usual_extent(plan->fixed_m, plan->mma.m, t.m);
  t.n = gg_usual_extent(plan->fixed_n, (int)greater(2 * plan->mma.n, least_columns(plan)), t.n);
  t.k = gg_usual_extent(plan->fixed_k, plan->mma.k, t.k);
  return t;
}

static tile choose_tile(const gg_plan *plan) {
  const gg_spec_field *asked = &plan->spec->tile, *ctas = &plan->spec->ctas_per_sm;
  const int64_t *shape = asked->tuple;
  tile t = {1, 1, 1, 1};
  if (asked->state == GG_SPEC_SET) {
    t.m = (int)shape[0], t.n = (int)shape[1], t.k = (int)shape[2];
  } else {
    t = usual_tile(plan);
  }
  if (ctas->state == GG_SPEC_SET) t.ctas = (int)ctas->number;
  return t;
}

/* The warps of a tile: splits it into blocks of at most the usual size, then further until there
 * are enough warps. A multiprocessor has four schedulers, and each wants two warps, of which one
 * multiplies while the other waits. So a large CTA that is alone there takes eight warps, others
 * four. */
static warps usual_warps(const gg_plan *plan, tile t) {
  warps w = {1, 1, 1};
  while (t.m / w.m > usual_warp_rows(plan) && t.m % (2 * w.m * plan->mma.m) == 0)
    w.m *= 2;
  while (t.n / w.n > usual_warp_columns(plan) && t.n % (2 * w.n * least_columns(plan)) == 0)
    w.n *= 2;
  bool alone = t.ctas == 1 && plan->spec->tile.state != GG_SPEC_SET;
  int enough = alone && is_large(t) ? (int)plan->device->warps_wanted : 4;
  while (w.m * w.n < enough) {
    bool m_splits = t.m % (2 * w.m * plan->mma.m) == 0;
    bool n_splits = t.n % (2 * w.n * greater(2 * plan->mma.n, least_columns(plan))) == 0;
    if (!m_splits && !n_splits) break;
    if (m_splits && (!n_splits || t.m / w.m > t.n / w.n)) {
      w.m *= 2;
    } else {
      w.n *= 2;
    }
  }
  return w;
}

static gg_status check_warps(const gg_plan *plan, warps w, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom_layout, *threads = &plan->spec->threads;
  int count = warps_of(w);
  char shape[48];
  snprintf(shape, sizeof shape, w.k > 1 ? "%d x %d x %d" : "%d x %d", w.m, w.n, w.k);
  if (count > max_warps) {
    return gg_fail(err, PLAN_TOO_MANY_THREADS, &asked->mark, shape, count * GG_WARP,
                   max_warps * GG_WARP);
  }
  if (threads->state == GG_SPEC_SET && threads->number != count * GG_WARP) {
    return gg_fail(err, PLAN_THREADS, &threads->mark, (long long)threads->number, shape,
                   count * GG_WARP);
  }
  return GG_OK;
}

static warps choose_warps(const gg_plan *plan, tile t) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  if (asked->state != GG_SPEC_SET) return usual_warps(plan, t);
  return (warps){(int)asked->tuple[0], (int)asked->tuple[1], (int)asked->tuple[2]};
}

static gg_status check_tile(const gg_plan *plan, tile t, warps w, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  char why[96];
  gg_status st;
  snprintf(why, sizeof why, "%d warps x %d (M of the atom)", w.m, plan->mma.m);
  if ((st = gg_check_multiple("tile M", t.m, w.m * plan->mma.m, why, gg_element_mark(asked, 0),
                              err))) {
    return st;
  }
  int columns = least_columns(plan);
  snprintf(why, sizeof why,
           split_columns(plan) ? "%d warps x 2 halves of N x %d (%s)" : "%d warps x %d (%s)", w.n,
           split_columns(plan) ? columns / 2 : columns,
           gg_sm80_has_twins(&plan->b) ? "N of two atoms, of bytes along N" : "N of the atom");
  if ((st = gg_check_multiple("tile N", t.n, w.n * columns, why, gg_element_mark(asked, 1), err))) {
    return st;
  }
  return gg_check_multiple("tile K", t.k, w.k * plan->mma.k,
                           w.k > 1 ? print_step(plan, w.k).text : "K of the atom",
                           gg_element_mark(asked, 2), err);
}

/* Checks the 32-bit registers of a thread that certainly live at once. */
static gg_status check_registers(const gg_plan *plan, tile t, warps w, gg_error *err) {
  enum { addresses = 24 }; /* pointers, loop state and predicates, seen in every build */
  int block_m = t.m / w.m, block_n = t.n / w.n, threads = warps_of(w) * GG_WARP;
  int atoms_m = block_m / plan->mma.m, atoms_n = block_n / plan->mma.n;
  int sets = plan->promote ? 2 : 1;
  int acc = sets * atoms_m * atoms_n * gg_sm80_registers(plan, GG_MMA_C);
  int fragments =
      atoms_m * gg_sm80_registers(plan, GG_MMA_A) + atoms_n * gg_sm80_registers(plan, GG_MMA_B);
  if (plan->sparse_a) /* of this step and the next, and metadata of this K tile and the next */
    fragments = 2 * (fragments + gg_sm80_metadata_words(plan, block_m, t.k));
  int most = GG_REGISTERS_PER_SM / (threads * t.ctas) / 8 * 8;
  if (most > GG_REGISTERS_PER_THREAD) most = GG_REGISTERS_PER_THREAD;
  if (acc + fragments + addresses <= most) return GG_OK;
  const gg_spec_field *cause =
      plan->spec->atom_layout.state == GG_SPEC_SET ? &plan->spec->atom_layout : &plan->spec->tile;
  return gg_fail(err, PLAN_REGISTERS, &cause->mark, plan->target->worker, block_m, block_n, acc,
                 fragments, addresses, acc + fragments + addresses, most, threads, t.ctas,
                 "; take more warps, or a smaller tile");
}

/* ---- Pipeline --------------------------------------------------------------------------- */

/* How many stages, from two to four, leave each CTA of a multiprocessor its shared memory. Two,
 * even if they do not fit. */
static int stages_that_fit(const gg_plan *plan, tile t, int64_t staging_warps) {
  int stages = 4;
  while (stages > 2 && !fits(plan, t, stages, staging_warps))
    stages--;
  return stages;
}

/* How many stages there are if the spec asks for no number: enough to cover the latency of global
 * memory. If the scheduler is free, a third stage is worth more than separate staging memory. */
static int usual_stages(const gg_plan *plan, tile t, warps w) {
  const gg_spec_field *scheduler = &plan->spec->scheduler.kind;
  int alone = stages_that_fit(plan, t, 0), staged = stages_that_fit(plan, t, w.m * w.n);
  bool asked = scheduler->state == GG_SPEC_SET;
  bool persistent =
      asked ? scheduler->number != GG_SCHEDULER_DATA_PARALLEL : is_large(t) && staged > 2;
  return persistent ? staged : alone;
}

/* The stages and the scheduler. Large tiles have long epilogues and long first copies, which are
 * worth overlapping (a persistent grid) if shared memory has room for both. Small tiles overlap
 * because several CTAs run on a multiprocessor. */
static pipeline choose_pipeline(const gg_plan *plan, tile t, warps w) {
  const gg_spec_field *stages = &plan->spec->stages, *scheduler = &plan->spec->scheduler.kind;
  bool asked = stages->state == GG_SPEC_SET;
  pipeline out = {.stages = asked ? (int)stages->number : usual_stages(plan, t, w)};
  bool gains = is_large(t) && fits(plan, t, out.stages, w.m * w.n);
  out.scheduler = scheduler->state == GG_SPEC_SET ? (gg_scheduler)scheduler->number
                  : gains                         ? GG_SCHEDULER_PERSISTENT
                                                  : GG_SCHEDULER_DATA_PARALLEL;
  return out;
}

static gg_status check_stages(const gg_plan *plan, int stages, gg_error *err) {
  return stages >= 2 ? GG_OK : gg_fail(err, PLAN_STAGES, &plan->spec->stages.mark, stages);
}

/* Bytes that a thread copies at once. cp.async moves 4, 8 or 16 bytes; operands that are aligned to
 * less go through registers, element by element. */
static int copy_bytes(const gg_operand *operand) {
  enum { least = 4 };
  int bytes = gg_access_bytes(*operand);
  return bytes < least ? (int)gg_dtype_bytes(operand->type, 1) : bytes;
}

/* Chooses copies and swizzles. A line that no swizzle fits is an odd number of 16-byte chunks,
 * which spreads over the banks by itself. */
static gg_status choose_copies(gg_plan *plan, tile t, gg_error *err) {
  const gg_spec *spec = plan->spec;
  int stored_k = gg_plan_k_of_a(plan, t.k);
  int line_a = (int)gg_dtype_bytes(plan->a.type, plan->a.major == GG_MAJOR_K ? stored_k : t.m);
  int line_b = (int)gg_dtype_bytes(plan->b.type, plan->b.major == GG_MAJOR_K ? t.k : t.n);
  plan->copy_bytes_a = copy_bytes(&plan->a);
  plan->copy_bytes_b = copy_bytes(&plan->b);
  gg_status st = gg_choose_swizzle(&plan->swizzle_a, &spec->swizzle.a, "A", line_a, err);
  return st ? st : gg_choose_swizzle(&plan->swizzle_b, &spec->swizzle.b, "B", line_b, err);
}

/* ---- Schedule and epilogue -------------------------------------------------------------- */

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused unused[] = {
      {&spec->d.store, "key d.store:", "one way, lanes that store whole lines: leave the key out"},
      {&spec->cluster, "cluster", "one CTA: leave it out"},
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->accumulator_stages, "accumulator_stages", "accumulators in registers, one set"},
  };
  return gg_check_all_unused(plan, unused, sizeof unused / sizeof *unused, err);
}

static gg_status check_schedule(const gg_plan *plan, gg_scheduler kind, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st;
  const gg_spec_field *a = &spec->operand_source.a, *b = &spec->operand_source.b;
  if ((st = gg_check_source(plan, a, GG_MMA_A, "operand_source", err))) return st;
  if ((st = gg_check_source(plan, b, GG_MMA_B, "operand_source", err))) return st;
  const gg_spec_field *scheduler = &spec->scheduler.kind;
  if (kind == GG_SCHEDULER_DYNAMIC) {
    return gg_refuse(plan, scheduler, "scheduler", scheduler->text,
                     "data_parallel, persistent, split_k and stream_k", err);
  }
  return gg_check_splits(plan, kind, err);
}

/* Checks tiles that are shared: a lane's sums go to other CTAs in four words, which with f16, two
 * to a word, takes 16 columns. */
static gg_status check_shared_sums(const gg_plan *plan, tile t, warps w, gg_scheduler kind,
                                   gg_error *err) {
  bool shares = kind == GG_SCHEDULER_SPLIT_K || kind == GG_SCHEDULER_STREAM_K;
  if (!shares || plan->accumulator != GG_DTYPE_f16) return GG_OK;
  char why[96];
  snprintf(why, sizeof why, "%d warps x 16 (16 bytes of a lane's f16 accumulators)", w.n);
  return gg_check_multiple("tile N", t.n, 16 * w.n, why, gg_element_mark(&plan->spec->tile, 1),
                           err);
}

/* The length of a staged line: the largest power of two that divides `extent`, which stages without
 * bank conflicts; at most 128 bytes of the widest type that is staged, which is what global memory
 * moves at once. */
static int staged_line(const gg_plan *plan, int extent) {
  gg_lined lined[GG_LINED_MAX];
  size_t count = gg_sm80_lined(lined, plan);
  int bits = gg_dtype_info_of(plan->d.type)->bits;
  if (plan->has_c && gg_dtype_info_of(plan->c.type)->bits > bits) {
    bits = gg_dtype_info_of(plan->c.type)->bits;
  }
  for (size_t i = 0; i < count; i++) {
    int own = gg_dtype_info_of(lined[i].operand.type)->bits;
    if (own > bits) bits = own;
  }
  int most = 128 * 8 / bits, power = extent & -extent;
  return power < most ? power : most;
}

static gg_status choose_epilogue(gg_plan *plan, tile t, warps w, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st;
  if ((st = gg_check_unused(plan, &spec->swizzle.d, "swizzle of D", "padding, by itself", err))) {
    return st;
  }
  plan->access_bytes_c = gg_access_bytes(plan->c);
  /* A sub-tile consists of whole atoms, and of whole lines that are as long as the warp's block
   * allows. */
  int warp_m = t.m / w.m, warp_n = t.n / w.n;
  bool row_major = plan->d.major == GG_MAJOR_N;
  int two_atoms = 2 * plan->mma.n;
  plan->epi_m = row_major || plan->turns_m ? plan->mma.m : staged_line(plan, warp_m);
  plan->epi_n = row_major            ? staged_line(plan, warp_n)
                : warp_n % two_atoms ? plan->mma.n
                                     : two_atoms;
  plan->epi_buffers = 1;
  plan->split_columns = split_columns(plan);
  plan->access_bytes_d = gg_access_bytes(plan->d);
  /* 8 columns of an 8-bit D, or 4 behind a gate, are less than the widest access. */
  int columns = gg_plan_columns_of_d(plan, plan->epi_n);
  int line = (int)gg_dtype_bytes(plan->d.type, row_major ? columns : plan->epi_m);
  if (line < plan->access_bytes_d) plan->access_bytes_d = line;
  return GG_OK;
}

static void put(gg_plan *plan, tile t, warps w, pipeline p, gg_order order) {
  plan->tile_m = t.m;
  plan->tile_n = t.n;
  plan->tile_k = t.k;
  plan->ctas_per_sm = t.ctas;
  plan->atoms_m = w.m;
  plan->atoms_n = w.n;
  plan->atoms_k = w.k;
  plan->threads = warps_of(w) * GG_WARP;
  plan->stages = p.stages;
  plan->scheduler = p.scheduler;
  plan->splits = gg_choose_splits(plan, p.scheduler);
  plan->cluster_m = plan->cluster_n = plan->cluster_k = 1;
  gg_plan_put_order(plan, &order);
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = choose_types(plan, err))) return st;
  if ((st = gg_sm80_check_sparse(plan, err))) return st;
  if ((st = choose_sums(plan, err))) return st;
  if ((st = gg_choose_operations(plan, plan->accumulator, err))) return st;
  if ((st = refuse_unused(plan, err))) return st;
  if ((st = choose_mma(plan, err))) return st;
  const tile t = choose_tile(plan);
  const warps w = choose_warps(plan, t);
  if ((st = check_warps(plan, w, err))) return st;
  if ((st = check_tile(plan, t, w, err))) return st;
  if ((st = gg_sm80_check_sparse_tile(plan, t.k, w.k, err))) return st;
  if ((st = check_sums(plan, t.k, w.k, err))) return st;
  if ((st = check_registers(plan, t, w, err))) return st;
  const pipeline p = choose_pipeline(plan, t, w);
  if ((st = choose_copies(plan, t, err))) return st;
  if ((st = check_stages(plan, p.stages, err))) return st;
  if ((st = check_schedule(plan, p.scheduler, err))) return st;
  if ((st = check_shared_sums(plan, t, w, p.scheduler, err))) return st;
  const gg_order order = gg_choose_raster(&st, plan, &(gg_orders){GG_RASTER_ALONG_M}, err);
  if (st) return st;
  put(plan, t, w, p, order);
  if ((st = gg_sm80_choose_permutation(&plan->turns_m, plan, err))) return st;
  return choose_epilogue(plan, t, w, err);
}

/* The rate of 8-bit floats. Not every device has MMAs of a warp for them that are faster than those
 * of 16 bits. There, what ptxas makes of them, with sums of its own, reached 0.7 of the rate of
 * text that multiplies in f16 (measured on an H100: 329 and 454 TFLOP/s, docs/performance/sm80.md).
 */
static gg_device_number fp8_rate(const gg_plan *plan, int arch) {
  const gg_arch_info *device = gg_arch_info_of(arch);
  bool direct = plan->widens || !device || device->multiplies_fp8;
  return (gg_device_number){direct ? 1 : 0.7, {GG_DEVICE_mma_rate_16, GG_DEVICE_warp_fp8}};
}

/* What the model asks. f64 is multiplied by MMAs of a warp only, so the device's rate is what these
 * reach with a warp on each quarter of a multiprocessor. From sm_90 on, those of 8 rows reach half
 * of it (measured on an H100: 29 and 58 TFLOP/s, docs/performance/h100.md), and two CTAs on a
 * multiprocessor are 5 percent faster than one (the figures of "f32 and f64" there). */
static void traits(gg_traits *out, const gg_plan *plan, int arch) {
  gg_warp_traits(out, plan, arch);
  if (plan->a.type == GG_DTYPE_f64) {
    out->tensor_share = gg_plain_number(arch >= 90 && plan->mma.m == 8 ? 0.525 : 1.05);
    out->warps_wanted = gg_plain_number(4);
    out->ctas_half = 0.1;
  }
  if (gg_dtype_is_fp8(plan->a.type)) out->rate = fp8_rate(plan, arch);
  if (gg_sm80_packed(plan) > 1) out->rate = gg_sm80_packed_rate(plan, arch);
}

const gg_target gg_target_sm80 = {
    .id = GG_TARGET_SM80,
    .name = "sm80",
    .family = "sm80",
    .summary = "mma.sync fed by a multistage cp.async pipeline, sm_80 and newer",
    .worker = "warp",
    .gates = true,
    .traces = true,
    .awaits = true,
    .least = {.number = 80},
    .has_atom = has_atom,
    .accepts = accepts,
    .pointers = true,
    .bits = true,
    .sparse = true,
    .sum_boxes = gg_tile_sum_boxes,
    .promotes = true,
    .choose = choose,
    .derive = gg_sm80_derive,
    .traits = traits,
};
