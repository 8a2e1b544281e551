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
//@ slot why_two_empties
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

// What is the same for all tiles.
struct work_list {
  unsigned tiles_m, tiles_n;   // of clusters' tiles, in a batch
  unsigned tiles;              // in all
  int k_first, k_tiles;        // along K, this CTA's
  int rank_m, rank_n, rank_k;  // its place in its cluster
//@ insert list_members
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
  ${if_beside}launch_dependents();
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

//@ slot walk

//@ slot combine

//@ include sm90_boxes

//@ include sm90_load

// ---- The producer -------------------------------------------------------------------------------

//@ slot produce

//@ include operations
//@ slot load_vectors

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
//@ insert init_rings
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

//@ slot multiply
//@ slot fetched

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
  ${list_type} list = list_work(m, n, k, extent_batch(batch_arg), int(cluster_rank()));
//@ insert fill_list

  if (thread == 0) {
//@ insert prefetch_maps
    init_barriers(smem);
  }
  cluster_arrive();
  await_dependencies();
  cluster_wait();

  if (group == 0) {
    if constexpr (moves_registers) give_registers_back<producer_registers>();
//@ insert run_producers
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
//@ end
      if (i % turns != turn) {
        read.skip(${item_stages});
        continue;
      }
      acc_t tCrC[frags_m][acc_words];
      ${if_unset}clear(tCrC);
      await_turn(consumer);
      multiply(tCrC, read, empty_barriers, smem, item.k_tiles, first_block);
//@ if fetches
      await_fetched(smem, read, behind);
//@ end
      if (walk.more(list)) pass_turn(consumer);
      finish_multiply(tCrC, read, empty_barriers, item.k_tiles);
//@ insert combine_boxes

      const tile_origin at = locate(list, item.tile);
      const int row0 = at.m0 + first_block * mma_m + warp % warps_per_group * epi_m;
      epilogue_arguments arguments = {
          ${map_argument}row0, at.n0, at.batch, m, n, D + at.batch * batch_stride_d, ldd,
          row_place(row0 - at.m0, at.m0, at.n0, m, n),
          at_tile(operands, at.batch, at.m0, at.n0),
//@ insert more_arguments
      };
//@ if vectors
      arguments.operands.vectors = vectors_address(smem, turn);
      mbarrier_wait(vectors_full(smem, turn), vectors_parity);
      vectors_parity ^= 1;
//@ end
      ${if_boxes}epilogue(tCrC, arguments, staging, lane);
//@ if fetches
      release_fetched(empty_barriers, read, behind);
//@ end
//@ if vectors
      __syncwarp();
      if (lane == 0) mbarrier_arrive_here(vectors_empty(smem, turn));
//@ end
    }
//@ if map_d
    tma_store_wait_read<0>();  // shared memory outlives its last readers
//@ end
  }
}
