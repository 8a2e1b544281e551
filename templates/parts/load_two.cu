
// Reads two neighbouring columns of a row, `down` and `along` from a place. Both are constants that
// fit into the instruction, so that many loads share one address. There is no branch, and nothing
// that was loaded is touched here: so many such loads are under way together.
template <bool n_major, bool pairs, class element>
__device__ __forceinline__ two<element> load_two(const element *from, int64 ld, tile_place at,
                                                 int down, int along) {
  const element *place = from + element_offset<n_major>(ld, at.row, at.col);
  place += element_offset<n_major>(ld, down, along);
  const bool inside = at.row + down < at.rows;
  const bool first = inside && at.col + along < at.cols;
  const bool both = inside && at.col + along + 1 < at.cols;
  if constexpr (pairs) {
    const two<element> bits = ld_global_pair(place, both);
    const element last = ld_global(place, first && !both);
    return {both ? bits.x : last, bits.y};
  } else {
    return {ld_global(place, first), ld_global(place + (n_major ? 1 : ld), both)};
  }
}
