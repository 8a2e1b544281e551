//@ include sm90_issue

constexpr int frag_words = 4;  // of a lane, where an MMA's A is 64 rows of 32 bytes

// A's fragments of a K step, by ldmatrix: four matrices of 8 rows of 16 bytes, two down by two
// across, of each of which a lane has 4 bytes. Where M is contiguous they are turned.
__device__ __forceinline__ void load_fragments(unsigned (&tCrA)[frags_m][frag_words], unsigned sA,
                                               int first_block, int step, int lane) {
  constexpr int across = 16 / element_bytes_a;
  const int warp = int(threadIdx.x) / warp_size % warps_per_group;
  const int row = first_block * mma_m + warp * 16;
  const int k = step * 2 * across + lane / 16 * across;
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
    if constexpr (a_k_major)
      ldmatrix(tCrA[i], sA + smem_a(row + i * mma_m + lane % 16, k) * element_bytes_a);
    else
      ldmatrix_transposed(tCrA[i], sA + smem_a(row + i * mma_m + lane / 8 % 2 * 8, k + lane % 8) *
                                            element_bytes_a);
}

// Multiplies a tile's K tiles as they arrive, with A from registers. While one step's MMAs run, the
// next one's fragments are loaded into the other set of registers.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][acc_words], ring_position &read,
                                         unsigned empty_barriers, unsigned smem, int k_tiles,
                                         int first_block) {
  constexpr bool odd = k_steps % 2 != 0;  // the last step's registers are the first one's
  const int lane = int(threadIdx.x) % warp_size;
  unsigned tCrA[2][frags_m][frag_words];
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const unsigned sA = smem + read.stage * stage_bytes;
    const unsigned long long desc_b = desc_b_base + descriptor_address(sA + stage_bytes_a);
    mbarrier_wait(full_barrier(smem, read.stage), read.parity);
#pragma unroll
    for (int step = 0; step < k_steps; ++step) {
      wgmma_wait<odd ? 0 : 1>();  // the MMAs of the step before the last have read these registers
      if (k_tile > 0 && step == (odd ? 0 : 1)) release(empty_barriers, read.before());
      load_fragments(tCrA[step % 2], sA, first_block, step, lane);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < frags_m; ++i)
        mma(tCrC[i], tCrA[step % 2][i], desc_b + desc_b_step(0, step), k_tile > 0 || step > 0);
      wgmma_commit();
    }
    read.advance();
  }
}
