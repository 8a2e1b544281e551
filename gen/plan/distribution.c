/* Which clusters compute which tiles, and how many clusters share a tile.
 *
 * Data-parallel and persistent kernels compute every tile whole. With split_k every tile is shared
 * by the same number of clusters. With stream_k only those tiles are shared that do not fill the
 * device: up to two rounds of tiles, distributed so that each cluster has one share, as long as one
 * to two tiles, and all clusters end at once. The rounds before are whole tiles, which keeps their
 * locality (Osama et al., "Stream-K: Work-Centric Parallel Decomposition for Dense Matrix-Matrix
 * Multiplication on the GPU", 2023). If there are fewer tiles than clusters, they are shared as by
 * split_k, or, where CTAs run side by side on a multiprocessor, dealt as one group, too.
 *
 * Invariants that the kernel relies on (templates/parts/shares.cu): a tile has no more shares than
 * clusters run at once, nor more than it has K tiles; in groups of one tile every share lies within
 * the tile; every warp of a shared tile has a counter at the front of the workspace, and groups of
 * sums over D have theirs at the end of the counters.
 *
 * The model counts time in K tiles: one is the time to load a K tile's bytes of A and B, and
 * everything else is expressed as a multiple of that. Sums are written and read at the same speed,
 * and each share is waited for (atom/device_columns.def). The model only compares ways to
 * distribute one kernel's tiles, because a launch knows no more of the kernel than gg_kernel's
 * facts. How many seconds one way takes is the business of choice/model.c, which asks here how the
 * tiles are distributed. Sums and waits are counted as in the kernels that the model's constants
 * were fitted to: see docs/performance/h100.md, "Shared tiles". */
#include "plan/distribution.h"

#include <math.h>
#include <string.h>

#include "atom/dtype.h"
#include "layout/banks.h"
#include "plan/sums.h"

/* Constants of the kernel's text (templates/parts/shares.cu). */
enum {
  few_shares = 3,   /* up to this many shares of a tile, one cluster adds up all of them */
  warp_chunk = 512, /* bytes of a warp's sums; if many clusters add up, each takes some of these
                     * chunks */
};

/* What a kernel and a problem contribute to the model. */
typedef struct load {
  const gg_device_model *device;
  int64_t tiles, k_tiles;      /* k_tiles: of one tile; those of the CTA that has most of them */
  int64_t clusters;            /* that run at once */
  int64_t sum_bytes;           /* bytes of the sums of a CTA's tile */
  int chunks;                  /* chunks of a warp's sums */
  double sum_steps;            /* time, in K tiles, in which a CTA writes or reads a tile's sums */
  double multiply;             /* time to multiply a K tile, divided by the time to load one: at
                                * least 1 */
  double share_steps;          /* time, in K tiles, for which a cluster waits for another's share */
  double read_steps;           /* time, in K tiles, in which DRAM delivers all of A and B once */
  int64_t multiprocessors;     /* or the number of clusters, if each has a multiprocessor to itself
                                */
  int64_t at_once;             /* clusters that run side by side on one of them */
  bool warps;                  /* whether CTAs share what a multiprocessor multiplies with */
  const gg_distributed *cores; /* the kernel, where CUDA cores multiply; else NULL */
} load;

static int64_t divide_up(int64_t value, int64_t by) {
  return value / by + (value % by != 0);
}

/* ---- Kernels ---------------------------------------------------------------------------- */

/* The turns from gg_kernel's facts. `of_pairs` elements are taken in turns by pairs of CTAs, or
 * `of_halves` elements by tiles of one CTA each; 0: none. */
static gg_turns turns_of(int tile, int64_t of_pairs, int64_t of_halves) {
  if (of_pairs) return (gg_turns){tile, (int)(of_pairs / (2 * tile)), 2};
  return of_halves ? (gg_turns){tile / 2, (int)(of_halves / tile), 1} : (gg_turns){.tiles = 0};
}

bool gg_shares_multiprocessors(const gg_kernel *kernel) {
  return strcmp(kernel->family, "simt") == 0 || strcmp(kernel->family, "sm80") == 0;
}

bool gg_kernel_takes(const gg_kernel *kernel, gg_param_kind kind) {
  for (size_t i = 0; i < kernel->param_count; i++) {
    if (kernel->params[i].kind == kind) return true;
  }
  return false;
}

gg_distributed gg_distributed_of_kernel(const gg_kernel *kernel) {
  return (gg_distributed){
      .grid = kernel->grid,
      .splits = kernel->splits,
      .tile_m = kernel->tile_m,
      .tile_n = kernel->tile_n,
      .tile_k = kernel->tile_k,
      .tile_warps = kernel->tile_warps,
      .cluster_m = kernel->cluster_m,
      .cluster_n = kernel->cluster_n,
      .cluster_k = kernel->cluster_k,
      .turns_m = turns_of(kernel->tile_m, kernel->turns_pairs_m, kernel->turns_halves_m),
      .turns_n = turns_of(kernel->tile_n, kernel->turns_pairs_n, kernel->turns_halves_n),
      .sum_bytes_m = kernel->sum_bytes_m,
      .sum_bytes_n = kernel->sum_bytes_n,
      .map_bytes = kernel->map_bytes,
      .warps = gg_shares_multiprocessors(kernel) ? kernel->tile_warps : 0,
      .specialised = kernel->dependent && !gg_shares_multiprocessors(kernel),
      .claims = gg_kernel_takes(kernel, GG_PARAM_GPCS),
      .cores = strcmp(kernel->family, "simt") == 0,
      .type = kernel->a.type,
      .a_bits = gg_dtype_info_of(kernel->a.type)->bits,
      .b_bits = gg_dtype_info_of(kernel->b.type)->bits,
      .accumulator_bits = gg_dtype_info_of(kernel->accumulator)->bits,
  };
}

/* ---- The model -------------------------------------------------------------------------- */

/* How often sums of a whole tile are written or read, one after the other, until a tile's shares
 * have become one. */
static double adding(const load *l, int64_t shares) {
  if (shares == 1) return 0;
  if (shares <= few_shares) return (double)shares;
  int64_t adders = shares < l->chunks ? shares : l->chunks;
  double slice = (double)divide_up(l->chunks, adders) / l->chunks;
  return 2 + (double)shares * slice;
}

static int waits(int64_t shares) {
  return shares == 1 ? 0 : shares <= few_shares ? 1 : 2;
}

/* The time, in K tiles, to reduce a tile's shares to one. Each share costs the clusters that add it
 * up a wait, besides the time for its bytes. */
static double reducing(const load *l, int64_t shares) {
  if (shares == 1) return 0;
  return (double)shares * l->share_steps + adding(l, shares) * l->sum_steps;
}

/* K tiles of the multiprocessor that has the most. If a multiprocessor runs several clusters at
 * once, and there are more clusters than all of them hold, the last ones start wherever others have
 * ended: so a multiprocessor gets as many more as it has room for. */
static int64_t split_busiest(const load *l, int64_t shares) {
  int64_t all = l->tiles * shares;
  int64_t each = all > l->clusters ? divide_up(all, l->clusters) * l->at_once
                                   : divide_up(all, l->multiprocessors);
  return each * divide_up(l->k_tiles, shares);
}

/* Of a multiprocessor that computes `each` shares. */
static double idleness(const load *l, int64_t each) {
  if (!l->cores) return 1;
  return gg_idleness(l->cores, l->cores->warps, (double)each, (double)l->at_once, l->device);
}

/* The least time, in K tiles, that loading takes. Shares that all run at once are at the same place
 * along K, so DRAM is read once, and neighbouring multiprocessors share what they ask of the L2
 * cache. Else each share loads by itself, at the speed at which so many clusters together reach the
 * full one. */
static double loading(const load *l, int64_t shares) {
  if (l->tiles * shares <= l->clusters) return l->read_steps;
  double all = (double)l->tiles * (double)l->k_tiles;
  double apart = all / (l->device->loaders * (double)l->multiprocessors);
  return apart > l->read_steps ? apart : l->read_steps;
}

/* The time of split_k with so many shares. A cluster with several shares waits once in each of
 * them, since what it waits for is computed after what others wait for. */
static double splitting(const load *l, int64_t shares) {
  double rounds = (double)divide_up(l->tiles * shares, l->clusters);
  int64_t each = divide_up(l->tiles * shares, l->multiprocessors);
  double busiest = (double)split_busiest(l, shares) * l->multiply * idleness(l, each);
  double least = loading(l, shares);
  return (busiest > least ? busiest : least) + rounds * reducing(l, shares);
}

static int64_t most_shares(const load *l) {
  enum { most = 1024 };
  int64_t least = l->k_tiles < l->clusters ? l->k_tiles : l->clusters;
  return least > most ? most : least < 1 ? 1 : least;
}

/* The best number of shares. The time of more shares is at least that of DRAM plus their waits and
 * sums; once that alone is no gain, the search ends. */
static int64_t best_shares(const load *l) {
  int64_t best = 1, most = most_shares(l);
  double least = splitting(l, 1);
  for (int64_t shares = 2; shares <= most; shares++) {
    double waiting = (double)shares * l->share_steps;
    if (shares > few_shares && l->read_steps + waiting + 3 * l->sum_steps >= least) break;
    double steps = splitting(l, shares);
    if (steps < least) best = shares, least = steps;
  }
  return best;
}

/* ---- Shares ----------------------------------------------------------------------------- */

/* The most clusters that share a tile where `shares` shares are dealt over `tiles` tiles: a tile
 * may begin and end within a share. */
static int64_t parts_of(int64_t shares, int64_t tiles) {
  return tiles > 1 ? divide_up(shares, tiles) + 1 : shares;
}

static void distribute(gg_distribution *out, const load *l, int64_t groups, int64_t tiles,
                       int64_t shares) {
  out->shared_tiles = groups * tiles;
  out->shares = groups * shares;
  out->group_tiles = tiles;
  out->group_shares = shares;
  int64_t parts = groups == 0 ? 1 : parts_of(shares, tiles);
  bool one_adds = tiles > 1; /* the last of a tile's parts, which waits once */
  out->adding = one_adds ? (double)parts : adding(l, parts);
  out->waits = one_adds ? 1 : waits(parts);
}

static void distribute_whole(gg_distribution *out, const load *l) {
  distribute(out, l, 0, 1, 1);
  out->busiest = split_busiest(l, 1);
}

static void split(gg_distribution *out, const load *l, int64_t shares) {
  if (shares > most_shares(l)) shares = most_shares(l);
  if (shares <= 1) return;
  distribute(out, l, l->tiles, 1, shares);
  out->busiest = split_busiest(l, shares);
}

/* Deals fewer tiles than clusters as one group, a share to each cluster. Shares of one tile each
 * leave clusters without work where their number does not fit: of 72 tiles, three shares each are
 * 216, where 264 clusters run at once. Returns false if one group is not thought to be faster than
 * `shares` shares of each tile.
 *
 * One cluster adds up all parts of a tile, and nothing hides that, so there must be few. And shares
 * are at different places along K, so that neighbours do not load the same at the same time. So
 * this pays where multiplying takes long: measured, kernels of f64 were 1.09 times as fast by it,
 * and those of bf16 with wgmma slower (docs/performance/h200.md, "Few tiles of f64"). */
static bool stream_few(gg_distribution *out, const load *l, int64_t shares) {
  enum { most_parts = 4 };
  int64_t parts = parts_of(l->clusters, l->tiles);
  if (!l->warps || parts > most_parts || l->k_tiles < parts) return false;
  if (l->k_tiles > INT32_MAX / l->tiles) return false; /* more than the kernel counts */
  int64_t busiest = divide_up(l->tiles * l->k_tiles, l->clusters) * l->at_once;
  double steps = (double)busiest * l->multiply * idleness(l, l->at_once);
  if (steps < l->read_steps) steps = l->read_steps;
  steps += (double)parts * (l->share_steps + l->sum_steps);
  if (steps >= splitting(l, shares)) return false;
  distribute(out, l, 1, l->tiles, l->clusters);
  out->busiest = busiest;
  return true;
}

static void stream(gg_distribution *out, const load *l) {
  int64_t rest = l->tiles % l->clusters;
  if (rest == 0) return;
  if (l->tiles < l->clusters) {
    int64_t shares = best_shares(l);
    if (!stream_few(out, l, shares)) split(out, l, shares);
    return;
  }
  int64_t shared = rest + l->clusters;
  int64_t whole = (l->tiles - shared) / l->clusters * l->k_tiles;
  int64_t share = divide_up(shared * l->k_tiles, l->clusters);
  int64_t busiest = (whole + share) * l->at_once;
  if ((double)busiest + reducing(l, 2) >= (double)out->busiest) return;
  distribute(out, l, 1, shared, l->clusters);
  out->busiest = busiest;
}

/* Whether there are enough counters for the shared tiles, in front of those for claims and for sums
 * over D, and whether the kernel can count K tiles in 32 bits. The counters for claims and sums are
 * reserved even if this kernel has none, because the next launch may claim while this one still
 * counts. */
static bool shares_fit(const gg_distribution *s, const gg_distributed *kernel) {
  int64_t counters = (int64_t)kernel->tile_warps * kernel->cluster_m * kernel->cluster_n;
  return s->shared_tiles <= GG_CLAIM_COUNTERS_BEGIN / counters &&
         s->k_tiles <= INT32_MAX / s->group_tiles;
}

/* Operations a second of one multiprocessor. */
static double rate_of(const gg_distributed *kernel, const gg_device_model *device) {
  if (!kernel->cores)
    return gg_device_mma_rate(device, kernel->type, false, false) * device->warp_mma_share;
  bool bytes = gg_dtype_info_of(kernel->type)->bits == 8;
  return bytes                          ? device->dot_rate
         : kernel->type == GG_DTYPE_f64 ? device->fma_rate_64
                                        : device->fma_rate_32;
}

/* Bytes of m rows of A and n columns of B, each of k elements along K. */
static double operand_bytes(const gg_distributed *kernel, double m, double n, double k) {
  return (m * kernel->a_bits + n * kernel->b_bits) * k / 8;
}

static double k_tile_bytes(const gg_distributed *kernel) {
  double bytes = operand_bytes(kernel, kernel->tile_m, kernel->tile_n, kernel->tile_k);
  return bytes > 1 ? bytes : 1;
}

static double operations_of(const gg_distributed *kernel) {
  return 2.0 * kernel->tile_m * kernel->tile_n * kernel->tile_k;
}

/* The time to multiply a K tile, divided by the time to load it. */
static double multiply_of(const gg_distributed *kernel, const gg_device_model *device) {
  double m = kernel->tile_m, n = kernel->tile_n;
  return m * n / (m + n) / device->even_extents;
}

/* Seconds to load a K tile, the unit that everything else is counted in. */
static double load_seconds(const gg_distributed *kernel, const gg_device_model *device) {
  if (kernel->warps) return k_tile_bytes(kernel) / device->load_rate;
  double rate = gg_device_mma_rate(device, kernel->type, false, false);
  return operations_of(kernel) / rate / multiply_of(kernel, device);
}

/* Adapts the model to CTAs that run side by side on a multiprocessor and share its rates. Their K
 * tiles are small and take longer to multiply than to load, so times in K tiles are derived from
 * seconds. A share is waited for as long as each of the few shares that have one wait between them.
 */
static void share_multiprocessors(load *l, const gg_distributed *kernel, double seconds,
                                  int64_t multiprocessors) {
  if (l->clusters > multiprocessors) l->multiprocessors = multiprocessors;
  l->cores = kernel->cores ? kernel : NULL;
  l->multiply = operations_of(kernel) / rate_of(kernel, l->device) / seconds;
  l->share_steps = l->device->wait / few_shares / seconds;
}

static load load_of(const gg_distribution *s, const gg_distributed *kernel, gg_extents e,
                    int64_t resident, int64_t multiprocessors, const gg_device_model *device) {
  double seconds = load_seconds(kernel, device);
  int64_t cluster = gg_cluster_size(kernel);
  load l = {
      .device = device, .tiles = s->tiles, .k_tiles = divide_up(s->k_tiles, kernel->cluster_k)};
  l.clusters = resident < cluster ? 1 : resident / cluster;
  l.sum_bytes = gg_bytes_of((int64_t)kernel->tile_m * kernel->tile_n, kernel->accumulator_bits);
  l.chunks = kernel->tile_warps ? (int)(l.sum_bytes / kernel->tile_warps / warp_chunk) : 1;
  l.multiply = multiply_of(kernel, device);
  l.sum_steps = (double)l.sum_bytes / k_tile_bytes(kernel);
  l.share_steps = device->share_steps;
  double bytes = operand_bytes(kernel, (double)e.m, (double)e.n, (double)e.k) * (double)e.batch;
  l.read_steps = bytes / device->dram_rate / seconds;
  l.multiprocessors = l.clusters;
  l.warps = kernel->warps > 0;
  if (l.warps) share_multiprocessors(&l, kernel, seconds, multiprocessors);
  if (l.multiply < 1) l.multiply = 1;
  l.at_once = divide_up(l.clusters, l.multiprocessors);
  return l;
}

/* Tiles that take turns at the end of the extent: there are as many as there are first halves left.
 */
int64_t gg_tiles_along(int64_t extent, int tile, int cluster, gg_turns turns) {
  if (!turns.tiles) return divide_up(divide_up(extent, tile), cluster);
  int64_t all = 2 * (int64_t)turns.part * turns.tiles, rest = divide_up(extent % all, turns.part);
  int64_t tiles = extent / all * turns.tiles + (rest < turns.tiles ? rest : turns.tiles);
  return divide_up(tiles * turns.ctas, cluster);
}

/* Counts the tiles of clusters in all batches; false if there are too many for a grid. */
static bool count_tiles(int64_t *out, const gg_distributed *kernel, const gg_extents *e) {
  int64_t m = gg_tiles_along(e->m, kernel->tile_m, kernel->cluster_m, kernel->turns_m);
  int64_t n = gg_tiles_along(e->n, kernel->tile_n, kernel->cluster_n, kernel->turns_n);
  return !__builtin_mul_overflow(m, n, out) && !__builtin_mul_overflow(*out, e->batch, out) &&
         *out <= INT32_MAX / gg_cluster_size(kernel);
}

static void share_tiles(gg_distribution *out, const gg_distributed *kernel, const load *l) {
  if (kernel->grid == GG_GRID_SPLIT_K) {
    split(out, l, kernel->splits ? kernel->splits : best_shares(l));
  } else if (kernel->grid == GG_GRID_STREAM_K) {
    stream(out, l);
  }
  /* More tiles than there are counters for fill the device anyway. */
  if (out->shares > 0 && !shares_fit(out, kernel)) distribute_whole(out, l);
}

/* Whether clusters of a launch that begins beside another would crowd. They are placed where the
 * clusters of the launch before leave room. If between half of them and all of them find room, they
 * crowd onto some groups of multiprocessors, which share their way to the L2 cache: 16 clusters of
 * four, of 30 that are resident, load in 11.4 us what takes 7.4 us on an empty device. Clusters of
 * two and three fit in anywhere, and those larger than eight have a group to themselves. (Measured
 * on an H100: docs/performance/h100.md, "Clusters along K".) */
static bool clusters_crowd(const gg_distribution *s, const gg_distributed *kernel, const load *l) {
  const gg_device_model *device = l->device;
  int64_t cluster = gg_cluster_size(kernel), free = l->clusters - s->clusters;
  bool crowds = (double)cluster >= device->crowds_from && (double)cluster <= device->crowds_to;
  return crowds && free >= s->clusters / 2 && free < 2 * s->clusters;
}

/* Whether single CTAs that share tiles and leave multiprocessors idle would crowd. On an empty
 * device each group of multiprocessors gets as many of them; behind another launch they go where
 * its last CTAs ended. The cost of that grows with their work, while the gain of beginning early
 * does not. (Measured likewise: "Launches beside each other".) */
static bool ctas_crowd(const gg_distribution *s, const gg_distributed *kernel, const load *l) {
  if (!kernel->specialised || s->shares == 0 || s->clusters >= l->clusters) return false;
  return operations_of(kernel) * (double)s->busiest >
         l->device->crowds_work * gg_device_mma_rate(l->device, kernel->type, false, false);
}

static bool next_beside(const gg_distribution *s, const gg_distributed *kernel, const load *l) {
  if (kernel->claims) return true; /* clusters compute what suits the place where they are */
  if (kernel->cluster_k > 1) return !clusters_crowd(s, kernel, l);
  return gg_cluster_size(kernel) > 1 || !ctas_crowd(s, kernel, l);
}

/* Adds the bytes of the parts of sums over D: `line_bytes` for each row or column of each of
 * `tiles` tiles, in lines of a multiple of GG_SUM_LINE. False if they are more than int64 can
 * count. */
static bool add_sums(int64_t *bytes, int64_t tiles, int64_t length, int64_t batch,
                     int64_t line_bytes) {
  int64_t more;
  return !__builtin_mul_overflow(divide_up(length, GG_SUM_LINE), GG_SUM_LINE, &more) &&
         !__builtin_mul_overflow(more, tiles, &more) &&
         !__builtin_mul_overflow(more, batch, &more) &&
         !__builtin_mul_overflow(more, line_bytes, &more) &&
         !__builtin_add_overflow(*bytes, more, bytes);
}

/* Adds the maps of each CTA of the grid, behind everything else, from a multiple of a map's size
 * on. */
static bool add_maps(gg_distribution *out, const gg_distributed *kernel) {
  int64_t *bytes = &out->workspace_bytes, ctas = out->launched * gg_cluster_size(kernel), more;
  out->maps_begin = *bytes;
  if (!kernel->map_bytes) return true;
  out->maps_begin = divide_up(*bytes, GG_MAP_BYTES) * GG_MAP_BYTES;
  return !__builtin_mul_overflow(ctas, kernel->map_bytes, &more) &&
         !__builtin_add_overflow(out->maps_begin, more, bytes);
}

/* Lays out the workspace: counters, then the sums of shares, then the parts of sums over D, then
 * maps. */
static bool lay_out_workspace(gg_distribution *out, const gg_distributed *kernel, gg_extents e,
                              int64_t share_bytes) {
  bool sums = kernel->sum_bytes_m || kernel->sum_bytes_n;
  if (out->shares == 0 && !sums && !kernel->map_bytes && !kernel->claims) return true;
  int64_t *bytes = &out->workspace_bytes;
  if (__builtin_mul_overflow(out->shares, share_bytes, bytes) ||
      __builtin_add_overflow(*bytes, GG_WORKSPACE_COUNTERS, bytes))
    return false;
  out->sums_begin = *bytes;
  return add_sums(bytes, divide_up(e.m, kernel->tile_m), e.n, e.batch, kernel->sum_bytes_n) &&
         add_sums(bytes, divide_up(e.n, kernel->tile_n), e.m, e.batch, kernel->sum_bytes_m) &&
         add_maps(out, kernel);
}

/* The time, as a multiple of one tile's, that `ctas` CTAs take side by side: as long as the
 * scheduler with the most warps. */
static double round_time(double ctas, double warps, double begin) {
  enum { schedulers = 4 };
  return ctas > 0 ? schedulers * ceil(ctas * warps / schedulers) / warps + begin : 0;
}

double gg_idleness(const gg_distributed *kernel, double warps, double each, double at_once,
                   const gg_device_model *device) {
  const double usual_block = 8 * 8;
  double block = (double)kernel->tile_m * kernel->tile_n / (warps * GG_WARP);
  double begin = device->fma_begin * usual_block / block;
  double full = floor(each / at_once), rest = each - full * at_once;
  return (full * round_time(at_once, warps, begin) + round_time(rest, warps, begin)) / each;
}

int64_t gg_multiprocessors_of(const gg_device_model *device, int64_t asked) {
  return asked > 0 && asked < device->sm_count ? asked : device->sm_count;
}

bool gg_distribution_make(gg_distribution *out, const gg_distributed *kernel, gg_extents extents,
                          int64_t resident, int64_t multiprocessors,
                          const gg_device_model *device) {
  *out = (gg_distribution){.k_tiles = divide_up(extents.k, kernel->tile_k)};
  if (!count_tiles(&out->tiles, kernel, &extents)) return false;
  load l = load_of(out, kernel, extents, resident, gg_multiprocessors_of(device, multiprocessors),
                   device);
  distribute_whole(out, &l);
  share_tiles(out, kernel, &l);
  int64_t work = out->shares + out->tiles - out->shared_tiles;
  bool all = kernel->grid == GG_GRID_TILES || work < l.clusters;
  out->clusters = all ? work : l.clusters;
  /* If clusters claim tiles, as many are launched as fill the device. So every GPC gets as many as
   * it holds, whatever still runs from the launch ahead, and those that compute are where they are
   * meant to be. */
  out->launched = kernel->claims ? l.clusters : out->clusters;
  out->next_beside = next_beside(out, kernel, &l);
  return lay_out_workspace(out, kernel, extents, gg_cluster_size(kernel) * l.sum_bytes);
}
