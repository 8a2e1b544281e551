//@ include sm90_header

//@ include sm90_roles

// ---- Everything below uses only the names above. ------------------------------------------------

// The CTA's first warpgroup is the producer: one lane of it walks the tiles and has the copy engine
// fill stages of shared memory. The others are consumers: each multiplies its rows of the tile and
// stores them. They meet at two barriers a stage: `full`, where the bytes arrive, and `empty`,
// where the consumers of every CTA that the stage is copied to say that they have read it.

//@ slot claims

//@ include sm90_tiles

//@ slot walk

//@ slot combine
//@ slot scales
//@ slot metadata
//@ slot map_sets

// ---- The producer -------------------------------------------------------------------------------

//@ slot produce

//@ include operations
//@ slot load_vectors
//@ slot arrive_here
//@ slot fetch_matrices

// ---- The consumers ------------------------------------------------------------------------------

// When a warp has read a stage, it tells every CTA that copies to this stage; for each such CTA one
// lane arrives at its `empty` barrier. This returns the address of the first `empty` barrier of the
// lane's CTA, or 0 where a lane has no CTA to tell.
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
  if constexpr (traced) trace_begin(smem);
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg);
  const int64 batch = extent_batch(batch_arg);
//@ insert read_scalars
//@ insert set_policy
//@ insert find_sets
  const epilogue_operands operands = {${operand_list}};

  const int thread = int(threadIdx.x);
  const int lane = int(threadIdx.x % warp_size);
  const int warp = __shfl_sync(~0u, thread / warp_size, 0);  // known to be the same in all lanes
  const int group = warp / warps_per_group;
//@ if claims_work
  const bool claims_work = warp == 1${first_cta};
  unsigned *const claims = reinterpret_cast<unsigned *>(workspace) + claims_begin;
  work_claim claim = {};
  if (claims_work) claim = begin_claim(gpcs, claims, lane);  // its atomic is under way meanwhile
//@ if clustered
  cluster_arrive();
//@ end
//@ end
  ${list_type} list = list_work(m, n, k, batch);
//@ insert fill_list

  if (thread == 0) {
//@ insert begin
    fence_barrier_init();
  }
//@ if claims_work
//@ if clustered
  cluster_wait();  // all CTAs of the cluster run: only now may others write to their memory
//@ end
  if (claims_work) tell_work(smem, claimed_work(claim, gpcs, claims, lane), lane);
  meet();  // barriers are ready, and there is work
//@ insert take_work
  await_dependencies();
//@ else
  if constexpr (cluster_size > 1) cluster_arrive();
  await_dependencies();
  if constexpr (cluster_size > 1)
    cluster_wait();  // barriers of the whole cluster are ready
  else
    __syncthreads();  // barriers are ready
//@ end

  if (group == 0) {
    if constexpr (producer_registers > 0) give_registers_back();
//@ insert run_producers
  } else {
    if constexpr (producer_registers > 0) take_registers();
//@ slot consume
  }
  if constexpr (traced) trace_end();
}
