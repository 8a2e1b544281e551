/* Family sm100: tcgen05.mma on operands that TMA brings to shared memory, with the accumulators in
 * tensor memory.
 *
 * A CTA computes one tile of D after the other. In its first warpgroup one warp loads, as in family
 * sm90, and a thread of another warp issues the MMAs. The tensor core executes these by itself:
 * they need no registers and no other thread. The second warpgroup reads a tile's accumulators,
 * finishes them and stores them; each of its warps reads the 32 lanes of tensor memory that are its
 * own. With two sets of accumulators, the MMAs of the next tile run meanwhile.
 *
 * An MMA computes 64 or 128 rows of the tile by all of its columns. It reads A from shared memory,
 * or from tensor memory, to which the tensor core then copies it once for all MMAs along N.
 * Clusters share operands as sm90's do.
 *
 * Two CTAs can be a pair (cta_group 2). Their tiles lie below each other, and one MMA computes up
 * to 128 rows of each by the same columns. Each CTA brings its rows of A and one half of B; a
 * thread of the first CTA issues for both; and each CTA has the sums of its rows in its own tensor
 * memory.
 *
 * Everything that is not about the multiplication (copies, the order of tiles, the epilogue) is
 * sm90's (plan/sm90.h). derive_sm100.c derives the layouts, emit/sm100.c writes the text. (PTX ISA,
 * "tcgen05.mma", "Tensor Memory".) */
#include "plan/sm100.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/tmem.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/map_sets.h"
#include "plan/narrow.h"
#include "plan/occupancy.h"
#include "plan/scales.h"
#include "plan/sm90.h"
#include "plan/sparse.h"
#include "plan/transpose.h"

enum {
  narrow_m = 64,        /* rows of the smaller MMA, in a CTA */
  wide_m = 128,         /* rows of the larger one, in a CTA */
  tile_m_most = 256,    /* two of the larger MMAs */
  mma_n_most = 256,     /* columns of an MMA; a wider tile has several MMAs along N */
  beside_n = 192,       /* usual columns of a tile that needs tensor memory for more than sums */
  line_bytes = 128,     /* bytes of a tile's K if none is asked for: the widest swizzle's pattern */
  long_tile_k = 384,    /* elements of a tile's K if an MMA's K is 96: whole lines of 64 bytes */
  most_registers = 232, /* of a thread, as sm90's consumers have, so that some are left over */
};

/* Accepts the architectures that have tcgen05: sm_100, sm_103 and sm_110 with a suffix. */
static bool accepts(const gg_spec *spec) {
  gg_arch arch = spec->arch.arch;
  const gg_spec_field *schedule = &spec->schedule;
  bool usual = schedule->state != GG_SPEC_SET || schedule->number == GG_SCHEDULE_WARP_SPECIALIZED;
  bool has_tcgen05 = arch.number >= 100 && arch.number <= 110 && arch.suffix;
  return has_tcgen05 && usual;
}

/* ---- Types ------------------------------------------------------------------------------ */

/* Whether the family uses the row: one without a scale of C; sparse or not, with scale factors or
 * not. sm_103's atoms with a K of 96 are used only if the spec names them: wants_long_k. */
static bool is_usable(const gg_mma_row *row) {
  return row->kind == GG_MMA_tcgen05 && !row->scales_d && row->k != GG_MMA_LONG_K;
}

static bool has_atom(const gg_mma_row *row) {
  return row->threads != GG_TV_pair && is_usable(row);
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  gg_status st = gg_sm100_check_scales(plan, err);
  if (!st) st = gg_sm100_check_sparse(plan, err);
  if (!st) st = gg_choose_inputs(plan, err);
  return st ? st : gg_choose_accumulator(plan, err);
}

static gg_status choose_operands(gg_plan *plan, gg_error *err) {
  gg_status st = gg_sm90_choose_copies(plan, true, err);
  if (!st) st = gg_sm100_choose_narrow(plan, err);
  if (!st) st = gg_sm100_check_lines(plan, err);
  if (!st) st = gg_plan_check_map_sets(plan, err);
  return st ? st : gg_sm100_check_scaled_d(plan, err);
}

/* ---- Tile ------------------------------------------------------------------------------- */

/* Whether the spec asks for an atom with a K of 96, by its shape ("m128n192k96") or CuTe's name. */
static bool wants_long_k(const gg_plan *plan) {
  static const char shape[] = "k96", name[] = "SM103_MXF4_ULTRA";
  const gg_spec_field *asked = &plan->spec->atom;
  if (asked->state != GG_SPEC_SET) return false;
  size_t length = strlen(asked->text), tail = sizeof shape - 1;
  return strncmp(asked->text, name, sizeof name - 1) == 0 ||
         (length > tail && strcmp(asked->text + length - tail, shape) == 0);
}

/* The row for packed e2m1 with a K of 96; NULL if the plan's types or architecture have none. */
static const gg_mma_row *long_row(const gg_plan *plan) {
  size_t count;
  const gg_mma_row *table = gg_mma_table(&count);
  if (!wants_long_k(plan) || !gg_plan_is_packed(plan) || plan->sparse_a) return NULL;
  for (size_t i = 0; i < count; i++) {
    bool pair = table[i].threads == GG_TV_pair;
    if (table[i].k == GG_MMA_LONG_K && table[i].kind == GG_MMA_tcgen05 &&
        table[i].block == plan->scale_a.block && pair == (plan->cta_group > 1) &&
        gg_arch_runs(plan->arch, table[i].arch))
      return &table[i];
  }
  return NULL;
}

/* The row that multiplies the plan's types, for one CTA or for a pair: the table has rows that
 * differ in that alone. */
static const gg_mma_row *row_of(const gg_plan *plan) {
  const gg_mma_row *of_long_k = long_row(plan);
  if (of_long_k) return of_long_k;
  gg_mma_source source = plan->a_in_tensor ? GG_MMA_TENSOR : GG_MMA_SHARED;
  const gg_mma_row *alone = gg_atoms_row(plan, source), *row = alone;
  size_t count;
  const gg_mma_row *table = gg_mma_table(&count);
  for (size_t i = 0; i < count && plan->cta_group > 1; i++) {
    bool alike = table[i].kind == alone->kind && table[i].a == alone->a && table[i].c == alone->c &&
                 table[i].block == alone->block && table[i].sparse == alone->sparse &&
                 table[i].source_a == source && is_usable(&table[i]);
    if (alike && table[i].threads == GG_TV_pair) row = &table[i];
  }
  return row;
}

/* How many MMAs of a tile are side by side along M and N. */
typedef struct mma_counts {
  int m, n;
} mma_counts;

/* The number of MMAs that the spec asks for, else the smallest possible. */
static mma_counts counts_of(const gg_plan *plan, const gg_sm90_tile *tile) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  if (asked->state == GG_SPEC_SET) return (mma_counts){(int)asked->tuple[0], (int)asked->tuple[1]};
  return (mma_counts){tile->m > wide_m ? tile->m / wide_m : 1,
                      (tile->n + mma_n_most - 1) / mma_n_most};
}

/* The largest tile with which most multiprocessors of a large device get one. Scale factors,
 * metadata and A take columns of tensor memory: beside them two sets of accumulators have room for
 * 192 columns each, not for 256. */
static void usual_tile(gg_sm90_tile *tile, const gg_plan *plan) {
  int shapes[][2] = {{wide_m, mma_n_most}, {wide_m, 128}, {wide_m, 64}};
  size_t last = sizeof shapes / sizeof *shapes - 1, at = 0;
  bool beside = gg_plan_is_scaled(plan) || plan->sparse_a || plan->a_in_tensor;
  if (beside) shapes[0][1] = beside_n;
  while (at < last && gg_sm90_tiles_of(plan, shapes[at][0], shapes[at][1]) > 0 &&
         gg_sm90_tiles_of(plan, shapes[at][0], shapes[at][1]) < plan->device->tiles_enough)
    at++;
  bool pair = plan->cta_group > 1;
  bool wide = pair || beside;
  tile->m = gg_usual_extent(plan->fixed_m, wide ? wide_m : narrow_m, shapes[at][0]);
  int n_step = gg_plan_is_scaled(plan)          ? GG_SCALE_TILE_STEP
               : pair || gg_plan_scales_d(plan) ? GG_SCALE_PACKED_STEP
                                                : 16;
  tile->n = gg_usual_extent(plan->fixed_n, gg_sm90_split_step(plan, n_step, false), shapes[at][1]);
  if (gg_sm90_halves_tile(plan)) tile->n = 2 * GG_SCALE_ROWS;
  int k = line_bytes * 8 / gg_plan_smem_bits(plan, plan->a.type);
  tile->k = gg_usual_extent(plan->fixed_k, row_of(plan)->k, k);
  if (plan->sparse_a) tile->k = gg_sm100_usual_sparse_k(plan);
  if (long_row(plan)) tile->k = long_tile_k;
  const gg_spec_field *atoms = &plan->spec->atom_layout;
  if (atoms->state != GG_SPEC_SET) return;
  tile->m = wide_m * (int)atoms->tuple[0];
  tile->n *= (int)atoms->tuple[1];
}

static gg_status check_at_most(const gg_plan *plan, int element, const char *what, int value,
                               int most, const char *why, gg_error *err) {
  if (value <= most) return GG_OK;
  char asked[16], has[80];
  snprintf(asked, sizeof asked, "%d", value);
  snprintf(has, sizeof has, "%d at most: %s", most, why);
  return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(&plan->spec->tile, element),
                 plan->target->family, what, asked, has);
}

/* Checks the tile's rows: one MMA, or several along M, with 64 or 128 rows of a CTA each. */
static gg_status check_rows(const gg_plan *plan, const gg_sm90_tile *tile, mma_counts mmas,
                            gg_error *err) {
  const gg_mark *mark = gg_element_mark(&plan->spec->tile, 0);
  const char *m = gg_as_asked(plan, "tile M", "tile N");
  bool pair = plan->cta_group > 1, asked = plan->spec->atom_layout.state == GG_SPEC_SET;
  gg_status st = check_at_most(plan, 0, m, tile->m, tile_m_most, "two MMAs of 128 rows", err);
  if (st || tile->m == mmas.m * narrow_m || tile->m == mmas.m * wide_m) return st;
  if (asked) {
    char value[16], has[96];
    snprintf(value, sizeof value, "%d", tile->m);
    snprintf(has, sizeof has, "%d and %d: %d x 64 or 128 of %s of a CTA", mmas.m * narrow_m,
             mmas.m * wide_m, mmas.m, gg_as_asked(plan, "rows", "columns"));
    return gg_fail(err, PLAN_UNSUPPORTED, mark, plan->target->family, m, value, has);
  }
  return gg_check_multiple(
      m, tile->m, wide_m,
      pair ? "rows of a CTA of a pair, but for 64" : "M of the atom, but for 64", mark, err);
}

/* Checks the tile's columns. MMAs of 64 rows have columns in steps of 8 (with integers only up to
 * 32 columns), those of 128 rows in steps of 16, those of a pair in steps that stand in their row
 * of the atom table. (PTX ISA, "tcgen05 Matrix Shape".) */
static gg_status check_columns(const gg_plan *plan, const gg_sm90_tile *tile, mma_counts mmas,
                               gg_error *err) {
  const char *n = gg_as_asked(plan, "tile N", "tile M");
  bool pair = plan->cta_group > 1, narrow = tile->m / mmas.m == narrow_m;
  bool integers = row_of(plan)->a == GG_DTYPE_s8 && tile->n / mmas.n > 32;
  int step = pair ? row_of(plan)->n_step : narrow && !integers ? 8 : 16;
  int most = mmas.n * mma_n_most < GG_TMEM_COLUMNS ? mmas.n * mma_n_most : GG_TMEM_COLUMNS;
  char why[96];
  gg_status st =
      check_at_most(plan, 1, n, tile->n, most,
                    most < GG_TMEM_COLUMNS ? "N of the atom" : "columns of tensor memory", err);
  if (st) return st;
  const char *of = pair                 ? "N of an atom of a pair"
                   : narrow && integers ? "N of an atom of integers, where it is more than 32"
                   : narrow             ? "N of an atom of 64 rows"
                                        : "N of an atom of 128 rows";
  snprintf(why, sizeof why, "%d atoms x %d (%s)", mmas.n, step, of);
  return gg_check_multiple(n, tile->n, mmas.n * step, mmas.n > 1 ? why : of,
                           gg_element_mark(&plan->spec->tile, 1), err);
}

/* Checks tiles with scale factors or metadata: they must have one MMA along N, whose factors or
 * metadata stand in tensor memory, and MMAs of 128 rows. One MMA of 64 rows is possible as well
 * with metadata alone, or with scale factors in a pair whose A is dense. */
static gg_status check_beside(const gg_plan *plan, const gg_sm90_tile *tile, mma_counts mmas,
                              gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  bool scaled = gg_plan_is_scaled(plan);
  const char *what = scaled ? "scale factors" : "metadata";
  bool may_be_half = !scaled || (plan->cta_group > 1 && !plan->sparse_a);
  bool half = may_be_half && mmas.m == 1 && tile->m == narrow_m;
  char text[64], has[96];
  if (!scaled && !plan->sparse_a) return GG_OK;
  if (asked->state == GG_SPEC_SET && (mmas.n > 1 || (!half && tile->m != mmas.m * wide_m))) {
    int most = tile->m > wide_m ? tile->m / wide_m : 1;
    snprintf(text, sizeof text, "atom_layout beside %s", what);
    snprintf(has, sizeof has, "atoms of 128 %s: [%d, %d, 1] for this tile",
             gg_as_asked(plan, "rows along M", "columns along N"), plan->swap_ab ? 1 : most,
             plan->swap_ab ? most : 1);
    return gg_refuse(plan, asked, text, "of this shape", has, err);
  }
  if (mmas.n > 1) {
    snprintf(text, sizeof text, "one MMA beside %s", what);
    return check_at_most(plan, 1, gg_as_asked(plan, "tile N", "tile M"), tile->n, mma_n_most, text,
                         err);
  }
  return scaled ? gg_sm100_check_scaled_tile(plan, tile->m, tile->n, tile->k, err) : GG_OK;
}

/* Checks tiles of MMAs with a K of 96. These take 48 bytes of lines of 64 or 128 bytes. Their
 * factors reach four columns further than those of one block of A's rows. */
static gg_status check_long_k(const gg_plan *plan, const gg_sm90_tile *tile, gg_error *err) {
  const gg_spec_field *tiles = &plan->spec->tile;
  const gg_spec_field *swizzles[] = {&plan->spec->swizzle.a, &plan->spec->swizzle.b};
  if (!long_row(plan)) return GG_OK;
  if (gg_sm90_halves_tile(plan))
    return gg_refuse(plan, &plan->spec->atom, "split gated columns beside an atom",
                     "with a K of 96", "atoms with a K of 64", err);
  const char *m = gg_as_asked(plan, "tile M", "tile N");
  gg_status st = check_at_most(plan, 0, m, tile->m, wide_m, "one MMA beside a K of 96", err);
  if (!st)
    st = gg_check_multiple(m, tile->m, wide_m, "rows of a CTA beside an atom's K of 96",
                           gg_element_mark(tiles, 0), err);
  if (!st)
    st = gg_check_multiple("tile K", tile->k, long_tile_k,
                           "4 atoms' K of 96: 3 lines of 64 bytes, of 128 elements each",
                           gg_element_mark(tiles, 2), err);
  for (int i = 0; i < 2 && !st; i++) {
    bool narrow = swizzles[i]->number != GG_SWIZZLE_128B && swizzles[i]->number != GG_SWIZZLE_64B;
    if (swizzles[i]->state == GG_SPEC_SET && narrow)
      st = gg_refuse(plan, swizzles[i], "swizzle beside an atom's K of 96", swizzles[i]->text,
                     "128B and 64B", err);
  }
  return st;
}

/* Checks the tile's rows if A is in tensor memory, where it has one row in each lane. MMAs of 64
 * rows would want it in 16 of 32 lanes, or a pair's MMAs twice, and no copy of 32 bytes a row makes
 * that. */
static gg_status check_a_in_tensor(const gg_plan *plan, const gg_sm90_tile *tile, mma_counts mmas,
                                   gg_error *err) {
  char why[80];
  const char *of = gg_as_asked(plan, "rows of an MMA whose A is in tensor memory",
                               "columns of an MMA whose B is in tensor memory");
  if (!plan->a_in_tensor) return GG_OK;
  snprintf(why, sizeof why, "%d MMAs x %d %s", mmas.m, wide_m, of);
  return gg_check_multiple(gg_as_asked(plan, "tile M", "tile N"), tile->m, mmas.m * wide_m,
                           mmas.m > 1 ? why : of, gg_element_mark(&plan->spec->tile, 0), err);
}

static gg_status check_extents(const gg_plan *plan, const gg_sm90_tile *tile, mma_counts mmas,
                               gg_error *err) {
  const gg_spec_field *atoms = &plan->spec->atom_layout;
  gg_status st;
  if (atoms->state == GG_SPEC_SET && atoms->tuple[2] != 1)
    return gg_refuse(plan, atoms, "atom_layout", "with atoms along K",
                     "atoms along M and N: [2, 1, 1]", err);
  if ((st = check_rows(plan, tile, mmas, err))) return st;
  if ((st = check_a_in_tensor(plan, tile, mmas, err))) return st;
  if ((st = check_columns(plan, tile, mmas, err))) return st;
  if ((st = gg_sm100_check_lined_tile(plan, tile->n, mmas.n, err))) return st;
  if ((st = check_long_k(plan, tile, err))) return st;
  st = gg_check_multiple("tile K", tile->k, row_of(plan)->k, "K of the atom",
                         gg_element_mark(&plan->spec->tile, 2), err);
  if (!st) st = gg_sm100_check_narrow(plan, tile->k, err);
  if (!st) st = gg_sm100_check_sparse_tile(plan, tile->k, err);
  bool halves = plan->cta_group > 1 && tile->m == mmas.m * narrow_m && !plan->sparse_a;
  if (!st) st = gg_sm100_check_scaled_d_tile(plan, tile->n, halves ? 2 * mmas.n : mmas.n, err);
  return st ? st : check_beside(plan, tile, mmas, err);
}

static gg_sm90_tile choose_tile(gg_status *st, const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  gg_sm90_tile out = {.m = 0};
  usual_tile(&out, plan);
  if (asked->state == GG_SPEC_SET) {
    out.m = (int)asked->tuple[0];
    out.n = (int)asked->tuple[1];
    out.k = (int)asked->tuple[2];
  }
  const mma_counts mmas = counts_of(plan, &out);
  if ((*st = check_extents(plan, &out, mmas, err))) return out;
  const gg_mma_atom wanted = {.m = out.m / mmas.m * plan->cta_group,
                              .n = out.n / mmas.n,
                              .c = plan->accumulator,
                              .scale = plan->scale_a.type,
                              .a = plan->a.type,
                              .b = plan->b.type,
                              .a_mn_major = plan->a.major != GG_MAJOR_K,
                              .b_mn_major = plan->b.major != GG_MAJOR_K};
  out.mma_columns = wanted.n;
  *st = gg_mma_umma_atom(&out.mma, row_of(plan), &wanted, err);
  if (*st) return out;
  char shape[32];
  snprintf(shape, sizeof shape, "m%dn%dk%d", out.mma.m, out.mma.n, out.mma.k);
  *st = gg_choose_atom(plan, &out.mma, shape, err);
  return out;
}

/* ---- Tensor memory ---------------------------------------------------------------------- */

/* How many CTAs of a multiprocessor there are columns of tensor memory for, with one set of
 * accumulators each. */
static int ctas_of_columns(const gg_plan *plan) {
  gg_plan one = *plan;
  one.accumulator_stages = 1;
  return GG_TMEM_COLUMNS / gg_sm100_allocated_columns(&one);
}

/* How many columns a CTA may have: a power of two, as only those can be allocated. */
static int columns_of_cta(const gg_plan *plan) {
  int columns = GG_TMEM_COLUMNS;
  while (columns * plan->ctas_per_sm > GG_TMEM_COLUMNS)
    columns /= 2;
  return columns;
}

/* Chooses the sets of accumulators: two if they fit. The CTAs of a multiprocessor share its tensor
 * memory, and each has a power of two of its columns. */
static gg_status choose_accumulators(gg_plan *plan, gg_error *err) {
  enum { usual = 2, least = 32 /* columns that can be allocated */ };
  const gg_spec_field *asked = &plan->spec->accumulator_stages;
  int most = GG_TMEM_COLUMNS / plan->ctas_per_sm;
  bool chosen = asked->state == GG_SPEC_SET;
  plan->accumulator_stages = chosen ? (int)asked->number : gg_plan_is_persistent(plan) ? usual : 1;
  if (!chosen && gg_sm100_allocated_columns(plan) > most) plan->accumulator_stages = 1;
  if (gg_sm100_allocated_columns(plan) <= most) return GG_OK;
  const gg_spec_field *ctas = &plan->spec->ctas_per_sm, *atoms = &plan->spec->atom_layout;
  bool sets = chosen && plan->accumulator_stages > 1, tiled = plan->spec->tile.state == GG_SPEC_SET;
  const gg_mark *mark = sets                                   ? &asked->mark
                        : !tiled && ctas->state == GG_SPEC_SET ? &ctas->mark
                        : !tiled && atoms->state == GG_SPEC_SET
                            ? &atoms->mark
                            : gg_element_mark(&plan->spec->tile, 1);
  int scales = gg_scale_columns(plan), metadata = gg_metadata_columns(plan);
  int of_a = gg_sm100_columns_of_a(plan);
  int left = columns_of_cta(plan) - scales - metadata - of_a;
  int fits = left / gg_sm100_accumulator_columns(plan);
  int step = gg_plan_folds_scales(plan) ? GG_SCALE_ROWS /* tiles of 192 have more of them */
             : scales                   ? GG_SCALE_TILE_STEP
                                        : row_of(plan)->n_step;
  int columns = left / gg_sm100_mmas_m(plan) * gg_plan_column_parts(plan) / step * step;
  char advice[64], beside[48] = "";
  if (scales) snprintf(beside, sizeof beside, " and scale factors %d more", scales);
  if (metadata) snprintf(beside, sizeof beside, " and metadata %d more", metadata);
  if (of_a) snprintf(beside, sizeof beside, " and %s %d more", gg_as_asked(plan, "A", "B"), of_a);
  if (fits > 0)
    snprintf(advice, sizeof advice, "accumulator_stages: %d fits", fits);
  else if (most >= least && columns > 0)
    snprintf(advice, sizeof advice, "a tile %s of %d fits", gg_as_asked(plan, "N", "M"), columns);
  else if (most >= least)
    snprintf(advice, sizeof advice, "ctas_per_sm: %d fits", ctas_of_columns(plan));
  else
    snprintf(advice, sizeof advice, "ctas_per_sm: %d is the most: a CTA has %d columns at least",
             GG_TMEM_COLUMNS / least, least);
  return gg_fail(err, PLAN_TMEM, mark, plan->accumulator_stages, gg_sm100_mmas_m(plan),
                 plan->tile_n / gg_plan_column_parts(plan),
                 gg_sm100_accumulator_columns(plan) * plan->accumulator_stages, beside,
                 gg_sm100_allocated_columns(plan), most, plan->ctas_per_sm, advice);
}

/* ---- The plan --------------------------------------------------------------------------- */

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused all[] = {
      {&spec->permutation, "permutation", "contiguous blocks of rows: auto"},
      {&spec->d.store,
       "key d.store:", "one way, boxes where D is aligned to 16 bytes: leave the key out"},
  };
  gg_status st = gg_check_all_unused(plan, all, sizeof all / sizeof *all, err);
  const gg_spec_field *threads = &spec->threads;
  if (!st && threads->state == GG_SPEC_SET && threads->number != gg_sm100_threads(plan))
    st = gg_refuse(plan, threads, "threads", threads->text,
                   gg_sm90_copies_lines(plan)
                       ? "288: a warpgroup that copies lines, one of the epilogue, and a warp that "
                         "multiplies"
                       : "256: a warpgroup that loads and multiplies, and one of the epilogue",
                   err);
  return st;
}

/* Both operands come from shared memory, unless the spec asks for A in tensor memory, which holds
 * it along K. */
static gg_status choose_sources(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *a = &spec->operand_source.a, *b = &spec->operand_source.b;
  const char *of_a = gg_as_asked(plan, "operand_source of A", "operand_source of B");
  const char *of_b = gg_as_asked(plan, "operand_source of B", "operand_source of A");
  gg_status st = gg_check_source(plan, a, GG_MMA_A, of_a, err);
  if (!st) st = gg_check_source(plan, b, GG_MMA_B, of_b, err);
  if (st) return st;
  plan->a_in_tensor = a->state == GG_SPEC_SET && a->number == GG_SOURCE_TENSOR_MEMORY;
  if (!plan->a_in_tensor || plan->a.major == GG_MAJOR_K) return GG_OK;
  return gg_refuse(plan, a, of_a, a->text,
                   plan->swap_ab ? "shared beside major n, tensor_memory beside major k"
                                 : "shared beside major m, tensor_memory beside major k",
                   err);
}

/* Chooses the cluster. The CTAs of a pair lie along M. If a cluster has several pairs, those beside
 * each other share A, and those below each other share their halves of B. */
static gg_status choose_cluster(gg_sm90_cluster *out, const gg_plan *plan, const gg_sm90_tile *tile,
                                gg_error *err) {
  const gg_spec_field *asked = &plan->spec->cluster;
  *out = gg_sm90_choose_cluster(plan, tile);
  if (plan->cta_group < 2) return GG_OK;
  if (asked->state != GG_SPEC_SET) *out = (gg_sm90_cluster){2, 1, 1};
  if (out->m % 2 == 0) return GG_OK;
  return gg_refuse(plan, asked, "cluster", "of this shape",
                   plan->swap_ab ? "an even number of CTAs along N beside cta_group 2"
                                 : "an even number of CTAs along M beside cta_group 2",
                   err);
}

static gg_status check_schedule(const gg_plan *plan, const gg_sm90_tile *tile,
                                gg_sm90_cluster cluster, const gg_sm90_schedule *schedule,
                                gg_error *err) {
  const gg_spec_field *asked = &plan->spec->cluster;
  const gg_sm90_workers workers = {.consumers = 1};
  if (cluster.k > 1)
    return gg_refuse(plan, asked, "cluster", "with CTAs along K", "CTAs along M and N", err);
  gg_status st = gg_sm90_check_cluster(plan, cluster, err);
  if (!st) st = gg_sm100_check_lined_schedule(plan, schedule->scheduler, err);
  return st ? st : gg_sm90_check_schedule(plan, tile, &workers, cluster, schedule, err);
}

/* A thread's registers: as many as there are at launch. With a ninth warp these are too few for
 * some epilogues; then the warps that copy lines give up some of theirs, as in sm90, if a CTA is
 * alone on its multiprocessor. */
static void put_registers(gg_plan *plan) {
  enum { copying = 128 };
  int launch = (int)gg_registers_for(plan->ctas_per_sm, plan->threads / GG_WARP);
  bool moves = gg_sm90_copies_lines(plan) && plan->ctas_per_sm == 1;
  plan->producer_registers = moves ? copying : 0;
  plan->consumer_registers = moves ? 2 * launch - copying : launch;
  if (plan->consumer_registers > most_registers) plan->consumer_registers = most_registers;
}

static void put_tile(gg_plan *plan, const gg_sm90_tile *tile) {
  const gg_spec_field *ctas = &plan->spec->ctas_per_sm;
  plan->tile_m = tile->m;
  plan->tile_n = tile->n;
  plan->tile_k = tile->k;
  plan->mma = tile->mma;
  plan->atoms_m = plan->atoms_n = 1;
  plan->consumers = 1;
  plan->threads = gg_sm100_threads(plan);
  plan->ctas_per_sm = ctas->state == GG_SPEC_SET ? (int)ctas->number : 1;
  put_registers(plan);
}

static gg_status choose_tiles(gg_sm90_schedule *schedule, gg_plan *plan, gg_error *err) {
  gg_status st;
  const gg_sm90_tile tile = choose_tile(&st, plan, err);
  if (st) return st;
  gg_sm90_cluster cluster;
  if ((st = choose_cluster(&cluster, plan, &tile, err))) return st;
  *schedule = gg_sm90_choose_schedule(plan, cluster);
  if ((st = check_schedule(plan, &tile, cluster, schedule, err))) return st;
  if ((st = gg_sm90_choose_boxes(plan, &tile, err))) return st;
  const gg_order order = gg_sm90_choose_order(&st, plan, &tile, cluster, schedule, err);
  if (st) return st;
  put_tile(plan, &tile);
  plan->cluster_m = cluster.m;
  plan->cluster_n = cluster.n;
  plan->cluster_k = 1;
  plan->scheduler = schedule->scheduler;
  plan->splits = schedule->splits;
  gg_plan_put_order(plan, &order);
  plan->turns_pairs = gg_plan_folds_scales(plan);
  if (plan->turns_pairs) plan->turns_columns = gg_scale_turns_of(gg_plan_warp_columns(plan));
  if (plan->turns_columns && gg_plan_sums(plan, GG_SPAN_NONE))
    return gg_refuse(plan, &plan->spec->epilogue, "epilogue with a sum", "over D",
                     plan->swap_ab ? "sums of tiles of 256 rows, where pairs have 64 columns a CTA"
                                   : "sums of tiles of 256 columns, where pairs have 64 rows a CTA",
                     err);
  return choose_accumulators(plan, err);
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_sm90_schedule schedule;
  gg_status st;
  const gg_spec_field *group = &plan->spec->cta_group;
  plan->specialised = true;
  plan->cta_group = group->state == GG_SPEC_SET ? (int)group->number : 1;
  if ((st = choose_types(plan, err))) return st;
  if ((st = choose_operands(plan, err))) return st;
  if ((st = gg_choose_operations(plan, plan->accumulator, err))) return st;
  if ((st = refuse_unused(plan, err))) return st;
  if ((st = choose_sources(plan, err))) return st;
  if ((st = choose_tiles(&schedule, plan, err))) return st;
  if ((st = gg_sm90_check_staging(plan, err))) return st;
  const gg_sm90_memory m = gg_sm90_choose_memory(&st, plan, &schedule, err);
  if (st) return st;
  gg_sm90_put_memory(plan, &m);
  return GG_OK;
}

/* What the model asks. The tensor core reads both operands of an MMA from shared memory, except an
 * A in tensor memory, which is copied there once. The epilogue loads 16 lanes at a time, so a sum
 * takes twice its bytes of tensor memory's bandwidth. */
static void traits(gg_traits *out, const gg_plan *plan, int arch) {
  (void)arch;
  bool half = gg_plan_mma_rows(plan) * gg_plan_column_parts(plan) < wide_m;
  out->reads_a = plan->a_in_tensor ? 1 : gg_sm100_mmas_n(plan);
  out->reads_b = gg_sm100_mmas_m(plan);
  out->reads_beside = true;
  out->owners = 1;
  out->sums = 2.0 * gg_dtype_info_of(plan->accumulator)->bits / 8;
  if (half) out->tensor_share = gg_device_times(1, GG_DEVICE_narrow_mma_share);
  out->begins_anew = !gg_plan_is_persistent(plan);
  if (!out->begins_anew)
    out->overlap = plan->accumulator_stages < 2 ? GG_OVERLAP_NONE : GG_OVERLAP_ALL;
  gg_sm90_put_copiers(out, plan);
  gg_sm90_move_fetched(&out->epilogue, plan);
}

const gg_target gg_target_sm100 = {
    .id = GG_TARGET_SM100,
    .name = "sm100",
    .family = "sm100",
    .summary = "tcgen05 fed by TMA, sm_100 to sm_110, a and f",
    .worker = "CTA",
    .pointers = true,
    .gates = true,
    .traces = true,
    .least = {.number = 100, .suffix = 'f'},
    .int32_coordinates = true,
    .scales = true,
    .sparse = true,
    .has_atom = has_atom,
    .accepts = accepts,
    .sum_boxes = gg_mma_sum_boxes,
    .swaps_ab = gg_sm90_swaps_ab,
    .choose = choose,
    .derive = gg_sm100_derive,
    .traits = traits,
};
