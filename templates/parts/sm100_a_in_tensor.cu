// ---- A in tensor memory -------------------------------------------------------------------------

// What an MMA reads of A for a K step, 32 bytes of each row, to eight columns of the row's lane.
// The tensor core does this behind the MMAs that this thread has issued and before those that it
// issues later. Of a pair each CTA's rows go to its own tensor memory.
__device__ __forceinline__ void copy_step(unsigned to, unsigned long long from) {
  asm volatile("tcgen05.cp.cta_group::${cta_group}.128x256b${unpacked} [%0], %1;"
               :
               : "r"(to), "l"(from)
               : "memory");
}

// Where a block of A's rows is in tensor memory for a K step.
__device__ __forceinline__ constexpr unsigned a_of(int block, int step) {
  return a_column + 8 * (step * mmas_m + block);
}

// A of a stage, all of it.
__device__ __forceinline__ void copy_a(unsigned tmem, unsigned long long from) {
#pragma unroll
  for (int step = 0; step < k_steps; ++step)
#pragma unroll
    for (int i = 0; i < mmas_m; ++i)
      copy_step(tmem + a_of(i, step), from + desc_a_step(i, step));
}
