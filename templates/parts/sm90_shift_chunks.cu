// 16 of the 32 bytes of two chunks, from `shift` on, which is a multiple of `align`.
template <int align>
__device__ __forceinline__ void shift_chunks(unsigned (&out)[chunk_words],
                                             const unsigned (&low)[chunk_words],
                                             const unsigned (&high)[chunk_words], int shift) {
  unsigned words[2 * chunk_words];
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) words[w] = low[w], words[chunk_words + w] = high[w];
#pragma unroll
  for (int w = 0; w < chunk_words + 2; ++w) words[w] = shift & 8 ? words[w + 2] : words[w];
  if constexpr (align <= 4)
#pragma unroll
    for (int w = 0; w < chunk_words + 1; ++w) words[w] = shift & 4 ? words[w + 1] : words[w];
#pragma unroll
  for (int w = 0; w < chunk_words; ++w)
    out[w] = align <= 2 ? __funnelshift_r(words[w], words[w + 1], shift % 4 * 8) : words[w];
}
