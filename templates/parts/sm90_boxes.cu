// ---- Boxes: how columns of D are stored, and fetched for the epilogue ---------------------------

// D leaves in boxes of epi_n columns. The last one may begin within the one before it.
constexpr int block_boxes = (mma_n + epi_n - 1) / epi_n;

static_assert(epi_n % 8 == 0 && epi_n <= mma_n, "boxes are of columns that a block has");

// A box's first column.
__device__ __forceinline__ constexpr int box_column(int box) {
  return box + 1 < block_boxes ? box * epi_n : mma_n - epi_n;
}
