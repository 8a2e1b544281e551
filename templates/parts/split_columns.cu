
// Of a line of B's tile each split_columns are neighbours in one half of N, by turns with those of
// the other half that belong to them. How far a position's column is from the tile's first of its
// half; A's lines are as they are.
template <class op>
__device__ __forceinline__ constexpr int column_in_half(int pos) {
  return op::split ? pos / (2 * split_columns) * split_columns + pos % split_columns : pos;
}

// ... and where it is in memory.
template <class op>
__device__ __forceinline__ int64 place_in_line(int pos, int64 half) {
  return op::split ? pos / split_columns % 2 * half + column_in_half<op>(pos) : pos;
}
