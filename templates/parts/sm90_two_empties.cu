// A and B are copied to different CTAs of the cluster here, so each has an `empty` of its own. One
// barrier that counted the readers of both would not do: while a CTA that reads this one's B is
// late, one that reads its A can be a whole round of stages ahead, and its second arrival would
// stand for the late one's first.

// Of operand 0, A, or of operand 1, B.
__device__ __forceinline__ unsigned empty_barrier(unsigned smem, int stage, int operand) {
  return smem + barriers_begin + 8 * (stages * (1 + operand) + stage);
}
