// ---- Tiles that several clusters share ----------------------------------------------------------

// The K tiles of a group of D's tiles, one tile after the other, are dealt in shares of equal
// length (but for one K tile), each to one cluster. A group is one tile, or all that are shared:
// then a share may end in one tile and begin in another. Groups and shares are the launch's choice.
// A share is walked from its end, so that a cluster first computes what others wait for.
//
// In a group of one tile the boxes are dealt to all parts, which are under way at once; so no one
// has to read much. In a group of several tiles all boxes are the last part's: it waits for
// clusters of lower numbers alone, which were started earlier. Either way the order of additions
// depends on the shares alone, never on who comes first.
//
// Sums are exchanged in the workspace. In front of them is a counter for each warp of a shared
// tile. Counters are zero between launches.

//@ slot sums

constexpr box_set all_boxes = ~0ull >> (64 - warp_boxes);

struct work_item {
  unsigned tile;
  int k_first, k_tiles;  // the K tiles to be multiplied
  unsigned share;        // its number in the group; unused where the tile is whole
};

// Notes the groups and shares that the launch has chosen.
__device__ __forceinline__ void deal(work_list &list, unsigned shared_tiles, unsigned group_tiles,
                                     unsigned group_shares) {
  list.shared_tiles = shared_tiles;
  list.group_tiles = group_tiles;
  list.group_shares = group_shares;
  list.shares = shared_tiles / group_tiles * group_shares;
  list.share_length = group_tiles * list.k_tiles / group_shares;
  list.longer_shares = group_tiles * list.k_tiles % group_shares;
}

// K tiles are numbered through the tiles of a group.
__device__ __forceinline__ unsigned share_begin(const work_list &list, unsigned share) {
  return share * list.share_length + min(share, list.longer_shares);
}

// The share that a K tile is in.
__device__ __forceinline__ unsigned share_of(const work_list &list, unsigned k_tile) {
  const unsigned longer = list.longer_shares * (list.share_length + 1);
  return k_tile < longer ? k_tile / (list.share_length + 1)
                         : list.longer_shares + (k_tile - longer) / list.share_length;
}

// This cluster's work, one item after the other; every role walks the same. Where all shares are
// under way at once, those of the same K tiles are neighbours, whose loads meet in the L2 cache;
// else those of a group, as they wait for each other.
struct work_walk {
  unsigned work = blockIdx.x / cluster_size;  // the next share, or behind them the next tile
  unsigned group = 0, share = 0;              // the share that is being computed,
  unsigned begin = 0, end = 0;                // and what is left of its K tiles

  __device__ __forceinline__ bool more(const work_list &list) const {
    return begin < end || work < list.shares + (list.tiles - list.shared_tiles);
  }

  __device__ __forceinline__ work_item next(const work_list &list) {
    if (begin == end) {
      const unsigned now = work;
      work += gridDim.x / cluster_size;
      if (now >= list.shares)
        return {now - list.shares + list.shared_tiles, 0, list.k_tiles, 0};
      const unsigned groups = list.shares / list.group_shares;
      const bool at_once = list.shares <= gridDim.x / cluster_size;
      group = at_once ? now % groups : now / list.group_shares;
      share = at_once ? now / groups : now % list.group_shares;
      begin = share_begin(list, share);
      end = share_begin(list, share + 1);
    }
    const unsigned tile = (end - 1) / list.k_tiles;  // of the group
    const unsigned tile_begin = tile * list.k_tiles;
    const unsigned from = max(begin, tile_begin);
    const work_item item = {group * list.group_tiles + tile, int(from - tile_begin),
                            int(end - from), share};
    end = from;
    return item;
  }
};

// ---- Adding up ----------------------------------------------------------------------------------

// Whether a part's cluster stores boxes of the tile: in a group of several tiles the last one has
// all of them.
__device__ __forceinline__ bool stores_boxes(const work_list &list, const work_item &item) {
  return list.group_tiles == 1 || item.k_first + item.k_tiles == list.k_tiles;
}

//@ slot partial_sums

// Counts up the counter of a warp's part of a tile; the last of `counts` counts makes it zero
// again. What a warp did before it counts is seen by whoever has waited for that count.
__device__ __forceinline__ void count(unsigned *counter, unsigned counts, int lane) {
  __syncwarp();
  if (lane == 0)
    asm volatile("red.release.gpu.global.inc.u32 [%0], %1;" ::"l"(counter), "r"(counts - 1)
                 : "memory");
}

__device__ __forceinline__ void await_count(const unsigned *counter, unsigned least) {
  if constexpr (traced) stamp<trace_await_sums>(0);
  unsigned now;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
  } while (now < least);
  __syncwarp();
  if constexpr (traced) stamp<trace_go>(0);
}

// The parts in which the sums of a warp's piece of a tile come: which of them is this cluster's,
// and where all of them lie.
struct tile_parts {
  partial_sums first;
  unsigned part, parts;

  __device__ __forceinline__ partial_sums at(unsigned i) const {
    constexpr unsigned part_bytes = cluster_size * tile_warps * chunks * warp_size * 16;
    return {first.at + size_t(i) * part_bytes};
  }

  // The others in their order.
  __device__ __forceinline__ partial_sums other(unsigned i) const { return at(i + (i >= part)); }
};

//@ slot store_others

// Brings together the parts of a tile: returns this warp's boxes, which are then complete.
__device__ __forceinline__ box_set combine(${tile_sums_parameter},
                                           const work_list &list, const work_item &item,
                                           unsigned char *workspace, int warp, int lane) {
  if (item.k_tiles == list.k_tiles) return all_boxes;
  const unsigned group = item.tile / list.group_tiles;
  const unsigned tile_begin = item.tile % list.group_tiles * list.k_tiles;
  const unsigned first_share = share_of(list, tile_begin);
  const unsigned in_cluster = unsigned(plane_rank(list) * tile_warps + warp);
  const unsigned before = group * list.group_shares + first_share;  // shares before this tile's
  constexpr unsigned warp_bytes = chunks * warp_size * 16;
  const size_t first = (size_t(before) * (cluster_size * tile_warps) + in_cluster) * warp_bytes;
  const tile_parts of = {{workspace + counters_bytes + first + lane * 16},
                         item.share - first_share,
                         share_of(list, tile_begin + list.k_tiles - 1) - first_share + 1};
  const bool dealt = list.group_tiles == 1;
  const bool last = of.part + 1 == of.parts;
  const box_set own = dealt ? dealt_boxes(of, warp) : last ? all_boxes : 0;
  // All parts count what they have written, and the owners that they have waited.
  const unsigned owners = dealt ? min(of.parts, unsigned(warp_boxes)) : 1;
  unsigned *const counter =
      (unsigned *)workspace + item.tile * (cluster_size * tile_warps) + in_cluster;
  store_others(${tile_sums}, of, own);
  count(counter, of.parts + owners, lane);
  if (own == 0) return 0;
  await_count(counter, of.parts);
  count(counter, of.parts + owners, lane);
  add_boxes(${tile_sums}, of, own);
  return own;
}
