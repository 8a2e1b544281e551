/* What is generated from the rows of plan.def, except for names (name.h) and the report
 * (emit/report.h). */
#ifndef GG_PLAN_DECISIONS_H
#define GG_PLAN_DECISIONS_H

#include "plan/plan.h"

/* All decisions of a plan as a list of numbers. Two plans make the same kernel, apart from its
 * name, if and only if their numbers are equal. The numbers are for comparing and hashing; they
 * cannot be read back. */
enum { GG_IDENTITY_MAX = 640 };
typedef struct gg_identity {
  size_t count;
  int64_t numbers[GG_IDENTITY_MAX]; /* those from `count` on are unset */
} gg_identity;

void gg_plan_identity(gg_identity *out, const gg_plan *plan);
bool gg_plan_is_same(const gg_plan *plan, const gg_identity *identity);
uint64_t gg_identity_hash(const gg_identity *identity); /* different identities may share a hash */

/* The plan with its decisions turned into those of the transposed problem, D^T = B * A^T. Members
 * that are not decisions stay as they are. */
gg_plan gg_plan_transposed(const gg_plan *plan);

/* The value with M and N exchanged; K stays. */
gg_major gg_major_transposed(gg_major major);
gg_along gg_along_transposed(gg_along along);
gg_raster gg_raster_transposed(gg_raster raster);

#endif
