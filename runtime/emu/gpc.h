/* Where clusters run: the CTAs of one lie in one GPC, a group of the device's multiprocessors.
 * Multiprocessors (%smid) are dealt to GPCs in pairs, in turn, so a device has an even number of
 * them. Nothing but %smid depends on it. */
#ifndef GG_EMU_GPC_H
#define GG_EMU_GPC_H

#include <stdbool.h>
#include <stdint.h>

/* A cluster's multiprocessors: of one GPC, those from `first` on, and around. */
typedef struct emu_seat {
  uint32_t gpc, first;
  uint32_t size; /* multiprocessors of the GPC */
} emu_seat;

/* Cluster `index` of a grid, of `ctas` CTAs. Clusters fill the device one by one, a GPC after the
 * other in turn, and then fill it again, each a pair of multiprocessors further. */
emu_seat emu_seat_in_turn(uint32_t multiprocessors, uint32_t ctas, uint64_t index);

/* A cluster that comes wherever `random` says, whoever else may be there. */
emu_seat emu_seat_at_random(uint32_t multiprocessors, uint64_t random);

/* The multiprocessor of a CTA of the cluster. */
uint32_t emu_seat_multiprocessor(const emu_seat *seat, uint32_t rank);

#endif
