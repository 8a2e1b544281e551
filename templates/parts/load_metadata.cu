// Metadata, which says where the stored elements of A belong, comes in tiles of 128 rows by 16
// bytes. A stage has those of all rows of the tile for a K step, then of the next. What lies
// outside of the tensor becomes zeros. Each CTA brings those of its own rows.
__device__ __forceinline__ void load_metadata(const tensor_map &map, unsigned stage,
                                              unsigned barrier, const tile_origin &at, int k_tile) {
  asm volatile(
      "cp.async.bulk.tensor.4d.${load_to}.global.tile.mbarrier::complete_tx::bytes"
      "${load_group} [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(stage + stage_metadata),
      "l"(&map), "r"(barrier), "r"(0), "r"(at.m0 / metadata_rows), "r"(k_tile * metadata_tiles_k),
      "r"(at.batch)
      : "memory");
}
