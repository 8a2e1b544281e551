/* Loops over the lanes of a warp. */
#ifndef GG_EMU_ISA_LANES_H
#define GG_EMU_ISA_LANES_H

#include <stdbool.h>
#include <stdint.h>

/* The lanes of a mask, lowest first. */
#define EMU_EACH_LANE(lanes, lane)                                                                 \
  for (uint32_t left_ = (lanes), lane; left_ && (lane = (uint32_t)__builtin_ctz(left_), true);     \
       left_ &= left_ - 1)

#endif
