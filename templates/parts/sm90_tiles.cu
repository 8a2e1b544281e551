constexpr int warp_size = 32;
constexpr int warps_per_group = 4;
constexpr int warpgroup_size = warp_size * warps_per_group;

__device__ __forceinline__ unsigned full_barrier(unsigned smem, int stage) {
  return smem + barriers_begin + 8 * stage;
}

//@ slot empty_barrier

// Where a role is in the ring of stages. The parity of the barriers' phase changes each round.
struct ring_position {
  int stage;
  unsigned parity;

  __device__ __forceinline__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }

  __device__ __forceinline__ void skip(unsigned k_tiles) {
    const unsigned to = stage + k_tiles;
    stage = to % stages;
    parity ^= to / stages % 2;
  }

  // The stage before this one.
  __device__ __forceinline__ int before() const { return stage == 0 ? stages - 1 : stage - 1; }
};

// ---- Which tiles this cluster computes ----------------------------------------------------------

//@ slot rasterise

// Where a tile's first element is in D.
struct tile_origin {
  int m0, n0, batch;
//@ if finds_halves
  int half_n;  // columns of a gate's half of N
//@ end
};

//@ slot split_lines
// What is the same for all tiles.
struct work_list {
  unsigned tiles_m, tiles_n;  // clusters' tiles of D, in a batch
//@ insert list_members
};

// The K tiles of a tile, in equal parts but for one K tile.
__device__ __forceinline__ int part_begin(int k_tiles, int part) {
  return part * (k_tiles / cluster_k) + min(part, k_tiles % cluster_k);
}

// The divisions in here, four in a row that wait for each other, take as long as a small tile's
// whole epilogue. So this is called where something else is awaited meanwhile.
__device__ __forceinline__ tile_origin origin_of(const work_list &list, unsigned tile) {
  const unsigned per_batch = list.tiles_m * list.tiles_n;
  const tile_coord at = rasterise(tile % per_batch, list.tiles_m, list.tiles_n);
//@ if turns_pairs
  // Two pairs of CTAs share the rows of four tiles: the first CTAs of both pairs have the first
  // two, in the order of the pairs, the second CTAs the last two.
  const int cta = at.m * cluster_m + list.rank_m, pair = cta / 2;
  const int m0 = (pair / 2 * 4 + cta % 2 * 2 + pair % 2) * tile_m;
//@ else
  const int m0 = (cluster_m == 1 ? at.m : at.m * cluster_m + list.rank_m) * tile_m;
//@ end
//@ if turns_columns
  // Of so many tiles the first halves lie beside each other, then the second halves.
  const int turn = cluster_n == 1 ? at.n : at.n * cluster_n + list.rank_n;
  const int n0 = turn / turned_tiles * turned_tiles * tile_n + turn % turned_tiles * warp_columns;
//@ else
  const int n0 = (cluster_n == 1 ? at.n : at.n * cluster_n + list.rank_n) * tile_n;
//@ end
  tile_origin origin = {m0, n0, int(tile / per_batch)${half_of_origin}};
  forget(origin.m0);
  forget(origin.n0);
  forget(origin.batch);
  return origin;
}

__device__ __forceinline__ tile_origin locate(const work_list &list, unsigned tile) {
//@ insert first_origin
  return origin_of(list, tile);
}

__device__ __forceinline__ work_list list_work(int64 m, int64 n, int64 k, int64 batch) {
  work_list list;
//@ if turns_pairs
  const int64 pairs = (m + 4 * tile_m - 1) / (4 * tile_m) + (m + 3 * tile_m - 1) / (4 * tile_m);
  list.tiles_m = unsigned((pairs + cluster_m / 2 - 1) / (cluster_m / 2));
//@ else
  list.tiles_m = unsigned((m + cluster_m * tile_m - 1) / (cluster_m * tile_m));
//@ end
//@ if turns_columns
  constexpr int turned = turned_tiles * tile_n;
  const int64 begun = (n % turned + warp_columns - 1) / warp_columns;
  const int64 tiles = n / turned * turned_tiles + min(begun, int64(turned_tiles));
  list.tiles_n = unsigned((tiles + cluster_n - 1) / cluster_n);
//@ else
  list.tiles_n = unsigned((n + cluster_n * tile_n - 1) / (cluster_n * tile_n));
//@ end
//@ insert list_lines
  return list;
}
