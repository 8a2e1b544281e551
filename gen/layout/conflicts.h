/* Bank conflicts of threads that read or write a tile of shared memory.
 *
 * A thread-value layout says which element of the tile each (thread, value) is; a second layout
 * says where that element lies in shared memory. A thread moves its values in accesses of a fixed
 * number of bytes, the first values first, and the threads of a warp make each access together.
 * banks.h counts what that costs. The tile begins at an address that is a multiple of every
 * access's size.
 *
 *     gg_conflicts c;
 *     gg_conflicts_make(&c, &tv, &sA, 16, 16, &err);
 *     gg_wavefronts w = gg_conflicts_at(&c, 0, 0); */
#ifndef GG_LAYOUT_CONFLICTS_H
#define GG_LAYOUT_CONFLICTS_H

#include "layout/banks.h"
#include "layout/tensor.h"

typedef struct gg_conflicts {
  gg_layout tv;            /* (thread, value) -> index in the tile */
  gg_tensor smem;          /* index in the tile -> element of shared memory */
  int bits, bytes;         /* of an element; of an access */
  int64_t accesses, warps; /* of a thread; the last warp may have fewer than 32 threads */
} gg_conflicts;

/* Makes *out. `bits` is the size of an element. `bytes` is that of an access: 1, 2, 4, 8 or 16, or
 * 0 for the widest that fits. Fails with LAYOUT_ACCESS if the values of an access are not
 * neighbours in memory, aligned to its width, and with LAYOUT_TV if one is outside the tile. */
gg_status gg_conflicts_make(gg_conflicts *out, const gg_layout *tv, const gg_tensor *smem, int bits,
                            int bytes, gg_error *err);

/* What one access of one warp costs; and all of them together. */
gg_wavefronts gg_conflicts_at(const gg_conflicts *c, int64_t access, int64_t warp);
gg_wavefronts gg_conflicts_total(const gg_conflicts *c);

/* How many elements a thread-value layout may have; more is LAYOUT_VALUE. */
enum { GG_TV_MAX = 1 << 20 };

/* Checks that a layout maps (thread, value) to an index in a tile of `cells` elements: LAYOUT_RANK,
 * LAYOUT_BASIS, LAYOUT_TV. */
gg_status gg_tv_check(const char *op, const gg_layout *tv, int64_t cells, gg_error *err);

/* Appends a table as lines of text. For each access, and each run of warps with the same cost, it
 * has the wavefronts, the fewest possible, the degree (the ratio of the two), and the banks that
 * conflict. */
void gg_conflicts_table(gg_str *out, const gg_conflicts *c);

#endif
