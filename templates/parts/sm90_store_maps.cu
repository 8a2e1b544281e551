//@ if boxes_of_results
// Stores by the copy engine end at whole 16 bytes of a result's lines, and so does its map. The
// elements beyond are few, and only in the last boxes: lanes store them.
//@ else
// What lines have beyond whole units of 16 bytes.
//@ end
template <class result>
__device__ __forceinline__ void store_tail(const epilogue_arguments &arg,
                                           typename result::element *to, int64 ld, int end,
                                           int row0, int col0, unsigned staged, int lane) {
  constexpr int unit = 16 / int(sizeof(typename result::element));
  constexpr int across = d_n_major ? ${box_rows} : ${box_d};  // lines of the box
  const int first = end - (d_n_major ? col0 : row0);
  if (first < 0 || first >= (d_n_major ? ${box_d} : ${box_rows})) return;
#pragma unroll 1
  for (int i = lane; i < across * unit; i += ${storing_lanes}) {
    const int row = d_n_major ? i % across : first + i / across;
    const int col = d_n_major ? first + i / across : i % across;
    if (row0 + row < arg.rows && col0 + col < arg.cols) {
      const int64 at =
          d_n_major ? (row0 + row) * ld + col0 + col : (col0 + col) * ld + row0 + row;
      ld_shared(to[at], staged + result::offset(row, col));
    }
  }
}

//@ if box_of_warps
// `lane`: of all those of the box's warps. One of them has it stored.
//@ end
template <class result>
__device__ __forceinline__ void store_box(const epilogue_arguments &arg, const tensor_map &map,
                                          typename result::element *to, int64 ld, int row0,
                                          int col0, unsigned staged, int lane) {
  constexpr int unit = 16 / int(sizeof(typename result::element));
  const int rows = int(arg.rows), cols = int(arg.cols);
  const int whole_rows = d_n_major ? rows : rows / unit * unit;
  const int whole_cols = d_n_major ? cols / unit * unit : cols;
  fence_async_shared();
  ${meet_at_box};
  if (lane == 0) {
    if (!partial_tiles || row0 < whole_rows && col0 < whole_cols)
      tma_store(map, staged, d_n_major ? col0 : row0, d_n_major ? row0 : col0, arg.batch${and_policy});
    tma_store_commit();
  }
  if (tails && (d_n_major ? whole_cols < cols : whole_rows < rows))
    store_tail<result>(arg, to, ld, d_n_major ? whole_cols : whole_rows, row0, col0, staged, lane);
}
