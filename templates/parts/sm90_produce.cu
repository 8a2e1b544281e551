constexpr int full_arrivals = 1;

//@ slot await_empty
//@ slot fetch

__device__ __forceinline__ void produce(const tensor_map &map_a, const tensor_map &map_b,
                                        ${list_parameters}) {
  // Rank in the cluster: rank_m + rank_n * cluster_m + rank_k * cluster_plane.
  const int first = list.rank_k * cluster_plane;
  unsigned row = 0;  // the CTAs with this one's rank_m, as bits, for rank_m = 0
  for (int i = 0; i < cluster_n; ++i) row |= 1u << i * cluster_m;
  const unsigned short sharers_a = (unsigned short)(row << first + list.rank_m);
  const unsigned short sharers_b =
      (unsigned short)(((1u << cluster_m) - 1) << first + list.rank_n * cluster_m);

  ring_position write = {0, 1};  // the first round finds every stage empty
//@ if fetches
  bool begun = false;  // of the first tile, whose K tiles are awaited, nothing is prefetched
//@ end
  for (work_walk walk; walk.more(list);) {
    const work_item item = walk.next(list);
    const tile_origin at = locate(list, item.tile);
//@ if fetches
    const int behind = stages_behind(list, item), prefetched = begun ? behind : 0;
    begun = true;
//@ end
#pragma unroll 1
    for (int i = 0; i < item.k_tiles; ++i, write.advance()) {
      const unsigned sA = smem + stage_begin + write.stage * stage_bytes;
      const unsigned full = full_barrier(smem, write.stage);
      const int k_tile = item.k_first + i;
      await_empty(smem, write);
      mbarrier_expect(full, tx_bytes);
      load_tile<operand_a>(sA, map_a, full, at.m0, k_tile, at.batch, list.rank_n, sharers_a);
      load_tile<operand_b>(sA + stage_bytes_a, map_b, full, at.n0, k_tile, at.batch, list.rank_m,
                           sharers_b);
//@ if fetches
      prefetch_all(maps, prefetched, at, i);
//@ end
    }
//@ if fetches
    fetch_all(maps, behind, at, write, smem);
//@ end
  }
  admit_next(list);
  // This CTA stays as long as others of the cluster may arrive at its barriers.
  if constexpr (cluster_plane > 1)
#pragma unroll 1
    for (int i = 0; i < stages; ++i, write.advance()) await_empty(smem, write);
}
