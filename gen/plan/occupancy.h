/* How many of a kernel's CTAs fit on a multiprocessor at once, as far as that can be known before a
 * compiler has counted registers. */
#ifndef GG_PLAN_OCCUPANCY_H
#define GG_PLAN_OCCUPANCY_H

#include "plan/layouts.h"

typedef struct gg_occupancy {
  int ctas;         /* at most this many, and at least one */
  int registers;    /* `ctas` fit if a thread takes no more registers than this; 0: they fit for
                     * certain */
  const char *most; /* what allows no more, for people: "shared memory allows" */
} gg_occupancy;

/* The most registers that a thread can have while `ctas` CTAs of `warps` warps each are resident.
 */
int64_t gg_registers_for(int64_t ctas, int64_t warps);

gg_occupancy gg_occupancy_of(const gg_plan *plan, const gg_layouts *layouts);

#endif
