
// The fragments' 8-bit floats are multiplied as f16, which has every value of theirs, subnormals,
// infinities and NaN among them: products are the same, and sums as long as those of f16.
//@ insert widenings
// Columns first … last - 1 of the warp's atoms, half of their K: two of a register's elements, of
// A and of B alike, so that what is multiplied together has one place along K. Every other column
// is walked upwards, so that neighbouring MMAs share an A or a B fragment.
template <int half>
__device__ __forceinline__ void mma_half(acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                         const fragments &f, int first, int last) {
  unsigned a[frags_m][${words_a}];
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < ${words_a}; ++w) a[i][w] = ${widen_a}<half>(f.a[i][w]);
#pragma unroll
  for (int j = first; j < last; ++j) {
    const unsigned b[${words_b}] = {${widen_b}<half>(f.b[j][0]), ${widen_b}<half>(f.b[j][1])};
#pragma unroll
    for (int step = 0; step < frags_m; ++step) {
      const int i = j % 2 ? frags_m - 1 - step : step;
      mma(tCrC[i][j], a[i], b);
    }
  }
}

__device__ __forceinline__ void mma_columns(acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                            const fragments &f, int first, int last) {
  mma_half<0>(tCrC, f, first, last);
  mma_half<1>(tCrC, f, first, last);
}
