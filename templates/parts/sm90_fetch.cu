
// ---- Fetching what a tile's epilogue reads of matrices ------------------------------------------

// Behind a tile's last K tile the producer fills stages with the boxes that the tile's epilogue
// reads, in each CTA its own. So they are under way while the tile is multiplied, and need no
// memory of their own. The consumers await all of them before they store anything of the tile: so a
// matrix that is fetched may be D itself.

// Prefetches a box of the tensor to L2.
__device__ __forceinline__ void tma_prefetch(const tensor_map &map, int x, int y, int z) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map),
               "r"(x), "r"(y), "r"(z)
               : "memory");
}

struct fetch_maps {
  const tensor_map ${fetched_members};
};

// How many stages with such boxes follow an item's K tiles.
__device__ __forceinline__ int stages_behind(const work_list &list, const work_item &item) {
  // In a group of several tiles, whoever has a tile's last K tiles stores all of its boxes.
  const bool stores = list.group_tiles == 1 || item.k_first + item.k_tiles == list.k_tiles;
  return stores ? list.fetch_stages : 0;
}

template <class matrix>
__device__ __forceinline__ void fetch(const tensor_map &map, const tile_origin &at,
                                      ring_position &write, unsigned smem) {
  constexpr int a_box = matrix::n_major ? epi_n / matrix::line : 1;  // boxes for each of D's
#pragma unroll 1
  for (int box = 0; box < matrix::boxes; write.advance()) {
    const int count = min(matrix::boxes_a_stage, matrix::boxes - box);
    const unsigned full = full_barrier(smem, write.stage);
    unsigned to = smem + write.stage * stage_bytes;
    await_empty(smem, write);
    mbarrier_expect(full, count * matrix::box_bytes);
#pragma unroll 1
    for (const int end = box + count; box < end; ++box, to += matrix::box_bytes) {
#pragma unroll
      for (int piece = 0; piece < ${pieces}; ++piece)
        if constexpr (matrix::n_major)
          tma_load(to + piece * matrix::piece_bytes, map, full,
                   at.n0 + box_column(box / a_box) + box % a_box * matrix::line,
                   at.m0 + piece * matrix::piece_lines, at.batch);
        else
          tma_load(to + piece * matrix::piece_bytes, map, full, at.m0 + box * matrix::line,
                   at.n0 + piece * matrix::piece_lines, at.batch);
    }
  }
}

// Boxes take long to come from memory. So they are prefetched to L2 while a tile's first K tiles
// are copied, of each matrix one box with each K tile.
template <class matrix>
__device__ __forceinline__ void prefetch(const tensor_map &map, const tile_origin &at, int box) {
  constexpr int a_box = matrix::n_major ? epi_n / matrix::line : 1;
  if (box >= matrix::boxes) return;
#pragma unroll
  for (int piece = 0; piece < ${pieces}; ++piece)
    if constexpr (matrix::n_major)
      tma_prefetch(map, at.n0 + box_column(box / a_box) + box % a_box * matrix::line,
                   at.m0 + piece * matrix::piece_lines, at.batch);
    else
      tma_prefetch(map, at.m0 + box * matrix::line, at.n0 + piece * matrix::piece_lines, at.batch);
}

__device__ __forceinline__ void prefetch_all(const fetch_maps &maps, int stages,
                                             const tile_origin &at, int box) {
  if (stages == 0) return;
//@ insert prefetch_all
}

__device__ __forceinline__ void fetch_all(const fetch_maps &maps, int stages,
                                          const tile_origin &at, ring_position &write,
                                          unsigned smem) {
  if (stages == 0) return;
//@ insert fetch_all
}
