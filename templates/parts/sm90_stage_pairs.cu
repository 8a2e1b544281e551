__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
#pragma unroll
  for (int g = 0; g < staged_cols / 8; ++g)
#pragma unroll
    for (int down = 0; down < 2; ++down)
      st_shared_pair(staged(staging, lane / 4 + down * 8, col + g * 8 + lane % 4 * 2), x[g][down]);
}
