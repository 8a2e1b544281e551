// A descriptor's start address, in 16 bytes. In a cluster the bits above name the CTA.
__device__ __forceinline__ unsigned descriptor_address(unsigned smem) {
  return (smem & 0x3ffff) >> 4;
}

// What MMAs were given to write, once they have: an empty instruction that the compiler must assume
// to change it, so that nothing is read from it before.
__device__ __forceinline__ void settle(acc_t (&acc)[frags_m][acc_words]) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < acc_words; ++w) asm volatile("" : "+${acc_register}"(acc[i][w])::"memory");
}
