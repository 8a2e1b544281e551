/* A product by tcgen05.mma, as PTX: for bench_emulator. */
#ifndef GG_BENCH_TCGEN05_TEXT_H
#define GG_BENCH_TCGEN05_TEXT_H

#include <stdint.h>

#include "base/str.h"

/* A kind of tcgen05.mma with its types. */
typedef struct tcgen05_kind {
  const char *name;        /* in the table */
  const char *kind;        /* with its modifiers, behind .kind:: */
  uint32_t descriptor;     /* of the instruction, but M and N */
  int k;                   /* of an instruction: 32 bytes of a row */
  uint32_t varying, fixed; /* bits of a word of operands that are random, that are ones */
  int factors;             /* scale factors to a row; 0: none */
  uint8_t factor;          /* one of them: 1 */
} tcgen05_kind;

extern const tcgen05_kind tcgen05_kinds[];
extern const int tcgen05_kind_count;

/* CTAs of 128 x n, as many along y as along x. A and B are tiles one behind the other, of 128 bytes
 * of each row, swizzled, each with its scale factors behind it: `steps` tiles of A for each y, from
 * `in` on, then those of B for each x. */
typedef struct tcgen05_product {
  const tcgen05_kind *kind;
  int n, steps, ctas; /* ctas: along x and y */
  int repeat;         /* how often each tile is multiplied */
} tcgen05_product;

enum { TCGEN05_THREADS = 128, TCGEN05_TILE_M = 128 };

void tcgen05_write(gg_str *out, const tcgen05_product *p);
/* Bytes of shared memory, of A and B, of D: f32 or s32, row by row. */
int tcgen05_smem_bytes(const tcgen05_product *p);
int tcgen05_in_bytes(const tcgen05_product *p);
int tcgen05_out_bytes(const tcgen05_product *p);
/* Random operands; scale factors of 1. */
void tcgen05_fill(uint8_t *in, const tcgen05_product *p);

#endif
