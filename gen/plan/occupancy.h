/* How many of a kernel's CTAs a multiprocessor holds at once, as far as that is known before a
 * compiler has counted registers. */
#ifndef GG_PLAN_OCCUPANCY_H
#define GG_PLAN_OCCUPANCY_H

#include "plan/layouts.h"

typedef struct gg_occupancy {
  int ctas;         /* at most, and at least one */
  int registers;    /* so many if a thread takes no more than these; 0: so many for certain */
  const char *most; /* why not more: "shared memory allows" */
} gg_occupancy;

/* Registers that each thread of so many CTAs of so many warps can have. */
int64_t gg_registers_for(int64_t ctas, int64_t warps);

gg_occupancy gg_occupancy_of(const gg_plan *plan, const gg_layouts *layouts);

#endif
