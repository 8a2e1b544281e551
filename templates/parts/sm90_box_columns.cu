// D leaves in boxes of epi_n columns. The last one may begin within the one before it.
constexpr int block_boxes = (mma_n + epi_n - 1) / epi_n;

// A box's first column.
__device__ __forceinline__ constexpr int box_column(int box) {
  if constexpr (mma_n % epi_n == 0) return box * epi_n;
  return box + 1 < block_boxes ? box * epi_n : mma_n - epi_n;
}
