__device__ __forceinline__ void store_others(const acc_t (&tCrC)[frags_m][acc_words],
                                             const tile_parts &of, box_set own) {
  const partial_sums to = of.at(of.part);
#pragma unroll
  for (int box = 0; box < warp_boxes; ++box) {
    if (own >> box & 1) continue;
#pragma unroll
    for (int chunk = box * box_chunks; chunk < (box + 1) * box_chunks; ++chunk)
      to.store(&tCrC[chunk / fragment_chunks][chunk % fragment_chunks * sum_words], chunk);
  }
}
