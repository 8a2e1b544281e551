/* Family sm90: the CTA's tile, the MMA that computes it, and the warpgroups that execute it.
 *
 * An MMA is 64 rows of the tile by all of its columns: N of the atom is the tile's, any multiple
 * of 8 up to 256 (of integers 8, 24 and multiples of 16); or by half of them, where they are more,
 * or where so many threads have not the registers for one instruction of all. Warpgroups split the
 * tile's rows, or take whole tiles in turns. The accumulators of all that are resident share a
 * multiprocessor's registers. Few rows of D are computed as columns, of the transposed problem
 * (transpose.h): these rules are then about the other mode. (PTX ISA, "wgmma.mma_async",
 * "setmaxnreg".) */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/choices.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm90.h"
#include "plan/sparse.h"
#include "plan/transpose.h"

enum {
  warpgroup = 128,  /* threads */
  block_m = 64,     /* rows of a wgmma */
  addresses = 24,   /* registers: descriptors, loop state and predicates */
  spare = 8,        /* registers beside accumulators that would fill all the rest */
  line_bytes = 128, /* K a step where none is asked for: the widest swizzle's pattern */
  register_unit = 8,
};

/* Columns of D in whole 64s are as good as rows, where the rows are none or few. */
bool gg_sm90_swaps_ab(const gg_spec *spec) {
  const gg_spec_field *tile = &spec->tile, *m = &spec->problem.m;
  if (gg_spec_is_scaled(&spec->d)) return false; /* along its rows */
  if (tile->state == GG_SPEC_SET)
    return tile->tuple[0] % block_m != 0 && tile->tuple[1] % block_m == 0;
  return m->state == GG_SPEC_SET && m->number > 0 && m->number < block_m;
}

/* What the plan's types are multiplied by. */
static const gg_mma_row *row_of(const gg_plan *plan, bool a_in_registers) {
  return gg_atoms_row(plan, a_in_registers ? GG_MMA_REGISTERS : GG_MMA_SHARED);
}

/* N of the widest atom. */
static int most_columns(const gg_mma_row *row) {
  int most = 0;
  for (int n = 0; (n = gg_mma_row_next_n(row, n));)
    most = n;
  return most;
}

/* N of the atom, or of two: the row's rule, with the spec's line. */
static gg_status check_n(const gg_plan *plan, int tile_n, gg_error *err) {
  const gg_mma_row *row = row_of(plan, false);
  const gg_mark *mark = gg_element_mark(&plan->spec->tile, 1);
  const char *name = gg_as_asked(plan, "tile N", "tile M");
  gg_mma_atom atom;
  if (gg_mma_row_atom(&atom, row, tile_n)) return GG_OK;
  int most = most_columns(row);
  int widest = plan->specialised ? 2 * most : most;
  if (tile_n > widest) {
    char asked[16], has[64];
    snprintf(asked, sizeof asked, "%d", tile_n);
    snprintf(has, sizeof has, "%d at most: %s", widest,
             plan->specialised ? "two MMAs side by side" : "N of the atom");
    return gg_fail(err, PLAN_UNSUPPORTED, mark, plan->target->family, name, asked, has);
  }
  if (tile_n > most)
    return gg_check_multiple(name, tile_n, 2 * row->n_step, "2 MMAs x N of the atom", mark, err);
  return gg_check_multiple(name, tile_n, row->n_step,
                           row->n_step > 8 ? "N of the atom, but for 8 and 24" : "N of the atom",
                           mark, err);
}

/* Both from shared memory, but where A is asked for in registers. */
static gg_status choose_source(bool *in_registers, const gg_plan *plan, bool promotes,
                               gg_error *err) {
  const gg_spec_field *a = &plan->spec->operand_source.a, *b = &plan->spec->operand_source.b;
  const char *of_a = gg_as_asked(plan, "operand_source of A", "operand_source of B");
  const char *of_b = gg_as_asked(plan, "operand_source of B", "operand_source of A");
  gg_status st;
  *in_registers = false;
  if ((st = gg_check_source(plan, b, GG_MMA_B, of_b, err))) return st;
  if ((st = gg_check_source(plan, a, GG_MMA_A, of_a, err))) return st;
  if (a->state != GG_SPEC_SET || a->number != GG_SOURCE_REGISTERS) return GG_OK;
  if (!plan->specialised || promotes) {
    return gg_refuse(plan, a, of_a, a->text,
                     promotes ? "shared beside promote, registers beside `promote: 0`"
                              : "shared beside schedule multistage",
                     err);
  }
  *in_registers = true;
  return GG_OK;
}

/* ---- Registers at launch ---------------------------------------------------------------- */

static int ctas_per_sm(const gg_plan *plan) {
  const gg_spec_field *asked = &plan->spec->ctas_per_sm;
  return asked->state == GG_SPEC_SET ? (int)asked->number : 1;
}

/* Of a thread, where a CTA has so many warpgroups. */
static int launch_registers(const gg_plan *plan, int groups) {
  enum { each = GG_REGISTERS_PER_SM / warpgroup };
  return each / ctas_per_sm(plan) / groups / register_unit * register_unit;
}

/* What one MMA's registers take, which must be there at launch, for ptxas (13.0: "Insufficient
 * registers to compile instruction ..."), whatever setmaxnreg brings: its accumulators, its A, and
 * 26. */
static int mma_registers(const gg_mma_atom *mma) {
  enum { beside = 26 };
  return gg_mma_atom_registers(mma, GG_MMA_C, NULL) + gg_mma_atom_registers(mma, GG_MMA_A, NULL) +
         beside;
}

/* Three consumers where the tile's rows are three of theirs, else two where there are two. */
static int usual_consumers(const gg_plan *plan, const gg_sm90_tile *tile) {
  const gg_spec_field *schedule = &plan->spec->schedule;
  if (schedule->state == GG_SPEC_SET && schedule->number == GG_SCHEDULE_WARP_SPECIALIZED) return 1;
  return tile->m % (2 * block_m) == 0 ? 2 : tile->m == 3 * block_m ? 3 : 1;
}

static bool takes_turns(const gg_plan *plan) {
  const gg_spec_field *schedule = &plan->spec->schedule;
  return schedule->state == GG_SPEC_SET && schedule->number == GG_SCHEDULE_PINGPONG;
}

/* Warpgroups that share a tile, along N and along M. */
static int atoms_n(const gg_plan *plan, const gg_sm90_tile *tile) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  if (asked->state == GG_SPEC_SET) return (int)asked->tuple[1];
  return !takes_turns(plan) && usual_consumers(plan, tile) == 2 && tile->beside == 2 ? 2 : 1;
}

static int atoms_m(const gg_plan *plan, const gg_sm90_tile *tile) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  if (asked->state == GG_SPEC_SET) return (int)asked->tuple[0];
  return takes_turns(plan) ? 1 : usual_consumers(plan, tile) / atoms_n(plan, tile);
}

/* Warpgroups that multiply: those of a tile, or two that take tiles in turns. */
static int consumers_of(const gg_plan *plan, const gg_sm90_tile *tile) {
  return takes_turns(plan) ? 2 : atoms_m(plan, tile) * atoms_n(plan, tile);
}

/* Whether there are too few for one instruction with all of a tile's columns, where a thread has
 * enough for their sums behind setmaxnreg: so where four warpgroups divide what there is. Two
 * instructions side by side then multiply by half of the columns each. */
static bool lacks_registers(const gg_plan *plan, const gg_sm90_tile *tile) {
  enum { most = 3 /* where more are asked for, the layout of atoms is refused */ };
  if (takes_turns(plan) || atoms_m(plan, tile) != most || !plan->specialised) return false;
  return mma_registers(&tile->mma) > launch_registers(plan, most + 1);
}

/* ---- MMA -------------------------------------------------------------------------------- */

/* One MMA has not the registers for the tile's columns, and two have no half of them. */
static gg_status refuse_columns(const gg_plan *plan, const gg_sm90_tile *tile, gg_error *err) {
  const gg_mma_atom *mma = &tile->mma;
  int acc = gg_mma_atom_registers(mma, GG_MMA_C, NULL);
  int a = gg_mma_atom_registers(mma, GG_MMA_A, NULL), all = mma_registers(mma);
  int groups = consumers_of(plan, tile) + 1, unit = 2 * mma->row->n_step;
  return gg_fail(err, PLAN_MMA_REGISTERS, gg_element_mark(&plan->spec->tile, 1), mma->m, mma->n,
                 acc, a, all - acc - a, all, launch_registers(plan, groups), groups * warpgroup,
                 ctas_per_sm(plan), gg_as_asked(plan, "N", "M"), mma->n / unit * unit);
}

/* What is in registers has no major. */
static gg_status choose_mma(gg_sm90_tile *tile, const gg_plan *plan, bool promotes, gg_error *err) {
  char shape[32];
  gg_status st = check_n(plan, tile->n, err);
  if (st || (st = choose_source(&tile->a_in_registers, plan, promotes, err))) return st;
  const gg_mma_row *row = row_of(plan, tile->a_in_registers);
  bool whole = gg_mma_row_atom(&tile->mma, row, tile->n),
       lacks = whole && lacks_registers(plan, tile);
  if (lacks && tile->n % (2 * row->n_step) != 0) return refuse_columns(plan, tile, err);
  if (!whole || lacks) gg_mma_row_atom(&tile->mma, row, tile->n / 2);
  tile->mma_columns = tile->mma.n;
  tile->mma.a_mn_major = row->source_a == GG_MMA_SHARED && !gg_sm90_is_k_major(plan, &plan->a);
  tile->mma.b_mn_major = !gg_sm90_is_k_major(plan, &plan->b);
  snprintf(shape, sizeof shape, "m%dn%dk%d", tile->mma.m, tile->mma.n, tile->mma.k);
  return gg_choose_atom(plan, &tile->mma, shape, err);
}

/* ---- Tile ------------------------------------------------------------------------------- */

/* Tiles of a fixed problem, batches counted; 0 where M or N is dynamic. */
double gg_sm90_tiles_of(const gg_plan *plan, int m, int n) {
  if (plan->fixed_m == GG_FIXED_NONE || plan->fixed_n == GG_FIXED_NONE) return 0;
  double batch = plan->fixed_batch == GG_FIXED_NONE ? 1 : (double)plan->fixed_batch;
  int64_t tiles_m = (plan->fixed_m + m - 1) / m, tiles_n = (plan->fixed_n + n - 1) / n;
  return (double)tiles_m * (double)tiles_n * batch;
}

/* The largest tile that gives most multiprocessors of a large device one, and fits behind so many
 * larger ones that do not. */
static void usual_tile(gg_sm90_tile *tile, const gg_plan *plan, bool promotes, int too_large) {
  static const int shapes[GG_SM90_USUAL_TILES][2] = {{128, 256}, {128, 128}, {64, 128}, {64, 64}};
  int last = GG_SM90_USUAL_TILES - 1, at = 0;
  double enough = plan->device->tiles_enough;
  bool known = gg_sm90_tiles_of(plan, 1, 1) > 0;
  if (promotes) at++; /* twice the accumulators */
  while (known && at < last && gg_sm90_tiles_of(plan, shapes[at][0], shapes[at][1]) < enough)
    at++;
  at = at + too_large < last ? at + too_large : last;
  tile->m = gg_usual_extent(plan->fixed_m, block_m, shapes[at][0]);
  bool transposed = gg_sm90_transposes_any(plan); /* in whole lines along K, 32 at once */
  int n_step = gg_sm90_split_step(plan, transposed ? 32 : 8, transposed);
  tile->n = gg_usual_extent(plan->fixed_n, n_step, shapes[at][1]);
  /* Small tiles wait for memory, not for each other: more bytes a stage. */
  int lines = tile->m * tile->n <= block_m * block_m ? 2 : 1;
  int k = lines * line_bytes * 8 / gg_dtype_info_of(plan->a.type)->bits;
  tile->k = transposed ? k : gg_usual_extent(plan->fixed_k, row_of(plan, false)->k, k);
}

gg_sm90_tile gg_sm90_choose_tile(gg_status *st, const gg_plan *plan, bool promotes, int too_large,
                                 gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  gg_sm90_tile out = {.m = 0};
  usual_tile(&out, plan, promotes, too_large);
  if (asked->state == GG_SPEC_SET) {
    out.m = (int)asked->tuple[0];
    out.n = (int)asked->tuple[1];
    out.k = (int)asked->tuple[2];
  }
  *st = choose_mma(&out, plan, promotes, err);
  return out;
}

/* K of the tile in whole MMAs, and in whole sums of those that are promoted together: fewer than is
 * usual where it has none such. */
gg_sm90_sums gg_sm90_choose_sums(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                                 int promote, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  while (promote > 1 && plan->spec->promote.state != GG_SPEC_SET &&
         tile->k % (tile->mma.k * promote) != 0)
    promote--;
  char why[64];
  snprintf(why, sizeof why, "%d MMAs x %d (K of the atom)", promote, tile->mma.k);
  bool promotes = promote > 0;
  *st = gg_check_multiple("tile K", tile->k, tile->mma.k * (promotes ? promote : 1),
                          promotes ? why : "K of the atom",
                          asked->state == GG_SPEC_SET || !promotes ? gg_element_mark(asked, 2)
                                                                   : &plan->spec->promote.mark,
                          err);
  return (gg_sm90_sums){promote};
}

/* ---- Consumers -------------------------------------------------------------------------- */

static gg_status check_schedule(const gg_plan *plan, const gg_sm90_workers *workers,
                                gg_error *err) {
  const gg_spec_field *schedule = &plan->spec->schedule;
  if (schedule->state != GG_SPEC_SET || workers->pingpong || !plan->specialised) return GG_OK;
  bool one = workers->consumers == 1;
  if (schedule->number == (one ? GG_SCHEDULE_WARP_SPECIALIZED : GG_SCHEDULE_COOPERATIVE))
    return GG_OK;
  return gg_refuse(plan, schedule, "schedule", schedule->text,
                   one ? "warp_specialized with one consumer" : "cooperative with several", err);
}

static gg_status choose_atom_layout(gg_sm90_workers *workers, const gg_plan *plan,
                                    const gg_sm90_tile *tile, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  workers->atoms_m = atoms_m(plan, tile);
  workers->atoms_n = atoms_n(plan, tile);
  if (asked->state != GG_SPEC_SET) return GG_OK;
  int m = workers->atoms_m, n = workers->atoms_n;
  bool along_n = tile->beside > 0 && !workers->pingpong;
  bool fits = n == 1 ? m <= (workers->pingpong ? 1 : 3) : along_n && m == 1 && n == 2;
  if (fits && asked->tuple[2] == 1) return GG_OK;
  return gg_refuse(
      plan, asked, "atom_layout", "of this shape",
      workers->pingpong ? "one warpgroup a tile: [1, 1, 1]"
      : !along_n
          ? gg_as_asked(plan, "1 to 3 warpgroups along M: [2, 1, 1]",
                        "1 to 3 warpgroups along N: [1, 2, 1]")
          : gg_as_asked(plan, "1 to 3 warpgroups along M: [2, 1, 1]; or two along N: [1, 2, 1]",
                        "1 to 3 warpgroups along N: [1, 2, 1]; or two along M: [2, 1, 1]"),
      err);
}

static gg_status check_threads(const gg_plan *plan, const gg_sm90_workers *workers, gg_error *err) {
  const gg_spec_field *threads = &plan->spec->threads;
  if (threads->state != GG_SPEC_SET || threads->number == workers->threads) return GG_OK;
  char has[96];
  snprintf(has, sizeof has, "%d: %d warpgroups that multiply%s", workers->threads,
           workers->consumers, plan->specialised ? " and one that loads" : "");
  return gg_refuse(plan, threads, "threads", threads->text, has, err);
}

static gg_status check_rows(const gg_plan *plan, int rows, int atoms_m, gg_error *err) {
  char why[64];
  snprintf(why, sizeof why, "%d warpgroups x %d (M of the atom)", atoms_m, block_m);
  return gg_check_multiple(gg_as_asked(plan, "tile M", "tile N"), rows, atoms_m * block_m, why,
                           gg_element_mark(&plan->spec->tile, 0), err);
}

/* Pingpong: two consumers, one of which multiplies while the other stores. */
gg_sm90_workers gg_sm90_choose_workers(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                                       gg_error *err) {
  gg_sm90_workers out = {.pingpong = takes_turns(plan)};
  *st = choose_atom_layout(&out, plan, tile, err);
  out.consumers = consumers_of(plan, tile);
  out.threads = warpgroup * (out.consumers + plan->specialised);
  if (!*st) *st = check_threads(plan, &out, err);
  if (!*st) *st = check_rows(plan, tile->m, out.atoms_m, err);
  if (!*st) *st = check_schedule(plan, &out, err);
  return out;
}

/* ---- Registers -------------------------------------------------------------------------- */

/* One thread that copies boxes needs few registers; threads that copy lines have one at a time, and
 * those that transpose 128 bytes. */
static int producer_registers(const gg_plan *plan, int consumers) {
  if (gg_sm90_has_copiers(plan)) return consumers == 2 ? 96 : 80;
  return consumers == 2 ? 40 : 32;
}

/* Of so many blocks of rows: the accumulators, with sets beside them. */
static int accumulators(const gg_sm90_tile *tile, int blocks, int sum_sets) {
  int beside = tile->n / tile->mma.n;
  return (1 + sum_sets) * blocks * beside * gg_mma_atom_registers(&tile->mma, GG_MMA_C, NULL);
}

static int fragments_of(const gg_mma_atom *mma, int blocks) {
  enum { sets = 2 };
  return sets * blocks * gg_mma_atom_registers(mma, GG_MMA_A, NULL);
}

int gg_sm90_mma_registers(const gg_plan *plan) {
  return gg_plan_mma_columns(plan) / gg_plan_column_parts(plan) / plan->mma.n *
         gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL);
}

int gg_sm90_accumulator_registers(const gg_plan *plan) {
  return (1 + plan->sum_sets) * gg_plan_block_m(plan) / block_m * gg_sm90_mma_registers(plan);
}

int gg_sm90_fragment_registers(const gg_plan *plan) {
  return fragments_of(&plan->mma, gg_plan_block_m(plan) / block_m);
}

/* Registers are divided evenly at launch. Where a CTA has a multiprocessor to itself, the warpgroup
 * that loads then gives most of its own to those that multiply; a single one has enough. Where
 * several CTAs are to be resident ptxas counts on what there is at launch alone. Counts are
 * multiples of 8. */
gg_sm90_registers gg_sm90_divide_registers(const gg_plan *plan, const gg_sm90_workers *workers) {
  enum { most = 232 };
  gg_sm90_registers out = {.ctas_per_sm = ctas_per_sm(plan)};
  int groups = workers->consumers + plan->specialised;
  int launch = launch_registers(plan, groups);
  bool moves = plan->specialised && out.ctas_per_sm == 1 && workers->consumers > 1;
  out.producer = moves ? producer_registers(plan, workers->consumers) : 0;
  out.consumer =
      moves ? (launch * groups - out.producer) / workers->consumers / register_unit * register_unit
            : launch;
  if (out.consumer > most) out.consumer = most;
  return out;
}

/* Bytes of an operand in a stage: whole patterns of the widest swizzle. */
static int64_t operand_bytes(const gg_plan *plan, gg_operand operand, int mn, int k) {
  enum { pattern = 8 * line_bytes };
  int64_t bytes = gg_plan_smem_bytes(plan, operand.type, (int64_t)mn * k);
  return (bytes + pattern - 1) / pattern * pattern;
}

int64_t gg_sm90_stage_bytes(const gg_plan *plan) {
  int k = gg_plan_k_of_a(plan, plan->tile_k);
  return gg_scale_stage_bytes(plan) + gg_metadata_bytes(plan) +
         operand_bytes(plan, plan->a, plan->tile_m, k) +
         operand_bytes(plan, plan->b, gg_plan_rows_of_b(plan, plan->tile_n), plan->tile_k);
}

int64_t gg_sm90_loaded_bytes(const gg_plan *plan) {
  int k = gg_plan_k_of_a(plan, plan->tile_k);
  return operand_bytes(plan, plan->a, plan->tile_m, k) / plan->cluster_n +
         operand_bytes(plan, plan->b, plan->tile_n, plan->tile_k) / plan->cluster_m;
}

typedef struct words {
  char text[48];
} words;

/* How many columns so many registers have accumulators of, where the tile's take `acc`. */
static words narrower(const gg_plan *plan, const gg_sm90_tile *tile, int acc, int registers) {
  words out = {""};
  int unit = tile->mma.row->n_step, fits = registers * tile->n / acc / unit * unit;
  if (fits > 0)
    snprintf(out.text, sizeof out.text, "; a tile %s of %d fits", gg_as_asked(plan, "N", "M"),
             fits);
  return out;
}

/* Beside accumulators and fragments: descriptors, loop state and predicates. Where accumulators
 * alone fill the rest, ptxas spills: 176 of them beside 24 take 1,088 bytes of local memory, and a
 * product nine times as long. Sums of shares that other clusters add up hold on to as many again
 * where there is a set beside the accumulators: ptxas spills with fewer. A second set for sums that
 * are promoted, where there is room; not where tiles' sums are brought together from several CTAs:
 * ptxas then spills. */
gg_sm90_registers gg_sm90_choose_registers(gg_status *st, const gg_plan *plan,
                                           const gg_sm90_tile *tile, const gg_sm90_workers *workers,
                                           const gg_sm90_sums *sums,
                                           const gg_sm90_schedule *schedule, gg_error *err) {
  int blocks = tile->m / workers->atoms_m / block_m;
  gg_sm90_registers out = gg_sm90_divide_registers(plan, workers);
  out.sum_sets = sums->promote ? 1 : 0;
  int acc = accumulators(tile, blocks, out.sum_sets);
  int fragments = fragments_of(&tile->mma, blocks);
  int others = sums->promote && schedule->shares_tiles ? 2 * addresses : addresses;
  if (!sums->promote && fragments == 0) others += spare;
  int all = acc + fragments + others;
  if (all > out.consumer) {
    const gg_spec_field *ctas = &plan->spec->ctas_per_sm;
    const gg_spec_field *cause = ctas->state == GG_SPEC_SET ? ctas : &plan->spec->tile;
    const words advice = narrower(plan, tile, acc, out.consumer - fragments - others);
    *st = gg_fail(err, PLAN_REGISTERS, &cause->mark, plan->target->worker,
                  tile->m / workers->atoms_m, tile->n, acc, fragments, others, all, out.consumer,
                  workers->threads, out.ctas_per_sm, advice.text);
    return out;
  }
  bool twice = accumulators(tile, blocks, 2) + addresses <= out.consumer;
  if (sums->promote && !schedule->reduces_sums && twice) out.sum_sets = 2;
  return out;
}
