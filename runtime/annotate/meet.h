/* What registers may hold where two ways meet. */
#ifndef GG_ANNOTATE_MEET_H
#define GG_ANNOTATE_MEET_H

#include "annotate/value.h"

/* Room to work in, for so many registers; NULL where memory is out. */
typedef struct meet_room meet_room;
meet_room *meet_room_new(flow_memory *memory, uint32_t registers);

/* Where ways meet: roots of its own, one a register; and of each register how often it may become
 * more, before it may be anything. */
typedef struct meeting {
  meet_room *room;
  flow_memory *memory;
  uint64_t first_root;
  uint32_t registers;
  uint16_t *grown;
  int most;
} meeting;

/* Adds to `before`, of each register, what comes on another way; whether that changes anything.
 * Registers that belong together on both ways do so behind it, case by case. */
bool meet_add(const meeting *at, const flow_value **before, const flow_value *const *comes);

#endif
