
// What is stored of so many elements of A along K: half of each group, the last of which may end
// early.
__device__ __forceinline__ constexpr int stored(int k) {
  return (k + ${group_less_one}) / ${group} * ${group_stored};
}

// Metadata says which elements of A are stored. A tile of it is 128 rows by metadata_k of K, 2048
// bytes; of 16 rows there are 16 lines of 16 bytes, words of which are what a lane hands to an MMA.
// Tiles along M lie one behind the other, and so do blocks of 16 rows.
struct metadata_loader {
  const unsigned char *g;  // this lane's first word of the matrix's first 16 rows
  int64 column_bytes;      // from a tile of metadata to the next along K
  int64 block, last;       // blocks of 16 rows: the warp's first, and the matrix's last
  int k_first;             // K tile
};

struct metadata_words {
  unsigned word[frags_m][k_steps];  // of an MMA each
};

__device__ __forceinline__ metadata_loader start_metadata(const unsigned char *of_matrix, int64 m,
                                                          int64 row, int k_first, int lane) {
  return {of_matrix + (lane % 2 * 8 + lane / 4) * 16${lane_place},
          (m + 127) / 128 * 2048, row / 16, (m - 1) / 16, k_first};
}

// Of a K tile, so many behind the first. Of rows that the matrix does not have, and which are zeros
// in shared memory, the last block's: any metadata does, but there must be some.
__device__ __forceinline__ void load_metadata(metadata_words &e, const metadata_loader &l,
                                              int k_tile) {
  const unsigned k = unsigned(l.k_first + k_tile) * tile_k;
  const unsigned char *column =
      l.g + int64(k / metadata_k) * l.column_bytes + k % metadata_k / mma_k * word_step;
#pragma unroll
  for (int i = 0; i < frags_m; ++i) {
    const unsigned char *rows = column + min(l.block + i * ${block_step}, l.last) * 256;
#pragma unroll
    for (int step = 0; step < k_steps; step += words_at_once) {
      unsigned words[words_at_once];
      ld_global_chunk<4 * words_at_once>(words, rows + step * word_step, true);
#pragma unroll
      for (int w = 0; w < words_at_once; ++w) e.word[i][step + w] = words[w];
    }
  }
}
