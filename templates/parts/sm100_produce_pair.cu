//@ slot await_empty

// Each CTA of a pair brings its rows of A and its half of B. The bytes of both arrive at the first
// one's barrier, where MMAs are issued for both. Pairs beside each other along N share A, those
// along M their halves of B: they take turns at copying to all of them, a K tile each.
__device__ __forceinline__ void produce(${map_parameters}
                                        ${list_parameters}) {
//@ insert sharers
//@ insert first_set
  const unsigned first_cta = cluster_rank() & ~1u;
  ring_position write = {0, 1};  // the first round finds every stage empty
  ${each_tile} {
//@ insert next_item
    const tile_origin at = locate(list, ${tile});
//@ insert await_set
    const int n0 = at.n0 + list.rank_m % 2 * ${half_columns};
#pragma unroll 1
    ${each_k_tile} {
//@ insert next_k_tile
      const unsigned sA = smem + write.stage * stage_bytes, sB = sA + stage_bytes_a;
      const unsigned full = full_barrier(smem, write.stage), first = in_cta(full, first_cta);
      const int k0 = k_tile * tile_k;
      await_empty(smem, write);
      if (list.rank_m % 2 == 0) mbarrier_expect(full, 2 * tx_bytes);
//@ insert second_arrives
      if constexpr (cluster_n == 1) {
#pragma unroll
        for (int box = 0; box < boxes_a; ++box)
          tma_load(sA + box * box_bytes_a, map_a, first, (a_k_major ? ${k_a} : at.m0) + box * line_a,
                   a_k_major ? at.m0 : ${k_a}, at.batch);
      } else if (k_tile % cluster_n == list.rank_n) {
#pragma unroll
        for (int box = 0; box < boxes_a; ++box)
          tma_load_multicast(sA + box * box_bytes_a, map_a, first,
                             (a_k_major ? ${k_a} : at.m0) + box * line_a, a_k_major ? at.m0 : ${k_a},
                             at.batch, sharers_a);
      }
      if constexpr (cluster_m == 2) {
#pragma unroll
        for (int box = 0; box < boxes_b; ++box)
          ${load_b}(sB + box * box_bytes_b, map_b, first, ${box_b_along},
                   ${box_b_across}, at.batch);
      } else if (k_tile % (cluster_m / 2) == list.rank_m / 2) {
#pragma unroll
        for (int box = 0; box < boxes_b; ++box)
          ${load_b}_multicast(sB + box * box_bytes_b, map_b, first,
                             ${box_b_along}, ${box_b_across}, at.batch,
                             sharers_b);
      }
//@ insert load_scales
    }
  }
  launch_dependents();
  // This CTA stays as long as the tensor core may arrive at its barriers.
#pragma unroll 1
  for (int i = 0; i < stages; ++i, write.advance()) await_empty(smem, write);
}
