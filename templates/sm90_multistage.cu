//@ include sm90_header

//@ include sm90_instructions

// ---- Everything below uses only the names above. ------------------------------------------------

// Every warpgroup multiplies, and one thread also has the copy engine fill a ring of stages: it
// asks for a K tile as soon as all have read the stage that the K tile goes to.

constexpr int warp_size = 32;
constexpr int warps_per_group = 4;

static_assert(tile_m == consumers * frags_m * mma_m, "warpgroups have whole atoms");
static_assert(tile_n == mma_n, "a warpgroup's atom is as wide as the tile");

// One stage's MMAs may run while the next one's are issued; with one stage there is no next.
constexpr int pending = stages > 1 ? 1 : 0;

__device__ __forceinline__ unsigned full_barrier(unsigned smem, int stage) {
  return smem + barriers_begin + 8 * stage;
}

//@ slot rasterise

//@ include sm90_load

struct tile_origin {
  int m0, n0, batch;  // the tile's first element of D
};

__device__ __forceinline__ tile_origin locate(unsigned tile, int64 m, int64 n) {
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const unsigned per_batch = tiles_m * tiles_n;
  const tile_coord at = rasterise(tile % per_batch, tiles_m, tiles_n);
  return {at.m * tile_m, at.n * tile_n, int(tile / per_batch)};
}

// Asks for a K tile. Its bytes arrive at the stage's barrier.
__device__ __forceinline__ void load_stage(const tensor_map &map_a, const tensor_map &map_b,
                                           unsigned smem, const tile_origin &tile, int k_tile) {
  const int stage = k_tile % stages;
  const unsigned sA = smem + stage_begin + stage * stage_bytes;
  const unsigned full = full_barrier(smem, stage);
  mbarrier_expect(full, tx_bytes);
  load_tile<operand_a>(sA, map_a, full, tile.m0, k_tile, tile.batch, 0, 1);
  load_tile<operand_b>(sA + stage_bytes_a, map_b, full, tile.n0, k_tile, tile.batch, 0, 1);
}

//@ include sm90_issue

//@ include operations

//@ include sm90_epilogue

// ---- The kernel ---------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const unsigned smem = unsigned(__cvta_generic_to_shared(shared_memory));
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int k_tiles = int((extent_k(k_arg) + tile_k - 1) / tile_k);
  const tile_origin tile = locate(blockIdx.x, m, n);
  const epilogue_operands operands = {${operand_list}};

  const int thread = int(threadIdx.x);
  const int lane = int(threadIdx.x % warp_size);
  const int warp = __shfl_sync(~0u, thread / warp_size, 0);  // known to be the same in all lanes
  const int first_block = warp / warps_per_group * frags_m;

  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) mbarrier_init(full_barrier(smem, stage), 1);
    fence_barrier_init();
    for (int k_tile = 0; k_tile < min(stages, k_tiles); ++k_tile)
      load_stage(map_a, map_b, smem, tile, k_tile);
  }
  __syncthreads();

  acc_t tCrC[frags_m][acc_words];
  if (k_tiles == 0) clear(tCrC);
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const int stage = k_tile % stages;
    mbarrier_wait(full_barrier(smem, stage), k_tile / stages % 2);
    const stage_operands operands = operands_at(smem + stage_begin + stage * stage_bytes);
    issue_steps<k_steps>(tCrC, operands, first_block, 0, k_tile > 0);
    wgmma_wait<pending>();
    __syncthreads();  // all have read the K tile before this one (with one stage, this one)
    const int next = k_tile - pending + stages;
    if (thread == 0 && k_tile >= pending && next < k_tiles)
      load_stage(map_a, map_b, smem, tile, next);
  }
  wgmma_wait<0>();
  settle(tCrC);

  const int row0 = tile.m0 + first_block * mma_m + warp % warps_per_group * epi_m;
  epilogue_arguments arguments = {
      ${map_arguments}row0, tile.n0, tile.batch, m, n, D + tile.batch * batch_stride_d, ldd,
      row_place(row0 - tile.m0, tile.m0, tile.n0, m, n),
      at_tile(operands, tile.batch, tile.m0, tile.n0)};
  epilogue(tCrC, arguments, smem + epi_begin + warp * epi_buffers * epi_bytes, lane);
//@ if maps_results
  tma_store_wait_read<0>();  // shared memory outlives its last readers
//@ end
}
