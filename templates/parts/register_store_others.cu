__device__ __forceinline__ void store_others(${tile_sums_parameter},
                                             const tile_parts &of, box_set own) {
  const partial_sums to = of.at(of.part);
#pragma unroll
  for (int box = 0; box < warp_boxes; ++box) {
    if (own >> box & 1) continue;
#pragma unroll
    for (int chunk = box * box_chunks; chunk < (box + 1) * box_chunks; ++chunk) {
      acc_t x[sum_words];
#pragma unroll
      for (int w = 0; w < sum_words; ++w) x[w] = sum_at(tCrC, chunk * sum_words + w);
      to.store(x, chunk);
    }
  }
}
