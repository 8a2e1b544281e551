/* Family sm90: the CTA's tile, the MMA that computes it, and the warpgroups that execute it.
 *
 * An MMA is 64 rows of the tile by all of its columns: N of the atom is the tile's, any multiple
 * of 8 up to 256 (of integers 8, 24 and multiples of 16). Warpgroups split the tile's rows, or
 * take whole tiles in turns. The accumulators of all that are resident share a multiprocessor's
 * registers. Few rows of D are computed as columns, of the transposed problem (transpose.h): these
 * rules are then about the other mode. (PTX ISA, "wgmma.mma_async", "setmaxnreg".) */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

enum {
  warpgroup = 128,  /* threads */
  block_m = 64,     /* rows of a wgmma */
  addresses = 24,   /* registers: descriptors, loop state and predicates */
  line_bytes = 128, /* K a step where none is asked for: the widest swizzle's pattern */
};

/* Columns of D in whole 64s are as good as rows, where the rows are none or few. */
bool gg_sm90_swaps_ab(const gg_spec *spec) {
  const gg_spec_field *tile = &spec->tile, *m = &spec->problem.m;
  if (tile->state == GG_SPEC_SET)
    return tile->tuple[0] % block_m != 0 && tile->tuple[1] % block_m == 0;
  return m->state == GG_SPEC_SET && m->number > 0 && m->number < block_m;
}

/* K of a wgmma is 32 bytes. */
static int mma_k_of(const gg_plan *plan) {
  return 32 * 8 / gg_dtype_info_of(plan->a.type)->bits;
}

/* N of the atom. Tables have the same rule; here it has the spec's line. */
static gg_status check_n(const gg_plan *plan, gg_error *err) {
  enum { most = 256 };
  const gg_mark *mark = gg_element_mark(&plan->spec->tile, 1);
  const char *name = gg_as_asked(plan, "tile N", "tile M");
  bool integers = plan->accumulator == GG_DTYPE_s32;
  if (plan->tile_n == 8 || plan->tile_n == 24) return GG_OK;
  if (plan->tile_n > most) {
    char asked[16];
    snprintf(asked, sizeof asked, "%d", plan->tile_n);
    return gg_fail(err, PLAN_UNSUPPORTED, mark, plan->target->family, name, asked,
                   "256 at most: N of the atom");
  }
  return gg_check_multiple(name, plan->tile_n, integers ? 16 : 8,
                           integers ? "N of the atom, but for 8 and 24" : "N of the atom", mark,
                           err);
}

/* The same instruction with its A in registers; of any major, since what is there has none. */
static void take_a_from_registers(gg_mma_atom *mma) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (size_t i = 0; i < count; i++) {
    bool same = rows[i].kind == GG_MMA_wgmma && strcmp(rows[i].ptx, mma->row->ptx) == 0;
    if (same && rows[i].source_a == GG_MMA_REGISTERS) {
      gg_mma_row_atom(mma, &rows[i], mma->n);
      return;
    }
  }
}

/* B comes from shared memory always; A too, unless it is asked for in registers. */
static gg_status choose_source(gg_plan *plan, gg_error *err) {
  const gg_spec_field *a = &plan->spec->operand_source.a, *b = &plan->spec->operand_source.b;
  const char *of_a = gg_as_asked(plan, "operand_source of A", "operand_source of B");
  const char *of_b = gg_as_asked(plan, "operand_source of B", "operand_source of A");
  if (b->state == GG_SPEC_SET && b->number != GG_SOURCE_SHARED)
    return gg_refuse(plan, b, of_b, b->text, "shared", err);
  if (a->state != GG_SPEC_SET || a->number == GG_SOURCE_SHARED) return GG_OK;
  if (a->number != GG_SOURCE_REGISTERS)
    return gg_refuse(plan, a, of_a, a->text, "shared and registers", err);
  if (!plan->specialised || plan->promote) {
    return gg_refuse(plan, a, of_a, a->text,
                     plan->promote ? "shared beside promote, registers beside `promote: 0`"
                                   : "shared beside schedule multistage",
                     err);
  }
  plan->a_in_registers = true;
  return GG_OK;
}

static gg_status choose_mma(gg_plan *plan, gg_error *err) {
  char shape[32];
  gg_status st = check_n(plan, err);
  if (st) return st;
  gg_str ptx = GG_STR_INIT;
  snprintf(shape, sizeof shape, "m64n%dk%d", plan->tile_n, mma_k_of(plan));
  gg_str_printf(&ptx, "wgmma.mma_async.sync.aligned.%s.%s.%s.%s", shape,
                gg_dtype_info_of(plan->accumulator)->ptx, gg_dtype_info_of(plan->a.type)->ptx,
                gg_dtype_info_of(plan->b.type)->ptx);
  st = ptx.failed ? gg_fail(err, MEMORY, NULL, "")
                  : gg_mma_atom_find(&plan->mma, gg_str_text(&ptx), err);
  gg_str_free(&ptx);
  if (st || (st = choose_source(plan, err))) return st;
  if (plan->a_in_registers) take_a_from_registers(&plan->mma);
  plan->mma.a_mn_major = !plan->a_in_registers && plan->a.major != GG_MAJOR_K;
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
  static const int shapes[][2] = {{128, 256}, {128, 128}, {64, 128}, {64, 64}};
  size_t last = sizeof shapes / sizeof *shapes - 1, at = 0;
  bool known = tiles_of(plan, 1, 1) > 0;
  if (plan->promote) at++; /* twice the accumulators */
  while (known && at < last &&
         tiles_of(plan, shapes[at][0], shapes[at][1]) < plan->device->tiles_enough)
    at++;
  plan->tile_m = gg_usual_extent(plan->fixed_m, block_m, shapes[at][0]);
  plan->tile_n = gg_usual_extent(plan->fixed_n, 8, shapes[at][1]);
  /* Small tiles wait for memory, not for each other: more bytes a stage. */
  int lines = plan->tile_m * plan->tile_n <= block_m * block_m ? 2 : 1;
  int k = lines * line_bytes * 8 / gg_dtype_info_of(plan->a.type)->bits;
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
  if (schedule->state != GG_SPEC_SET || plan->pingpong || !plan->specialised) return GG_OK;
  bool one = plan->consumers == 1;
  if (schedule->number == (one ? GG_SCHEDULE_WARP_SPECIALIZED : GG_SCHEDULE_COOPERATIVE))
    return GG_OK;
  return gg_refuse(plan, schedule, "schedule", schedule->text,
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
  return gg_refuse(plan, asked, "atom_layout", "of this shape",
                   plan->pingpong  ? "one warpgroup a tile: [1, 1, 1]"
                   : plan->swap_ab ? "1 to 3 warpgroups along N: [1, 2, 1]"
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
  plan->threads = warpgroup * (plan->consumers + plan->specialised);
  if (threads->state == GG_SPEC_SET && threads->number != plan->threads) {
    char has[96];
    snprintf(has, sizeof has, "%d: %d warpgroups that multiply%s", plan->threads, plan->consumers,
             plan->specialised ? " and one that loads" : "");
    return gg_refuse(plan, threads, "threads", threads->text, has, err);
  }
  char why[64];
  snprintf(why, sizeof why, "%d warpgroups x %d (M of the atom)", plan->atoms_m, block_m);
  st = gg_check_multiple(gg_as_asked(plan, "tile M", "tile N"), plan->tile_m,
                         plan->atoms_m * block_m, why, gg_element_mark(&plan->spec->tile, 0), err);
  return st ? st : check_schedule(plan, err);
}

/* One thread that copies boxes needs few registers; threads that copy lines have one at a time. */
static int producer_registers(const gg_plan *plan) {
  if (plan->copy_bytes_a || plan->copy_bytes_b) return plan->consumers == 2 ? 96 : 80;
  return plan->consumers == 2 ? 40 : 32;
}

int gg_sm90_accumulator_registers(const gg_plan *plan) {
  return (1 + plan->sum_sets) * gg_plan_block_m(plan) / block_m *
         gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL);
}

int gg_sm90_fragment_registers(const gg_plan *plan) {
  enum { sets = 2 };
  return sets * gg_plan_block_m(plan) / block_m * gg_mma_atom_registers(&plan->mma, GG_MMA_A, NULL);
}

/* Of descriptors, loop state and predicates. Sums of parts that other clusters add up hold on to as
 * many again where there is a set beside the accumulators: ptxas spills with fewer. */
static int other_registers(const gg_plan *plan) {
  const gg_spec_field *scheduler = &plan->spec->scheduler.kind;
  bool shares = scheduler->state == GG_SPEC_SET && (scheduler->number == GG_SCHEDULER_SPLIT_K ||
                                                    scheduler->number == GG_SCHEDULER_STREAM_K);
  return plan->promote && shares ? 2 * addresses : addresses;
}

/* One MMA's registers must be there at launch, for ptxas (13.0: "Insufficient registers to compile
 * instruction ..."), whatever setmaxnreg brings: its accumulators, its A, and 26. */
static gg_status check_mma(const gg_plan *plan, int launch, gg_error *err) {
  enum { beside = 26 };
  const gg_spec_field *ctas = &plan->spec->ctas_per_sm, *tile = &plan->spec->tile;
  int acc = gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL);
  int a = gg_mma_atom_registers(&plan->mma, GG_MMA_A, NULL);
  if (acc + a + beside <= launch) return GG_OK;
  int unit = plan->accumulator == GG_DTYPE_s32 ? 16 : 8;
  int fits = (launch - a - beside) * plan->mma.n / acc / unit * unit;
  const gg_mark *mark = ctas->state == GG_SPEC_SET ? &ctas->mark : gg_element_mark(tile, 1);
  return gg_fail(err, PLAN_MMA_REGISTERS, mark, plan->mma.m, plan->mma.n, acc, a, beside,
                 acc + a + beside, launch, plan->threads, plan->ctas_per_sm,
                 gg_as_asked(plan, "N", "M"), fits);
}

/* Registers are divided evenly at launch. Where a CTA has a multiprocessor to itself, the warpgroup
 * that loads then gives most of its own to those that multiply; a single one has enough. Where
 * several CTAs are to be resident ptxas counts on what there is at launch alone. Counts are
 * multiples of 8. */
static gg_status choose_registers(gg_plan *plan, gg_error *err) {
  enum { each = GG_REGISTERS_PER_SM / warpgroup, most = 232, unit = 8 };
  const gg_spec_field *ctas = &plan->spec->ctas_per_sm;
  plan->ctas_per_sm = ctas->state == GG_SPEC_SET ? (int)ctas->number : 1;
  int groups = plan->consumers + plan->specialised;
  int launch = each / plan->ctas_per_sm / groups / unit * unit;
  bool moves = plan->specialised && plan->ctas_per_sm == 1 && plan->consumers > 1;
  plan->producer_registers = moves ? producer_registers(plan) : 0;
  plan->consumer_registers =
      moves ? (launch * groups - plan->producer_registers) / plan->consumers / unit * unit : launch;
  if (plan->consumer_registers > most) plan->consumer_registers = most;
  plan->sum_sets = plan->promote ? 1 : 0;
  int acc = gg_sm90_accumulator_registers(plan), fragments = gg_sm90_fragment_registers(plan);
  int others = other_registers(plan), all = acc + fragments + others;
  if (all <= plan->consumer_registers) return check_mma(plan, launch, err);
  const gg_spec_field *cause = ctas->state == GG_SPEC_SET ? ctas : &plan->spec->tile;
  return gg_fail(err, PLAN_REGISTERS, &cause->mark, plan->target->worker, gg_plan_block_m(plan),
                 gg_plan_block_n(plan), acc, fragments, others, all, plan->consumer_registers,
                 plan->threads, plan->ctas_per_sm);
}

/* A second set of registers for sums that are promoted, where there is room. Not where tiles' sums
 * are brought together from several CTAs: ptxas then spills. */
void gg_sm90_choose_sum_sets(gg_plan *plan) {
  if (!plan->promote || gg_plan_reduces_sums(plan)) return;
  plan->sum_sets = 2;
  bool fits = gg_sm90_accumulator_registers(plan) + addresses <= plan->consumer_registers;
  if (!fits) plan->sum_sets = 1;
}

/* K of the tile in whole MMAs, and in whole sums of those that are promoted together. */
static gg_status check_k(gg_plan *plan, gg_error *err) {
  const gg_spec_field *tile = &plan->spec->tile;
  while (plan->promote > 1 && plan->spec->promote.state != GG_SPEC_SET &&
         plan->tile_k % (plan->mma.k * plan->promote) != 0)
    plan->promote--;
  char why[64];
  snprintf(why, sizeof why, "%d MMAs x %d (K of the atom)", plan->promote, plan->mma.k);
  bool promotes = plan->promote > 0;
  return gg_check_multiple("tile K", plan->tile_k, plan->mma.k * (promotes ? plan->promote : 1),
                           promotes ? why : "K of the atom",
                           tile->state == GG_SPEC_SET || !promotes ? gg_element_mark(tile, 2)
                                                                   : &plan->spec->promote.mark,
                           err);
}

gg_status gg_sm90_choose_tile(gg_plan *plan, gg_error *err) {
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
  if ((st = check_k(plan, err))) return st;
  return choose_registers(plan, err);
}
