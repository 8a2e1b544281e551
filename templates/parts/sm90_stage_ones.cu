// Neighbouring columns are no neighbours in memory. Half of the rows begin with the second: the
// lanes' addresses are then in as many banks.
__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
  const int second = lane / 16;
#pragma unroll
  for (int g = 0; g < staged_cols / 8; ++g) {
    const int first = col + g * 8 + lane % 4 * 2;
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int row = lane / 4 + down * 8;
      const d_t(&bits)[2] = x[g][down];
      st_shared(staged(staging, row, first + second), second ? bits[1] : bits[0]);
      st_shared(staged(staging, row, first + 1 - second), second ? bits[0] : bits[1]);
    }
  }
}
