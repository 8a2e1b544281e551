// ---- Sums that several CTAs have of a tile ------------------------------------------------------

// A warp exchanges sums only with the same warp of other CTAs, and each of its threads only with
// the same thread there. So sums lie in memory as the epilogue takes them, piece by piece, in
// chunks of 16 bytes, those of a warp's lanes side by side. Each box, of one or some pieces, has an
// owner among the CTAs, which adds it up over all parts and stores it.

constexpr int warp_size = 32;
constexpr int sum_words = 16 / int(sizeof(acc_t));
constexpr int piece_words = piece_m * piece_n;
constexpr int box_words = box_pieces * piece_words;
constexpr int box_chunks = box_words / sum_words;
constexpr int warp_boxes = pieces / box_pieces;
constexpr int chunks = warp_boxes * box_chunks;  // of a lane

using tile_sums = acc_t[block_m][block_n][1];

// The thread's sums in the order of its pieces.
__device__ __forceinline__ acc_t &sum_at(tile_sums &tCrC, int word) {
  const int piece = word / piece_words, in_piece = word % piece_words;
  return tCrC[piece / pieces_n * piece_m + in_piece / piece_n]
             [${column_of_word}][0];
}

//@ include register_sums
