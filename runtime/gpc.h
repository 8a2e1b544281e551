/* Which multiprocessors lie together.
 *
 * CTAs in one GPC (graphics processing cluster) that read the same lines at the same time ask the
 * L2 cache once, so kernels like to have neighbouring tiles there. No call of the driver says which
 * multiprocessors are of one GPC, so it is measured. */
#ifndef GG_RUNTIME_GPC_H
#define GG_RUNTIME_GPC_H

#include <stdbool.h>

#include "gemmgen_kernel.h"
#include "gemmgen_launch.h"

/* Groups of multiprocessors, in the order of their least %smid; those that are loose stand last,
 * together. Of a device without clusters, or with too many multiprocessors or groups for this
 * struct, or whose groups cannot be measured, all are one group. */
typedef struct gg_gpcs {
  int multiprocessors;                      /* of the device */
  int count;                                /* of groups, at least 1 */
  unsigned char of[GG_GPC_MULTIPROCESSORS]; /* the group of each %smid; below count, whichever */
  int size[GG_GPCS_MAX];                    /* multiprocessors of each group */
  bool loose[GG_GPCS_MAX]; /* multiprocessors that no cluster of four was seen on: they hold
                              clusters of at most two CTAs, and may lie in several GPCs */
} gg_gpcs;

/* Measured once per context, at the first call; thread-safe, and allowed while a stream captures.
 * *out lives as long as the context. */
gg_status gg_context_gpcs(const gg_gpcs **out, gg_context *context, gg_error *err);

#endif
