// Of a tile's columns each split_columns are neighbours in one half of B's, by turns with those of
// the other half that belong to them: where such a line begins in B.
__device__ __forceinline__ int place_in_half(int column, int half_n) {
  return ${within}column / (2 * split_columns) * split_columns + column / split_columns % 2 * half_n;
}

