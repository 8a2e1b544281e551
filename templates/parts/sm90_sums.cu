// ---- Sums that several CTAs have of a tile ------------------------------------------------------

// A warp exchanges sums only with the same warp of other CTAs, and each of its threads only with
// the same thread there. So sums lie in memory as in registers, in chunks of four words, those of a
// warp's lanes side by side. Each box of a tile's epilogue has an owner among the CTAs, which adds
// it up over all parts and stores it.

constexpr int sum_words = 4;
constexpr int fragment_chunks = acc_words / sum_words;
constexpr int chunks = frags_m * fragment_chunks;  // of a lane
constexpr int warp_boxes = frags_m * (mma_n / epi_n);
constexpr int box_chunks = chunks / warp_boxes;

// Chunks that are read at once, as registers allow.
constexpr int lane_registers =
    producer_registers > 0 ? consumer_registers : 65536 / threads / ctas_per_sm;
constexpr int spare_registers = lane_registers - frags_m * acc_words - 56;
constexpr int chunks_in_flight = spare_registers >= 128  ? 32
                                 : spare_registers >= 64 ? 16
                                 : spare_registers >= 32 ? 8
                                                         : 2;
constexpr int together = box_chunks <= chunks_in_flight       ? box_chunks
                         : box_chunks % chunks_in_flight == 0 ? chunks_in_flight
                                                              : 1;  // of a box

static_assert(acc_words % sum_words == 0, "accumulators are whole chunks");
static_assert(chunks % warp_boxes == 0, "and so are boxes");
static_assert(chunks <= 64 && box_chunks % together == 0, "what is read together is of one box");
static_assert(warp_boxes <= 64, "boxes are bits of a box_set");

//@ include add_sums

//@ include add_boxes

//@ include box_owners
