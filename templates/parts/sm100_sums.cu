// ---- Sums that several CTAs have of a tile ------------------------------------------------------

// A warp exchanges sums only with the same warp of other CTAs, and each of its threads only with
// the same thread there. So sums lie in memory as tcgen05.ld gives them, in chunks of four words,
// those of a warp's lanes side by side. Each box of a tile's epilogue has an owner among the CTAs,
// which adds it up over all parts and stores it.

constexpr int sum_words = 4;
constexpr int warp_boxes = block_boxes * warp_blocks;
constexpr int box_chunks = acc_words / sum_words;
constexpr int chunks = warp_boxes * box_chunks;  // of a lane

// Of so many other parts a box's sums are read at once, as registers allow: 64 words of a lane.
constexpr int parts_at_once = box_chunks < 16 ? 16 / box_chunks : 1;

static_assert(acc_words % sum_words == 0, "boxes are whole chunks");
static_assert(warp_boxes <= 64, "boxes are bits of a box_set");

//@ include add_sums

//@ include box_owners
