//@ include sm90_issue

// Multiplies a tile's K tiles as they arrive. One stage's MMAs run while the next one's are issued;
// so a stage is released one K tile late.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][acc_words], ring_position &read,
                                         unsigned empty_barriers, unsigned smem, int k_tiles,
                                         int first_block) {
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const stage_operands operands = operands_at(stage_address(smem, read));
    await_stage(smem, read);
    issue_steps<k_steps>(tCrC, operands, first_block, 0, k_tile > 0);
    wgmma_wait<1>();
    if (k_tile > 0) release(empty_barriers, read.before());
    read.advance();
  }
}

//@ include sm90_finish_multiply
