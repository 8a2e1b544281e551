//@ slot await_empty
//@ slot fetch

// A tile of A or B lies in a stage in boxes, each as wide as the swizzle's pattern. CTAs beside
// each other along N share their tile of A, those along M their tile of B: they take turns at
// copying it to all of them, a K tile each.
__device__ __forceinline__ void produce(${map_parameters}
                                        ${list_parameters}) {
//@ insert sharers
//@ insert first_set
  ring_position write = {0, 1};  // the first round finds every stage empty
  bool begun = false;  // nothing is prefetched for the first tile: its K tiles are awaited
  ${each_tile} {
//@ insert next_item
    const tile_origin at = locate(list, ${tile});
//@ insert await_set
//@ insert find_ends
    const int behind = ${behind};  // stages with what the tile's epilogue reads
    const int prefetched = begun ? behind : 0;
    if constexpr (fetches_behind) begun = true;
#pragma unroll 1
    ${each_k_tile} {
//@ insert next_k_tile
      const unsigned sA = smem + write.stage * stage_bytes, sB = sA + stage_bytes_a;
      const unsigned full = full_barrier(smem, write.stage);
      const int k0 = k_tile * tile_k;
      await_empty(smem, write);
      mbarrier_expect(full, ${arriving});
      if ${when_a} {
#pragma unroll
        for (int box = 0; box < boxes_a${and_rows_a}; ++box)
          tma_load${multicast_a}(sA + box * box_bytes_a, ${map_a}, full,
                    (a_k_major ? ${k_a} : ${first_a}) + box * line_a, a_k_major ? ${first_a} : ${k_a},
                    at.batch${to_a});
      }
      if ${when_b} {
#pragma unroll
        for (int box = 0; box < boxes_b${and_rows_b}; ++box)
          ${load_b}${multicast_b}(sB + box * box_bytes_b, ${map_b}, full, ${box_b_along},
                                  ${box_b_across}, at.batch${to_b});
      }
//@ insert load_scales
      if constexpr (fetches_behind) prefetch_all(maps, prefetched, at, ${k_step});
    }
    if constexpr (fetches_behind) fetch_all(maps, behind, at, write, smem);
  }
//@ insert await_claims
  if (cluster_k == 1 || list.next_beside) launch_dependents();
  // This CTA stays as long as others of the cluster may arrive at its barriers.
  if constexpr (cluster_plane > 1)
#pragma unroll 1
    for (int i = 0; i < stages; ++i, write.advance()) await_empty(smem, write);
}
