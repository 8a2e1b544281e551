// Called when a box of D is done in all of the warp's blocks: it gives back to the producer the
// stages that no later box reads from.
template <class matrix>
__device__ __forceinline__ void release_stages(const fetched_tile &tile, int box) {
  constexpr int a_stage = matrix::boxes_a_stage;
#pragma unroll
  for (int first = 0; first < matrix::boxes; first += a_stage) {
    const int last = min(first + a_stage, matrix::boxes) - 1;
    const int read_by = matrix::n_major ? last * matrix::line / epi_n : block_boxes - 1;
    if (box == read_by) tile.release(matrix::first_stage + first / a_stage);
  }
}

__device__ __forceinline__ void release_read(const epilogue_operands &of, const fetched_tile &tile,
                                             int box) {
  fence_async_shared();  // what was read comes before what is copied there next
  __syncwarp();
//@ insert release_read
}
