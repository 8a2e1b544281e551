// Waits for the last MMAs, which leaves the accumulators ready.
__device__ __forceinline__ void finish_multiply(acc_t (&tCrC)[frags_m][acc_words],
                                                const ring_position &read,
                                                unsigned empty_barriers, int k_tiles) {
  wgmma_wait<0>();
  settle(tCrC);
  if (k_tiles > 0) release(empty_barriers, read.before());
}
