// What other parts' owners add up goes from tensor memory to the workspace, a box at a time.
__device__ __forceinline__ void store_others(unsigned tCtC, const tile_parts &of, box_set own) {
  const partial_sums to = of.at(of.part);
#pragma unroll 1
  for (int box = 0; box < warp_boxes; ++box) {
    if (own >> box & 1) continue;
    acc_t acc[acc_words];
    load_sums(acc, tCtC + box_address(box % warp_blocks, box / warp_blocks));
    wait_loads();
    settle(acc);
#pragma unroll
    for (int c = 0; c < box_chunks; ++c) to.store(&acc[c * sum_words], box * box_chunks + c);
  }
}

// Adds the others' sums to this warp's own boxes, where they are in tensor memory: so the epilogue
// reads them as those of a tile that nobody shares.
__device__ __forceinline__ void add_boxes(unsigned tCtC, const tile_parts &of, box_set own) {
#pragma unroll 1
  for (int box = 0; box < warp_boxes; ++box) {
    if (!(own >> box & 1)) continue;
    const unsigned at = tCtC + box_address(box % warp_blocks, box / warp_blocks);
    acc_t acc[acc_words];
    load_sums(acc, at);
    wait_loads();
    settle(acc);
#pragma unroll 1
    for (unsigned other = 0; other + 1 < of.parts; other += parts_at_once) {
      acc_t x[parts_at_once][box_chunks][sum_words];
#pragma unroll
      for (unsigned i = 0; i < parts_at_once; ++i)
#pragma unroll
        for (int c = 0; c < box_chunks; ++c)
          if (i == 0 || other + i + 1 < of.parts)
            of.other(other + i).load(x[i][c], box * box_chunks + c);
#pragma unroll
      for (unsigned i = 0; i < parts_at_once; ++i)
#pragma unroll
        for (int w = 0; w < acc_words; ++w)
          if (i == 0 || other + i + 1 < of.parts)
            add(acc[w], x[i][w / sum_words][w % sum_words]);
    }
    store_sums(acc, at);
  }
  wait_stores();
}
