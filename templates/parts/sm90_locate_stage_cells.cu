template <class matrix>
__device__ __forceinline__ cell_place locate_cells(const fetched_rows &at, int box, int col) {
  const int number = matrix::n_major ? (box * epi_n + col) / matrix::line : at.row / matrix::line;
  const unsigned from = at.tile.stage(matrix::first_stage + number / matrix::boxes_a_stage) +
                        number % matrix::boxes_a_stage * matrix::box_bytes;
  if (matrix::n_major) return {from, at.row, col % matrix::line};
  return {from, at.row % matrix::line, box_column(box) + col};
}
