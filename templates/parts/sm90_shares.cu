// ---- Tiles that several clusters share ----------------------------------------------------------

// The K tiles of a group of D's tiles, one tile after the other, are dealt in shares of equal
// length (but for one K tile), each to one cluster. A group is one tile, or all that are shared:
// then a share may end in one tile and begin in another. Groups and shares are the launch's choice.
// A share is walked from its end, so that a cluster first computes what others wait for; the
// cluster that has a tile's last K tile waits, adds up and stores. It waits for clusters of lower
// numbers, which were started earlier.
//
// A few partial sums are added by the last cluster. Where there are many, groups are single tiles,
// and a tile's clusters each add up a slice of it, so that no one has to read all. Either way the
// order of additions depends on the shares alone, never on who comes first.
//
// A warp exchanges sums with the same warp of other clusters alone. The thread that wrote an
// accumulator has the place of the one that reads it: sums lie in the workspace as in registers,
// four words of each lane side by side. In front of them is a counter for each warp of a shared
// tile. Counters are zero between launches.

constexpr int few_parts = 3;
constexpr int tile_warps = groups_per_tile * warps_per_group;
constexpr int sum_words = 4;
constexpr int fragment_chunks = acc_words / sum_words;
constexpr int chunks = frags_m * fragment_chunks;  // of a lane
constexpr int chunks_in_flight = chunks <= 32 ? 8 : 2;  // reads at once, as registers allow

static_assert(acc_words % sum_words == 0, "accumulators are whole chunks");

struct work_item {
  unsigned tile;
  int k_first, k_tiles;  // the K tiles to be multiplied
  unsigned share;        // of its group; any, where the tile is whole
};

// What the launch has chosen.
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

// This cluster's work, one item after the other; every role walks the same.
struct work_walk {
  unsigned work = blockIdx.x / cluster_size;  // the next share, or behind them the next tile
  unsigned group = 0, share = 0;              // under way
  unsigned begin = 0, end = 0;                // what is left of it

  __device__ __forceinline__ bool more(const work_list &list) const {
    return begin < end || work < list.shares + (list.tiles - list.shared_tiles);
  }

  __device__ __forceinline__ work_item next(const work_list &list) {
    if (begin == end) {
      const unsigned now = work;
      work += gridDim.x / cluster_size;
      if (now >= list.shares)
        return {now - list.shares + list.shared_tiles, 0, list.k_tiles, 0};
      group = now / list.group_shares;
      share = now % list.group_shares;
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

__device__ __forceinline__ unsigned word_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned word_of(int x) { return unsigned(x); }
__device__ __forceinline__ unsigned word_of(unsigned x) { return x; }

__device__ __forceinline__ void from_word(float &x, unsigned word) { x = __uint_as_float(word); }
__device__ __forceinline__ void from_word(int &x, unsigned word) { x = int(word); }
__device__ __forceinline__ void from_word(unsigned &x, unsigned word) { x = word; }

__device__ __forceinline__ void add(float &sum, float x) { sum += x; }
__device__ __forceinline__ void add(int &sum, int x) { sum += x; }
__device__ __forceinline__ void add(unsigned &sum, unsigned x) {  // two of f16
  asm("add.rn.f16x2 %0, %0, %1;" : "+r"(sum) : "r"(x));
}

// What one lane has of a share's sums. Others of the GPU read it: past the L1 cache.
struct partial_sums {
  unsigned char *at;

  __device__ __forceinline__ void load(acc_t (&x)[sum_words], int chunk) const {
    unsigned w[sum_words];
    asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                 : "l"(at + chunk * (warp_size * 16)));
#pragma unroll
    for (int i = 0; i < sum_words; ++i) from_word(x[i], w[i]);
  }

  __device__ __forceinline__ void store(const acc_t *x, int chunk) const {
    asm volatile("st.global.cg.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(
                     at + chunk * (warp_size * 16)),
                 "r"(word_of(x[0])), "r"(word_of(x[1])), "r"(word_of(x[2])), "r"(word_of(x[3]))
                 : "memory");
  }
};

// The counter of a warp's part of a tile. What a warp did before it counts is seen by whoever has
// waited for that count.
__device__ __forceinline__ void count(unsigned *counter, int lane) {
  __syncwarp();
  if (lane == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ __forceinline__ void await_count(const unsigned *counter, unsigned least) {
  unsigned now;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
  } while (now < least);
  __syncwarp();
}

// Adds a share's sums to the accumulators, or puts them in their place.
template <bool replace>
__device__ __forceinline__ void take(acc_t (&tCrC)[frags_m][acc_words], partial_sums from) {
#pragma unroll
  for (int chunk = 0; chunk < chunks; chunk += chunks_in_flight) {
    acc_t x[chunks_in_flight][sum_words];
#pragma unroll
    for (int i = 0; i < chunks_in_flight; ++i)
      if (chunk + i < chunks) from.load(x[i], chunk + i);
#pragma unroll
    for (int i = 0; i < chunks_in_flight * sum_words; ++i) {
      const int to = chunk * sum_words + i;
      if (to >= frags_m * acc_words) continue;
      acc_t &sum = tCrC[to / acc_words][to % acc_words];
      if constexpr (replace)
        sum = x[i / sum_words][i % sum_words];
      else
        add(sum, x[i / sum_words][i % sum_words]);
    }
  }
}

// One chunk, added up over all parts of a tile: into the place of the first part's.
__device__ __forceinline__ void add_up(partial_sums first, unsigned part_bytes, unsigned parts,
                                       int chunk) {
  acc_t sum[sum_words];
  first.load(sum, chunk);
#pragma unroll 1
  for (unsigned part = 1; part < parts; part += chunks_in_flight) {
    acc_t x[chunks_in_flight][sum_words];
#pragma unroll
    for (unsigned i = 0; i < chunks_in_flight; ++i)
      if (part + i < parts)
        partial_sums{first.at + size_t(part + i) * part_bytes}.load(x[i], chunk);
#pragma unroll
    for (unsigned i = 0; i < chunks_in_flight; ++i)
#pragma unroll
      for (int w = 0; w < sum_words; ++w)
        if (part + i < parts) add(sum[w], x[i][w]);
  }
  first.store(sum, chunk);
}

// Brings together the parts of a tile; true for the cluster that has then all of it.
__device__ __forceinline__ bool combine(acc_t (&tCrC)[frags_m][acc_words], const work_list &list,
                                        const work_item &item, unsigned char *workspace, int warp,
                                        int lane) {
  if (item.k_tiles == list.k_tiles) return true;
  const unsigned group = item.tile / list.group_tiles;
  const unsigned tile_begin = item.tile % list.group_tiles * list.k_tiles;
  const unsigned first_share = share_of(list, tile_begin);
  const unsigned part = item.share - first_share;
  const unsigned parts = share_of(list, tile_begin + list.k_tiles - 1) - first_share + 1;
  constexpr unsigned warp_bytes = chunks * warp_size * 16;
  constexpr unsigned part_bytes = cluster_size * tile_warps * warp_bytes;
  const bool few = parts <= few_parts;
  const bool last = part + 1 == parts;
  const unsigned in_cluster = unsigned((list.rank_m + list.rank_n * cluster_m) * tile_warps + warp);
  unsigned *const counter =
      (unsigned *)workspace + item.tile * (cluster_size * tile_warps) + in_cluster;
  const unsigned before = group * list.group_shares + first_share;  // shares of other tiles
  const partial_sums first = {workspace + counters_bytes + size_t(before) * part_bytes +
                              in_cluster * warp_bytes + lane * 16};
  if (!few || !last) {
    const partial_sums own = {first.at + size_t(part) * part_bytes};
#pragma unroll
    for (int chunk = 0; chunk < chunks; ++chunk)
      own.store(&tCrC[chunk / fragment_chunks][chunk % fragment_chunks * sum_words], chunk);
    count(counter, lane);
  }
  if (few && !last) return false;
  if (few) {
    await_count(counter, parts - 1);
    for (unsigned i = 0; i < part; ++i)
      take<false>(tCrC, {first.at + size_t(i) * part_bytes});
  } else {
    const unsigned adders = min(parts, unsigned(chunks));
    if (part < adders) {
      await_count(counter, parts);
      for (unsigned chunk = part; chunk < chunks; chunk += adders)
        add_up(first, part_bytes, parts, int(chunk));
      count(counter, lane);
    }
    if (!last) return false;
    await_count(counter, parts + adders);
    take<true>(tCrC, first);
  }
  if (lane == 0) *counter = 0;
  return true;
}
