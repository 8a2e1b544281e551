// ---- Metadata of a sparse A ---------------------------------------------------------------------

//@ if half_metadata
// Metadata, which says where the stored elements of A belong, comes in tiles of 128 rows by 16
// bytes. A stage has those of the 64 rows of the tile for a K step, then of the next: blocks of 16
// rows, behind each of which there are as many zeros, being outside of the tensor. So they lie as
// an MMA of 64 rows has them in tensor memory, in half of each warp's lanes. Each CTA brings those
// of its own rows.
__device__ __forceinline__ void load_metadata(const tensor_map &map, unsigned stage,
                                              unsigned barrier, const tile_origin &at, int k_tile) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      "${load_group} [%0], [%1, {%3, %3, %4, %5, %6}], [%2];" ::"r"(stage + stage_metadata),
      "l"(&map), "r"(barrier), "r"(0), "r"(at.m0 / metadata_block_rows),
      "r"(k_tile * metadata_tiles_k), "r"(at.batch)
      : "memory");
}
//@ else
//@ include load_metadata
//@ end

// A tile to tensor memory: a row of 16 bytes to four columns of its lane. The tensor core does this
// behind the MMAs that this thread has issued and before those that it issues later. Of a pair each
// CTA's tile goes to its own tensor memory.
__device__ __forceinline__ void copy_metadata_tile(unsigned to, unsigned long long from) {
  asm volatile("tcgen05.cp.cta_group::${cta_group}.128x128b [%0], %1;" ::"r"(to), "l"(from)
               : "memory");
}

// The metadata of a stage, all of it.
__device__ __forceinline__ void copy_metadata(unsigned tmem, unsigned long long from) {
#pragma unroll
  for (int i = 0; i < metadata_tiles; ++i)
    copy_metadata_tile(tmem + metadata_column + 4 * i, from + metadata_rows * i);
}

// Where the metadata of a block of A's rows is in tensor memory, for a K step: an even column.
__device__ __forceinline__ constexpr unsigned metadata_of(int block, int step) {
  return metadata_column + 4 * (step / steps_a_tile * metadata_tiles_m + block) +
         step % steps_a_tile * (4 / steps_a_tile) / 2 * 2;
}

// In the instruction descriptor: whether it begins in the column behind that one.
__device__ __forceinline__ constexpr unsigned metadata_id(int step) {
  return step % steps_a_tile * (4 / steps_a_tile) % 2;
}
