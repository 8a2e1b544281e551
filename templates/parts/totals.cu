// ---- Sums over rows and columns -----------------------------------------------------------------

// A tile is finished in boxes. Whoever finishes one adds up what it has of a column, or of a row,
// and stores that, a part, in the workspace, where each part has a place of its own. Then it counts
// the box; who counts the last box of a group of columns, or rows, of all tiles adds up their
// parts, in their order: so that what comes first changes no bit of a sum.
//
// Counters are in front of the workspace, and zero between launches. Of more groups than there are
// counters several have one together, and who counts the last box of all of them adds up all.

//@ insert total_sizes
constexpr unsigned total_counters = ${counters};  // of each direction

using tile_number = ${tile_number};

// Where parts and counters are, and the tile whose boxes are finished.
struct totals_place {
  unsigned *counters;
  epi_t *parts;
  int64 m, n, batches;  // of D
  tile_number batch, tile_m, tile_n;
};

// One direction: columns, or rows, are its entries.
struct totals_side {
  unsigned *counters;
  epi_t *parts;
  int64 length, all_parts;            // entries, and parts of each
  tile_number batches, tiles;         // tiles along the entries
  tile_number batch, tile;            // of the box
  int64 part;                         // the tile's first
  unsigned boxes;                     // of a group, in all tiles
  int tile_entries, tile_groups, sums;  // entries of a tile, groups of these, and sums of an entry

  // The group that has a box of the tile.
  __device__ __forceinline__ tile_number group_of(int of_tile) const {
    return (batch * tiles + tile) * tile_groups + of_tile;
  }

  // Lines of parts are of an even length, so that two neighbours are stored at once.
  __device__ __forceinline__ int64 line() const { return length + length % 2; }

  __device__ __forceinline__ epi_t *part_at(int64 of_batch, int64 number, int64 entry) const {
    return parts + (of_batch * all_parts + number) * (sums * line()) + entry;
  }
};

// Whether this box was the last one of all groups that have its group's counter. What all have
// stored before they counted is seen then.
__device__ __forceinline__ bool completes(const totals_side &side, tile_number group) {
  const tile_number groups = side.batches * side.tiles * side.tile_groups;
  const unsigned counter = unsigned(group % total_counters);
  const unsigned sharing = unsigned((groups - counter - 1) / total_counters + 1);
  const unsigned last = sharing * side.boxes - 1;
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(side.counters + counter), "r"(last)
               : "memory");
  return before == last;
}

// An entry's parts, from its first one on, past the L1 cache.
__device__ __forceinline__ epi_t add_parts(const totals_side &side, const epi_t *from) {
  constexpr int at_once = 16;
  const int64 step = side.sums * side.line();
  epi_t sum = 0;
#pragma unroll 1
  for (int64 part = 0; part < side.all_parts; part += at_once, from += at_once * step) {
    epi_t x[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      x[i] = 0;
      if (part + i < side.all_parts)
        asm volatile("ld.global.cg.${part_type} %0, [%1];"
                     : "=${part_register}"(x[i])
                     : "l"(from + i * step)
                     : "memory");
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) sum += x[i];
  }
  return sum;
}
//@ if column_sums

// Two neighbours, of which those are added that are in a row of D.
__device__ __forceinline__ void add_to_columns(pair &sum, pair x, tile_place at) {
  if (at.row < at.rows) sum = {sum.x + x.x, sum.y + x.y};
}
//@ end
//@ if row_sums

// Of two neighbours, those that are in a column of D.
__device__ __forceinline__ void add_to_row(epi_t &sum, pair x, tile_place at) {
  if (at.col < at.cols) sum += x.x;
  if (at.col + 1 < at.cols) sum += x.y;
}
//@ end
