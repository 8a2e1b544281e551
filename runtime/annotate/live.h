/* Which registers are read again. */
#ifndef GG_ANNOTATE_LIVE_H
#define GG_ANNOTATE_LIVE_H

#include "base/arena.h"
#include "emu/ptx/ptx.h"

/* A block's instructions, and the blocks that may follow it (UINT32_MAX: none). */
typedef struct live_block {
  uint32_t first, end, next[2];
  bool anywhere; /* it may be followed by others, too: all registers count as read */
  bool *live;    /* of each register: whether it may be read from here on, before it is written */
} live_block;

/* Fills `live` of all blocks; false where memory is out. */
bool live_find(live_block *blocks, uint32_t count, const ptx_function *function, gg_arena *arena);

#endif
