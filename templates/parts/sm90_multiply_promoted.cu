// Multiplies a tile's K tiles as they arrive. The tensor core sums a few steps along K, which are
// added to the accumulators, zeros at first; meanwhile it works for the other consumers.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][acc_words], ring_position &read,
                                         const work_list &list, unsigned smem, int k_tiles,
                                         int first_block, int lane) {
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const unsigned sA = smem + stage_begin + read.stage * stage_bytes;
    const unsigned long long desc_a = desc_a_base + descriptor_address(sA);
    const unsigned long long desc_b = desc_b_base + descriptor_address(sA + stage_bytes_a);
    mbarrier_wait(full_barrier(smem, read.stage), read.parity);
#pragma unroll
    for (int first = 0; first < k_steps; first += promoted_steps) {
      acc_t sums[frags_m][acc_words];
      wgmma_fence();
#pragma unroll
      for (int step = first; step < first + promoted_steps; ++step)
#pragma unroll
        for (int i = 0; i < frags_m; ++i)
          mma(sums[i], desc_a + desc_a_step(first_block + i, step), desc_b + desc_b_step(0, step),
              step > first);
      wgmma_commit();
      wgmma_wait<0>();
      settle(sums);
      if (first + promoted_steps == k_steps) release(list, smem, read.stage, lane);
#pragma unroll
      for (int i = 0; i < frags_m; ++i)
#pragma unroll
        for (int w = 0; w < acc_words; ++w) tCrC[i][w] += sums[i][w];
    }
    read.advance();
  }
}

__device__ __forceinline__ void finish_multiply(acc_t (&)[frags_m][acc_words],
                                                const ring_position &, const work_list &, unsigned,
                                                int, int) {}
