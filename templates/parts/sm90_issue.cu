// A descriptor's start address, in 16 bytes. In a cluster the bits above name the CTA.
__device__ __forceinline__ unsigned descriptor_address(unsigned smem) {
  return (smem & 0x3ffff) >> 4;
}

//@ if not a_in_registers
// Descriptors of a stage's operands.
struct stage_operands {
  unsigned long long a, b;
};

__device__ __forceinline__ stage_operands operands_at(unsigned sA) {
  return {desc_a_base + descriptor_address(sA),
          desc_b_base + descriptor_address(sA + stage_bytes_a)};
}

// Issues the MMAs of some steps along K of a stage as one group: of this warpgroup's blocks of 64
// rows, from first_block on.
template <int steps>
__device__ __forceinline__ void issue_steps(acc_t (&acc)[frags_m][acc_words],
                                            const stage_operands &at, int first_block,
                                            int first_step, bool accumulate) {
  wgmma_fence();
#pragma unroll
  for (int step = first_step; step < first_step + steps; ++step)
#pragma unroll
    for (int i = 0; i < frags_m; ++i)
      mma(acc[i], at.a + desc_a_step(first_block + i, step), at.b + desc_b_step(0, step),
          accumulate || step > first_step);
  wgmma_commit();
}

//@ end
// What an MMA was given to write, once it has.
__device__ __forceinline__ void settle(acc_t (&acc)[frags_m][acc_words]) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < acc_words; ++w) settle(acc[i][w]);
}
