/* How a problem is dealt to the clusters of a device. Pure: no device, no allocation. */
#ifndef GG_RUNTIME_DEALING_H
#define GG_RUNTIME_DEALING_H

#include "gemmgen_runtime.h"

/* "Tiles" are those of clusters: cluster_m x cluster_n of the kernel's. Of the first `shared_tiles`
 * each group is dealt in shares of equally many K tiles; the others are computed whole. */
typedef struct gg_dealing {
  int64_t tiles, k_tiles;            /* of all batches; of one tile, along K */
  int64_t clusters;                  /* of the grid */
  int64_t shared_tiles, shares;      /* 0 and 0: every tile is computed whole */
  int64_t group_tiles, group_shares; /* at least 1 */
  int64_t workspace_bytes;           /* 0 where nothing is shared */
  double k_steps; /* what it takes, by the model: as long as a cluster takes for so many K tiles,
                     where all are busy */
} gg_dealing;

/* `resident` is how many of the kernel's CTAs the device holds at once. The problem's extents are
 * not negative. False where tiles or workspace pass the limits of a grid or of int64. */
bool gg_dealing_make(gg_dealing *out, const gg_kernel *kernel, const gg_problem *problem,
                     int64_t resident);

#endif
