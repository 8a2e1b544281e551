// Issues the MMAs of some steps along K of the stage at sA as one group: those of all blocks of 64
// rows that this warpgroup has.
template <int steps>
__device__ __forceinline__ void issue_steps(acc_t (&acc)[frags_m][acc_words], unsigned sA,
                                            int first_block, int first_step, bool accumulate) {
  const unsigned long long desc_a = desc_a_base + descriptor_address(sA);
  const unsigned long long desc_b = desc_b_base + descriptor_address(sA + stage_bytes_a);
  wgmma_fence();
#pragma unroll
  for (int step = first_step; step < first_step + steps; ++step)
#pragma unroll
    for (int i = 0; i < frags_m; ++i)
      mma(acc[i], desc_a + desc_a_step(first_block + i, step), desc_b + desc_b_step(0, step),
          accumulate || step > first_step);
  wgmma_commit();
}
