//@ insert banner

//@ insert types

//@ insert sizes

// ---- Layouts: where elements lie, and how the tensor core is told -------------------------------

//@ insert layouts

// ---- Instructions: the tensor core, conversions -------------------------------------------------

//@ insert mma

//@ insert conversions

constexpr int cluster_plane = cluster_m * cluster_n;  // CTAs that share operands
constexpr int cluster_size = cluster_plane * cluster_k;

//@ include sm90_instructions

//@ include sm90_roles

// ---- Everything below uses only the names above. ------------------------------------------------

// The CTA's first warpgroup is the producer: one lane of it walks the tiles and has the copy engine
// fill stages of shared memory. The others are consumers: each multiplies its rows of the tile and
// stores them. They meet at two barriers a stage: `full`, where the bytes arrive, and `empty`,
// where the consumers of every CTA that the stage is copied to say that they have read it.
//@ if both_shared
// A and B are copied to different CTAs of the cluster here, so each has an `empty` of its own. One
// barrier that counted the readers of both would not do: while a CTA that reads this one's B is
// late, one that reads its A can be a whole round of stages ahead, and its second arrival would
// stand for the late one's first.
//@ end
//
// Consumers either share each tile, or (`pingpong`) take whole tiles in turns: one stores its tile
// while the other multiplies the next. Their turns are kept by barriers: the parity of a stage's
// phase would not tell a consumer that runs a whole round of stages ahead.

constexpr int warp_size = 32;
constexpr int warps_per_group = 4;
constexpr int warpgroup_size = warp_size * warps_per_group;

// Registers are shared out evenly at launch; where that is too few for the consumers, the producer
// gives of its own.
constexpr bool moves_registers = producer_registers > 0;

constexpr int groups_per_tile = pingpong ? 1 : consumers;

static_assert(tile_m == groups_per_tile * frags_m * mma_m, "consumers have whole atoms");
static_assert(!pingpong || consumers == 2, "a turn is passed from one to the other");
static_assert(tile_n == mma_n, "a consumer's atom is as wide as the tile");
static_assert(stages >= 2, "one stage is read while another is filled");

__device__ __forceinline__ unsigned full_barrier(unsigned smem, int stage) {
  return smem + barriers_begin + 8 * stage;
}

//@ if both_shared
// Of operand 0, A, or of operand 1, B.
__device__ __forceinline__ unsigned empty_barrier(unsigned smem, int stage, int operand) {
  return smem + barriers_begin + 8 * (stages * (1 + operand) + stage);
}
//@ else
__device__ __forceinline__ unsigned empty_barrier(unsigned smem, int stage) {
  return smem + barriers_begin + 8 * (stages + stage);
}
//@ end

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

//@ if hilbert
//@ include rasterise_hilbert
//@ else
//@ include rasterise
//@ end

// What is the same for all tiles.
struct work_list {
  unsigned tiles_m, tiles_n;   // of clusters' tiles, in a batch
  unsigned tiles;              // in all
  int k_first, k_tiles;        // along K, this CTA's
  int rank_m, rank_n, rank_k;  // its place in its cluster
//@ if shares
  unsigned shared_tiles, shares;       // the first tiles are dealt in shares, the others whole
  unsigned group_tiles, group_shares;  // of those that are dealt together
  unsigned share_length;               // K tiles; one more in the first
  unsigned longer_shares;              // of each group
//@ end
//@ if fetches
  int fetch_stages;  // behind a tile's last K tile
//@ end
//@ if parts
  bool next_beside;  // the launch behind this one may begin before it ends
//@ end
};

// The K tiles of a tile, in equal parts but for one K tile.
__device__ __forceinline__ int part_begin(int k_tiles, int part) {
  return part * (k_tiles / cluster_k) + min(part, k_tiles % cluster_k);
}

__device__ __forceinline__ work_list list_work(int64 m, int64 n, int64 k, int64 batch, int rank) {
  work_list list;
  list.tiles_m = unsigned((m + cluster_m * tile_m - 1) / (cluster_m * tile_m));
  list.tiles_n = unsigned((n + cluster_n * tile_n - 1) / (cluster_n * tile_n));
  list.tiles = list.tiles_m * list.tiles_n * unsigned(batch);
  list.rank_m = rank % cluster_m;
  list.rank_n = rank / cluster_m % cluster_n;
  list.rank_k = cluster_k == 1 ? 0 : rank / cluster_plane;
  const int k_tiles = int((k + tile_k - 1) / tile_k);
  list.k_first = part_begin(k_tiles, list.rank_k);
  list.k_tiles = part_begin(k_tiles, list.rank_k + 1) - list.k_first;
  return list;
}

// Says that the launch behind this one may begin, where it had better.
__device__ __forceinline__ void admit_next(const work_list &list) {
//@ if parts
  if (list.next_beside) launch_dependents();
//@ else
  launch_dependents();
//@ end
}

// A tile's first element of D.
struct tile_origin {
  int m0, n0, batch;
};

__device__ __forceinline__ tile_origin locate(const work_list &list, unsigned tile) {
  const unsigned per_batch = list.tiles_m * list.tiles_n;
  const tile_coord at = rasterise(tile % per_batch, list.tiles_m, list.tiles_n);
  return {(at.m * cluster_m + list.rank_m) * tile_m, (at.n * cluster_n + list.rank_n) * tile_n,
          int(tile / per_batch)};
}

//@ if shares
//@ include sm90_shares
//@ else
struct work_item {
  unsigned tile;
  int k_first, k_tiles;  // the K tiles to be multiplied
};

// This cluster's tiles, one after the other; every role walks the same.
struct work_walk {
  unsigned tile = blockIdx.x / cluster_size;  // the next one

  __device__ __forceinline__ bool more(const work_list &list) const { return tile < list.tiles; }

  __device__ __forceinline__ work_item next(const work_list &list) {
    const work_item item = {tile, list.k_first, list.k_tiles};
    tile += gridDim.x / cluster_size;
    return item;
  }
};
//@ end

//@ if parts
//@ include sm90_parts
//@ end

//@ include sm90_boxes

//@ include sm90_load

// ---- The producer -------------------------------------------------------------------------------

//@ if lines
//@ include sm90_lines
//@ else
constexpr int full_arrivals = 1;

__device__ __forceinline__ void await_empty(unsigned smem, const ring_position &write) {
//@ if both_shared
  // Both before the expectation: without it the stage's phase cannot end, and so no consumer can be
  // another round ahead when this thread looks at the parity of the second.
  mbarrier_wait(empty_barrier(smem, write.stage, 0), write.parity);
  mbarrier_wait(empty_barrier(smem, write.stage, 1), write.parity);
//@ else
  mbarrier_wait(empty_barrier(smem, write.stage), write.parity);
//@ end
}

//@ if fetches
//@ include sm90_fetch

__device__ __forceinline__ void produce(const tensor_map &map_a, const tensor_map &map_b,
                                        const fetch_maps &maps, const work_list &list,
                                        unsigned smem) {
//@ else
__device__ __forceinline__ void produce(const tensor_map &map_a, const tensor_map &map_b,
                                        const work_list &list, unsigned smem) {
//@ end
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
//@ end

//@ include operations

//@ if vectors
//@ include sm90_vectors

//@ end
// ---- The consumers ------------------------------------------------------------------------------

// When a warp has read a stage, it says so to every CTA that copies to it, a lane each. This is
// where a lane arrives: at the first of that CTA's `empty` barriers; 0 where a lane has no CTA to
// tell.
__device__ __forceinline__ unsigned empty_barriers_of(const work_list &list, unsigned smem,
                                                      int lane) {
//@ if both_shared
  // A lane for each CTA that copies A here, and one for each that copies B.
  const int operand = lane / cluster_plane, cta = lane % cluster_plane;
  if (operand == 0 ? cta % cluster_m != list.rank_m
                   : operand > 1 || cta / cluster_m != list.rank_n)
    return 0;
  return in_cta(empty_barrier(smem, 0, operand), cta + list.rank_k * cluster_plane);
//@ else
  if (lane >= cluster_plane) return 0;
  return in_cta(empty_barrier(smem, 0), lane + list.rank_k * cluster_plane);
//@ end
}

__device__ __forceinline__ void release(unsigned empty_barriers, int stage) {
  if (empty_barriers != 0) mbarrier_arrive(empty_barriers + 8 * stage);
}

__device__ __forceinline__ void init_barriers(unsigned smem) {
  constexpr int readers = groups_per_tile * warps_per_group;  // of a CTA
  for (int stage = 0; stage < stages; ++stage) {
    mbarrier_init(full_barrier(smem, stage), full_arrivals);
//@ if both_shared
    mbarrier_init(empty_barrier(smem, stage, 0), cluster_n * readers);
    mbarrier_init(empty_barrier(smem, stage, 1), cluster_m * readers);
//@ else
    mbarrier_init(empty_barrier(smem, stage), cluster_plane * readers);
//@ end
  }
//@ if parts
  init_sum_barriers(smem);
//@ end
//@ if vectors
  init_vector_barriers(smem);
//@ end
  fence_barrier_init();
}

__device__ __forceinline__ unsigned stage_address(unsigned smem, const ring_position &at) {
  return smem + stage_begin + at.stage * stage_bytes;
}

__device__ __forceinline__ void await_stage(unsigned smem, const ring_position &read) {
  mbarrier_wait(full_barrier(smem, read.stage), read.parity);
}

// A consumer's turn to multiply ends when its last MMAs are issued; they are still running then.
__device__ __forceinline__ void await_turn(int consumer) {
  if constexpr (pingpong) named_barrier_sync(1 + consumer, consumers * warpgroup_size);
}

__device__ __forceinline__ void pass_turn(int consumer) {
  if constexpr (pingpong)
    named_barrier_arrive(1 + (consumer + 1) % consumers, consumers * warpgroup_size);
}

//@ include sm90_issue

//@ if promote
//@ include sm90_multiply_promoted
//@ else
//@ if a_in_registers
//@ include sm90_multiply_registers
//@ else
//@ include sm90_multiply
//@ end

// Waits for the last MMAs, which leaves the accumulators ready.
__device__ __forceinline__ void finish_multiply(acc_t (&tCrC)[frags_m][acc_words],
                                                const ring_position &read,
                                                unsigned empty_barriers, int k_tiles) {
  wgmma_wait<0>();
  settle(tCrC);
  if (k_tiles > 0) release(empty_barriers, read.before());
}
//@ end

//@ if fetches
// The stages that were fetched for a tile's epilogue.
struct fetched_tile {
  unsigned smem, empty_barriers;
  int first;

  __device__ __forceinline__ int place(int number) const {
    const int at = first + number;
    return at < stages ? at : at - stages;
  }

  __device__ __forceinline__ unsigned stage(int number) const {
    return smem + stage_begin + place(number) * stage_bytes;
  }

  __device__ __forceinline__ void release(int number) const {
    ::release(empty_barriers, place(number));
  }
};

static_assert(fetch_stages <= stages, "all of them are in the ring together");

// Before a turn is passed: the other consumer would else find such a stage's phase two behind the
// one that it looks for, which has the same parity.
__device__ __forceinline__ void await_fetched(unsigned smem, ring_position read, int behind) {
#pragma unroll 1
  for (int i = 0; i < behind; ++i, read.advance()) await_stage(smem, read);
}

//@ if sums
__device__ __forceinline__ void release_fetched(unsigned empty_barriers, ring_position read,
                                                int behind) {
#pragma unroll 1
  for (int i = 0; i < behind; ++i, read.advance()) release(empty_barriers, read.stage);
}
//@ end

//@ end
//@ include sm90_epilogue

// ---- The kernel ---------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const unsigned smem = unsigned(__cvta_generic_to_shared(shared_memory));
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg);
  const epilogue_operands operands = {${operand_list}};

  const int thread = int(threadIdx.x);
  const int lane = int(threadIdx.x % warp_size);
  const int warp = __shfl_sync(~0u, thread / warp_size, 0);  // known to be the same in all lanes
  const int group = warp / warps_per_group;
//@ if shares
  work_list list = list_work(m, n, k, extent_batch(batch_arg), int(cluster_rank()));
  deal(list, unsigned(shared_tiles), unsigned(group_tiles), unsigned(group_shares));
//@ else
//@ if parts
  work_list list = list_work(m, n, k, extent_batch(batch_arg), int(cluster_rank()));
  list.next_beside = next_beside != 0;
//@ else
//@ if fetches
  work_list list = list_work(m, n, k, extent_batch(batch_arg), int(cluster_rank()));
//@ else
  const work_list list = list_work(m, n, k, extent_batch(batch_arg), int(cluster_rank()));
//@ end
//@ end
//@ end
//@ if fetches
//@ if fetches_c
  list.fetch_stages = operands.beta != 0.0f ? fetch_stages : fetched_c::first_stage;
//@ else
  list.fetch_stages = fetch_stages;
//@ end
//@ end

  if (thread == 0) {
//@ if not lines_a
    prefetch_map(map_a);
//@ end
//@ if not lines_b
    prefetch_map(map_b);
//@ end
//@ if map_d
    prefetch_map(map_d);
//@ end
    init_barriers(smem);
  }
  cluster_arrive();
  await_dependencies();
  cluster_wait();

  if (group == 0) {
    if constexpr (moves_registers) give_registers_back<producer_registers>();
//@ if lines
    const load_sources from = {
//@ if lines_a
        {A, lda, batch_stride_a, int(a_k_major ? k : m), int(a_k_major ? m : k)},
//@ else
        map_a,
//@ end
//@ if lines_b
        {B, ldb, batch_stride_b, int(b_k_major ? k : n), int(b_k_major ? n : k)},
//@ else
        map_b,
//@ end
    };
    produce(from, list, smem, warp, lane);
//@ else
//@ if fetches
    const fetch_maps maps = {${fetched_maps}};
    if (warp == 0 && lane == 0) produce(map_a, map_b, maps, list, smem);
//@ else
    if (warp == 0 && lane == 0) produce(map_a, map_b, list, smem);
//@ end
//@ if vectors
    if (warp == 1) copy_vectors(operands, list, m, n, smem, lane);
//@ end
    __syncwarp();
//@ end
  } else {
    if constexpr (moves_registers) take_registers<consumer_registers>();
    const int consumer = group - 1;
    const int first_block = pingpong ? 0 : consumer * frags_m;  // of the tile's 64-row blocks
    const int turn = pingpong ? consumer : 0;
    const int turns = pingpong ? consumers : 1;
    const unsigned staging =
        smem + epi_begin + (warp - warps_per_group) * epi_buffers * epi_bytes;
    const unsigned empty_barriers = empty_barriers_of(list, smem, lane);
    ring_position read = {0, 0};
//@ if vectors
    unsigned vectors_parity = 0;
//@ end
    work_walk walk;
    if (turn == 1 && walk.more(list)) pass_turn(consumer);  // the first begins
    for (int i = 0; walk.more(list); ++i) {
      const work_item item = walk.next(list);
//@ if fetches
      const int behind = stages_behind(list, item);
      if (i % turns != turn) {
        read.skip(item.k_tiles + behind);
        continue;
      }
//@ else
      if (i % turns != turn) {
        read.skip(item.k_tiles);
        continue;
      }
//@ end
      acc_t tCrC[frags_m][acc_words];
      clear(tCrC);
      await_turn(consumer);
      multiply(tCrC, read, empty_barriers, smem, item.k_tiles, first_block);
//@ if fetches
      await_fetched(smem, read, behind);
//@ end
      if (walk.more(list)) pass_turn(consumer);
      finish_multiply(tCrC, read, empty_barriers, item.k_tiles);
//@ if shares
      const box_set boxes =
          combine(tCrC, list, item, workspace, (warp - warps_per_group) % tile_warps, lane);
//@ end
//@ if parts
      const box_set boxes = combine(tCrC, list, smem, warp - warps_per_group, lane);
//@ end

      const tile_origin at = locate(list, item.tile);
      const int row0 = at.m0 + first_block * mma_m + warp % warps_per_group * epi_m;
      epilogue_arguments arguments = {
//@ if map_d
          map_d,
//@ end
//@ if maps_aside
          ${aside_maps},
//@ end
          row0, at.n0, at.batch, m, n, D + at.batch * batch_stride_d, ldd,
          row_place(row0 - at.m0, at.m0, at.n0, m, n),
          at_tile(operands, at.batch, at.m0, at.n0),
//@ if fetches
          {smem, empty_barriers, read.stage},
//@ end
//@ if sums
          boxes,
//@ end
      };
//@ if vectors
      arguments.operands.vectors = vectors_address(smem, turn);
      mbarrier_wait(vectors_full(smem, turn), vectors_parity);
      vectors_parity ^= 1;
//@ end
//@ if sums
      if (boxes != 0) epilogue(tCrC, arguments, staging, lane);
//@ if fetches
      else release_fetched(empty_barriers, read, behind);
//@ end
//@ else
      epilogue(tCrC, arguments, staging, lane);
//@ end
//@ if fetches
      read.skip(behind);
//@ end
//@ if vectors
      __syncwarp();
      if (lane == 0) mbarrier_arrive_here(vectors_empty(smem, turn));
//@ end
    }
//@ if maps_results
    tma_store_wait_read<0>();  // shared memory outlives its last readers
//@ end
  }
}
