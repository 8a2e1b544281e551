// The next tile's copies are begun over the first half of a tile's steps, some at each. All at once
// they would delay what the next steps read, since both take the same way to shared memory.
constexpr int copy_steps = (k_steps + 1) / 2;

// Copies one step's share of an operand's tile that is whole along K.
template <class op>
__device__ __forceinline__ void load_share(tile_loader &l, unsigned smem_tile, bool exists,
                                           int step) {
  load_turns<op>(l, smem_tile, exists, step * turns<op> / copy_steps,
                 (step + 1) * turns<op> / copy_steps);
}

__device__ __forceinline__ void load_at_step(loaders &l, unsigned stage, bool exists, int step) {
  if (step >= copy_steps) return;
//@ if a_by_registers
  if (step == 0) fetch_tile<operand_a>(l.gA, l.fetched_a, exists, tile_k);
//@ else
  load_share<operand_a>(l.gA, stage, exists, step);
//@ end
//@ if b_by_registers
  if (step == 0) fetch_tile<operand_b>(l.gB, l.fetched_b, exists, tile_k);
//@ else
  load_share<operand_b>(l.gB, stage + stage_begin_b, exists, step);
//@ end
  if (step == copy_steps - 1) cp_async_commit();
}

// Multiplies all tiles. While one is multiplied, the copies of the next stages - 1 are under way:
// of K's last tile, which may be partial and comes first, then of the first, the second, ... .
// Fragments are double buffered: while one step's words are multiplied, the next one's are read; at
// the end of a tile those are the next tile's first.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[block_m][block_n][1], loaders &l,
                                         unsigned stages_begin, fragment_places at, int k,
                                         int k_tiles, int64 lda, int64 ldb) {
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    const int k_left = even_k || stage > 0 ? tile_k : k - (k_tiles - 1) * tile_k;
    load(l, stages_begin + stage * stage_bytes, stage < k_tiles, k_left);
//@ if by_registers
    put(l, stages_begin + stage * stage_bytes);
//@ end
    if (stage == 0) rewind(l, k_tiles, lda, ldb);
  }
  const unsigned stages_end = stages_begin + stages * stage_bytes;
  unsigned read = stages_begin;  // the stage being read, and the one being filled
  unsigned write = stages_end - stage_bytes;
  cp_async_wait<stages - 2>();
  __syncthreads();
  fragments frag[2];
  load_fragments(frag[0], read, at, 0);

#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
#pragma unroll
    for (int step = 0; step < k_steps; ++step) {
      const fragments &now = frag[step % 2];
      fragments &next = frag[(step + 1) % 2];
      const bool last_step = step + 1 == k_steps;

      if (!last_step) load_fragments(next, read, at, step + 1);
      // The stage being filled was read in the previous tile; the barrier that ended that tile says
      // that every thread is done with it.
      load_at_step(l, write, k_tile + stages - 1 < k_tiles, step);
      if (!last_step) {
        multiply_rows(tCrC, now, 0, block_m);
        continue;
      }
      // Half of the last step covers the wait at the barrier, half the next tile's first words.
      multiply_rows(tCrC, now, 0, block_m / 2);
//@ if by_registers
      put(l, write);
//@ end
      write = read;
      read = read + stage_bytes == stages_end ? stages_begin : read + stage_bytes;
      cp_async_wait<stages - 2>();
      if constexpr (traced) stamp<trace_await_barrier>(0);
      __syncthreads();
      if constexpr (traced) stamp<trace_go>(0);
      load_fragments(next, read, at, 0);
      multiply_rows(tCrC, now, block_m / 2, block_m);
    }
    if constexpr (k_steps % 2 == 1) frag[0] = frag[1];  // the next tile begins with frag[0]
  }
  cp_async_wait<0>();
}
