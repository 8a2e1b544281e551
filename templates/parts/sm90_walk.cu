struct work_item {
  unsigned tile;
  int k_first, k_tiles;  // the K tiles to be multiplied
};

// This cluster's tiles, one after the other; every role walks the same.
struct work_walk {
  unsigned tile = blockIdx.x / cluster_size;  // the next one

  __device__ __forceinline__ bool more(const work_list &list) const { return tile < list.tiles; }

  __device__ __forceinline__ work_item next(const work_list &list) {
    const work_item item = {tile, cluster_k == 1 ? 0 : list.k_first, list.k_tiles};
    tile += gridDim.x / cluster_size;
    return item;
  }
};
