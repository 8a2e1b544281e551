// Where a box of a block's sums is in tensor memory, from the warp's first lane on.
__device__ __forceinline__ constexpr unsigned box_address(int block, int box) {
  return unsigned(block % blocks_of_mma * epi_m) << 16 |
         unsigned(${box_place});
}

// What was loaded, once it is there: an empty instruction that the compiler must assume to change
// it, so that nothing is read from it before.
__device__ __forceinline__ void settle(acc_t (&acc)[acc_words]) {
#pragma unroll
  for (int w = 0; w < acc_words; ++w) asm volatile("" : "+${acc_register}"(acc[w])::"memory");
}
