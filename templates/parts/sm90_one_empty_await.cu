__device__ __forceinline__ void await_empty(unsigned smem, const ring_position &write) {
  mbarrier_wait(empty_barrier(smem, write.stage), write.parity);
}
