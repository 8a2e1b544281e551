
// Neighbouring columns are no neighbours in memory. Half of the rows begin with the second: the
// lanes' addresses are then in as many banks.
template <class result, class held>
__device__ __forceinline__ void stage_ones(const held (&x)[epi_n / 8][2], unsigned staging,
                                           int lane) {
  const int second = lane / 16;
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g) {
    const int first = g * 8 + lane % 4 * 2;
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int row = lane / 4 + down * 8;
      typename result::element bits[2];
      let_go(bits, x[g][down]);
      st_shared(staging + result::offset(row, first + second), second ? bits[1] : bits[0]);
      st_shared(staging + result::offset(row, first + 1 - second), second ? bits[0] : bits[1]);
    }
  }
}
