
template <bool n_major, bool pairs, class element>
__device__ __forceinline__ void store_two(element *to, int64 ld, tile_place at,
                                          two<element> bits) {
  if (at.row >= at.rows || at.col >= at.cols) return;
  element *first = to + element_offset<n_major>(ld, at.row, at.col);
  const bool both = at.col + 1 < at.cols;
  if (pairs && both) {
    *reinterpret_cast<two<element> *>(first) = bits;
  } else {
    first[0] = bits.x;
    if (both) first[n_major ? 1 : ld] = bits.y;
  }
}

// The same of two columns of which one is in the first half of a line, the other in the second.
template <class element>
__device__ __forceinline__ void store_halves(element *to, int64 ld, int64 half, tile_place at,
                                             two<element> bits) {
  if (at.row >= at.rows || at.col >= at.cols) return;
  element *first = to + element_offset<true>(ld, at.row, at.col / 2);
  first[0] = bits.x;
  first[half] = bits.y;
}
