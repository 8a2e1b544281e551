// Multiplies all tiles, each copied and then multiplied: one barrier says that the tile is there,
// another that every thread has read it. K's last tile, which may be partial, comes first.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[block_m][block_n][1], loaders &l,
                                         unsigned stage, fragment_places at, int k, int k_tiles,
                                         int64 lda, int64 ldb) {
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    load(l, stage, true, even_k || k_tile > 0 ? tile_k : k - (k_tiles - 1) * tile_k);
//@ if by_registers
    put(l, stage);
//@ end
    if (k_tile == 0) rewind(l, k_tiles, lda, ldb);
    cp_async_wait<0>();
    if constexpr (traced) stamp<trace_await_barrier>(0);
    __syncthreads();
    if constexpr (traced) stamp<trace_go>(0);
#pragma unroll
    for (int step = 0; step < k_steps; ++step) {
      fragments now;
      load_fragments(now, stage, at, step);
      multiply_rows(tCrC, now, 0, block_m);
    }
    if constexpr (traced) stamp<trace_await_barrier>(0);
    __syncthreads();
    if constexpr (traced) stamp<trace_go>(0);
  }
}
