/* What is made from the rows of plan.def, but for names (name.h) and the report (emit/report.h). */
#ifndef GG_PLAN_DECISIONS_H
#define GG_PLAN_DECISIONS_H

#include "base/str.h"
#include "plan/plan.h"

/* Appends every decision, "tile_m=128 tile_n=256 ...": two plans are one kernel, but for its name,
 * where these texts are the same. The text is for comparing and hashing, not for reading back. */
void gg_plan_identity(gg_str *out, const gg_plan *plan);

/* The decisions of the transposed problem, D^T = B * A^T; what is no decision stays. */
gg_plan gg_plan_transposed(const gg_plan *plan);

/* Rows and columns change places, K stays. */
gg_major gg_major_transposed(gg_major major);
gg_along gg_along_transposed(gg_along along);
gg_raster gg_raster_transposed(gg_raster raster);

#endif
