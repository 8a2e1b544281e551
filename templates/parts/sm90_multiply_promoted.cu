//@ include sm90_issue

//@ include sm90_issue_steps

// The tensor core sums a few steps along K, which are then added to the accumulators, zeros at
// first. It works meanwhile for the other consumers; where there are registers for two sets of sums
// also for this one, on its next steps.
//
// ptxas runs MMAs one by one if some write registers that are read in another turn of a loop. So
// two sums that overlap are one piece of text, of a K tile or two; more in a row measured slower.
constexpr int sums_a_tile = k_steps / promoted_steps;
constexpr int overlapped_tiles = sum_sets == 2 && sums_a_tile == 1 ? 2 : 1;

template <int k_tiles>
__device__ __forceinline__ void multiply_some(acc_t (&tCrC)[frags_m][acc_words],
                                              ring_position &read, unsigned empty_barriers,
                                              unsigned smem, int first_block) {
  constexpr int count = k_tiles * sums_a_tile, behind = sum_sets - 1;
  acc_t sums[sum_sets][frags_m][acc_words];
  ring_position next = read;
#pragma unroll
  for (int i = 0; i < count + behind; ++i) {
    if (i < count) {
      const int first_step = i % sums_a_tile * promoted_steps;
      if (first_step == 0) mbarrier_wait(full_barrier(smem, next.stage), next.parity);
      issue_steps<promoted_steps>(sums[i % sum_sets], smem + next.stage * stage_bytes, first_block,
                                  first_step, false);
      if (first_step + promoted_steps == k_steps) next.advance();
    }
    const int done = i - behind;
    if (done < 0) continue;
    if (i < count)
      wgmma_wait<behind>();
    else
      wgmma_wait<0>();
    acc_t (&sum)[frags_m][acc_words] = sums[done % sum_sets];
    settle(sum);
    if (done % sums_a_tile == sums_a_tile - 1) {
      release(empty_barriers, read.stage);
      read.advance();
    }
#pragma unroll
    for (int f = 0; f < frags_m; ++f)
#pragma unroll
      for (int w = 0; w < acc_words; ++w) tCrC[f][w] += sum[f][w];
  }
}

// Multiplies a tile's K tiles as they arrive.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][acc_words], ring_position &read,
                                         unsigned empty_barriers, unsigned smem, int k_tiles,
                                         int first_block) {
#pragma unroll 1
  for (; k_tiles >= overlapped_tiles; k_tiles -= overlapped_tiles)
    multiply_some<overlapped_tiles>(tCrC, read, empty_barriers, smem, first_block);
  if (overlapped_tiles > 1 && k_tiles > 0)
    multiply_some<1>(tCrC, read, empty_barriers, smem, first_block);
}
