
// ---- Metadata of a sparse A ---------------------------------------------------------------------

//@ include load_metadata

// Loads the words of metadata that a lane gives to MMAs. A tile of metadata has 16 lines of 16
// bytes for each 16 rows. In each four lanes, 0 and 1 have the rows lane / 4 and lane / 4 + 8 for
// the first half of an MMA's K, 2 and 3 have the same rows for the second half.
__device__ __forceinline__ void load_words(unsigned (&words)[frags_m][k_steps], unsigned sA,
                                           int row, int lane) {
  constexpr int step_bytes = 16 / steps_a_tile;
  const unsigned line = sA + stage_metadata + (lane % 2 * 8 + lane / 4) * 16 + lane / 2 % 2 * 4;
#pragma unroll
  for (int i = 0; i < frags_m; ++i) {
    const int r = row + i * mma_m;
    const unsigned at = line + r / metadata_rows * 2048 + r % metadata_rows / 16 * 256;
#pragma unroll
    for (int step = 0; step < k_steps; ++step)
      asm volatile("ld.shared.u32 %0, [%1];"
                   : "=r"(words[i][step])
                   : "r"(at + step / steps_a_tile * metadata_tiles_m * 2048 +
                         step % steps_a_tile * step_bytes)
                   : "memory");
  }
}
