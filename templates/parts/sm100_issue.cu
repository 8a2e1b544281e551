// A descriptor's start address, in 16 bytes. In a cluster the bits above name the CTA.
__device__ __forceinline__ unsigned descriptor_address(unsigned smem) {
  return (smem & 0x3ffff) >> 4;
}

//@ if long_k
// The same, and where descriptors have the address of the line that goes on.
__device__ __forceinline__ unsigned long long both_addresses(unsigned smem) {
  return descriptor_address(smem) * 0x10001ull;
}

//@ end
//@ if lines_from_both
// The same as mbarrier_wait, behind which this thread sees what those of the cluster's other CTAs
// wrote before they arrived.
__device__ __forceinline__ void mbarrier_acquire(unsigned barrier, unsigned parity) {
  if constexpr (traced) stamp<trace_await_mbarrier>(barrier);
  asm volatile(
      "{ .reg .pred done;\n"
      "again:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

//@ end
// One thread issues all MMAs, those of a K tile when it has arrived. Behind them the tensor core
// tells those who copy to the stage that it is empty; behind the last K tile it also tells those
// who read the tile's sums that these are complete.
__device__ __forceinline__ void multiply(const work_list &list, unsigned smem, unsigned tmem) {
//@ insert release_sharers
  ring_position read = {0, 0};
  sums_position write = {0, 1};  // the first round finds every set of accumulators empty
  ${each_tile} {
//@ insert next_item
    const unsigned sums = tmem + write.set * sums_columns;
//@ if turned_scales
    // Of every other pair along M the rows are the second half of their atoms of A's factors.
    const unsigned scales_a = tmem + locate(list, ${tile}).m0 % scale_rows / 32;
//@ end
//@ if halved_scales
    // Tiles that begin in the middle of an atom read B's factors from the middle on.
    const unsigned scales_b = tmem + locate(list, ${tile}).n0 % scale_rows / 32;
//@ end
    mbarrier_wait(empty_sums(smem, write.set), write.parity);
    fence_after_barrier();
#pragma unroll 1
    for (int k_tile = 0; k_tile < ${k_tiles}; ++k_tile, read.advance()) {
      const unsigned sA = smem + read.stage * stage_bytes;
      const unsigned long long desc_a = desc_a_base + ${address_bits}(sA);
      const unsigned long long desc_b = desc_b_base + ${address_bits}(sA + stage_bytes_a);
//@ if lines
      mbarrier_${await_lines}(full_barrier(smem, read.stage), read.parity);
      fence_after_barrier();  // threads wrote what MMAs read
//@ else
      mbarrier_wait(full_barrier(smem, read.stage), read.parity);
//@ end
//@ insert copy_a
//@ insert copy_scales
//@ insert copy_metadata
#pragma unroll
      for (int step = 0; step < k_steps; ++step)
//@ insert each_mma
              k_tile > 0 || step > 0${metadata_arguments}${scale_arguments});
//@ insert release_stage
    }
//@ insert commit_sums
    write.advance();
  }
}
