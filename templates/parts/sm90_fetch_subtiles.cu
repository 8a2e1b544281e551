
// ---- Fetching what a tile's epilogue reads of matrices ------------------------------------------

//@ if in_turns
// For each consumer a separate warp, of which one thread works, fetches sub-tiles to a ring, in the
// order in which the consumer's warps finish them. A tile's first ones arrive while the tile is
// multiplied, the others while it is stored.
//@ if overlaps
// Those of the last box of columns have columns of the box before it, which is stored only when
// they have arrived. So each is fetched before anything is stored in its place, and a matrix that
// is fetched may be D itself.
//@ else
// No two have an element in common. So each is fetched before anything is stored in its place, and
// a matrix that is fetched may be D itself.
//@ end
//@ else
// A separate warp, of which one thread works, fetches sub-tiles to a ring, in the order in which
// the epilogue's warps finish them. A tile's first ones arrive while the tile is multiplied, the
// others and the next tile's while it is stored. No two have an element in common. So each is
// fetched before anything is stored in its place, and a matrix that is fetched may be D itself.
//@ end

__device__ __forceinline__ unsigned full_subtile(unsigned smem, int stage) {
  return smem + subtile_barriers_begin + 8 * stage;
}

__device__ __forceinline__ unsigned empty_subtile(unsigned smem, int stage) {
  return smem + subtile_barriers_begin + 8 * (${all_subtiles} + stage);
}

//@ if in_turns
// Where a role is in a consumer's ring of sub-tiles. Stages are counted through all consumers'
// rings, the first one's first. The parity of a ring's barriers changes each round.
//@ else
// Where a role is in the ring of sub-tiles. The parity of the ring's barriers changes each round.
//@ end
struct subtile_position {
  int stage;
  unsigned parity;

  __device__ __forceinline__ void advance() {
//@ if in_turns
    if (++stage % subtile_stages != 0) return;
    stage -= subtile_stages;
//@ else
    if (++stage < subtile_stages) return;
    stage = 0;
//@ end
    parity ^= 1;
  }
};

struct fetch_maps {
  const tensor_map ${fetched_members};
};

// Fetches what a sub-tile has of one matrix, from this row and column on.
template <class matrix>
__device__ __forceinline__ void fetch(const tensor_map &map, unsigned stage, unsigned full, int row,
                                      int col, int batch) {
#pragma unroll
  for (int box = 0; box < matrix::box_count; ++box) {
    const unsigned to = stage + matrix::begin + box * matrix::box_bytes;
    if constexpr (matrix::n_major)
      tma_load(to, map, full, col + box * matrix::line, row, batch);
    else
      tma_load(to, map, full, row + box * matrix::line, col, batch);
  }
}

// Fetches the sub-tiles of one tile after the other. C is not fetched if beta is 0: `bytes` counts
// only the other matrices then.
__device__ __forceinline__ void fetch_subtiles(${fetch_parameters}
                                               const work_list &list, unsigned smem${consumer_parameter}) {
  const unsigned bytes = ${subtile_bytes_fetched};
//@ if in_turns
  subtile_position write = {consumer * subtile_stages, 0};  // the consumer says when it is empty
  int turn = 0;
//@ else
  subtile_position write = {0, 1};  // the first round finds every stage empty
//@ end
//@ insert first_fetched_set
  ${each_tile} {
//@ insert next_item
//@ insert count_fetched_set
//@ if in_turns
    if (turn++ % consumers != consumer) continue;
//@ end
//@ insert next_fetched
//@ insert await_fetched_set
    const tile_origin at = locate(list, ${tile});
#pragma unroll 1
    for (int number = 0; number < block_boxes * ${subtiles_down}; ++number) {
      const unsigned full = full_subtile(smem, write.stage);
      const unsigned stage = smem + subtiles_begin + write.stage * subtile_bytes;
      const int row = at.m0 + number % ${subtiles_down} * ${subtile_rows};
      const int col = at.n0 + box_column(number / ${subtiles_down});
      mbarrier_wait(empty_subtile(smem, write.stage), write.parity);
      mbarrier_expect(full, bytes);
//@ insert fetch_all
      write.advance();
    }
  }
}
