
// ---- Bringing what the epilogue reads to L2 -----------------------------------------------------

// Behind a tile's last MMA, threads read some matrices from where they lie in memory. Because that
// takes long, they are brought as far as L2 while the tile is multiplied. A worker asks for the
// same piece of several lines of a tile; a piece is what memory gives at once. A line that begins
// within a piece ends in one piece more, which is asked for with the tile beside it.

constexpr int piece_bytes = 64;

__device__ __forceinline__ void prefetch_l2(const void *address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// Prefetches a tile, which has rows x cols of the matrix, from its first element on.
template <bool n_major, int workers, class element>
__device__ __forceinline__ void prefetch_matrix(const element *first, int64 ld, int rows, int cols,
                                                int worker) {
  constexpr int piece = piece_bytes / int(sizeof(element));
  constexpr int across = ((n_major ? tile_n : tile_m) + piece - 1) / piece;
  constexpr int abreast = workers / across;
  const int count = n_major ? rows : cols, length = n_major ? cols : rows;
  int line = worker / across;
  const int at = worker % across * piece;
  if (line >= abreast || at >= length) return;
  const element *next = first + (line * ld + at);
#pragma unroll 1
  for (; line < count; line += abreast, next += abreast * ld) prefetch_l2(next);
}
