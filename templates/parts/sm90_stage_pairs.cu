
template <class result, class held>
__device__ __forceinline__ void stage_pairs(const held (&x)[epi_n / 8][2], unsigned staging,
                                            int lane) {
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g)
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      typename result::element bits[2];
      let_go(bits, x[g][down]);
      st_shared_pair(staging + result::offset(lane / 4 + down * 8, g * 8 + lane % 4 * 2), bits);
    }
}
