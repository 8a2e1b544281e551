/* How the work of a launch is dealt to the GPCs whose clusters claim it (the spec's
 * `raster.neighbours: gpc`; templates/parts/sm90_claims.cu). */
#ifndef GG_RUNTIME_CLAIMS_H
#define GG_RUNTIME_CLAIMS_H

#include "gemmgen_kernel.h"
#include "gpc.h"

/* Deals the work of a grid of `clusters` clusters, of `ctas` CTAs each, of which `works` have
 * something to compute. Every GPC gets clusters in proportion to the room that it has, and works in
 * proportion to its clusters, never more than these. The numbers of a GPC's works follow each
 * other. gpcs NULL: nothing is known of them, and all are one group. */
void gg_claims_deal(gg_gpc_table *out, const gg_gpcs *gpcs, int64_t works, int64_t clusters,
                    int64_t ctas);

#endif
