
// ---- Fetching what a tile's epilogue reads of matrices ------------------------------------------

// A thread of a warp of its own fetches sub-tiles to a ring, in the order in which the epilogue's
// warps finish them: while a tile is multiplied its first ones come, while it is stored the others
// and the next tile's. No two have an element in common: so each is older than what is stored in
// its place, also where a matrix is D itself.

__device__ __forceinline__ unsigned full_subtile(unsigned smem, int stage) {
  return smem + subtile_barriers_begin + 8 * stage;
}

__device__ __forceinline__ unsigned empty_subtile(unsigned smem, int stage) {
  return smem + subtile_barriers_begin + 8 * (subtile_stages + stage);
}

// Where a role is in the ring of sub-tiles. The parity of its barriers changes each round.
struct subtile_position {
  int stage;
  unsigned parity;

  __device__ __forceinline__ void advance() {
    if (++stage < subtile_stages) return;
    stage = 0;
    parity ^= 1;
  }
};

struct fetch_maps {
  const tensor_map ${fetched_members};
};

// Of one matrix what begins at this row and column.
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

// C is not fetched where there is no beta: `bytes` are of the others then.
__device__ __forceinline__ void fetch_subtiles(const fetch_maps &maps, const epilogue_operands &of,
                                               const work_list &list, unsigned smem) {
  const unsigned bytes = ${subtile_bytes_fetched};
  subtile_position write = {0, 1};  // the first round finds every stage empty
  ${each_tile} {
//@ insert next_item
//@ insert next_fetched
    const tile_origin at = locate(list, ${tile});
#pragma unroll 1
    for (int number = 0; number < block_boxes * mmas_m; ++number) {
      const unsigned full = full_subtile(smem, write.stage);
      const unsigned stage = smem + subtiles_begin + write.stage * subtile_bytes;
      const int row = at.m0 + number % mmas_m * mma_rows;
      const int col = at.n0 + box_column(number / mmas_m);
      mbarrier_wait(empty_subtile(smem, write.stage), write.parity);
      mbarrier_expect(full, bytes);
//@ insert fetch_all
      write.advance();
    }
  }
}
