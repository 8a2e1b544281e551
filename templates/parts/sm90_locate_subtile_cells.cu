template <class matrix>
__device__ __forceinline__ cell_place locate_cells(const fetched_rows &at, int box, int col) {
  const int row = at.row % ${subtile_rows};
  const int number = matrix::n_major ? col / matrix::line : row / matrix::line;
  const unsigned from = ${subtile}matrix::begin + number * matrix::box_bytes;
  if (matrix::n_major) return {from, row, col % matrix::line};
  return {from, row % matrix::line, col};
}
