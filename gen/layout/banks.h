/* Shared-memory bank conflicts, counted from addresses. */
#ifndef GG_LAYOUT_BANKS_H
#define GG_LAYOUT_BANKS_H

#include <stdint.h>

enum { GG_WARP = 32, GG_BANKS = 32, GG_BANK_BYTES = 4 };

/* What a warp's access costs: the 128-byte wavefronts that it takes, and the fewest that could move
 * the distinct words that it touches. If they are equal, it is free of bank conflicts. */
typedef struct gg_wavefronts {
  int taken, least;
  uint32_t banks; /* bit b is set if some request of the access waits for a second word of bank b */
} gg_wavefronts;

/* `address[lane]` is the byte address of each lane's access of `bytes` (1, 2, 4, 8 or 16), or
 * negative for a lane that does not take part. ldmatrix and stmatrix are accesses of 16 bytes,
 * one row address a lane. */
gg_wavefronts gg_bank_wavefronts(const int64_t address[GG_WARP], int bytes);

#endif
