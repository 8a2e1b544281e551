// Chunks that are read at once, as registers allow.
constexpr int lane_registers =
    threads * ctas_per_sm > 65536 / 255 ? 65536 / threads / ctas_per_sm : 255;
constexpr int spare_registers = lane_registers - chunks * 4 - 80;
constexpr int chunks_in_flight = spare_registers >= 96   ? 16
                                 : spare_registers >= 48 ? 8
                                                         : 2;
constexpr int together = box_chunks <= chunks_in_flight       ? box_chunks
                         : box_chunks % chunks_in_flight == 0 ? chunks_in_flight
                                                              : 1;  // of a box

static_assert(box_words % sum_words == 0, "boxes are whole chunks");
static_assert(chunks <= 64 && box_chunks % together == 0, "what is read together is of one box");
static_assert(warp_boxes <= 64, "boxes are bits of a box_set");

//@ include add_sums

//@ include add_boxes

//@ include box_owners
