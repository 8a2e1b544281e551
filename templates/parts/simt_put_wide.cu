// A chunk of 16-bit floats as words of f32: neighbours of a line, or one in each of several.
template <class op>
__device__ __forceinline__ void put_unit(unsigned dst, const fetched<op> &f, int turn) {
  word_t x[op::chunk_size][1];
#pragma unroll
  for (int e = 0; e < op::chunk_size; ++e) {
    const unsigned two = f.raw[turn][0][e / 2];
    x[e][0] = ab_value(ab_t(two >> e % 2 * 16));
  }
  if constexpr (op::k_major) {
#pragma unroll
    for (int e = 0; e < op::chunk_size; ++e)
      st_words<1>(dst + op::offset(0, e) * element_bytes, x + e);
  } else {
    st_words<op::chunk_size>(dst, x);
  }
}
