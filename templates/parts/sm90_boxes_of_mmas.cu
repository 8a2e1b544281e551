// Where in the tensor a box of B begins, along its contiguous mode and across it. The columns of
// each MMA have boxes of their own.
constexpr int boxes_b_of_mma = boxes_b / mmas_n, columns_of_mma = tile_n / mmas_n;

__device__ __forceinline__ int box_b_along(int k0, int n0, int box) {
  if constexpr (b_k_major) return k0 + box / mmas_n * line_b;
  return n0 + box / boxes_b_of_mma * columns_of_mma + box % boxes_b_of_mma * line_b;
}

__device__ __forceinline__ int box_b_across(int k0, int n0, int box) {
  return b_k_major ? n0 + box % mmas_n * columns_of_mma : k0;
}
