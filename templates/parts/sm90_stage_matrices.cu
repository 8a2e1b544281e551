// 8x8 blocks of 16-bit elements, two down and one or two across from column `col`, a word of each
// from a lane. A lane names a line of eight elements, along D's contiguous mode.
__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
  unsigned words[staged_cols / 4];
#pragma unroll
  for (int p = 0; p < staged_cols / 4; ++p)
    words[p] = unsigned(x[p / 2][p % 2][0]) | unsigned(x[p / 2][p % 2][1]) << 16;
  const int across = col + lane / 16 % (staged_cols / 8) * 8;
  if constexpr (d_n_major)
    stmatrix(staged(staging, lane % 16, across), words);
  else
    stmatrix_transposed(staged(staging, lane / 8 % 2 * 8, across + lane % 8), words);
}
