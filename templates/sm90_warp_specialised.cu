//@ include sm90_header

// ---- Instructions: between roles, CTAs of a cluster and launches --------------------------------

// The same address in another CTA of the cluster, as mbarrier_arrive takes it.
__device__ __forceinline__ unsigned in_cta(unsigned address, unsigned cta) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(cta));
  return there;
}

__device__ __forceinline__ void mbarrier_arrive(unsigned barrier) {
  if constexpr (cluster_plane == 1)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
  else
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// A barrier of the CTA's for some of its threads: those that wait and those that only arrive.
__device__ __forceinline__ void named_barrier_sync(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ __forceinline__ void named_barrier_arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of the cluster meet: they arrive, and wait for the others. Barriers that were
// initialised before are ready then, by fence_barrier_init(): to release all other writes as well
// would take a fence of the whole GPU, and there are none.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ void prefetch_map(const tensor_map &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// In a launch that may begin before the one ahead of it has ended: waits for that end, and says
// that the next one may begin. In any other launch neither does anything.
__device__ __forceinline__ void await_dependencies() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

__device__ __forceinline__ void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Registers are shared out evenly at launch; where that is too few for the consumers, the producer
// gives of its own. All warps of a warpgroup do this together.
__device__ __forceinline__ void give_registers_back() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(producer_registers));
}

__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(consumer_registers));
}

// ---- Everything below uses only the names above. ------------------------------------------------

// The CTA's first warpgroup is the producer: one lane of it walks the tiles and has the copy engine
// fill stages of shared memory. The others are consumers: each multiplies its rows of the tile and
// stores them. They meet at two barriers a stage: `full`, where the bytes arrive, and `empty`,
// where the consumers of every CTA that the stage is copied to say that they have read it.

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

// A tile's first element of D.
struct tile_origin {
  int m0, n0, batch;
};

// What is the same for all tiles.
struct work_list {
  unsigned tiles_m, tiles_n;  // clusters' tiles of D, in a batch
//@ insert list_members
};

// The K tiles of a tile, in equal parts but for one K tile.
__device__ __forceinline__ int part_begin(int k_tiles, int part) {
  return part * (k_tiles / cluster_k) + min(part, k_tiles % cluster_k);
}

// Four divisions, each waiting for the one before it: as long as a small tile's whole epilogue. So
// they are done where this is called, while something else is awaited.
__device__ __forceinline__ tile_origin origin_of(const work_list &list, unsigned tile) {
  const unsigned per_batch = list.tiles_m * list.tiles_n;
  const tile_coord at = rasterise(tile % per_batch, list.tiles_m, list.tiles_n);
  const int m0 = (cluster_m == 1 ? at.m : at.m * cluster_m + list.rank_m) * tile_m;
  const int n0 = (cluster_n == 1 ? at.n : at.n * cluster_n + list.rank_n) * tile_n;
  tile_origin origin = {m0, n0, int(tile / per_batch)};
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
  list.tiles_m = unsigned((m + cluster_m * tile_m - 1) / (cluster_m * tile_m));
  list.tiles_n = unsigned((n + cluster_n * tile_n - 1) / (cluster_n * tile_n));
//@ insert list_lines
  return list;
}

//@ slot walk

//@ slot combine

// ---- The producer -------------------------------------------------------------------------------

//@ slot produce

//@ include operations
//@ slot load_vectors

// ---- The consumers ------------------------------------------------------------------------------

// When a warp has read a stage, it says so to every CTA that copies to it, a lane each. This is
// where a lane arrives: at the first of that CTA's `empty` barriers; 0 where a lane has no CTA to
// tell.
//@ slot empty_barriers_of

__device__ __forceinline__ void release(unsigned empty_barriers, int stage) {
  if (empty_barriers != 0) mbarrier_arrive(empty_barriers + 8 * stage);
}

// Consumers take whole tiles in turns: one stores its tile while the other multiplies the next.
// Their turns are kept by barriers: the parity of a stage's phase would not tell a consumer that
// runs a whole round of stages ahead. A turn ends when its last MMAs are issued; they are still
// running then.
__device__ __forceinline__ void await_turn(int consumer) {
  named_barrier_sync(1 + consumer, consumers * warpgroup_size);
}

__device__ __forceinline__ void pass_turn(int consumer) {
  named_barrier_arrive(1 + (consumer + 1) % consumers, consumers * warpgroup_size);
}

//@ slot multiply

//@ include sm90_epilogue

// ---- The kernel ---------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const unsigned smem = unsigned(__cvta_generic_to_shared(shared_memory));
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg);
  const int64 batch = extent_batch(batch_arg);
  const epilogue_operands operands = {${operand_list}};

  const int thread = int(threadIdx.x);
  const int lane = int(threadIdx.x % warp_size);
  const int warp = __shfl_sync(~0u, thread / warp_size, 0);  // known to be the same in all lanes
  const int group = warp / warps_per_group;
  ${list_type} list = list_work(m, n, k, batch);
//@ insert fill_list

  if (thread == 0) {
//@ insert begin
    fence_barrier_init();
  }
  if constexpr (cluster_size > 1) cluster_arrive();
  await_dependencies();
  if constexpr (cluster_size > 1)
    cluster_wait();  // barriers of the whole cluster are ready
  else
    __syncthreads();  // barriers are ready

  if (group == 0) {
    if constexpr (producer_registers > 0) give_registers_back();
//@ insert run_producers
  } else {
    if constexpr (producer_registers > 0) take_registers();
//@ slot consume
  }
}
