
// ---- Which parts of which tiles this CTA computes -----------------------------------------------

// What is the same for all tiles. Where a cluster is spoken of below, it is this CTA alone.
struct work_list {
  unsigned tiles;  // in all batches
  int k_tiles;     // of a tile
//@ insert share_members
};

//@ include shares

// The list is worked out anew wherever this is called, and so is a tile's place: kept in registers
// while tiles are multiplied, they would take those of the sums.
__device__ __forceinline__ work_list list_work(int64 m, int64 n, int64 k, int64 batch,
                                               int64 shared_tiles, int64 group_tiles,
                                               int64 group_shares) {
  asm volatile("" : "+l"(k));
  work_list list;
  list.tiles = unsigned((m + tile_m - 1) / tile_m) * unsigned((n + tile_n - 1) / tile_n) *
               unsigned(batch);
  list.k_tiles = int((k + tile_k - 1) / tile_k);
  deal(list, unsigned(shared_tiles), unsigned(group_tiles), unsigned(group_shares));
  return list;
}

// A tile's first element, and what it has of D.
struct tile_origin {
  int64 batch, m0, n0;
  int rows, cols;
};

__device__ __forceinline__ tile_origin locate(unsigned tile, int64 m, int64 n) {
  asm volatile("" : "+r"(tile));
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const unsigned per_batch = tiles_m * tiles_n;
  const tile_coord at = rasterise(tile % per_batch, tiles_m, tiles_n);
  const int64 m0 = int64(at.m) * tile_m;
  const int64 n0 = int64(at.n) * tile_n;
  return {int64(tile / per_batch), m0, n0, even_m ? tile_m : int(min(m - m0, int64(tile_m))),
          even_n ? tile_n : int(min(n - n0, int64(tile_n)))};
}
