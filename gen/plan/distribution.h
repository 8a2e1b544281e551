/* How a product is distributed to the clusters of a device. Pure: no device, no allocation. */
#ifndef GG_PLAN_DISTRIBUTION_H
#define GG_PLAN_DISTRIBUTION_H

#include "plan/plan.h"

typedef struct gg_extents {
  int64_t m, n, k, batch;
} gg_extents;

/* Neighbouring tiles that take halves of theirs in turns: of `tiles`, the first halves lie beside
 * each other, `part` elements each, then the second halves. A tile is one of `ctas` CTAs along that
 * mode. No tiles: none do. */
typedef struct gg_turns {
  int part, tiles, ctas;
} gg_turns;

enum { GG_MAP_BYTES = 128 }; /* of a tensor map, which begins at a multiple of them */

/* What of a kernel decides: gg_kernel's members, and the bits of an element. Packs keep it in files
 * (choice/terms.h): it has neither pointers nor gaps. */
typedef struct gg_distributed {
  gg_grid_rule grid;
  int splits;
  int tile_m, tile_n, tile_k;
  int tile_warps;
  int cluster_m, cluster_n, cluster_k;
  gg_turns turns_m, turns_n;
  int a_bits, b_bits, accumulator_bits;
  int warps;     /* that multiply, where the CTAs of a multiprocessor share what it multiplies by:
                    their warps' instructions; 0 where a CTA has that to itself */
  gg_dtype type; /* of A */
  int64_t sum_bytes_m, sum_bytes_n; /* of the workspace, for each row and column of a CTA's tile */
  int64_t map_bytes;                /* likewise, for the tensor maps that a CTA changes */
  int32_t cores;                    /* CUDA cores multiply */
  int32_t specialised;              /* warps have roles: a CTA has a multiprocessor to itself */
  int32_t claims;                   /* clusters claim tiles by counters in the workspace */
  int32_t padding;                  /* 0 */
} gg_distributed;

/* Warps that compute one tile. */
int gg_plan_tile_warps(const gg_plan *plan);

gg_distributed gg_distributed_of_kernel(const gg_kernel *kernel);

/* In the plan's terms: with swap_ab, of the transposed problem. */
gg_distributed gg_distributed_of_plan(const gg_plan *plan);

/* Clusters' tiles along a mode, of which CTAs have `tile` elements each and a cluster has `cluster`
 * CTAs. */
int64_t gg_tiles_along(int64_t extent, int tile, int cluster, gg_turns turns);

/* Who takes turns along M and along N. */
gg_turns gg_plan_turns_m(const gg_plan *plan);
gg_turns gg_plan_turns_n(const gg_plan *plan);

/* "Tiles" are those of clusters: cluster_m x cluster_n of the kernel's, cluster_k CTAs each. Of the
 * first `shared_tiles` each group is divided into shares of equally many K tiles; the others are
 * computed whole. */
typedef struct gg_distribution {
  int64_t tiles, k_tiles;            /* of all batches; of one tile, along K */
  int64_t clusters;                  /* that compute some, */
  int64_t launched;                  /* and those of the grid */
  int64_t shared_tiles, shares;      /* 0 and 0: every tile is computed whole */
  int64_t group_tiles, group_shares; /* at least 1 */
  int64_t workspace_bytes; /* 0 where nothing is shared, claimed or summed over D, and no map is
                              changed */
  int64_t sums_begin;      /* where in the workspace the parts of sums over D begin, */
  int64_t maps_begin;      /* and the tensor maps that CTAs change */
  int64_t busiest;         /* K tiles of the cluster that has most of them */
  double adding;    /* how often a cluster writes or reads the sums of a tile, one after the other,
                       for a shared one to be complete */
  int waits;        /* of which one cluster for others, until that */
  bool next_beside; /* whether a launch like it, behind it, had better begin beside it */
} gg_distribution;

/* Whether the kernel has such a parameter, of whatever operand. */
bool gg_kernel_takes(const gg_kernel *kernel, gg_param_kind kind);

/* Whether CTAs beside each other on a multiprocessor share what it multiplies by: instructions of
 * single warps. */
bool gg_shares_multiprocessors(const gg_kernel *kernel);

/* `resident` is how many of the kernel's CTAs run at once, on those `multiprocessors` that the
 * launch may fill (0: all of the device's). Extents are not negative. False where tiles or
 * workspace pass the limits of a grid or of int64. */
bool gg_distribution_make(gg_distribution *out, const gg_distributed *kernel, gg_extents extents,
                          int64_t resident, int64_t multiprocessors, const gg_device_model *device);

/* How many times as long as by its rate a multiprocessor of CUDA cores takes for `each` of the
 * kernel's tiles, of `warps` each, of which it computes `at_once` beside each other. Warps are
 * dealt to its four schedulers, of which the one with most is waited for; and each round of CTAs
 * takes a part of a tile's time more, in which they wait for what they share: half of that where
 * each thread has twice as much to compute between such waits. */
double gg_idleness(const gg_distributed *kernel, double warps, double each, double at_once,
                   const gg_device_model *device);

/* How many multiprocessors a launch fills that is allowed `asked`: all of the device's for 0 and
 * for more than it has. */
int64_t gg_multiprocessors_of(const gg_device_model *device, int64_t asked);

#endif
