/* Sets of readers. Bytes that have the same readers share a set.
 *
 * The same warps read a tile of shared memory word after word, so that few different sets occur. A
 * set is a list whose tails are sets, too, and each list exists once (hash-consing). Recent
 * additions are remembered, so that adding the same reader to the same set again is a look-up. Sets
 * that no byte has any more are collected now and then, so that the tables stay in the processor's
 * cache: the owner marks those that are in use, and gets their new numbers. */
#ifndef GG_EMU_READERS_H
#define GG_EMU_READERS_H

#include <stdbool.h>
#include <stdint.h>

/* An access in 63 bits: agent, its clock, the instruction's site, the lane. 0: none. */
typedef uint64_t emu_epoch;

enum {
  EMU_EPOCH_LANE_BITS = 5,
  EMU_EPOCH_SITE_BITS = 20,
  EMU_EPOCH_CLOCK_BITS = 26,
  EMU_EPOCH_AGENT_BITS = 12,
  EMU_EPOCH_CLOCK_SHIFT = EMU_EPOCH_LANE_BITS + EMU_EPOCH_SITE_BITS,
  EMU_EPOCH_AGENT_SHIFT = EMU_EPOCH_CLOCK_SHIFT + EMU_EPOCH_CLOCK_BITS,
};

static inline uint32_t emu_epoch_agent(emu_epoch epoch) {
  return (uint32_t)(epoch >> EMU_EPOCH_AGENT_SHIFT) & ((1u << EMU_EPOCH_AGENT_BITS) - 1);
}
static inline uint32_t emu_epoch_clock(emu_epoch epoch) {
  return (uint32_t)(epoch >> EMU_EPOCH_CLOCK_SHIFT) & ((1u << EMU_EPOCH_CLOCK_BITS) - 1);
}
static inline uint32_t emu_epoch_site(emu_epoch epoch) {
  return (uint32_t)(epoch >> EMU_EPOCH_LANE_BITS) & ((1u << EMU_EPOCH_SITE_BITS) - 1);
}
static inline uint32_t emu_epoch_lane(emu_epoch epoch) {
  return (uint32_t)epoch & ((1u << EMU_EPOCH_LANE_BITS) - 1);
}
/* Whether two accesses are of the same agent at the same clock. */
static inline bool emu_epoch_alike(emu_epoch a, emu_epoch b) {
  return a >> EMU_EPOCH_CLOCK_SHIFT == b >> EMU_EPOCH_CLOCK_SHIFT;
}

typedef struct emu_reader {
  emu_epoch epoch;
  uint32_t rest; /* the set of the other readers; 0: none */
} emu_reader;

typedef struct emu_readers {
  emu_reader *nodes; /* by set; 0 is the empty one */
  uint32_t count, room;
  uint32_t limit;    /* of `room`, beyond which sets must be collected; 0: the least limit */
  uint32_t *buckets; /* hash of nodes */
  uint32_t bucket_count;
  struct emu_addition *recent;
} emu_readers;

void emu_readers_free(emu_readers *readers);
/* The set in which `epoch` replaces the one of the same agent. False when there is no room for more
 * sets: collect them, and if that is not enough, forget all of them with emu_readers_clear. */
bool emu_readers_add(uint32_t *out, emu_readers *readers, uint32_t set, emu_epoch epoch);
void emu_readers_clear(emu_readers *readers);
/* To collect sets, get an array of zeros by set, in which the caller makes those in use nonzero;
 * NULL when memory is out. Then emu_readers_collect puts their new numbers there; false when all
 * the room that there may be is in use. Free the array with gg_free. */
uint32_t *emu_readers_marks(const emu_readers *readers);
bool emu_readers_collect(emu_readers *readers, uint32_t *marks);

#endif
