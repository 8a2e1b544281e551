/* The facts of a sparse element's layouts that a launch needs. The layouts themselves are made in
 * sparse_layout.c. */
#include "atom/sparse_layout.h"

enum { row_bits = 128 }; /* of metadata: one line of a tile */

int64_t gg_sparse_chunk(gg_sparse_element element) {
  bool packed = element.bits == 4 && !element.unpacked;
  return packed ? 8 : element.bits == 32 ? 2 : 4;
}

int64_t gg_sparse_tile_k(gg_sparse_element element) {
  return row_bits / 4 * gg_sparse_chunk(element);
}
