// Adds the other parts' sums to this warp's own boxes. Several parts are read at once, so many that
// the unrolled loops have 64 loads at most.
template <class tile_parts>
__device__ __forceinline__ void add_boxes(${tile_sums_parameter}, const tile_parts &of,
                                          box_set own) {
  constexpr unsigned at_once =
      chunks_in_flight / together < 64 / chunks ? chunks_in_flight / together : 64 / chunks;
#pragma unroll 1
  for (unsigned other = 0; other + 1 < of.parts; other += at_once) {
    // Without this the compiler unrolls seven rounds, as it does not know how many there are.
    if constexpr (cluster_k == 1) asm volatile("" : "+r"(other));
#pragma unroll
    for (int box = 0; box < warp_boxes; ++box) {
      if (!(own >> box & 1)) continue;
#pragma unroll
      for (int first = box * box_chunks; first < (box + 1) * box_chunks; first += together) {
        acc_t x[at_once][together][sum_words];
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i)
#pragma unroll
          for (int c = 0; c < together; ++c)
            if (i == 0 || other + i + 1 < of.parts) of.other(other + i).load(x[i][c], first + c);
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i)
#pragma unroll
          for (int w = 0; w < together * sum_words; ++w)
            if (i == 0 || other + i + 1 < of.parts)
              add(${added_sum},
                  x[i][w / sum_words][w % sum_words]);
      }
    }
  }
}
