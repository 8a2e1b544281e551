// Of operand 0, A, or of operand 1, B.
__device__ __forceinline__ unsigned empty_barrier(unsigned smem, int stage, int operand) {
  return smem + barriers_begin + 8 * (stages * (1 + operand) + stage);
}
