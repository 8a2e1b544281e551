/* Checks of spec values that several families share. Their messages show the arithmetic: what was
 * asked, and which unit or limit it breaks. */
#ifndef GG_PLAN_CHECK_H
#define GG_PLAN_CHECK_H

#include "layout/layout.h"
#include "plan/plan.h"

/* GG_OK if `field` is unset or auto. Else PLAN_UNSUPPORTED: "family sm80 has no `what` ...; it has
 * `instead`". For keys that a family does not have at all. */
gg_status gg_check_unused(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          const char *instead, gg_error *err);

typedef struct gg_unused {
  const gg_spec_field *field;
  const char *what, *instead;
} gg_unused;

/* gg_check_unused for each of `count` fields. */
gg_status gg_check_all_unused(const gg_plan *plan, const gg_unused *all, size_t count,
                              gg_error *err);

/* `value` must be a positive multiple of `unit`; `why` says what the unit is, such as
 * "2 warps x 16 (atom M)". `mark` may be NULL. */
gg_status gg_check_multiple(const char *what, int64_t value, int64_t unit, const char *why,
                            const gg_mark *mark, gg_error *err);

/* Where element `index` of a list value stands in the file, or where the value stands if it is no
 * list. */
const gg_mark *gg_element_mark(const gg_spec_field *field, int index);

/* Fails with DERIVE_COVER unless the thread-value layout `tv` holds each of a tile's elements
 * exactly once. Threads that share values (stride 0) count once. */
gg_status gg_check_cover(const char *name, const gg_layout *tv, int64_t elements, gg_error *err);

/* The most bytes of shared memory that a CTA may have while `ctas` of them, or plan->ctas_per_sm,
 * are resident on a multiprocessor. */
int64_t gg_smem_limit_for(const gg_plan *plan, int ctas);
int64_t gg_smem_limit(const gg_plan *plan);

/* The parts of a CTA's shared memory, in bytes. */
typedef struct gg_smem_parts {
  int64_t stage;                   /* one stage of A and B */
  int64_t staging, sums, barriers; /* staging: of all warps; sums: from other CTAs */
  int64_t in_place;                /* sums that lie in the stages' place */
  bool behind;                     /* staging lies behind the stages; false: in their place */
} gg_smem_parts;

/* Fails with DERIVE_SMEM if the parts do not fit in `most` bytes; the message says how many stages
 * would. */
gg_status gg_check_smem(const gg_plan *plan, const gg_smem_parts *parts, int64_t most,
                        gg_error *err);

#endif
