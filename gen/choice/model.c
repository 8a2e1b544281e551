/* The model: what a kernel does, step by step, in the units that a device has rates for.
 *
 * A multiprocessor computes `rounds` tiles, one after the other: D's tiles over the
 * multiprocessors, rounded up, which is where small and ragged problems lose, though the few that
 * have a tile in the last round are faster; or shares of tiles, as plan/distribution.c makes them,
 * whose sums are then brought together. A tile is `k_tiles` steps; a step takes as long as the
 * slower of multiplying (the tensor core's rate, or that of reading its operands from shared
 * memory, which narrow tiles reach first) and loading (bytes into shared memory, by as many
 * requests as are under way at once and as the L2 cache answers: fewer where CTAs share them, by a
 * cluster or in lockstep). Then the epilogue: between two consumers that take turns only what is
 * longer than the other's tile shows, and the last one; between consumers that share a tile a part
 * of each.
 *
 * DRAM moves every operand once, and what the tiles of one round do not find in the L2 cache again:
 * a round's tiles are a block of D, in bands as the kernel walks them, which reads its rows of A
 * and columns of B. Its time overlaps with the rest but for a share.
 *
 * Near-equal terms slow each other down: they are joined by a norm of degree 8, not by their
 * maximum. Times from measurements: docs/performance/h100.md. */
#include "choice/model.h"

#include <math.h>

#include "atom/dtype.h"
#include "layout/banks.h"
#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sparse.h"

/* ---- Shapes --------------------------------------------------------------------------- */

/* Everything about one kernel on one problem that terms share. */
typedef struct work {
  const gg_model *of;
  const gg_plan *plan;           /* the model's own */
  const gg_device_model *device; /* likewise */
  gg_extents extents;
  double tiles_m, tiles_n; /* whole clusters */
  double step_bytes;       /* of A's and B's part of a K step, as much as they cost to load */
  double band;             /* tiles across one */
  double lockstep;         /* see there */
  double shares;           /* of tiles; 0: all are whole */
  double storing;          /* bytes of DRAM's time, beside those that are moved */
} work;

static double greater(double a, double b) {
  return a > b ? a : b;
}

static double lesser(double a, double b) {
  return a < b ? a : b;
}

/* A norm of degree 8: (1 + x)^(1/8) by a cubic, to a ten-thousandth. */
static double join(double a, double b) {
  double larger = greater(a, b), smaller = lesser(a, b);
  if (larger <= 0) return 0;
  double share = smaller / larger, square = share * share, fourth = square * square;
  double x = fourth * fourth;
  return larger * (1 + x * (0.125 - x * (0.049596 - x * 0.015104)));
}

static int bits_of(gg_dtype type) {
  return gg_dtype_info_of(type)->bits;
}

/* Of scale factors, for each element. */
static double factor_bytes(gg_scaling scaling) {
  return scaling.block ? 1.0 / scaling.block : 0;
}

/* Of metadata, for each element of A, zeros among them. */
static double metadata_bytes(const gg_plan *plan) {
  enum { line = 16 /* bytes of a row of a tile */ };
  return plan->sparse_a ? (double)line / gg_metadata_tile_k(plan) : 0;
}

/* Tiles across a band, in which the kernel walks them. */
static double band_of(const work *w) {
  const gg_plan *plan = w->plan;
  if (plan->raster == GG_RASTER_ALONG_N)
    return lesser(w->tiles_m, (double)plan->raster_group * plan->cluster_m);
  return lesser(w->tiles_n, (double)plan->raster_group * plan->cluster_n);
}

static work make_work(const gg_model *model, gg_extents e) {
  const gg_plan *plan = model->plan;
  work w = {.of = model, .plan = plan, .device = model->device, .extents = e};
  int64_t tiles_m = gg_tiles_along(e.m, plan->tile_m, plan->cluster_m, gg_plan_turns_m(plan));
  int64_t tiles_n = gg_tiles_along(e.n, plan->tile_n, plan->cluster_n, gg_plan_turns_n(plan));
  w.tiles_m = (double)tiles_m * plan->cluster_m;
  w.tiles_n = (double)tiles_n * plan->cluster_n;
  return w;
}

/* ---- One step, one tile --------------------------------------------------------------- */

/* The warps that a multiprocessor has, of those that it should have. */
static double warps_share(const work *w, double tiles_each) {
  const gg_plan *plan = w->plan;
  double half = w->of->traits.warps_half;
  if (half > 0) { /* where the tiles of the busiest multiprocessor are multiplied at once */
    double warps =
        lesser(plan->ctas_per_sm, greater(1, ceil(tiles_each))) * plan->threads / GG_WARP;
    return warps / (warps + half);
  }
  if (w->of->traits.warps_wanted == 0) return 1;
  double ctas = lesser(plan->ctas_per_sm, greater(1, tiles_each));
  return lesser(1, ctas * plan->threads / GG_WARP / w->of->traits.warps_wanted);
}

/* Of one multiprocessor, where `active` multiply. */
static double mma_rate(const work *w, double active) {
  const gg_device_model *device = w->device;
  double busy = active / (device->sustained * device->sm_count);
  double tensor_rate =
      gg_device_mma_rate(device, w->plan->a.type, gg_plan_is_packed(w->plan), w->plan->sparse_a);
  double rate = w->of->traits.rate > 0 ? w->of->traits.rate : tensor_rate;
  rate /= join(1, busy);
  double tiles = greater(w->tiles_m * w->tiles_n * (double)w->extents.batch, w->shares);
  return rate * w->of->traits.tensor_share * warps_share(w, tiles / device->sm_count);
}

/* What shows of a K step's additions of sums that are promoted. */
static double promoted_additions(const gg_model *model) {
  const gg_plan *plan = model->plan;
  const gg_traits *traits = &model->traits;
  if (traits->promotions == 0) return 0;
  double rows = 64, columns = 128; /* of which a consumer's are what `promotion` is of */
  double sums = plan->tile_m * plan->tile_n / (rows * columns) / traits->owners;
  return traits->promotions * sums * model->device->promotion / traits->promotions_hidden;
}

/* Seconds of a K step: by the tensor core's rate, by reading its operands, and as both come out. */
typedef struct multiplied {
  double issue, operands, whole;
} multiplied;

static multiplied multiply_step(const work *w, double active) {
  const gg_plan *plan = w->plan;
  const gg_traits *traits = &w->of->traits;
  double operations = 2.0 * plan->tile_m * plan->tile_n * plan->tile_k;
  double read = traits->reads_a * w->of->m_read + traits->reads_b * w->of->n_read;
  read += w->of->scales_step;     /* once, on their way to tensor memory */
  read += 2 * traits->transposed; /* which the same memory is read and written for */
  multiplied out = {operations / mma_rate(w, active), read / w->device->smem_rate, 0};
  out.whole =
      traits->reads_beside ? greater(out.issue, out.operands) : join(out.issue, out.operands);
  out.whole += w->of->additions;
  return out;
}

enum { line = 128 }; /* bytes, of the L2 cache and of the widest swizzle */

/* Elements of A along K for each that is stored. */
static int stored_of_a(const gg_plan *plan) {
  return plan->sparse_a ? 2 : 1;
}

/* More, as a share, where lines of `width` bytes do what those of 128 could. */
static double narrowness(double width) {
  return line / lesser(width, line) - 1;
}

/* Whether lines do not all start at multiples of 128 bytes; along K one in `stored` elements is
 * there. */
static bool is_ragged(const work *w, gg_operand operand, int stored) {
  int64_t length = operand.major == GG_MAJOR_K   ? w->extents.k / stored
                   : operand.major == GG_MAJOR_M ? w->extents.m
                                                 : w->extents.n;
  int bits = line * 8;
  return length % bits * bits_of(operand.type) % bits != 0;
}

/* Boxes narrower than one take as many requests. */
static double line_cost(const gg_device_model *device, gg_swizzle_kind swizzle) {
  double narrow = narrowness(greater(gg_swizzle_bytes(swizzle), 16));
  return 1 + device->narrow_load * narrow * narrow;
}

/* Ragged lines touch one more of the L2 cache's. */
static double ragged_cost(const work *w, gg_operand operand, int stored) {
  return is_ragged(w, operand, stored) ? w->device->ragged_load : 0;
}

/* Factors of A are shared along N, as A is; those of B by all CTAs along M, of a pair by both. */
static double factor_step_bytes(const work *w) {
  const gg_plan *plan = w->plan;
  double shared = w->device->shared_load;
  double a = (double)gg_scale_bytes_a(plan) / plan->cluster_n;
  double b = (double)gg_scale_bytes_b(plan) / plan->cluster_m;
  return a * (1 + (plan->cluster_n - 1) * shared) + b * (1 + (plan->cluster_m - 1) * shared) +
         (double)gg_metadata_bytes(plan);
}

/* Of the CTAs that share an operand's tile each loads a part, and is sent the others'. Those of a
 * pair have halves of B of their own. Metadata is not shared. */
static double load_step_bytes(const work *w) {
  const gg_plan *plan = w->plan;
  double shared = w->device->shared_load;
  int sharers_of_b = plan->cluster_m / gg_plan_mma_ctas(plan);
  double a =
      w->of->line_a + ragged_cost(w, plan->a, stored_of_a(plan)) + (plan->cluster_n - 1) * shared;
  double b = w->of->line_b + ragged_cost(w, plan->b, 1) + (sharers_of_b - 1) * shared;
  return w->of->m_step * a / plan->cluster_n + w->of->n_step * b / sharers_of_b +
         factor_step_bytes(w);
}

/* Bytes that a CTA has under way, of the stages that do not wait to be multiplied: where CTAs copy
 * for each other, a stage waits for the slowest of them too. */
static double bytes_under_way(const gg_model *model) {
  const gg_plan *plan = model->plan;
  bool waits = plan->cluster_m * plan->cluster_n > 1;
  double stages = model->traits.stages_ahead - (waits ? model->device->cluster_slack : 0);
  double stage = model->m_step + model->n_step + model->scales_step;
  return plan->ctas_per_sm * greater(stages, 0.5) * stage;
}

/* Of so many rows of A and columns of B, with their factors. */
static double operand_bytes(const work *w, double rows, double columns) {
  return (rows * w->of->bytes_a + columns * w->of->bytes_b) * (double)w->extents.k;
}

/* Of A and B, of all batches. */
static double once_bytes(const work *w) {
  const gg_extents *e = &w->extents;
  return (double)e->batch * operand_bytes(w, (double)e->m, (double)e->n);
}

/* How far CTAs that load the same lines ask for them at once: neighbours then have them by one
 * request of the L2 cache. Tiles that D has only a part of load less, and run ahead; so do those
 * that get from DRAM what others find in the cache. Shares of tiles are at different places of K
 * anyway, requests of ragged lines meet less, and those that go to several CTAs of a cluster not
 * at all. In a narrow band those who share lines are nearer to each other (measured). */
static double lockstep(const work *w, const gg_distribution *distribution) {
  if (distribution->group_tiles > 1 || gg_plan_cluster_size(w->plan) > 1) return 0;
  if (is_ragged(w, w->plan->a, stored_of_a(w->plan)) || is_ragged(w, w->plan->b, 1)) return 0;
  const gg_extents *e = &w->extents;
  double tiles = w->tiles_m * w->tiles_n;
  double filled = (double)e->m * (double)e->n / (tiles * w->plan->tile_m * w->plan->tile_n);
  double even = filled * filled;
  for (int i = 0; i < 3; i++)
    even *= even;
  double near = 2 - lesser(1, w->band / w->device->lockstep_band);
  double rounds = ceil(tiles * (double)e->batch / w->device->sm_count);
  return near * even * lesser(1, w->device->l2_bytes / once_bytes(w)) / rounds;
}

/* As many as `active` multiprocessors, each with its even part of the L2 cache's rate: those of a
 * large cluster are in one group, whose way there they share. */
static double crowded(const work *w, double active) {
  const gg_device_model *device = w->device;
  int cluster = gg_plan_cluster_size(w->plan);
  if (w->plan->cluster_k == 1 || cluster < device->crowds_from) return active;
  double groups = sizeof device->groups / sizeof *device->groups;
  return lesser(ceil(active / cluster / groups) * cluster * groups, device->sm_count);
}

/* Of one multiprocessor, where `active` load. */
static double load_rate(const work *w, double active) {
  const gg_device_model *device = w->device;
  double shared = crowded(w, active) / (device->l2_rate * (1 + device->lockstep * w->lockstep));
  return 1 / join(w->of->load_byte, shared);
}

/* Bytes of a tile of D that the epilogue is fetched, for each of the tile's K steps. */
static double fetched_bytes(const work *w) {
  const gg_plan *plan = w->plan;
  double steps = greater(1, ceil((double)w->extents.k / plan->tile_k));
  return plan->tile_m * plan->tile_n * w->of->traits.epilogue.fetched / steps;
}

/* Copies of threads; what has no 4 bytes comes by registers. */
static double copies_of(const work *w, double bytes, int each) {
  return bytes / each * (each < 4 ? w->device->copies_by_registers : 1);
}

/* Seconds of one step's copies; those of warps have the shared memory's own limit, and what they
 * transpose their instructions' rate. */
static double load_step(const work *w, double active) {
  const gg_plan *plan = w->plan;
  double step = (w->step_bytes + fetched_bytes(w)) / load_rate(w, active);
  switch (w->of->traits.loader) {
  case GG_LOADER_WARPS:
    return join(step,
                w->device->copy_step + w->of->traits.heads * w->device->copy_head +
                    (w->of->m_step + w->of->n_step) * w->of->traits.uneven / w->device->copy_rate);
  case GG_LOADER_THREADS:
    return join(step, (copies_of(w, w->of->m_step, plan->copy_bytes_a) +
                       copies_of(w, w->of->n_step, plan->copy_bytes_b)) /
                          w->device->copies_rate);
  default:
    return join(step, w->of->traits.transposing / w->device->transpose_rate);
  }
}

/* Elements of D that a consumer computes of a tile: boxes that overlap twice. */
static double tile_elements(const gg_model *model) {
  const gg_plan *plan = model->plan;
  double columns = plan->tile_n;
  if (plan->epi_n) columns = ceil(columns / plan->epi_n) * plan->epi_n;
  return plan->tile_m * columns / model->traits.owners;
}

/* Seconds more where lanes store D because its lines begin anywhere: long lines in chunks of 16
 * bytes, and both ends in units of what they are aligned to; short ones in such units. Of a cluster
 * along K each CTA stores its part. */
static double by_access(const gg_model *model) {
  enum { chunk = 16 };
  const gg_plan *plan = model->plan;
  if (!plan->access_bytes_d) return 0;
  bool across = plan->d.major == GG_MAJOR_M;
  int length = across || !plan->epi_n ? plan->epi_m : gg_plan_columns_of_d(plan, plan->epi_n);
  double line_bytes = greater(1, length) * bits_of(plan->d.type) / 8.0;
  double units = line_bytes / plan->access_bytes_d;
  if (gg_stores_chunks((int64_t)line_bytes))
    units = line_bytes / chunk + (double)chunk / plan->access_bytes_d;
  double lines = tile_elements(model) / greater(1, length) / plan->cluster_k;
  return lines * units / model->device->access_rate;
}

/* Seconds of one consumer's epilogue of one tile, which stores it. */
static double tile_epilogue(const gg_model *model) {
  const gg_plan *plan = model->plan;
  const gg_device_model *device = model->device;
  double elements = tile_elements(model);
  int columns = gg_plan_columns_of_d(plan, plan->epi_n);
  double staged = plan->epi_n ? columns * bits_of(plan->d.type) / 8.0 : line;
  bool across = plan->epi_n && !plan->access_bytes_d && plan->d.major == GG_MAJOR_M;
  double line_bytes = across ? plan->epi_m * bits_of(plan->d.type) / 8.0 : line;
  elements *=
      1 + device->narrow_store * narrowness(staged) + device->column_store * narrowness(line_bytes);
  double rate = device->epilogue_rate;
  bool alone = model->traits.overlap == GG_OVERLAP_TURNS || model->traits.sums > 0;
  if (alone) rate *= device->epilogue_alone;
  return device->epilogue + join(elements / rate, model->sums) + by_access(model);
}

/* Seconds of it that reading tensor memory takes, while what was read is stored. */
static double tile_sums(const gg_model *model) {
  double bytes = tile_elements(model) * model->traits.sums;
  return bytes > 0 ? bytes / model->device->sums_rate : 0;
}

/* Seconds that it computes an element, where nothing else does. */
static double computing(const gg_model *model) {
  const gg_epilogue_work *e = &model->traits.epilogue;
  return join(e->special / model->device->special_rate, e->plain / model->device->plain_rate);
}

/* Seconds that the next tile's K tiles wait for stages which have C of a tile. Where C has stages
 * of its own they wait for the CTA of the cluster alone whose C comes last: in one of eight half as
 * long. */
static double tile_held(const gg_model *model) {
  const gg_plan *plan = model->plan;
  double read = plan->tile_m * plan->tile_n * model->traits.epilogue.fetched;
  int others = plan->cluster_m * plan->cluster_n - 1;
  double waits = plan->subtile_stages ? others / 7.0 / 2 : 1;
  return waits * read / model->device->held_rate;
}

/* Seconds of what it does beside that. The units that compute are the multiprocessor's: consumers
 * of one tile have a part of them each, and one that has them while the other multiplies waits
 * longer for its own results. */
static double tile_work(const gg_model *model, bool in_turns) {
  const gg_device_model *device = model->device;
  const gg_epilogue_work *e = &model->traits.epilogue;
  double computed = computing(model);
  if (in_turns) computed *= device->computed_in_turns;
  double read = e->read / device->read_rate * (e->crowded ? device->read_crowded : 1);
  double each = model->traits.owners * computed + e->fetched / device->ahead_rate + read +
                e->aside / device->aside_rate;
  return tile_elements(model) * each + e->vectors / device->read_rate;
}

/* Of a tile, where consumers take turns: it takes the time that one multiplies, or half of what one
 * takes for both. */
static double turn(double tile, double epilogue) {
  return join(tile, (tile + epilogue) / 2);
}

/* What of a tile's epilogue shows beside the next one's multiplying, of `tile` seconds. Whatever is
 * hidden, the next tile's K tiles wait for the stages that C is in. */
static double visible_epilogue(const gg_model *model, double tile) {
  double each = model->epilogue, whole = each + model->work_in_turns;
  gg_overlap overlap = model->traits.overlap;
  if (overlap == GG_OVERLAP_TURNS)
    return greater(0, each - tile) / 2 + (turn(tile, whole) - turn(tile, each)) + model->held;
  if (overlap == GG_OVERLAP_ALL) return join(tile, each + model->work) - tile + model->held;
  double shows = overlap == GG_OVERLAP_NEXT ? 1 - model->device->epilogue_hidden : 1;
  double begin = model->traits.begins_anew ? model->device->fill : 0;
  return (each + model->work) * shows + model->held + begin;
}

/* ---- DRAM ----------------------------------------------------------------------------- */

/* Bytes that one round's tiles read: a block of a band's width across, and as many tiles along as
 * there are multiprocessors for. Tiles that share an operand's lines drift apart, and read them
 * `drift` times. */
static double round_bytes(const work *w, double tiles_at_once, double drift) {
  const gg_plan *plan = w->plan;
  bool along_m = plan->raster != GG_RASTER_ALONG_N;
  double along = along_m ? w->tiles_m : w->tiles_n;
  double length = lesser(along, ceil(tiles_at_once / w->band));
  double rows = along_m ? length : w->band, columns = along_m ? w->band : length;
  return operand_bytes(w, rows * plan->tile_m * (columns > 1 ? drift : 1),
                       columns * plan->tile_n * (rows > 1 ? drift : 1));
}

/* Bytes of D and of what is stored beside it. */
static double stored_bytes(const work *w) {
  const gg_extents *e = &w->extents;
  double of_d = gg_plan_columns_of_d(w->plan, 2) / 2.0; /* of an element of the product */
  double each = of_d * bits_of(w->plan->d.type) / 8.0 + factor_bytes(w->plan->scale_d) +
                w->of->traits.epilogue.aside;
  return (double)e->batch * (double)e->m * (double)e->n * each;
}

static double dram_bytes(const work *w, double tiles, double tiles_at_once) {
  const gg_extents *e = &w->extents;
  double batch = (double)e->batch, once = once_bytes(w);
  const gg_epilogue_work *e_work = &w->of->traits.epilogue;
  double beside = batch * (double)e->m * (double)e->n * (e_work->fetched + e_work->read);
  beside += stored_bytes(w);
  /* What fits is read once; beyond, every round reads its own, and more as they drift apart. */
  double beyond = once / greater(1, batch) / w->device->l2_bytes;
  if (beyond <= 1) return once + beside;
  double in_round = round_bytes(w, tiles_at_once, 1) / w->device->l2_bytes;
  double drift = 1 + w->device->miss * greater(0, in_round - 1);
  double again = round_bytes(w, tiles_at_once, drift) * greater(1, tiles / tiles_at_once);
  return greater(once, again) + beside;
}

/* The largest power of two that divides both, of which one is not 0. */
static int64_t aligned_to(int64_t a, int64_t b) {
  return (a | b) & -(a | b);
}

/* What storing takes beside its bytes, in bytes: DRAM turns from reading to writing, and sectors at
 * the ends of a tile's lines are other tiles', too. */
static double storing_bytes(const work *w) {
  enum { sector = 32 };
  const gg_plan *plan = w->plan;
  const gg_device_model *device = w->device;
  bool across = plan->d.major == GG_MAJOR_M;
  int bits = bits_of(plan->d.type);
  int64_t tile = across ? plan->tile_m : gg_plan_columns_of_d(plan, plan->tile_n);
  int64_t all = across ? w->extents.m : w->extents.n;
  double aligned = (double)aligned_to(tile * bits, all * bits) / 8;
  double parted = greater(0, 1 - aligned / sector) * sector / ((double)tile * bits / 8);
  return stored_bytes(w) * (device->store_more + device->store_parted * parted);
}

/* What else shares read that begin in one tile and end in another: tiles of a round are then at
 * different places of K, and do not find in the L2 cache what the others have just read. */
static double stray_bytes(const work *w, const gg_distribution *distribution) {
  if (distribution->group_tiles <= 1) return 0;
  double tiles = (double)distribution->shared_tiles * w->plan->cluster_m * w->plan->cluster_n;
  double all = round_bytes(w, tiles, 1), beyond = greater(0, 1 - w->device->l2_bytes / all);
  return w->device->stray * beyond * tiles * (double)distribution->k_tiles * w->step_bytes;
}

/* ---- The whole ------------------------------------------------------------------------ */

/* Seconds a byte, where `active` multiprocessors ask for them. */
static double dram_byte(const work *w, double active) {
  const gg_device_model *device = w->device;
  double idle = 1 - active / device->sm_count;
  return join(1 / device->dram_rate, w->of->dram_byte / active) * (1 + device->idle * idle);
}

/* Seconds that bringing sums together takes: of clusters along K for each tile that one computes;
 * of shared tiles those of the last cluster, which others do not hide. */
static double sharing(const work *w, const gg_distribution *distribution) {
  double sums = (double)w->plan->tile_m * w->plan->tile_n * bits_of(w->plan->accumulator) / 8;
  int parts = w->plan->cluster_k;
  if (parts > 1) {
    double tiles =
        ceil(w->tiles_m * w->tiles_n * (double)w->extents.batch * parts / w->of->at_once);
    return tiles * (w->device->meet + sums * (parts - 1) / parts / w->device->meet_rate);
  }
  return distribution->waits * w->device->wait + distribution->adding * sums / w->device->sum_rate;
}

/* CTAs that run at once, where each has a multiprocessor. */
static int resident(const gg_plan *plan, const gg_device_model *device) {
  int cluster = gg_plan_cluster_size(plan), clusters = 0;
  if (cluster == 1) return device->sm_count;
  for (size_t i = 0; i < sizeof device->groups / sizeof *device->groups; i++)
    clusters += device->groups[i] / cluster;
  return clusters > 0 ? clusters * cluster : cluster;
}

/* What a kernel and a problem come to, before any time. */
static void count(gg_prediction *out, const work *w, const gg_distribution *distribution,
                  int at_once) {
  const gg_plan *plan = w->plan;
  const gg_extents *e = &w->extents;
  out->shares = distribution->shares;
  out->workspace_bytes = distribution->workspace_bytes;
  out->tiles = w->tiles_m * w->tiles_n * (double)e->batch;
  out->k_tiles = (double)distribution->k_tiles;
  out->rounds =
      out->k_tiles > 0 ? (double)distribution->busiest / out->k_tiles : ceil(out->tiles / at_once);
  out->filled = (double)e->m * (double)e->n * (double)e->batch /
                (out->rounds * at_once * plan->tile_m * plan->tile_n);
  out->load_bytes = out->tiles * out->k_tiles * w->step_bytes;
  out->dram_bytes = dram_bytes(w, out->tiles, at_once) + stray_bytes(w, distribution);
}

/* Seconds in which `active` multiprocessors make `steps` K steps each, with a share of the DRAM's
 * traffic; its terms are added to `out`, and what shows of `epilogues` that others follow. */
static double phase(gg_prediction *out, const work *w, double active, double steps, double share,
                    double epilogues) {
  if (active <= 0) return 0;
  multiplied multiply = multiply_step(w, active);
  double load = load_step(w, active);
  bool one_stage = w->plan->stages == 1; /* which is loaded, and then multiplied */
  double both = one_stage ? multiply.whole + load : join(multiply.whole, load);
  double step = both + w->device->step;
  double dram = share * (out->dram_bytes + w->storing) * dram_byte(w, active);
  double visible = epilogues * visible_epilogue(w->of, out->k_tiles * step);
  out->multiply += steps * multiply.whole;
  out->issue += steps * multiply.issue;
  out->operands += steps * multiply.operands;
  out->load += steps * load;
  out->dram += dram;
  out->epilogue += visible;
  double tiles = out->k_tiles > 0 ? steps / out->k_tiles : 0;
  return join(greater(steps * step + visible, tiles * w->of->map_change), dram);
}

/* Rounds of whole tiles, and then one of what is left, by fewer, who have the L2 cache and the DRAM
 * for themselves. Shared tiles are distributed so that all end at once. */
static double rounds(gg_prediction *out, const work *w, const gg_distribution *distribution,
                     int at_once) {
  double ctas = w->plan->cluster_k, steps = ceil(out->k_tiles / ctas); /* of one tile */
  double tiles = at_once / ctas, whole = floor(out->tiles / tiles);
  double rest = out->tiles - whole * tiles;
  if (distribution->shares > 0) {
    double active = (double)distribution->clusters * w->plan->cluster_m * w->plan->cluster_n;
    active = lesser(active, at_once);
    return phase(out, w, active, (double)distribution->busiest, 1, ceil(out->rounds) - 1);
  }
  double share = rest / out->tiles, others = rest > 0 ? whole : whole - 1;
  double first = whole > 0 ? phase(out, w, at_once, whole * steps, 1 - share, others) : 0;
  return first + phase(out, w, rest * ctas, steps, share, 0);
}

/* Of elements of A and B, and of a K step of a tile. */
static void put_bytes(gg_model *out) {
  const gg_plan *plan = out->plan;
  double a = bits_of(plan->a.type) / 8.0, b = bits_of(plan->b.type) / 8.0;
  double m = plan->tile_m * gg_plan_k_of_a(plan, plan->tile_k);
  double n = gg_plan_rows_of_b(plan, plan->tile_n) * plan->tile_k;
  out->bytes_a = a / stored_of_a(plan) + factor_bytes(plan->scale_a) + metadata_bytes(plan);
  out->bytes_b = b + factor_bytes(plan->scale_b);
  out->m_step = m * a;
  out->n_step = n * b;
  out->m_read = m * gg_plan_smem_bits(plan, plan->a.type) / 8;
  out->n_read = n * gg_plan_smem_bits(plan, plan->b.type) / 8;
  out->scales_step =
      (double)(gg_scale_bytes_a(plan) + gg_scale_bytes_b(plan) + gg_metadata_bytes(plan));
}

gg_model gg_model_of(const gg_plan *plan, const gg_device_model *device) {
  gg_model out = {.plan = plan, .device = device, .traits = gg_traits_of(plan, device)};
  out.distributed = gg_distributed_of_plan(plan);
  out.at_once = resident(plan, device);
  out.resident = out.at_once * (out.distributed.warps ? plan->ctas_per_sm : 1);
  put_bytes(&out);
  bool boxes = out.traits.loader == GG_LOADER_BOXES; /* which are as wide as a swizzle */
  out.line_a = boxes ? line_cost(device, plan->swizzle_a) : 1;
  out.line_b = boxes ? line_cost(device, plan->swizzle_b) : 1;
  out.under_way = bytes_under_way(&out);
  out.load_byte = join(1 / device->load_rate, device->load_latency / out.under_way);
  out.dram_byte = join(1 / device->dram_sm_rate, device->dram_latency / out.under_way);
  out.map_change = gg_plan_changes_maps(plan) ? device->map_change : 0;
  out.additions = promoted_additions(&out);
  out.sums = tile_sums(&out);
  out.epilogue = tile_epilogue(&out);
  out.work = tile_work(&out, false);
  out.work_in_turns = tile_work(&out, true);
  out.held = tile_held(&out);
  return out;
}

gg_prediction gg_model_predict(const gg_model *model, gg_extents extents) {
  const gg_plan *plan = model->plan;
  const gg_device_model *device = model->device;
  gg_prediction out = {.launch = device->launch, .seconds = device->launch};
  if (extents.m == 0 || extents.n == 0 || extents.batch == 0) return out;
  /* The plan's M is then the problem's N. */
  if (plan->swap_ab) extents = (gg_extents){extents.n, extents.m, extents.k, extents.batch};
  work w = make_work(model, extents);
  gg_distribution distribution;
  if (!gg_distribution_make(&distribution, &model->distributed, extents, model->resident, device)) {
    out.seconds = INFINITY;
    return out;
  }
  w.band = band_of(&w);
  w.shares = (double)distribution.shares;
  w.step_bytes = load_step_bytes(&w);
  w.lockstep = lockstep(&w, &distribution);
  w.storing = storing_bytes(&w);
  count(&out, &w, &distribution, model->at_once);
  out.launch += device->fill;
  if (model->traits.loader == GG_LOADER_WARPS) out.launch += device->copy_fill;
  if (plan->cluster_m * plan->cluster_n > 1) out.launch += device->cluster;
  out.launch += model->map_change;
  if (!distribution.next_beside) out.launch += device->apart;
  double seconds = rounds(&out, &w, &distribution, model->at_once);
  double last = model->epilogue + model->work;
  out.epilogue += last;
  if (model->traits.overlap == GG_OVERLAP_ALL) {
    out.finish = out.rounds * last;
    out.sums = out.rounds * model->sums;
  }
  out.sharing = sharing(&w, &distribution);
  out.seconds = out.launch + seconds + last + out.sharing + device->dram_share * out.dram;
  return out;
}

gg_prediction gg_predict(const gg_plan *plan, gg_extents extents, const gg_device_model *device) {
  gg_model model = gg_model_of(plan, device);
  return gg_model_predict(&model, extents);
}
