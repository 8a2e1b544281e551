//@ include sm90_header

// ---- Everything below uses only the names above. ------------------------------------------------

// Every warpgroup multiplies, and one thread also has the copy engine fill a ring of stages: it
// asks for a K tile as soon as all have read the stage that the K tile goes to.

constexpr int warp_size = 32;
constexpr int warps_per_group = 4;

// One stage's MMAs may run while the next one's are issued; with one stage there is no next.
constexpr int pending = stages > 1 ? 1 : 0;

__device__ __forceinline__ unsigned full_barrier(unsigned smem, int stage) {
  return smem + barriers_begin + 8 * stage;
}

//@ slot rasterise

struct tile_origin {
  int m0, n0, batch;  // the tile's first element of D
//@ if finds_halves
  int half_n;  // columns of a gate's half of N
//@ end
};

//@ slot split_lines
__device__ __forceinline__ tile_origin locate(unsigned tile, int64 m, int64 n) {
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const unsigned per_batch = tiles_m * tiles_n;
  const tile_coord at = rasterise(tile % per_batch, tiles_m, tiles_n);
  return {at.m * tile_m, at.n * tile_n, int(tile / per_batch)${half_of_origin}};
}

// Asks for a K tile, whose bytes arrive at the stage's barrier. A tile of A or B lies in a stage in
// boxes, each as wide as the swizzle's pattern.
__device__ __forceinline__ void load_stage(const tensor_map &map_a, const tensor_map &map_b,
                                           unsigned smem, const tile_origin &tile, int k_tile) {
  const int stage = k_tile % stages;
  const unsigned sA = smem + stage * stage_bytes;
  const unsigned full = full_barrier(smem, stage);
  mbarrier_expect(full, tx_bytes);
  const int k0 = k_tile * tile_k;
#pragma unroll
  for (int box = 0; box < boxes_a; ++box)
    tma_load(sA + box * box_bytes_a, map_a, full, (a_k_major ? k0 : tile.m0) + box * line_a,
             a_k_major ? tile.m0 : k0, tile.batch);
#pragma unroll
  for (int box = 0; box < boxes_b; ++box)
    ${load_b}(sA + stage_bytes_a + box * box_bytes_b, map_b, full,
             ${box_b_along}, b_k_major ? tile.n0 : k0, tile.batch);
}

//@ include sm90_issue

//@ include operations

//@ include sm90_epilogue

// ---- The kernel ---------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const unsigned smem = unsigned(__cvta_generic_to_shared(shared_memory));
  if constexpr (traced) trace_begin(smem);
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int k_tiles = int((extent_k(k_arg) + tile_k - 1) / tile_k);
  const tile_origin at = locate(blockIdx.x, m, n);
//@ insert read_scalars
//@ insert set_policy
  const epilogue_operands operands = {${operand_list}};

  const int thread = int(threadIdx.x);
  const int lane = int(threadIdx.x % warp_size);
  const int warp = __shfl_sync(~0u, thread / warp_size, 0);  // known to be the same in all lanes
  const int first_block = warp / warps_per_group * frags_m;

  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) mbarrier_init(full_barrier(smem, stage), 1);
    fence_barrier_init();
    for (int k_tile = 0; k_tile < min(stages, k_tiles); ++k_tile)
      load_stage(map_a, map_b, smem, at, k_tile);
  }
  __syncthreads();
  if constexpr (prefetches)
    prefetch_operands<threads>(at_tile(operands, at.batch, at.m0, at.n0),
                               int(min(m - at.m0, int64(tile_m))),
                               int(min(n - at.n0, int64(tile_n))), thread);

  acc_t tCrC[frags_m][acc_words];
  if constexpr (traced) stamp<trace_tile>(blockIdx.x);
  if (k_tiles == 0) clear(tCrC);
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const int stage = k_tile % stages;
    mbarrier_wait(full_barrier(smem, stage), k_tile / stages % 2);
    const unsigned sA = smem + stage * stage_bytes;
    const unsigned long long desc_a = desc_a_base + descriptor_address(sA);
    const unsigned long long desc_b = desc_b_base + descriptor_address(sA + stage_bytes_a);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < k_steps; ++step)
#pragma unroll
      for (int i = 0; i < frags_m; ++i)
        mma(tCrC[i], desc_a + desc_a_step(first_block + i, step), desc_b + desc_b_step(0, step),
            k_tile > 0 || step > 0);
    wgmma_commit();
    wgmma_wait<pending>();
    if constexpr (traced) stamp<trace_await_barrier>(0);
    __syncthreads();  // all have read the K tile before this one (with one stage, this one)
    if constexpr (traced) stamp<trace_go>(0);
    const int next = k_tile - pending + stages;
    if (thread == 0 && k_tile >= pending && next < k_tiles)
      load_stage(map_a, map_b, smem, at, next);
  }
  wgmma_wait<0>();
  settle(tCrC);

  const int row0 = at.m0 + first_block * mma_m + warp % warps_per_group * epi_m;
  const epilogue_arguments arguments = {
//@ insert arguments
  };
  if constexpr (traced) stamp<trace_finish>(0);
  epilogue(tCrC, arguments, smem + epi_begin + warp * epi_buffers * epi_bytes, lane);
  if constexpr (traced) stamp<trace_finished>(0);
  // The CTA stays until the copy engine has read what it stores from shared memory.
  if constexpr (maps_results) tma_store_wait_read<0>();
  if constexpr (traced) trace_end();
}
