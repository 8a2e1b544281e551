/* Where clusters run. The CTAs of a cluster are in one GPC, a group of the device's
 * multiprocessors. Multiprocessors (%smid) are dealt to GPCs in pairs, in turn, so a device has an
 * even number of them. Only %smid depends on this. */
#ifndef GG_EMU_GPC_H
#define GG_EMU_GPC_H

#include <stdbool.h>
#include <stdint.h>

/* A cluster's multiprocessors: those of a GPC from `first` on, and from 0 on behind the last. */
typedef struct emu_seat {
  uint32_t gpc, first;
  uint32_t size; /* multiprocessors of the GPC */
} emu_seat;

/* Where cluster `index` of a grid runs, which has `ctas` CTAs. Clusters fill the device one by one,
 * each in the next GPC, and then fill it again, each a pair of multiprocessors further. */
emu_seat emu_seat_in_turn(uint32_t multiprocessors, uint32_t ctas, uint64_t index);

/* Where a cluster runs if `random` decides, whether or not others run there. */
emu_seat emu_seat_at_random(uint32_t multiprocessors, uint64_t random);

/* The multiprocessor of a CTA of the cluster. */
uint32_t emu_seat_multiprocessor(const emu_seat *seat, uint32_t rank);

#endif
