/* Family sm90, and sm100 like it: what shared memory is used for. A ring of stages of A and B;
 * beside it the boxes in which warps stage what they store, and what a tile's vectors are read
 * ahead to. */
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

enum { line_bytes = 128 /* the widest swizzle's pattern */ };

enum { barriers_reserved = 1024 }; /* bytes, more than they ever take */

/* A stage of what is fetched to rings of its own, of all of them, in boxes of so many columns. */
static int64_t subtile_bytes(const gg_plan *plan, int columns) {
  gg_fetched all[GG_FETCHED_MAX];
  size_t count = gg_sm90_fetched_in(all, plan, columns);
  return gg_plan_subtile_rings(plan) * gg_sm90_subtile_bytes(all, count);
}

/* The fewest stages of such a ring. Where a tile's last box of columns begins within the one before
 * it, the last one's sub-tiles are awaited before that one is stored: C may be D. */
static int least_subtiles(const gg_plan *plan, int columns) {
  enum { usual = 2 };
  return gg_plan_boxes_overlap(plan, columns) ? plan->tile_m / gg_plan_mma_rows(plan) + 1 : usual;
}

/* A staging buffer of each warp. */
static int64_t buffer_bytes(const gg_plan *plan, int columns) {
  return (int64_t)plan->consumers * GG_SM90_BLOCK_ROWS * gg_plan_columns_of_d(plan, columns) *
         gg_sm90_result_bits(plan) / 8;
}

/* Memory beside the staging buffers, what is fetched to a ring of its own, and barriers: for
 * stages. */
static int64_t beside_stages(const gg_plan *plan, gg_sm90_staging s) {
  int64_t staged = s.buffers * buffer_bytes(plan, s.columns);
  if (plan->subtile_stages)
    staged += least_subtiles(plan, s.columns) * subtile_bytes(plan, s.columns);
  return gg_smem_limit(plan) - staged - gg_sm90_sums_bytes_in(plan, s.columns) - barriers_reserved;
}

/* As many stages as fit beside the staging buffers, up to eight; small ones, of problems that wait
 * for memory, up to sixteen, while a CTA loads no more bytes at a time than ever measured faster.
 */
static int fitting_stages(const gg_plan *plan, gg_sm90_staging s) {
  enum { usual = 8, twice = 16 };
  const gg_spec_field *asked = &plan->spec->stages;
  int64_t small = (int64_t)plan->device->bytes_enough / gg_sm90_loaded_bytes(plan);
  int64_t most = small < usual ? usual : small > twice ? twice : small;
  if (asked->state == GG_SPEC_SET) most = asked->number;
  int64_t fit = beside_stages(plan, s) / gg_sm90_stage_bytes(plan);
  return (int)(fit > most ? most : fit);
}

/* ---- Staging ---------------------------------------------------------------------------- */

/* Boxes of a block of rows that a warp stages. */
static int staged_boxes(const gg_plan *plan, int columns) {
  return plan->tile_n / gg_plan_mma_columns(plan) * gg_plan_boxes_of_mma(plan, columns);
}

/* Boxes that a warp stages of a tile. */
static int tile_boxes(const gg_plan *plan, int columns) {
  return gg_plan_block_m(plan) / GG_SM90_BLOCK_ROWS * staged_boxes(plan, columns);
}

/* How many buffers a warp has before it is known how much memory the stages leave. Where consumers
 * share a tile it has two, even in place of a stage; they take turns, the same from tile to tile.
 * One does for a consumer that has time because the other multiplies meanwhile, and for threads
 * that store by themselves. */
static int most_buffers(const gg_plan *plan, int columns) {
  int boxes = tile_boxes(plan, columns);
  if (boxes <= plan->cluster_k) return 1; /* a warp has one at most */
  return !plan->pingpong && !plan->access_bytes_d && boxes % 2 == 0 ? 2 : 1;
}

/* Columns of boxes that one of a cluster's CTAs along K adds up and stores. */
static int columns_of_a_part(const gg_plan *plan, int columns) {
  int boxes = plan->tile_m / GG_SM90_STAGED_ROWS * staged_boxes(plan, columns);
  return (boxes + plan->cluster_k - 1) / plan->cluster_k * columns;
}

/* A pipeline has two at least, for which a second buffer is given up. */
static int wanted_stages(const gg_plan *plan) {
  const gg_spec_field *asked = &plan->spec->stages;
  return asked->state == GG_SPEC_SET ? (int)asked->number : 2;
}

/* In columns: a box takes as long as staging so many more, and a wait for its buffer. */
static double staging_cost(const gg_plan *plan, gg_sm90_staging s) {
  double box = plan->device->box_columns, wait = plan->device->buffer_columns;
  return staged_boxes(plan, s.columns) * (s.columns + box + (s.buffers == 1 ? wait : 0));
}

/* Columns of a line of 16 bytes of D, the least that a box has: twice as many where D has one of
 * each two. */
static int columns_of_line(const gg_plan *plan) {
  int unit = (int)gg_dtype_unit(plan->d.type, 16);
  return gg_plan_is_gated(plan) ? 2 * unit : unit;
}

/* Whether D is column-major: its lines run from row to row, down a column. */
static bool lines_run_down(const gg_plan *plan) {
  return plan->d.major != GG_MAJOR_N;
}

/* Whether the copy engine stores all results of the epilogue, by tensor maps. */
static bool stores_by_maps(const gg_plan *plan, int columns) {
  gg_result results[GG_RESULTS_MAX];
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t matrices = gg_sm90_fetched_in(fetched, plan, columns);
  size_t count = gg_sm90_results_in(results, plan, columns, matrices);
  for (size_t i = 0; i < count; i++)
    if (!results[i].mapped) return false;
  return true;
}

/* How many warps stage a box together. A warp has 16 rows of a tile. If it stages a column-major D
 * alone, a line of its box has 16 elements: 16 bytes of 8-bit elements, where memory moves at least
 * 32, or 32 bytes of 16-bit ones. If two warps put their rows into one box, storing is up to 1.8
 * and 1.06 times as fast. Four warps are no faster than two, because more warps wait for each other
 * (docs/performance/h100.md, "Boxes of a column-major D"). */
static int box_warps(const gg_plan *plan, const gg_sm90_schedule *schedule, int columns) {
  enum { together = 2 };
  if (!lines_run_down(plan) || !plan->specialised || gg_plan_is_gated(plan)) return 1;
  if (gg_plan_in_tensor_memory(plan) || gg_plan_multiplies_by_warps(plan)) return 1;
  return schedule->reduces_sums || !stores_by_maps(plan, columns) ? 1 : together;
}

/* The boxes to begin with: their number of columns is the largest power of two that divides the
 * columns of an MMA which a warp reads (most often the tile's N), but a line has at most 128 bytes.
 * If the boxes of a tile are divided among the CTAs of a cluster, they have fewer columns where
 * that divides them more evenly. */
static gg_sm90_staging dividing_boxes(const gg_plan *plan, const gg_sm90_schedule *schedule,
                                      int most) {
  enum { usual = 16 };
  bool gated = gg_plan_is_gated(plan);
  int least = gated && columns_of_line(plan) > usual ? columns_of_line(plan) : usual;
  if (!gg_sm90_halves_tile(plan) && 2 * plan->split_columns > least)
    least = 2 * plan->split_columns;
  int all = gg_plan_warp_columns(plan), power = all & -all;
  int columns = power < most ? power : most;
  gg_sm90_staging out = {.columns = columns, .warps = box_warps(plan, schedule, columns)};
  while (out.columns > least &&
         columns_of_a_part(plan, out.columns / 2) < columns_of_a_part(plan, out.columns))
    out.columns /= 2;
  out.buffers = most_buffers(plan, out.columns);
  if (fitting_stages(plan, out) < wanted_stages(plan)) out.buffers = 1;
  return out;
}

/* By how many columns boxes may grow, or 0 if their number of columns may only double. A line of a
 * box has a power of two of bytes, because swizzles do. In a row-major D that is the box's number
 * of columns. In a column-major D the lines are the rows' elements, so a box may have any multiple
 * of 8 columns; or of 16, if matrices are fetched, because ldmatrix reads 16 of their columns at a
 * time. */
static int step_of_columns(const gg_plan *plan, gg_sm90_staging s) {
  enum { one = 8, two = 16 };
  gg_fetched all[GG_FETCHED_MAX];
  if (!lines_run_down(plan)) return 0;
  return gg_sm90_fetched_in(all, plan, s.columns) > 0 ? two : one;
}

/* The fewest stages to keep beside wider boxes and more buffers than those of `s`: as many as were
 * asked for, or as fit beside these. Consumers in turns give up one stage, if `enough` bytes of
 * ring are left; but not in clusters of more than two, for which a stage is worth more (measured:
 * docs/performance/h200.md, "A buffer for each box"), and none of the long rings of small tiles. */
static int fewest_stages(const gg_plan *plan, gg_sm90_staging s) {
  enum { enough = 168 << 10, usual = 8, pair = 2 };
  int fit = fitting_stages(plan, s);
  bool asked = plan->spec->stages.state == GG_SPEC_SET;
  bool keeps = !plan->pingpong || plan->subtile_stages || gg_plan_cluster_size(plan) > pair;
  if (asked || keeps || fit > usual) return fit;
  return (fit - 1) * gg_sm90_stage_bytes(plan) >= enough ? fit - 1 : fit;
}

/* How many buffers a warp has in the end. Without a free one it waits until the copy engine has
 * read one, and of a short K such waits are much of the time that a tile takes. So there are as
 * many as memory is left for, up to one for each box of a tile; their number divides that of boxes.
 * What vectors take is left for these. Nobody has measured more buffers beside matrices that have
 * rings of their own, where CTAs of a cluster store parts of a tile, and where sums come from
 * tensor memory. */
static int more_buffers(const gg_plan *plan, gg_sm90_staging s) {
  bool engine = plan->specialised && !plan->access_bytes_d;
  bool registers = !gg_plan_in_tensor_memory(plan) && !gg_plan_multiplies_by_warps(plan);
  if (!engine || !registers || plan->subtile_stages || plan->cluster_k > 1) return s.buffers;
  int boxes = tile_boxes(plan, s.columns), fewest = fewest_stages(plan, s);
  if (fewest < wanted_stages(plan)) return s.buffers;
  int64_t vectors = plan->consumers * gg_sm90_vectors_bytes(NULL, plan);
  for (int buffers = boxes; buffers > s.buffers; buffers--) {
    gg_sm90_staging with = {s.columns, buffers, s.warps};
    int stages = fitting_stages(plan, with);
    int64_t rest = beside_stages(plan, with) - stages * gg_sm90_stage_bytes(plan);
    if (boxes % buffers == 0 && stages >= fewest && rest >= vectors) return buffers;
  }
  return s.buffers;
}

/* The boxes that cost least: those to begin with, or wider ones, of which there are fewer. If a
 * wider box does not divide the tile's columns, the last one begins within the one before it, and
 * the columns that both have are stored twice. That is not possible where a thread reads what a
 * store may have replaced: wider boxes then have to divide the columns. Boxes stay as they begin
 * where they may belong to another CTA of the cluster, where blocks of D have a scale factor, and
 * in a column-major D that is gated or whose sums are in tensor memory; nobody has measured wider
 * ones there.
 *
 * For wider boxes no stages of the ring are given up but those that `fewest_stages` spares, with
 * one exception: where fetched matrices have rings of their own, whose sub-tiles are as wide as
 * boxes, stages are given up for lines of up to 64 bytes, as long as `enough` are left. Narrower
 * lines take longer than a stage is worth, wider ones gain less than that (measured). Lines of
 * 4-bit elements have 64 bytes, because registers hold no more columns; so have those of a gated D
 * whose sums are read from tensor memory box by box. */
static gg_sm90_staging choose_staging(const gg_plan *plan, const gg_sm90_schedule *schedule,
                                      bool fetches) {
  enum { enough = 4 };
  int most = gg_sm90_most_columns(plan, gg_sm90_result_bits(plan)),
      all = gg_plan_warp_columns(plan);
  gg_sm90_staging best = dividing_boxes(plan, schedule, most);
  bool measured = !gg_plan_is_gated(plan) && !gg_plan_in_tensor_memory(plan);
  if (schedule->reduces_sums || plan->scale_d.block) return best;
  if (lines_run_down(plan) && !measured) return best;
  bool once = gg_sm90_reads_directly(plan, fetches);
  int fit = fewest_stages(plan, best), stages = plan->subtile_stages && fit > enough ? enough : fit;
  if (plan->subtile_stages) most /= 2;
  int step = step_of_columns(plan, best);
  for (int columns = step ? step : 2 * best.columns; columns <= most && columns <= all;
       columns += step ? step : columns) {
    if (once && all % columns) continue;
    for (int buffers = most_buffers(plan, columns); buffers > 0; buffers--) {
      gg_sm90_staging s = {columns, buffers, best.warps};
      bool fits = fitting_stages(plan, s) >= stages;
      if (fits && staging_cost(plan, s) < staging_cost(plan, best)) best = s;
    }
  }
  return best;
}

gg_status gg_sm90_check_staging(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st =
      gg_check_unused(plan, &spec->swizzle.d, "swizzle of D", "the widest, by itself", err);
  bool bytes = gg_dtype_info_of(plan->d.type)->bits == 8, gated = gg_plan_is_gated(plan);
  if (st || plan->d.major != GG_MAJOR_N || !(bytes || gated)) return st;
  int parts = gg_plan_in_tensor_memory(plan) ? plan->tile_n / gg_plan_warp_columns(plan) : 1;
  char why[128], of_parts[48] = "";
  if (parts > 1) snprintf(of_parts, sizeof of_parts, "%d parts that warps have x ", parts);
  snprintf(why, sizeof why, "%s16 bytes of D%s: a line of a box", of_parts,
           gated ? ", which has half of the columns" : "");
  return gg_check_multiple(gg_as_asked(plan, "tile N", "tile M"), plan->tile_n,
                           parts * columns_of_line(plan), why, gg_element_mark(&spec->tile, 1),
                           err);
}

/* ---- Memory ----------------------------------------------------------------------------- */

/* Warps that multiply by wgmma are behind by one K tile; what a thread issues to tcgen05 is not. Of
 * warps that multiply out of registers one stage is read while another is filled. */
static bool needs_two_stages(const gg_plan *plan) {
  return plan->specialised && !gg_plan_in_tensor_memory(plan);
}

static gg_status choose_stages(int *out, const gg_plan *plan, gg_sm90_staging staged,
                               gg_error *err) {
  const gg_spec_field *asked = &plan->spec->stages;
  int fit = fitting_stages(plan, staged);
  *out = asked->state == GG_SPEC_SET ? (int)asked->number : fit < 2 ? 2 : fit;
  if (*out >= 2 || !needs_two_stages(plan)) return GG_OK;
  return gg_fail(err, PLAN_STAGES, &asked->mark, *out);
}

/* What the stages leave. */
static int64_t left(const gg_plan *plan, const gg_sm90_memory *m) {
  return beside_stages(plan, m->staged) - m->stages * gg_sm90_stage_bytes(plan);
}

/* All that is fetched for a tile is in the ring together; and consumers in turns, which await it
 * while their last MMAs run, have the stage that these read. Or it has a ring of its own, and the
 * operands have as many stages beside it as were asked for, or enough. */
static bool fits_fetched(const gg_plan *plan, const gg_sm90_memory *m) {
  enum { enough = 3 };
  gg_fetched all[GG_FETCHED_MAX];
  size_t count = gg_sm90_fetched_in(all, plan, m->staged.columns);
  if (!plan->subtile_stages) return count > 0 && gg_sm90_stages_of(all, count) <= m->stages;
  bool chosen = plan->spec->stages.state == GG_SPEC_SET;
  return count > 0 && left(plan, m) >= 0 && (chosen || m->stages >= enough);
}

/* A ring of sub-tiles takes what nothing else needs, up to all of a tile. */
static int fitting_subtiles(const gg_plan *plan, const gg_sm90_memory *m) {
  int columns = m->staged.columns, least = least_subtiles(plan, columns);
  int all = plan->tile_m / gg_plan_mma_rows(plan) * staged_boxes(plan, columns);
  int64_t spare = left(plan, m) - gg_sm90_vectors_bytes(NULL, plan);
  int64_t more = spare < 0 ? 0 : spare / subtile_bytes(plan, columns);
  int most = all - least;
  return least + (most < 0 ? 0 : more > most ? most : (int)more);
}

/* Of a stage that alone is more than a CTA can have not even descriptors can be written. */
static gg_status check_stage(const gg_plan *plan, gg_error *err) {
  const gg_smem_parts parts = {.stage = gg_sm90_stage_bytes(plan)};
  int64_t most = gg_smem_limit(plan);
  gg_plan least = *plan;
  least.stages = plan->specialised ? 2 : 1;
  return parts.stage <= most ? GG_OK : gg_check_smem(&least, &parts, most, err);
}

/* Sub-tiles of sums in tensor memory are fetched while others of their tile are stored: as what is
 * read where it lies, none may have an element of another. */
gg_sm90_memory gg_sm90_choose_memory(gg_status *st, const gg_plan *plan,
                                     const gg_sm90_schedule *schedule, gg_error *err) {
  bool apart = gg_plan_fetches_subtiles(plan), disjoint = gg_plan_in_tensor_memory(plan);
  gg_sm90_memory out = {.fetches = false};
  if ((*st = check_stage(plan, err))) return out;
  for (int fetches = 1; fetches >= 0; fetches--) {
    gg_plan with = *plan;
    with.subtile_stages = fetches && apart; /* or more */
    out = (gg_sm90_memory){.staged = choose_staging(&with, schedule, fetches && !disjoint),
                           .fetches = fetches};
    out.staged.buffers = more_buffers(&with, out.staged);
    *st = choose_stages(&out.stages, &with, out.staged, err);
    if (*st) break;
    if (!fetches || !fits_fetched(&with, &out)) continue;
    if (apart) out.subtile_stages = fitting_subtiles(&with, &out);
    break;
  }
  return out;
}

/* As many as the registers hold that accumulators leave, beside what derivatives take; whole lines
 * of matrices of 32 bits. */
static int columns_read(const gg_plan *plan, const gg_sm90_memory *m) {
  enum { most = 32, few = 16, others = 40 };
  int least = m->staged.columns % 16 ? 8 : 16;
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t count = m->fetches ? gg_sm90_fetched_in(fetched, plan, m->staged.columns) : 0;
  for (size_t i = 0; i < count; i++) {
    bool halves = gg_sm90_cells_of(&fetched[i].operand, fetched[i].line) == GG_SM90_CELLS_HALVES;
    if (halves && fetched[i].line > least) least = fetched[i].line;
  }
  int left = plan->consumer_registers - gg_sm90_accumulator_registers(plan) - others;
  int room = left < most || gg_plan_derives(plan) ? few : most;
  gg_result results[GG_RESULTS_MAX];
  if (gg_sm90_results_in(results, plan, m->staged.columns, count) > 1)
    room = few / 2; /* of a box all are held at once */
  return gg_columns_read(plan, m->staged.columns, least, room);
}

/* How many K tiles threads begin to copy before they see to one that has arrived. Two stages are
 * the consumers': they give one back when the next one's MMAs are issued. */
static int copies_ahead(const gg_plan *plan, int stages) {
  enum { read = 2, slack_from = 5 };
  if (stages <= read || !gg_sm90_has_copiers(plan)) return 0;
  if (gg_sm90_copies_lines(plan)) return (stages + 1) / 4;
  /* The copy engine brings them: as many as there are, but for one that is transposed already. */
  return stages - read - (stages >= slack_from);
}

void gg_sm90_put_memory(gg_plan *plan, const gg_sm90_memory *m) {
  plan->epi_m = GG_SM90_STAGED_ROWS;
  plan->epi_n = m->staged.columns;
  plan->box_warps = m->staged.warps;
  plan->epi_buffers = m->staged.buffers;
  plan->read_n = columns_read(plan, m);
  plan->fetches = m->fetches;
  plan->subtile_stages = m->subtile_stages;
  plan->stages = m->stages;
  plan->copies_ahead = copies_ahead(plan, m->stages);
  plan->vector_buffers = gg_sm90_choose_vectors(plan, left(plan, m) + barriers_reserved);
}

/* A tile's boxes take turns in the buffers, and each box stays in its own until the copy engine has
 * read it. Lanes that store by themselves leave a buffer free, and a warp that waits for sub-tiles
 * of C finds it free. */
int gg_sm90_buffer_waits(const gg_plan *plan) {
  if (plan->access_bytes_d || plan->subtile_stages) return 0;
  int boxes = tile_boxes(plan, plan->epi_n);
  return (boxes + plan->epi_buffers - 1) / plan->epi_buffers - 1;
}
