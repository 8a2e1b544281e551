__device__ __forceinline__ unsigned empty_barrier(unsigned smem, int stage) {
  return smem + barriers_begin + 8 * (stages + stage);
}
