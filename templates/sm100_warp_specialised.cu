//@ include sm90_header

//@ include sm90_roles

//@ include sm100_instructions
//@ if pair

// All threads of the pair meet, and see what the others wrote before.
__device__ __forceinline__ void meet_pair() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
//@ end

// ---- Everything below uses only the names above. ------------------------------------------------

// The first warpgroup's warps have a role each: one lane of the first walks the tiles and has the
// copy engine fill stages of shared memory, one lane of the second issues the MMAs. The warps of
// the other warpgroup read the sums from tensor memory, finish them and store them. The first two
// meet at two barriers a stage: `full`, where the bytes arrive, and `empty`, where the tensor cores
// of every CTA that the stage is copied to say that they have read it. The MMAs and their readers
// meet at two barriers a set of accumulators, of the same names.

//@ include sm90_tiles

//@ include sm100_boxes

//@ slot walk
//@ slot schedule

__device__ __forceinline__ unsigned full_sums(unsigned smem, int set) {
  return smem + sums_barriers_begin + 8 * set;
}

__device__ __forceinline__ unsigned empty_sums(unsigned smem, int set) {
  return smem + sums_barriers_begin + 8 * (accumulator_stages + set);
}

// Where a role is in the ring of accumulators. The parity of its barriers changes each round.
struct sums_position {
  int set;
  unsigned parity;

  __device__ __forceinline__ void advance() {
    if (++set < accumulator_stages) return;
    set = 0;
    parity ^= 1;
  }
};

//@ slot scales
//@ slot sparse
//@ slot a_in_tensor
//@ slot map_sets

// ---- The producer -------------------------------------------------------------------------------

//@ slot produce

// ---- The MMA issuer -----------------------------------------------------------------------------

//@ slot issue

// ---- The epilogue's warps -----------------------------------------------------------------------

//@ include operations
//@ slot load_vectors
//@ slot arrive_here
//@ slot fetch_matrices

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
//@ insert find_sets
  const epilogue_operands operands = {${operand_list}};

  const int lane = int(threadIdx.x % warp_size);
  const int warp = __shfl_sync(~0u, int(threadIdx.x) / warp_size, 0);  // the same in all lanes
  ${list_type} list = list_work(m, n, k, batch);
//@ insert fill_list

  if (threadIdx.x == 0) {
//@ insert begin
    fence_barrier_init();
  }
  if (warp == issuer) allocate_columns(smem + tmem_address_begin);
  if constexpr (cluster_size > 1) cluster_arrive();
  __syncthreads();  // barriers of this CTA are ready, and its tensor memory is
  await_dependencies();
  if constexpr (cluster_size > 1) cluster_wait();  // barriers of the whole cluster are ready
  const unsigned tmem = *(const unsigned *)(shared_memory + tmem_address_begin);

  if (warp < warps_per_group) {
//@ if moves_registers
    give_registers_back();
//@ end
//@ insert run_producers
  } else {
//@ if moves_registers
    take_registers();
//@ end
//@ slot consume
  }
//@ if pair
  meet_pair();  // tensor memory has been read, and arrivals at the other CTA are done
//@ else
  __syncthreads();  // all of tensor memory has been read
//@ end
  if (warp == issuer) free_columns(tmem);
  if constexpr (traced) trace_end();
}
