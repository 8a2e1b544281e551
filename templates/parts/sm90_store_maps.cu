// Stores by the copy engine end at whole 16 bytes of D's lines, and so does D's map. The elements
// beyond are few, and only in the last boxes: lanes store them.
constexpr int store_unit = 16 / int(sizeof(d_t));

// What the copy engine stores.
struct whole_extent {
  int rows, cols;
};

__device__ __forceinline__ whole_extent whole_of(const epilogue_arguments &arg) {
  const int rows = int(arg.rows), cols = int(arg.cols);
  if constexpr (d_n_major) return {rows, cols / store_unit * store_unit};
  return {rows / store_unit * store_unit, cols};
}

__device__ __forceinline__ void store_tail(const epilogue_arguments &arg, whole_extent whole,
                                           int row0, int col0, unsigned sD, int lane) {
  constexpr int across = d_n_major ? epi_m : epi_n;  // lines of the box
  const int first = d_n_major ? whole.cols - col0 : whole.rows - row0;
  if (first < 0 || first >= (d_n_major ? epi_n : epi_m)) return;
#pragma unroll 1
  for (int i = lane; i < across * store_unit; i += warp_size) {
    const int row = d_n_major ? i % across : first + i / across;
    const int col = d_n_major ? first + i / across : i % across;
    if (row0 + row < arg.rows && col0 + col < arg.cols) {
      const int64 at = d_n_major ? (row0 + row) * arg.ldd + col0 + col
                                 : (col0 + col) * arg.ldd + row0 + row;
      ld_shared(arg.gD[at], staged(sD, row, col));
    }
  }
}
