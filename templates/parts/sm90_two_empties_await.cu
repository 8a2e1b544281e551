__device__ __forceinline__ void await_empty(unsigned smem, const ring_position &write) {
  // Both before the expectation: without it the stage's phase cannot end, and so no consumer can be
  // another round ahead when this thread looks at the parity of the second.
  mbarrier_wait(empty_barrier(smem, write.stage, 0), write.parity);
  mbarrier_wait(empty_barrier(smem, write.stage, 1), write.parity);
}
