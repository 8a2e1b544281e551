/* How the tiles of a product are distributed to the clusters of a device. Pure functions: they use
 * no device and allocate nothing. */
#ifndef GG_PLAN_DISTRIBUTION_H
#define GG_PLAN_DISTRIBUTION_H

#include "plan/plan.h"

typedef struct gg_extents {
  int64_t m, n, k, batch;
} gg_extents;

/* Neighbouring tiles that take their halves in turns (scales.h): in each group of `tiles` tiles the
 * first halves lie side by side, `part` elements each, and then the second halves. One tile belongs
 * to `ctas` CTAs along that mode. `tiles` is 0 if no tiles do so. */
typedef struct gg_turns {
  int part, tiles, ctas;
} gg_turns;

enum { GG_MAP_BYTES = 128 }; /* bytes of a tensor map, which is also its alignment */

/* The facts about a kernel that decide its distribution: members of gg_kernel, and the bits of an
 * element. Packs keep this struct in files (choice/terms.h), so it has neither pointers nor gaps.
 */
typedef struct gg_distributed {
  gg_grid_rule grid;
  int splits;
  int tile_m, tile_n, tile_k;
  int tile_warps;
  int cluster_m, cluster_n, cluster_k;
  gg_turns turns_m, turns_n;
  int a_bits, b_bits, accumulator_bits;
  int warps;     /* that multiply, if the CTAs of a multiprocessor share what it multiplies with
                  * (instructions of single warps); 0 if one CTA has all of that */
  gg_dtype type; /* of A */
  int64_t sum_bytes_m, sum_bytes_n; /* of the workspace, for each row and column of a CTA's tile */
  int64_t map_bytes;                /* of the workspace, for the tensor maps that a CTA changes */
  int32_t cores;                    /* 1 if CUDA cores multiply */
  int32_t specialised;              /* 1 if warps have roles, so that a CTA has a multiprocessor to
                                     * itself */
  int32_t claims;                   /* 1 if clusters claim tiles by counters in the workspace */
  int32_t padding;                  /* 0 */
} gg_distributed;

/* CTAs of a cluster. */
static inline int gg_cluster_size(const gg_distributed *kernel) {
  return kernel->cluster_m * kernel->cluster_n * kernel->cluster_k;
}

/* Warps that compute one tile. */
int gg_plan_tile_warps(const gg_plan *plan);

gg_distributed gg_distributed_of_kernel(const gg_kernel *kernel);

/* The same facts from a plan, in the plan's terms: with swap_ab, those of the transposed problem.
 */
gg_distributed gg_distributed_of_plan(const gg_plan *plan);

/* How many tiles of clusters an extent takes along one mode. A CTA's tile is `tile` elements long,
 * and a cluster is `cluster` CTAs long. */
int64_t gg_tiles_along(int64_t extent, int tile, int cluster, gg_turns turns);

/* The turns that the plan's tiles take along M, and along N. */
gg_turns gg_plan_turns_m(const gg_plan *plan);
gg_turns gg_plan_turns_n(const gg_plan *plan);

/* Which clusters compute which tiles. A "tile" here is what one cluster computes: cluster_m x
 * cluster_n of the kernel's tiles, with cluster_k CTAs on each. The first `shared_tiles` tiles form
 * groups of `group_tiles`; the K tiles of a group are divided evenly into `group_shares` shares,
 * one for a cluster. All other tiles are computed whole. */
typedef struct gg_distribution {
  int64_t tiles, k_tiles;            /* tiles: of all batches; k_tiles: of one tile, along K */
  int64_t clusters;                  /* that have something to compute, */
  int64_t launched;                  /* and that are launched */
  int64_t shared_tiles, shares;      /* both 0 if every tile is computed whole */
  int64_t group_tiles, group_shares; /* at least 1 */
  int64_t workspace_bytes; /* 0 if no tile is shared or claimed, nothing is summed over D, and no
                            * map is changed */
  int64_t sums_begin;      /* byte in the workspace where the parts of sums over D begin, */
  int64_t maps_begin;      /* and where the tensor maps that CTAs change begin */
  int64_t busiest;         /* K tiles of the cluster that has the most */
  double adding;    /* how often in a row some cluster writes or reads one tile's sums before a
                     * shared tile is complete */
  int waits;        /* how often in that time one cluster waits for others */
  bool next_beside; /* whether a launch like this one that follows should begin while this one still
                     * runs */
} gg_distribution;

/* Whether the kernel has a parameter of this kind, for any operand. */
bool gg_kernel_takes(const gg_kernel *kernel, gg_param_kind kind);

/* Whether the CTAs on one multiprocessor share what it multiplies with, because instructions of
 * single warps do the multiplying (families simt and sm80). */
bool gg_shares_multiprocessors(const gg_kernel *kernel);

/* Distributes a product. `resident` is how many of the kernel's CTAs run at once on the
 * `multiprocessors` that the launch may fill (0: all of the device's). Extents must not be
 * negative. Returns false if the number of tiles, or the workspace, exceeds the limits of a grid or
 * of int64. */
bool gg_distribution_make(gg_distribution *out, const gg_distributed *kernel, gg_extents extents,
                          int64_t resident, int64_t multiprocessors, const gg_device_model *device);

/* The factor by which a multiprocessor of CUDA cores takes longer than its rate says for `each` of
 * the kernel's tiles, of `warps` warps each, with `at_once` of them side by side.
 *
 * Two things cost time. Warps are dealt to four schedulers, and the one with the most warps
 * finishes last. And in each round of CTAs they wait for what they share, for a part of a tile's
 * time; for half of that part if each thread computes twice as much between the waits. */
double gg_idleness(const gg_distributed *kernel, double warps, double each, double at_once,
                   const gg_device_model *device);

/* How many multiprocessors a launch fills that is allowed `asked` of them; 0, or more than the
 * device has, means all of them. */
int64_t gg_multiprocessors_of(const gg_device_model *device, int64_t asked);

#endif
