/* How the work of a launch is dealt to the GPCs whose clusters claim it (the spec's
 * `raster.neighbours: gpc`; templates/parts/sm90_claims.cu). */
#ifndef GG_RUNTIME_CLAIMS_H
#define GG_RUNTIME_CLAIMS_H

#include "gemmgen_kernel.h"
#include "gpc.h"

/* `clusters` clusters of `ctas` CTAs each are those of the grid, of which `works` have something to
 * compute. Every GPC gets clusters by the room that it has, and works by its clusters, never more
 * than these; the numbers of a GPC's works follow each other. gpcs NULL: nothing is known of them,
 * and all are one group. Pure. */
void gg_claims_deal(gg_gpc_table *out, const gg_gpcs *gpcs, int64_t works, int64_t clusters,
                    int64_t ctas);

#endif
