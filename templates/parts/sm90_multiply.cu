//@ include sm90_issue

// Multiplies a tile's K tiles as they arrive, each as one group of MMAs, for all blocks of 64 rows
// that this warpgroup has. One stage's MMAs run while the next one's are issued; so a stage is
// released one K tile late.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][acc_words], ring_position &read,
                                         unsigned empty_barriers, unsigned smem, int k_tiles,
                                         int first_block) {
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const unsigned sA = smem + read.stage * stage_bytes;
    const unsigned long long desc_a = desc_a_base + descriptor_address(sA);
    const unsigned long long desc_b = desc_b_base + descriptor_address(sA + stage_bytes_a);
    mbarrier_wait(full_barrier(smem, read.stage), read.parity);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < k_steps; ++step)
#pragma unroll
      for (int i = 0; i < frags_m; ++i)
        mma(tCrC[i], desc_a + desc_a_step(first_block + i, step), desc_b + desc_b_step(0, step),
            k_tile > 0 || step > 0);
    wgmma_commit();
    wgmma_wait<1>();
    if (k_tile > 0) release(empty_barriers, read.before());
    read.advance();
  }
}
