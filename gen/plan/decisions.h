/* What is made from the rows of plan.def, but for names (name.h) and the report (emit/report.h). */
#ifndef GG_PLAN_DECISIONS_H
#define GG_PLAN_DECISIONS_H

#include "plan/plan.h"

/* Every decision in numbers: two plans are one kernel, but for its name, where these are the same.
 * They are for comparing and hashing, not for reading back. */
enum { GG_IDENTITY_MAX = 640 };
typedef struct gg_identity {
  size_t count;
  int64_t numbers[GG_IDENTITY_MAX]; /* unset behind `count` */
} gg_identity;

void gg_plan_identity(gg_identity *out, const gg_plan *plan);
bool gg_plan_is_same(const gg_plan *plan, const gg_identity *identity);
uint64_t gg_identity_hash(const gg_identity *identity); /* different ones may have the same */

/* The decisions of the transposed problem, D^T = B * A^T; what is no decision stays. */
gg_plan gg_plan_transposed(const gg_plan *plan);

/* Rows and columns change places, K stays. */
gg_major gg_major_transposed(gg_major major);
gg_along gg_along_transposed(gg_along along);
gg_raster gg_raster_transposed(gg_raster raster);

#endif
