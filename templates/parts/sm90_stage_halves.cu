
// The same columns of several rows, swizzled, are in the same banks: of every other row, or of
// every other two where lines have 64 bytes. Half of the rows therefore begin with the other half
// of the columns; so each 16 lanes that store together write to all banks.
template <class result>
__device__ __forceinline__ void stage_halves(
    const two<typename result::element> (&x)[epi_n / 8][2], unsigned staging, int lane) {
  constexpr int half = epi_n / 16;
  const int row = lane / 4;
  const int late = row / (32 / epi_n) % 2;
#pragma unroll
  for (int turn = 0; turn < 2; ++turn) {
    const int first = (turn ^ late) * half * 8 + lane % 4 * 2;
#pragma unroll
    for (int g = 0; g < half; ++g) {
#pragma unroll
      for (int down = 0; down < 2; ++down) {
        const auto &early = x[turn * half + g][down], &other = x[(1 - turn) * half + g][down];
        const typename result::element bits[2] = {late ? other.x : early.x,
                                                  late ? other.y : early.y};
        st_shared_pair(staging + result::offset(row + down * 8, first + g * 8), bits);
      }
    }
  }
}
