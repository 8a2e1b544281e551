// ---- Sums that several CTAs have of a tile ------------------------------------------------------

// A warp exchanges sums only with the same warp of other CTAs, and each of its threads only with
// the same thread there. So sums lie in memory as the epilogue takes them, sub-tile by sub-tile, in
// chunks of 16 bytes, those of a warp's lanes side by side. Each sub-tile, a box, has an owner
// among the CTAs, which adds it up over all parts and stores it.

constexpr int sum_words = 16 / int(sizeof(acc_t));
constexpr int box_atoms_n = epi_n / mma_n, box_atoms = epi_m / mma_m * box_atoms_n;
constexpr int box_words = box_atoms * acc_words;
constexpr int box_chunks = box_words / sum_words;
constexpr int boxes_n = warp_n / epi_n, warp_boxes = warp_m / epi_m * boxes_n;
constexpr int chunks = warp_boxes * box_chunks;  // of a lane

using tile_sums = acc_t[frags_m][frags_n][acc_words];

// The lane's sums in the order of its boxes.
__device__ __forceinline__ acc_t &sum_at(tile_sums &tCrC, int word) {
  const int box = word / box_words, atom = word % box_words / acc_words;
  return tCrC[box / boxes_n * (epi_m / mma_m) + atom / box_atoms_n]
             [box % boxes_n * box_atoms_n + atom % box_atoms_n][word % acc_words];
}

//@ include register_sums
