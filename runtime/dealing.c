/* Which clusters compute which tiles, and how many share one.
 *
 * Data-parallel and persistent kernels compute every tile whole. Of split_k each tile is shared by
 * the same number of clusters. Of stream_k only what does not fill the device is shared: up to two
 * rounds of tiles, dealt in one share a cluster, of one to two tiles' length, so that all clusters
 * end at once; the rounds before keep the locality of whole tiles (Osama et al., "Stream-K:
 * Work-Centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023).
 * Fewer tiles than clusters are shared as split_k would.
 *
 * Invariants, which the kernel relies on (templates/parts/sm90_shares.cu): a tile has no more
 * shares than clusters run at once, or K tiles; in groups of one tile every share is within it;
 * every warp of a shared tile has a counter in front of the workspace.
 *
 * The model counts in K tiles, of which one costs its bytes of A and B. Measured on an H100: as
 * many clusters as fill 45 percent of the device load as fast as all, and bringing the parts of a
 * tile together takes as long as loading 400 KB and five times the tile's sums
 * (docs/performance/h100.md). */
#include "dealing.h"

#include "atom/dtype.h"

enum {
  wait_bytes = 400 << 10, /* loaded while a cluster waits until it sees what others have written */
  sum_passes = 5,         /* times a tile's sums, loaded while they are written and read */
};

static const double full_speed = 0.45; /* of the clusters, that load as fast as all */

/* What of a kernel and a problem decides. */
typedef struct load {
  int64_t tiles, k_tiles, clusters; /* clusters that run at once */
  int64_t sum_bytes;                /* of a CTA's tile */
  double combining;                 /* K tiles while the parts of a tile are brought together */
} load;

static int64_t divide_up(int64_t value, int64_t by) {
  return value / by + (value % by != 0);
}

/* ---- The model -------------------------------------------------------------------------- */

/* What tiles take of which each is shared by so many clusters. A cluster with shares of several
 * tiles waits as often. */
static double splitting(const load *l, int64_t parts) {
  int64_t rounds = divide_up(l->tiles * parts, l->clusters);
  double steps = (double)(rounds * divide_up(l->k_tiles, parts));
  if (parts == 1) return steps;
  double loads = (double)l->tiles * (double)l->k_tiles / (full_speed * (double)l->clusters);
  return (steps > loads ? steps : loads) + (double)rounds * l->combining;
}

static int64_t most_parts(const load *l) {
  enum { most = 1024 };
  int64_t least = l->k_tiles < l->clusters ? l->k_tiles : l->clusters;
  return least > most ? most : least < 1 ? 1 : least;
}

static int64_t best_parts(const load *l) {
  int64_t best = 1;
  for (int64_t parts = 2; parts <= most_parts(l); parts++) {
    if (splitting(l, parts) < splitting(l, best)) best = parts;
  }
  return best;
}

/* ---- Shares ----------------------------------------------------------------------------- */

static void deal(gg_dealing *out, int64_t groups, int64_t tiles, int64_t shares) {
  out->shared_tiles = groups * tiles;
  out->shares = groups * shares;
  out->group_tiles = tiles;
  out->group_shares = shares;
}

static void split(gg_dealing *out, const load *l, int64_t parts) {
  if (parts > most_parts(l)) parts = most_parts(l);
  out->k_steps = splitting(l, parts);
  if (parts > 1) deal(out, l->tiles, 1, parts);
}

static void stream(gg_dealing *out, const load *l) {
  int64_t rest = l->tiles % l->clusters;
  if (rest == 0) return;
  if (l->tiles < l->clusters) {
    split(out, l, best_parts(l));
    return;
  }
  int64_t shared = rest + l->clusters;
  int64_t whole = (l->tiles - shared) / l->clusters * l->k_tiles;
  int64_t share = divide_up(shared * l->k_tiles, l->clusters);
  double steps = (double)(whole + share) + l->combining;
  if (steps >= out->k_steps) return;
  out->k_steps = steps;
  deal(out, 1, shared, l->clusters);
}

/* Whether the shared tiles have their counters, and the kernel counts K tiles in its 32 bits. */
static bool shares_fit(const gg_dealing *s, const gg_kernel *kernel) {
  int64_t counters = (int64_t)kernel->tile_warps * kernel->cluster_m * kernel->cluster_n;
  return s->shared_tiles <= GG_WORKSPACE_COUNTERS / (int64_t)sizeof(uint32_t) / counters &&
         s->k_tiles <= INT32_MAX / s->group_tiles;
}

static load load_of(const gg_dealing *s, const gg_kernel *kernel, int64_t resident) {
  int64_t k_tile_bytes = ((int64_t)kernel->tile_m * gg_dtype_info_of(kernel->a.type)->bits +
                          (int64_t)kernel->tile_n * gg_dtype_info_of(kernel->b.type)->bits) *
                         kernel->tile_k / 8;
  int64_t cluster = (int64_t)kernel->cluster_m * kernel->cluster_n;
  load l = {.tiles = s->tiles, .k_tiles = s->k_tiles};
  l.clusters = resident < cluster ? 1 : resident / cluster;
  l.sum_bytes =
      (int64_t)kernel->tile_m * kernel->tile_n * gg_dtype_info_of(kernel->accumulator)->bits / 8;
  l.combining = (double)(wait_bytes + sum_passes * l.sum_bytes) /
                (double)(k_tile_bytes > 0 ? k_tile_bytes : 1);
  return l;
}

/* Tiles of clusters, of all batches. */
static bool count_tiles(int64_t *out, const gg_kernel *kernel, const gg_problem *p) {
  int64_t m = divide_up(divide_up(p->m, kernel->tile_m), kernel->cluster_m);
  int64_t n = divide_up(divide_up(p->n, kernel->tile_n), kernel->cluster_n);
  return !__builtin_mul_overflow(m, n, out) && !__builtin_mul_overflow(*out, p->batch, out) &&
         *out <= INT32_MAX / ((int64_t)kernel->cluster_m * kernel->cluster_n);
}

static void share(gg_dealing *out, const gg_kernel *kernel, const load *l) {
  if (kernel->grid == GG_GRID_SPLIT_K) {
    split(out, l, kernel->splits ? kernel->splits : best_parts(l));
  } else if (kernel->grid == GG_GRID_STREAM_K) {
    stream(out, l);
  }
  if (out->shares == 0 || shares_fit(out, kernel)) return;
  deal(out, 0, 1, 1); /* so many tiles that the device is full */
  out->k_steps = splitting(l, 1);
}

bool gg_dealing_make(gg_dealing *out, const gg_kernel *kernel, const gg_problem *problem,
                     int64_t resident) {
  *out = (gg_dealing){.k_tiles = divide_up(problem->k, kernel->tile_k)};
  if (!count_tiles(&out->tiles, kernel, problem)) return false;
  load l = load_of(out, kernel, resident);
  out->k_steps = splitting(&l, 1);
  deal(out, 0, 1, 1);
  share(out, kernel, &l);
  int64_t work = out->shares + out->tiles - out->shared_tiles;
  bool all = kernel->grid == GG_GRID_TILES || work < l.clusters;
  out->clusters = all ? work : l.clusters;
  if (out->shares == 0) return true;
  int64_t cluster = (int64_t)kernel->cluster_m * kernel->cluster_n;
  return !__builtin_mul_overflow(out->shares, cluster * l.sum_bytes, &out->workspace_bytes) &&
         !__builtin_add_overflow(out->workspace_bytes, GG_WORKSPACE_COUNTERS,
                                 &out->workspace_bytes);
}
