/* Family sm90: which CTAs run as a cluster, and which tiles, or parts of tiles, they compute.
 *
 * Tiles may be shared (split_k, stream_k): then several clusters each sum a range of a tile's K,
 * and reduce their sums in words of four accumulators a lane (templates/parts/sm90_shares.cu). How
 * many clusters a tile has is known at launch alone: plan/distribution.c.
 *
 * Or the CTAs of one cluster share a tile, each with a part of its K: then sums go straight to the
 * shared memory of the CTA that adds them up (templates/parts/sm90_parts.cu), which keeps a place
 * for them beside the stages. Such a cluster computes one tile. */
#include <stdio.h>

#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

/* CTAs that every device runs as one cluster; and those that one may where it is asked. */
enum { portable = 8, most = 16 };

/* Two CTAs share B where there are several tiles along M to share it, and A likewise along N. Only
 * tensor maps bring boxes to both. */
gg_status gg_sm90_choose_cluster(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->cluster;
  bool mapped = plan->copy_bytes_a == 0 && plan->copy_bytes_b == 0;
  bool large = plan->tile_m * plan->tile_n >= 128 * 256;
  bool several = plan->fixed_m == GG_FIXED_NONE || plan->fixed_m > plan->tile_m;
  plan->cluster_m = plan->specialised && mapped && large && several ? 2 : 1;
  plan->cluster_n = plan->cluster_k = 1;
  if (asked->state != GG_SPEC_SET) return GG_OK;
  int64_t m = asked->tuple[0], n = asked->tuple[1], k = asked->tuple[2];
  if (!mapped && m * n > 1) {
    return gg_refuse(plan, asked, "cluster", "of this shape",
                     "1 CTA along M and N where A or B is aligned to less than 16 bytes", err);
  }
  if (!plan->specialised && m * n * k > 1) {
    return gg_refuse(plan, asked, "cluster", "with schedule multistage", "[1, 1, 1]", err);
  }
  if (m * n > portable || m * n * k > most) {
    return gg_refuse(plan, asked, "cluster", "of this shape",
                     "8 CTAs along M and N at most, 16 in all", err);
  }
  plan->cluster_m = (int)m;
  plan->cluster_n = (int)n;
  plan->cluster_k = (int)k;
  return GG_OK;
}

/* Boxes are divided among the parts; of each that is its own, a CTA gets the sums of all others. */
int64_t gg_sm90_sums_bytes(const gg_plan *plan) {
  if (plan->cluster_k == 1) return 0;
  int64_t boxes = (int64_t)plan->tile_m / plan->epi_m * (plan->tile_n / plan->epi_n);
  int64_t own = (boxes + plan->cluster_k - 1) / plan->cluster_k;
  int64_t box = (int64_t)plan->epi_m * plan->epi_n;
  return gg_dtype_bytes(plan->accumulator, own * (plan->cluster_k - 1) * box);
}

static gg_status check_scheduler(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->scheduler.kind;
  bool alone = plan->scheduler == GG_SCHEDULER_DATA_PARALLEL;
  if (!plan->specialised && !alone) {
    return gg_refuse(plan, asked, "scheduler", asked->text, "data_parallel", err);
  }
  if (plan->cluster_k > 1 && plan->pingpong) {
    return gg_refuse(plan, &plan->spec->schedule, "schedule",
                     "pingpong with CTAs of a cluster along K",
                     "warp_specialized and cooperative: such a cluster computes one tile", err);
  }
  if (plan->cluster_k > 1 && !alone) {
    char kind[64];
    snprintf(kind, sizeof kind, "%s with CTAs of a cluster along K", asked->text);
    return gg_refuse(plan, asked, "scheduler", kind,
                     "data_parallel: such a cluster computes one tile", err);
  }
  if (plan->pingpong && alone) {
    return gg_refuse(plan, asked, "scheduler", "data_parallel with schedule pingpong",
                     "persistent, split_k and stream_k: consumers take turns at several tiles",
                     err);
  }
  return GG_OK;
}

/* Sums are reduced in four words a lane: 16 columns of two f16 a word, 8 of others. */
static gg_status check_sums(const gg_plan *plan, gg_error *err) {
  if (!gg_plan_reduces_sums(plan) || plan->accumulator != GG_DTYPE_f16) return GG_OK;
  return gg_check_multiple(gg_as_asked(plan, "tile N", "tile M"), plan->tile_n, 16,
                           "16 bytes of a lane's f16 accumulators",
                           gg_element_mark(&plan->spec->tile, 1), err);
}

gg_status gg_sm90_choose_schedule(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *kind = &spec->scheduler.kind, *splits = &spec->scheduler.splits;
  plan->scheduler = kind->state == GG_SPEC_SET                  ? (gg_scheduler)kind->number
                    : plan->specialised && plan->cluster_k == 1 ? GG_SCHEDULER_PERSISTENT
                                                                : GG_SCHEDULER_DATA_PARALLEL;
  gg_status st = check_scheduler(plan, err);
  if (st) return st;
  if (plan->scheduler == GG_SCHEDULER_SPLIT_K && splits->state == GG_SPEC_SET) {
    plan->splits = (int)splits->number;
  } else if ((st = gg_check_unused(plan, splits, "splits",
                                   "none with this scheduler: kind split_k has", err))) {
    return st;
  }
  if ((st = check_sums(plan, err))) return st;
  /* Across a band lies the longer side of the clusters' tiles: what runs at once is then nearest to
   * a square, which reads the least. */
  bool taller = plan->tile_m * plan->cluster_m > plan->tile_n * plan->cluster_n;
  return gg_choose_raster(plan, taller ? GG_RASTER_ALONG_N : GG_RASTER_ALONG_M, true, err);
}
