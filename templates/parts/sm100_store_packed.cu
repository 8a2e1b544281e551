// Two elements are a byte, which a lane has.
template <class result>
__device__ __forceinline__ void stage_packed(const unsigned (&x)[epi_n / 8][2], unsigned staging,
                                             int lane) {
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g)
#pragma unroll
    for (int down = 0; down < 2; ++down)
      st_shared(staging + result::offset(lane / 4 + down * 8, g * 8 + lane % 4 * 2),
                (unsigned char)x[g][down]);
}

// Stores by the copy engine end at whole 16 bytes of D's lines. The bytes beyond, of which the last
// may have one element of D alone, and 0, lanes store.
__device__ __forceinline__ void store_packed(const epilogue_arguments &arg, int row0, int col0,
                                             unsigned staged, int lane) {
  constexpr int unit = 32;
  const int rows = int(arg.rows), cols = int(arg.cols), whole = cols / unit * unit;
  fence_async_shared();
  __syncwarp();
  if (lane == 0) {
    if (!partial_tiles || row0 < rows && col0 < whole)
      tma_store(arg.map_d, staged, col0, row0, arg.batch);
    tma_store_commit();
  }
  if (!tails || whole < col0 || whole >= min(cols, col0 + epi_n)) return;
#pragma unroll 1
  for (int i = lane; i < epi_m * unit / 2; i += warp_size) {
    const int row = i % epi_m, col = whole + i / epi_m * 2;
    if (row0 + row < rows && col < cols)
      ld_shared(arg.gD[(row0 + row) * (arg.ldd / 2) + col / 2],
                staged + result_d::offset(row, col - col0));
  }
}
