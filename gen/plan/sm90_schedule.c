/* Family sm90: which CTAs run as a cluster, and which tiles, or parts of tiles, they compute.
 *
 * Several clusters may share a tile (split_k, stream_k). Each sums a range of the tile's K, and
 * they reduce their sums in words of four accumulators a lane (templates/parts/shares.cu). How many
 * clusters share a tile is known only at launch: plan/distribution.c.
 *
 * Or the CTAs of one cluster share a tile, each with a part of its K. Then sums go straight to the
 * shared memory of the CTA that adds them up (templates/parts/sm90_parts.cu), which keeps room for
 * them beside the stages. Such a cluster computes one tile. */
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

/* CTAs that every device can run as one cluster; and that some can, if the kernel asks for it. */
enum { portable = 8, most = 16 };

/* Whether stages are filled by tensor maps only. */
static bool is_mapped(const gg_plan *plan) {
  return !gg_sm90_has_copiers(plan);
}

/* The usual cluster: two CTAs along M, which share B, if the tile is large and there are several
 * tiles along M. Boxes come to both CTAs by tensor maps only. */
gg_sm90_cluster gg_sm90_choose_cluster(const gg_plan *plan, const gg_sm90_tile *tile) {
  const gg_spec_field *asked = &plan->spec->cluster;
  const int64_t *shape = asked->tuple;
  if (asked->state == GG_SPEC_SET)
    return (gg_sm90_cluster){(int)shape[0], (int)shape[1], (int)shape[2]};
  bool large = tile->m * tile->n >= 128 * 256;
  bool several = plan->fixed_m == GG_FIXED_NONE || plan->fixed_m > tile->m;
  bool shares = plan->specialised && is_mapped(plan) && large && several;
  return (gg_sm90_cluster){shares ? 2 : 1, 1, 1};
}

static int64_t lesser(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Refuses a cluster with too many CTAs; the message says how many it has, and how many would do. */
static gg_status refuse_large(const gg_plan *plan, gg_sm90_cluster cluster, gg_error *err) {
  int64_t m = lesser(cluster.m, portable), n = lesser(cluster.n, portable / m);
  int64_t k = lesser(cluster.k, most / (m * n));
  int across = cluster.m * cluster.n;
  char asked[80], has[80];
  if (across > portable) {
    snprintf(asked, sizeof asked, "of %d x %d = %d CTAs along M and N", cluster.m, cluster.n,
             across);
  } else {
    snprintf(asked, sizeof asked, "of %d x %d x %d = %d CTAs", cluster.m, cluster.n, cluster.k,
             across * cluster.k);
  }
  snprintf(has, sizeof has, "%d along M and N at most, %d in all: [%d, %d, %d]", portable, most,
           (int)m, (int)n, (int)k);
  return gg_refuse(plan, &plan->spec->cluster, "cluster", asked, has, err);
}

gg_status gg_sm90_check_cluster(const gg_plan *plan, gg_sm90_cluster cluster, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->cluster;
  int64_t across = (int64_t)cluster.m * cluster.n, all = across * cluster.k;
  if (asked->state != GG_SPEC_SET) return GG_OK;
  int group = gg_plan_mma_ctas(plan);
  if (!is_mapped(plan) && across > group) {
    return gg_refuse(plan, asked, "cluster", "of this shape",
                     group > 1 ? "one pair of CTAs where A or B is aligned to less than 16 bytes"
                     : gg_sm90_copies_lines(plan)
                         ? "1 CTA along M and N where A or B is aligned to less than 16 bytes"
                         : "1 CTA along M and N where A or B is transposed on its way",
                     err);
  }
  if (!plan->specialised && all > 1) {
    return gg_refuse(plan, asked, "cluster", "with schedule multistage", "[1, 1, 1]", err);
  }
  return across > portable || all > most ? refuse_large(plan, cluster, err) : GG_OK;
}

/* The CTAs of a cluster divide a tile's boxes among them; a CTA gets the sums of all others for
 * each of its own boxes. */
int64_t gg_sm90_sums_bytes_in(const gg_plan *plan, int columns) {
  if (plan->cluster_k == 1) return 0;
  int64_t boxes = (int64_t)plan->tile_m / GG_SM90_STAGED_ROWS * (plan->tile_n / columns);
  int64_t own = (boxes + plan->cluster_k - 1) / plan->cluster_k;
  int64_t box = (int64_t)GG_SM90_STAGED_ROWS * columns;
  return gg_dtype_bytes(plan->accumulator, own * (plan->cluster_k - 1) * box);
}

int64_t gg_sm90_sums_bytes(const gg_plan *plan) {
  return gg_sm90_sums_bytes_in(plan, plan->epi_n);
}

static gg_status check_scheduler(const gg_plan *plan, gg_scheduler scheduler, bool pingpong,
                                 int cluster_k, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->scheduler.kind;
  bool alone = scheduler == GG_SCHEDULER_DATA_PARALLEL;
  if (!plan->specialised && !alone) {
    return gg_refuse(plan, asked, "scheduler", asked->text, "data_parallel", err);
  }
  if (cluster_k > 1 && pingpong) {
    return gg_refuse(plan, &plan->spec->schedule, "schedule",
                     "pingpong with CTAs of a cluster along K",
                     "warp_specialized and cooperative: such a cluster computes one tile", err);
  }
  if (cluster_k > 1 && !alone) {
    char kind[64];
    snprintf(kind, sizeof kind, "%s with CTAs of a cluster along K", asked->text);
    return gg_refuse(plan, asked, "scheduler", kind,
                     "data_parallel: such a cluster computes one tile", err);
  }
  if (pingpong && alone) {
    return gg_refuse(plan, asked, "scheduler", "data_parallel with schedule pingpong",
                     "persistent, split_k and stream_k: consumers take turns at several tiles",
                     err);
  }
  return GG_OK;
}

/* Checks tiles whose sums are reduced. These move in four words a lane, which with f16, two to a
 * word, takes 16 columns, and with other types 8. */
static gg_status check_sums(const gg_plan *plan, int n, gg_error *err) {
  if (plan->accumulator != GG_DTYPE_f16) return GG_OK;
  return gg_check_multiple(gg_as_asked(plan, "tile N", "tile M"), n, 16,
                           "16 bytes of a lane's f16 accumulators",
                           gg_element_mark(&plan->spec->tile, 1), err);
}

gg_sm90_schedule gg_sm90_choose_schedule(const gg_plan *plan, gg_sm90_cluster cluster) {
  const gg_spec_field *kind = &plan->spec->scheduler.kind;
  bool persistent = plan->specialised && cluster.k == 1;
  gg_sm90_schedule out = {.scheduler = kind->state == GG_SPEC_SET ? (gg_scheduler)kind->number
                                       : persistent               ? GG_SCHEDULER_PERSISTENT
                                                                  : GG_SCHEDULER_DATA_PARALLEL};
  out.splits = gg_choose_splits(plan, out.scheduler);
  out.shares_tiles =
      out.scheduler == GG_SCHEDULER_SPLIT_K || out.scheduler == GG_SCHEDULER_STREAM_K;
  out.reduces_sums = out.shares_tiles || cluster.k > 1;
  return out;
}

gg_status gg_sm90_check_schedule(const gg_plan *plan, const gg_sm90_tile *tile,
                                 const gg_sm90_workers *workers, gg_sm90_cluster cluster,
                                 const gg_sm90_schedule *schedule, gg_error *err) {
  gg_status st = check_scheduler(plan, schedule->scheduler, workers->pingpong, cluster.k, err);
  if (!st) st = gg_check_splits(plan, schedule->scheduler, err);
  return st || !schedule->reduces_sums ? st : check_sums(plan, tile->n, err);
}

/* Tiles in a band if the clusters of a GPC claim a block of them that is nearest to a square.
 * `along` and `across` are the extents of a cluster's tile, in elements. */
static int claimed_group(int ctas, int along, int across) {
  enum { gpc_ctas = 16 /* of the smaller GPCs of an H100 */ };
  int clusters = gpc_ctas / ctas, group = 1;
  while ((group + 1) * group * across <= clusters * along)
    group++;
  return group;
}

/* Chooses the order of tiles. Bands lie so that the longer side of the clusters' tiles goes across
 * them: then what runs at once is nearest to a square, which reads the least. Only clusters that
 * walk over tiles can claim them; and those of stream_k cannot, because one waits for others with
 * lower numbers, which have to begin before it. */
gg_order gg_sm90_choose_order(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                              gg_sm90_cluster cluster, const gg_sm90_schedule *schedule,
                              gg_error *err) {
  int m = tile->m * cluster.m, n = tile->n * cluster.n;
  const gg_spec_field *asked = &plan->spec->raster.order;
  gg_orders orders = {.usual = m > n ? GG_RASTER_ALONG_N : GG_RASTER_ALONG_M, .hilbert = true};
  bool along_m =
      (asked->state == GG_SPEC_SET ? (gg_raster)asked->number : orders.usual) == GG_RASTER_ALONG_M;
  bool walks = plan->specialised && (schedule->scheduler == GG_SCHEDULER_PERSISTENT ||
                                     schedule->scheduler == GG_SCHEDULER_SPLIT_K);
  bool copiers = gg_sm90_has_copiers(plan);
  if (walks && !copiers && plan->target->claims)
    orders.claimed = claimed_group(cluster.m * cluster.n, along_m ? m : n, along_m ? n : m);
  else if (plan->target->claims)
    orders.no = copiers ? "launch where warps copy or transpose A or B"
                        : "launch; gpc goes with scheduler persistent and split_k";
  return gg_choose_raster(st, plan, &orders, err);
}
