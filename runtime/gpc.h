/* Which multiprocessors lie in the same GPC (graphics processing cluster).
 *
 * If CTAs in one GPC read the same lines at the same time, the L2 cache is asked only once. So
 * neighbouring tiles are best computed there. No call of the driver says which multiprocessors
 * belong to a GPC, so it is measured. */
#ifndef GG_RUNTIME_GPC_H
#define GG_RUNTIME_GPC_H

#include <stdbool.h>

#include "gemmgen_kernel.h"
#include "gemmgen_launch.h"

/* Groups of multiprocessors, in the order of their least %smid. Those that are loose form the last
 * group. All multiprocessors are one group if a device has no clusters, if it has too many
 * multiprocessors or groups for this struct, or if its groups cannot be measured. */
typedef struct gg_gpcs {
  int multiprocessors;                      /* of the device */
  int count;                                /* of groups, at least 1 */
  unsigned char of[GG_GPC_MULTIPROCESSORS]; /* the group of each %smid; always below count */
  int size[GG_GPCS_MAX];                    /* multiprocessors of each group */
  bool loose[GG_GPCS_MAX]; /* multiprocessors that no cluster of four was seen on: they hold
                              clusters of at most two CTAs, and may lie in several GPCs */
} gg_gpcs;

/* The groups of a context's device. They are measured once for each context, at the first call. Any
 * thread may call this, also while a stream is captured. *out lives as long as the context. */
gg_status gg_context_gpcs(const gg_gpcs **out, gg_context *context, gg_error *err);

#endif
