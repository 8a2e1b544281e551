#include "emu/gpc.h"

enum { gpcs = 8, pair = 2 };

static uint32_t size_of(uint32_t multiprocessors, uint32_t gpc) {
  return (multiprocessors / pair + gpcs - 1 - gpc) / gpcs * pair;
}

emu_seat emu_seat_in_turn(uint32_t multiprocessors, uint32_t ctas, uint64_t index) {
  uint32_t room = 0; /* clusters that fit on the device, with a CTA on each multiprocessor */
  for (uint32_t gpc = 0; gpc < gpcs; gpc++)
    room += size_of(multiprocessors, gpc) / ctas;
  uint64_t left = room ? index % room : 0, shift = room ? index / room * pair : 0;
  for (uint32_t round = 0; room; round++) {
    for (uint32_t gpc = 0; gpc < gpcs; gpc++) {
      uint32_t size = size_of(multiprocessors, gpc);
      if (round >= size / ctas || left-- > 0) continue;
      return (emu_seat){gpc, (uint32_t)((round * ctas + shift) % size), size};
    }
  }
  return emu_seat_at_random(multiprocessors, index); /* no GPC is large enough */
}

emu_seat emu_seat_at_random(uint32_t multiprocessors, uint64_t random) {
  uint32_t pairs = multiprocessors / pair, gpc = (uint32_t)(random % (pairs < gpcs ? pairs : gpcs));
  uint32_t size = size_of(multiprocessors, gpc);
  return (emu_seat){gpc, (uint32_t)(random / gpcs % size), size};
}

uint32_t emu_seat_multiprocessor(const emu_seat *seat, uint32_t rank) {
  uint32_t at = (seat->first + rank) % seat->size;
  return (at / pair * gpcs + seat->gpc) * pair + at % pair;
}
