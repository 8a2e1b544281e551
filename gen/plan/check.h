/* Checks that families share: what a field may be, with the arithmetic in the message. */
#ifndef GG_PLAN_CHECK_H
#define GG_PLAN_CHECK_H

#include "layout/layout.h"
#include "plan/plan.h"

/* GG_OK where `field` is unset or auto; else PLAN_UNSUPPORTED: "family sm80 has no `what` ...;
 * it has `instead`". For keys that a family does not have at all. */
gg_status gg_check_unused(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          const char *instead, gg_error *err);

typedef struct gg_unused {
  const gg_spec_field *field;
  const char *what, *instead;
} gg_unused;

/* The same for each of `count`. */
gg_status gg_check_all_unused(const gg_plan *plan, const gg_unused *all, size_t count,
                              gg_error *err);

/* `value` must be a positive multiple of `unit`; `why` says what the unit is, such as
 * "2 warps x 16 (atom M)". `mark` may be NULL. */
gg_status gg_check_multiple(const char *what, int64_t value, int64_t unit, const char *why,
                            const gg_mark *mark, gg_error *err);

/* The mark of element `index` of a list value, else of the value itself. */
const gg_mark *gg_element_mark(const gg_spec_field *field, int index);

/* DERIVE_COVER unless the thread-value layout `tv` holds each of a tile's elements exactly once,
 * not counting threads that share values (stride 0). */
gg_status gg_check_cover(const char *name, const gg_layout *tv, int64_t elements, gg_error *err);

/* The most shared memory, in bytes, that a CTA can have with so many of them resident, or with
 * plan->ctas_per_sm. */
int64_t gg_smem_limit_for(const gg_plan *plan, int ctas);
int64_t gg_smem_limit(const gg_plan *plan);

/* What a CTA takes of shared memory, in bytes. */
typedef struct gg_smem_parts {
  int64_t stage;                   /* one of them */
  int64_t staging, sums, barriers; /* of all warps; of other CTAs */
  int64_t in_place;                /* of sums that take the stages' place */
  bool behind;                     /* staging is behind the stages, not in their place */
} gg_smem_parts;

/* DERIVE_SMEM: the parts do not fit in `most` bytes; tells how many stages would. */
gg_status gg_check_smem(const gg_plan *plan, const gg_smem_parts *parts, int64_t most,
                        gg_error *err);

#endif
