// D leaves in boxes of epi_n columns: those of each MMA that a warp reads have boxes of their own,
// of which the last one may begin within the one before it.
constexpr int mma_boxes = (warp_columns + epi_n - 1) / epi_n;
constexpr int block_boxes = mmas_n * mma_boxes;

// A box's first column, of those of an MMA that a warp reads.
__device__ __forceinline__ constexpr int column_of_mma(int box) {
  if constexpr (warp_columns % epi_n == 0) return box % mma_boxes * epi_n;
  return box % mma_boxes + 1 < mma_boxes ? box % mma_boxes * epi_n : warp_columns - epi_n;
}

// And of the tile's, from the warp's first one on.
__device__ __forceinline__ constexpr int box_column(int box) {
  return box / mma_boxes * mma_n + column_of_mma(box);
}
