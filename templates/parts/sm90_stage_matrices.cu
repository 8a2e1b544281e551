
// 8x8 blocks of 16-bit elements, two down and one or two across, a word of each from a lane. A lane
// names a line of eight elements, along D's contiguous mode.
template <class result>
__device__ __forceinline__ void stage_matrices(const unsigned (&x)[epi_n / 8][2], unsigned staging,
                                               int lane) {
  constexpr int cols = epi_n % 16 == 0 ? 16 : 8;
#pragma unroll
  for (int col = 0; col < epi_n; col += cols) {
    unsigned words[cols / 4];
#pragma unroll
    for (int p = 0; p < cols / 4; ++p) words[p] = x[col / 8 + p / 2][p % 2];
    const int across = col + lane / 16 % (cols / 8) * 8;
    if constexpr (d_n_major)
      stmatrix(staging + result::offset(lane % 16, across), words);
    else
      stmatrix_transposed(staging + result::offset(lane / 8 % 2 * 8, across + lane % 8), words);
  }
}
