
template <bool n_major, bool pairs, class element>
__device__ __forceinline__ two<element> load_two(const element *from, int64 ld, tile_place at) {
  two<element> bits = {0, 0};
  if (at.row >= at.rows || at.col >= at.cols) return bits;
  const element *first = from + element_offset<n_major>(ld, at.row, at.col);
  const bool both = at.col + 1 < at.cols;
  if (n_major && pairs && both) return *reinterpret_cast<const two<element> *>(first);
  bits.x = first[0];
  if (both) bits.y = first[n_major ? 1 : ld];
  return bits;
}
