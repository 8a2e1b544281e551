/* What moving bytes takes: loading operands into shared memory, by way of the L2 cache, and DRAM.
 */
#include <math.h>

#include "choice/work.h"

/* ---- Loading, and the L2 cache -------------------------------------------------------------- */

/* Facts about the lines of A or B: which way they run, bits of an element, and how many elements
 * along K each stored one stands for. */
typedef struct line_facts {
  gg_major major;
  int bits, stored;
} line_facts;

static line_facts lines_of_a(const gg_work *w) {
  return (line_facts){w->terms->a_major, w->tile->a_bits, w->terms->sparse_a ? 2 : 1};
}

static line_facts lines_of_b(const gg_work *w) {
  return (line_facts){w->terms->b_major, w->tile->b_bits, 1};
}

/* Whether all lines begin at multiples of so many bytes. Along K, one in `stored` elements is
 * stored. */
static bool begin_at(const gg_work *w, line_facts of, int bytes) {
  int64_t length = of.major == GG_MAJOR_K   ? w->extents.k / of.stored
                   : of.major == GG_MAJOR_M ? w->extents.m
                                            : w->extents.n;
  int bits = bytes * 8;
  return length % bits * of.bits % bits == 0;
}

double gg_line_cost(const gg_device_model *device, int swizzle_bytes) {
  double narrow = gg_narrowness(gg_greater(swizzle_bytes, 16));
  return 1 + device->narrow_load * narrow * narrow;
}

/* The extra cost of lines that begin within a sector: 128 bytes of one touch five sectors, not
 * four. Where they touch two lines of the L2 cache, but whole sectors, nothing is lost (measured:
 * docs/performance/h200.md, "Where lines begin"). */
static double ragged_cost(const gg_work *w, line_facts of) {
  return begin_at(w, of, GG_SECTOR_BYTES) ? 0 : w->device->ragged_load;
}

/* The part of the requests for an operand's lines that meet those of neighbours. 128 bytes that lie
 * in two lines of the L2 cache are two requests, of which half as many were seen to meet. */
static double meeting(const gg_work *w, line_facts of) {
  const double two_lines = 0.5;
  if (begin_at(w, of, GG_LINE_BYTES)) return 1;
  return begin_at(w, of, GG_SECTOR_BYTES) ? two_lines : 0;
}

/* Bytes of scale factors and metadata that a K step loads. Factors of A are shared along N, as A
 * is; those of B by all CTAs along M, also by both CTAs of a pair. */
static double factor_step_bytes(const gg_work *w) {
  const gg_distributed *tile = w->tile;
  double shared = w->device->shared_load;
  double a = w->terms->scales_a / tile->cluster_n, b = w->terms->scales_b / tile->cluster_m;
  return a * (1 + (tile->cluster_n - 1) * shared) + b * (1 + (tile->cluster_m - 1) * shared) +
         w->terms->metadata;
}

double gg_work_step_bytes(const gg_work *w) {
  const gg_terms *t = w->terms;
  double shared = w->device->shared_load;
  int sharers_of_a = w->tile->cluster_n, sharers_of_b = w->tile->cluster_m / t->mma_ctas;
  double a = w->of->line_a + ragged_cost(w, lines_of_a(w)) + (sharers_of_a - 1) * shared;
  double b = w->of->line_b + ragged_cost(w, lines_of_b(w)) + (sharers_of_b - 1) * shared;
  return t->m_step * a / sharers_of_a + t->n_step * b / sharers_of_b + factor_step_bytes(w);
}

double gg_bytes_under_way(const gg_model *model) {
  const gg_terms *t = &model->terms;
  bool waits = t->distributed.cluster_m * t->distributed.cluster_n > 1;
  double stages = t->traits.stages_ahead - (waits ? model->device->cluster_slack : 0);
  double stage = t->m_step + t->n_step + model->scales_step;
  return t->ctas_per_sm * gg_greater(stages, 0.5) * stage;
}

/* Bytes of `rows` rows of A and `columns` columns of B, with their scale factors. */
static double operand_bytes(const gg_work *w, double rows, double columns) {
  return (rows * w->terms->bytes_a + columns * w->terms->bytes_b) * (double)w->extents.k;
}

/* Bytes of A and B, of all batches. */
static double once_bytes(const gg_work *w) {
  const gg_extents *e = &w->extents;
  return (double)e->batch * operand_bytes(w, (double)e->m, (double)e->n);
}

double gg_work_lockstep(const gg_work *w, const gg_distribution *distribution) {
  bool claims = w->tile->claims;
  if (distribution->group_tiles > 1 || (gg_cluster_size(w->tile) > 1 && !claims)) return 0;
  const gg_extents *e = &w->extents;
  double tiles = w->tiles_m * w->tiles_n;
  double filled = (double)e->m * (double)e->n / (tiles * w->tile->tile_m * w->tile->tile_n);
  double even = filled * filled;
  for (int i = 0; i < 3; i++)
    even *= even;
  double near = 2 - gg_lesser(1, w->band / w->device->lockstep_band);
  double rounds = ceil(tiles * (double)e->batch / (double)w->multiprocessors);
  double gain = claims ? w->device->claimed : w->device->lockstep * near * even;
  gain *= meeting(w, lines_of_a(w)) * meeting(w, lines_of_b(w));
  return gain * gg_lesser(1, w->device->l2_bytes / once_bytes(w)) / rounds;
}

/* Whether tiles are whole, and each is computed where the launch happens to place its CTA: clusters
 * that claim tiles are launched on all multiprocessors. */
static bool lie_as_placed(const gg_work *w) {
  const gg_distributed *tile = w->tile;
  return tile->specialised && !tile->claims && w->shares == 0 && tile->cluster_k == 1;
}

/* Whether such CTAs lie wherever those of the launch ahead have ended. Larger clusters need a part
 * of a group each, and so fill all groups alike. */
static bool lie_scattered(const gg_work *w) {
  enum { pair = 2 };
  return lie_as_placed(w) && gg_cluster_size(w->tile) <= pair;
}

/* How many multiprocessors effectively share the L2 cache's rate when `active` load. The CTAs of a
 * large cluster are in one group of multiprocessors, and share its way to the cache. Where CTAs lie
 * scattered, idle multiprocessors are not evenly among the groups: of some group all load, and its
 * CTAs, which are the last to end, gain little by those that are idle elsewhere. */
static double crowded(const gg_work *w, double active) {
  const gg_device_model *device = w->device;
  int cluster = gg_cluster_size(w->tile);
  if (lie_scattered(w))
    return active + device->scattered * gg_greater(0, device->sm_count - active);
  if (w->tile->cluster_k == 1 || cluster < device->crowds_from) return active;
  double groups = sizeof device->groups / sizeof *device->groups;
  return gg_lesser(ceil(active / cluster / groups) * cluster * groups, device->sm_count);
}

/* Seconds for a byte that one multiprocessor loads, by the L2 cache's rate, while `active` load. */
static double l2_byte(const gg_work *w, double active) {
  return crowded(w, active) / (w->device->l2_rate * (1 + w->lockstep));
}

/* The rate at which one multiprocessor loads while `active` do. */
static double load_rate(const gg_work *w, double active) {
  return 1 / gg_join(w->of->load_byte, l2_byte(w, active));
}

/* Bytes that are fetched for a tile's epilogue, for each of the tile's K steps. */
static double fetched_bytes(const gg_work *w) {
  const gg_distributed *tile = w->tile;
  double steps = gg_greater(1, ceil((double)w->extents.k / tile->tile_k));
  return tile->tile_m * tile->tile_n * w->terms->traits.epilogue.fetched / steps;
}

/* The number of copies that threads make for `bytes` bytes, weighted: copies of less than 4 bytes
 * go through registers. */
static double copies_of(const gg_work *w, double bytes, int each) {
  return bytes / each * (each < 4 ? w->device->copies_by_registers : 1);
}

/* Bytes of one step's copies, weighted by their cost. */
static double copied_bytes(const gg_work *w) {
  return w->step_bytes + fetched_bytes(w);
}

double gg_work_load_step(const gg_work *w, double active) {
  const gg_terms *t = w->terms;
  double step = copied_bytes(w) / load_rate(w, active);
  switch (t->traits.loader) {
  case GG_LOADER_WARPS:
    return gg_join(step, w->device->copy_step + t->traits.heads * w->device->copy_head +
                             (t->m_step + t->n_step) * t->traits.uneven / w->device->copy_rate);
  case GG_LOADER_THREADS:
    return gg_join(step, (copies_of(w, t->m_step, t->copy_bytes_a) +
                          copies_of(w, t->n_step, t->copy_bytes_b)) /
                             (t->traits.copies_share * w->device->copies_rate));
  default:
    return gg_join(step, t->traits.transposing / w->device->transpose_rate);
  }
}

double gg_work_l2_seconds(const gg_work *w, double active, double steps, double stored) {
  if (w->extents.batch == 1 || !w->tile->specialised) return 0;
  return steps * copied_bytes(w) * l2_byte(w, active) + stored / w->device->l2_store_rate;
}

/* ---- DRAM ----------------------------------------------------------------------------- */

/* Bytes that the tiles of one round read. They are a block of D: as wide as a band, and as long as
 * there are multiprocessors for. Tiles that share an operand's lines drift apart, and so read them
 * `drift` times. */
static double round_bytes(const gg_work *w, double tiles_at_once, double drift) {
  bool along_m = w->terms->raster != GG_RASTER_ALONG_N;
  double along = along_m ? w->tiles_m : w->tiles_n;
  double length = gg_lesser(along, ceil(tiles_at_once / w->band));
  double rows = along_m ? length : w->band, columns = along_m ? w->band : length;
  return operand_bytes(w, rows * w->tile->tile_m * (columns > 1 ? drift : 1),
                       columns * w->tile->tile_n * (rows > 1 ? drift : 1));
}

double gg_work_stored_bytes(const gg_work *w) {
  const gg_extents *e = &w->extents;
  double each = w->terms->stored + w->terms->traits.epilogue.aside;
  return (double)e->batch * (double)e->m * (double)e->n * each;
}

double gg_work_dram_bytes(const gg_work *w, double tiles, double tiles_at_once) {
  const gg_extents *e = &w->extents;
  double batch = (double)e->batch, once = once_bytes(w);
  const gg_epilogue_work *e_work = &w->terms->traits.epilogue;
  double beside = batch * (double)e->m * (double)e->n * (e_work->fetched + e_work->read);
  beside += gg_work_stored_bytes(w);
  /* What fits in the L2 cache is read once. Beyond that, every round reads its own operands, and
   * more as its tiles drift apart. */
  double beyond = once / gg_greater(1, batch) / w->device->l2_bytes;
  if (beyond <= 1) return once + beside;
  double in_round = round_bytes(w, tiles_at_once, 1) / w->device->l2_bytes;
  double drift = 1 + w->device->miss * gg_greater(0, in_round - 1);
  double again = round_bytes(w, tiles_at_once, drift) * gg_greater(1, tiles / tiles_at_once);
  return gg_greater(once, again) + beside;
}

/* The largest power of two that divides both numbers, at least one of which is not 0. */
static int64_t aligned_to(int64_t a, int64_t b) {
  return (a | b) & -(a | b);
}

/* How many bytes a line of a tile leaves to other tiles of its first and last unit of DRAM, for
 * each of its own `line_bytes`: units have `unit` bytes, and lines begin and end at multiples of
 * `aligned` bytes. */
static double parted(double line_bytes, double aligned, double unit) {
  return gg_greater(0, 1 - aligned / unit) * unit / line_bytes;
}

/* How many times as much it costs to store parts of sectors, the other part of which another tile
 * stores, if D would fill more than one L2 cache: a part that has left it before the other comes is
 * read again. The larger D is, the more have left. Where enough CTAs of a cluster are side by side
 * they store both parts at about the same time, and the better the more tiles the cluster has. Else
 * what is beside a cluster comes the later the more tiles it has the other way. */
static double parts_lost(const gg_device_model *device, double caches, int beside, int other_way) {
  enum { enough = 4 };
  if (caches <= 1) return 1;
  double more = device->parted_more * gg_greater(0, 1 - device->parted_from / caches);
  double tiles = (double)beside * other_way;
  return (1 + more) * (beside >= enough ? 1 / tiles : pow(other_way, device->parted_apart));
}

double gg_work_storing_bytes(const gg_work *w) {
  const gg_terms *t = w->terms;
  const gg_device_model *device = w->device;
  bool across = t->d_major == GG_MAJOR_M;
  int bits = t->d_bits;
  int64_t tile = across ? w->tile->tile_m : t->tile_columns;
  int64_t all = across ? w->extents.m : w->extents.n;
  double aligned = (double)aligned_to(tile * bits, all * bits) / 8;
  double line_bytes = (double)tile * bits / 8;
  double caches = gg_work_stored_bytes(w) / device->l2_bytes; /* that D would fill */
  double sectors = parted(line_bytes, aligned, GG_SECTOR_BYTES), blocks = 0;
  if (caches > 1) blocks = parted(line_bytes, gg_greater(GG_SECTOR_BYTES, aligned), GG_BLOCK_BYTES);
  if (t->traits.stores_units) sectors *= device->unit_parted;
  int beside = across ? w->tile->cluster_m : w->tile->cluster_n;
  int other_way = across ? w->tile->cluster_n : w->tile->cluster_m;
  if (sectors > 0) sectors *= parts_lost(device, caches, beside, other_way);
  return gg_work_stored_bytes(w) *
         (device->store_more + device->store_parted * sectors + device->store_blocks * blocks);
}

double gg_work_stray_bytes(const gg_work *w, const gg_distribution *distribution) {
  if (distribution->group_tiles <= 1 || w->tile->warps) return 0;
  double tiles = (double)distribution->shared_tiles * w->tile->cluster_m * w->tile->cluster_n;
  double all = round_bytes(w, tiles, 1), beyond = gg_greater(0, 1 - w->device->l2_bytes / all);
  return w->device->stray * beyond * tiles * (double)distribution->k_tiles * w->step_bytes;
}

/* Whether CTAs of whole tiles, one each, fill some groups of multiprocessors and leave others to
 * the launches ahead and behind. A few find room beside the launch ahead in all groups alike. */
static bool fill_groups(const gg_work *w) {
  double all = w->device->sm_count, tiles = w->tiles_m * w->tiles_n * (double)w->extents.batch;
  return w->beside && lie_as_placed(w) && tiles < all && tiles > w->device->crowds_share * all;
}

/* Seconds for a byte from DRAM while `active` multiprocessors ask for bytes. */
static double dram_byte(const gg_work *w, double active) {
  const gg_device_model *device = w->device;
  double idle = 1 - active / device->sm_count;
  return gg_join(1 / device->dram_rate, w->of->dram_byte / active) * (1 + device->idle * idle);
}

double gg_work_dram_seconds(const gg_work *w, double active, double share, double bytes) {
  double seconds = share * (bytes + w->storing) * dram_byte(w, active);
  if (!fill_groups(w)) return seconds;
  double read = share * (bytes - gg_work_stored_bytes(w));
  return gg_join(seconds, read / active / w->device->dram_crowded);
}
