// ---- Sums that several CTAs have of a tile ------------------------------------------------------

// A warp exchanges sums with the same warp of other CTAs alone. The thread that wrote an
// accumulator has the place of the one that reads it: sums lie in memory as in registers, four
// words of each lane, a chunk, side by side. Each box of a tile's epilogue has an owner among the
// CTAs, which adds it up over all parts and stores it.

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

//@ include sm90_add_sums

// Adds the others' sums to this warp's own boxes: of some of the others at once, so many that this
// has 64 loads at most, written out.
template <class tile_parts>
__device__ __forceinline__ void add_boxes(acc_t (&tCrC)[frags_m][acc_words], const tile_parts &of,
                                          box_set own) {
  constexpr unsigned at_once =
      chunks_in_flight / together < 64 / chunks ? chunks_in_flight / together : 64 / chunks;
#pragma unroll 1
  for (unsigned other = 0; other + 1 < of.parts; other += at_once) {
    // Else the compiler writes seven rounds out one by one, not knowing how many there are.
    if constexpr (cluster_k == 1) asm volatile("" : "+r"(other));
#pragma unroll
    for (int box = 0; box < warp_boxes; ++box) {
      if (!(own >> box & 1)) continue;
#pragma unroll
      for (int first = box * box_chunks; first < (box + 1) * box_chunks; first += together) {
        acc_t x[at_once][together][sum_words];
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i)
#pragma unroll
          for (int c = 0; c < together; ++c)
            if (i == 0 || other + i + 1 < of.parts) of.other(other + i).load(x[i][c], first + c);
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i)
#pragma unroll
          for (int w = 0; w < together * sum_words; ++w)
            if (i == 0 || other + i + 1 < of.parts)
              add(tCrC[first / fragment_chunks][first % fragment_chunks * sum_words + w],
                  x[i][w / sum_words][w % sum_words]);
      }
    }
  }
}

//@ include sm90_box_owners
