// ---- Sums over rows and columns -----------------------------------------------------------------

// A tile is finished in boxes. Whoever finishes a box adds up what it has of a column, or of a row,
// and stores this part of the sum in the workspace, where each part has a place of its own. The
// parts of a few neighbouring tiles are a block. Whoever finishes the last box of a block adds up
// its parts, and whoever does the last block adds up the blocks. Both add in a fixed order, so that
// the bits of a sum do not depend on which box is finished first.
//
// Counters are in front of the workspace, and zero between launches. If there are more blocks than
// counters, several blocks share one, and whoever counts their last box adds up all of them.

//@ insert total_sizes
constexpr unsigned total_counters = ${counters};  // for blocks, and as many for groups of entries

using tile_number = ${tile_number};

// Where parts and counters are, and the tile whose boxes are finished.
struct totals_place {
  unsigned *counters;
  epi_t *parts;
  int64 m, n, batches;  // of D
  tile_number batch, tile_m, tile_n;
};

// The sums of one direction. Its entries are the columns of D, or the rows.
struct totals_side {
  unsigned *counters;
  epi_t *parts;
  int64 length;                                 // entries
  tile_number batches, along;                   // `along`: tiles along the entries
  tile_number across, across_a_block;           // tiles that an entry, and a block, goes through
  tile_number batch, tile, tile_across;         // where the box's tile is
  int tile_parts;                               // parts that a tile has of an entry
  int tile_groups, group_entries, group_boxes;  // groups in a tile; entries and boxes of each
  int sums;                                     // sums that an entry has

  // Groups are numbered along the entries of a batch, then from batch to batch.
  __device__ __forceinline__ tile_number batch_groups() const { return along * tile_groups; }
  __device__ __forceinline__ tile_number groups() const { return batches * batch_groups(); }
  __device__ __forceinline__ tile_number batch_of(tile_number group) const {
    return group / batch_groups();
  }

  // A group's entries in its batch, from the first to behind the last.
  __device__ __forceinline__ int64 first_of(tile_number group) const {
    return int64(group % batch_groups()) * group_entries;
  }
  __device__ __forceinline__ int64 end_of(tile_number group) const {
    return min(first_of(group) + group_entries, length);
  }

  // The block that this tile's group number `of_tile` belongs to. Blocks are numbered so that those
  // with fewer tiles, at the end, are the last ones.
  __device__ __forceinline__ tile_number block_of(int of_tile) const {
    const tile_number group = (batch * along + tile) * tile_groups + of_tile;
    return tile_across / across_a_block * groups() + group;
  }

  __device__ __forceinline__ tile_number blocks() const {
    return (across + across_a_block - 1) / across_a_block;
  }
  __device__ __forceinline__ int64 parts_before(tile_number block) const {
    return int64(min(block * across_a_block, across)) * tile_parts;
  }

  // The length of a line, which has a part of each entry. Lines begin at multiples of 16 bytes, so
  // that neighbouring parts can be loaded together.
  __device__ __forceinline__ int64 line() const {
    return (length + total_line - 1) / total_line * total_line;
  }

  // Where the parts of a batch's first entry are, from number `number` on.
  __device__ __forceinline__ epi_t *part_at(int64 of_batch, int64 number) const {
    return parts + (of_batch * across * tile_parts + number) * (sums * line());
  }
};

// How many of `of` things in a row have this counter together.
__device__ __forceinline__ unsigned sharing(tile_number counter, tile_number of) {
  return unsigned((of + total_counters - 1 - counter) / total_counters);
}

// Counts up, and returns whether this was the last of `of` counts. The last one then sees what the
// others stored before they counted.
__device__ __forceinline__ bool is_last(unsigned *counter, unsigned of) {
  unsigned before;
  asm volatile("atom.release.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(of - 1)
               : "memory");
  if (before != of - 1) return false;
  asm volatile("fence.acq_rel.gpu;" : : : "memory");
  return true;
}

// Counts a box, and says whether it was the last one of all blocks that share this one's counter.
__device__ __forceinline__ bool completes_block(const totals_side &side, tile_number number) {
  const tile_number counter = number % total_counters;
  const tile_number whole = side.blocks() - 1, rest = side.across - whole * side.across_a_block;
  const unsigned of_whole = sharing(counter, whole * side.groups());
  const unsigned of_rest = sharing(counter, side.blocks() * side.groups()) - of_whole;
  const unsigned tiles = unsigned(of_whole * side.across_a_block + of_rest * rest);
  return is_last(side.counters + counter, tiles * side.group_boxes);
}

// Counts a block, and says whether it was the last one of all groups that share this one's counter.
__device__ __forceinline__ bool completes_group(const totals_side &side, tile_number group) {
  const tile_number counter = group % total_counters;
  return is_last(side.counters + total_counters + counter,
                 unsigned(sharing(counter, side.groups()) * side.blocks()));
}

// Loads a part of each of `width` neighbouring entries from L2, not from L1.
template <int width>
__device__ __forceinline__ void load_parts(epi_t (&x)[width], const epi_t *from) {
  if constexpr (width == 4)
    asm volatile("ld.global.cg.v4.${part_type} {%0, %1, %2, %3}, [%4];"
                 : "=${part_register}"(x[0]), "=${part_register}"(x[1]), "=${part_register}"(x[2]),
                   "=${part_register}"(x[3])
                 : "l"(from)
                 : "memory");
  else if constexpr (width == 2)
    asm volatile("ld.global.cg.v2.${part_type} {%0, %1}, [%2];"
                 : "=${part_register}"(x[0]), "=${part_register}"(x[1])
                 : "l"(from)
                 : "memory");
  else
    asm volatile("ld.global.cg.${part_type} %0, [%1];"
                 : "=${part_register}"(x[0])
                 : "l"(from)
                 : "memory");
}

// Adds up `count` parts of each of `width` neighbouring entries.
template <int width>
__device__ __forceinline__ void add_parts(epi_t (&sum)[width], const epi_t *from, int64 step,
                                          int64 count) {
  constexpr int at_once = ${parts_held} / width;
#pragma unroll
  for (int e = 0; e < width; ++e) sum[e] = 0;
#pragma unroll 1
  for (int64 part = 0; part < count; part += at_once, from += at_once * step) {
    epi_t x[at_once][width];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
#pragma unroll
      for (int e = 0; e < width; ++e) x[i][e] = 0;
      if (part + i < count) load_parts(x[i], from + i * step);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
#pragma unroll
      for (int e = 0; e < width; ++e) sum[e] += x[i][e];
  }
}

// Adds up the parts that a block has of a group's entries. Their sum takes the first one's place.
template <int width>
__device__ __forceinline__ void add_block(const totals_side &side, tile_number group,
                                          tile_number block, int lane) {
  const int64 first = side.first_of(group), end = side.end_of(group);
  const int64 before = side.parts_before(block);
  epi_t *at = side.part_at(side.batch_of(group), before);
#pragma unroll 1
  for (int n = 0; n < side.sums; ++n, at += side.line()) {
#pragma unroll 1
    for (int64 i = first + width * lane; i < end; i += width * total_lanes) {
      epi_t sum[width];
      add_parts(sum, at + i, side.sums * side.line(), side.parts_before(block + 1) - before);
#pragma unroll
      for (int e = 0; e < width; ++e) at[i + e] = sum[e];
    }
  }
}
//@ if over_lanes

// Adds up the values of those lanes whose numbers differ only in these bits. For each bit, a lane
// gives one half of its values to another lane and gets that lane's part of its other half, so that
// both are left with half as many. If it has an odd number of values, both lanes add up all of
// them. What a lane has in the end stands in front; the number of its first value is returned.
template <int bits, int count>
__device__ __forceinline__ int add_over_lanes(epi_t (&x)[count], int lane) {
  int first = 0, left = count;
#pragma unroll
  for (int bit = 16; bit > 0; bit /= 2) {
    if (!(bits & bit)) continue;
    if (left % 2 == 0) {
      left /= 2;
      const bool upper = lane & bit;
      if (upper) first += left;
#pragma unroll
      for (int i = 0; i < count / 2; ++i) {
        if (i >= left) break;
        const epi_t given = upper ? x[i] : x[i + left];
        x[i] = (upper ? x[i + left] : x[i]) + __shfl_xor_sync(~0u, given, bit);
      }
    } else {
#pragma unroll
      for (int i = 0; i < left; ++i) x[i] += __shfl_xor_sync(~0u, x[i], bit);
    }
  }
  return first;
}
//@ end
//@ if column_sums

// Where a lane's column number j is, of those that are sent together.
__device__ __forceinline__ int col_of_total(int j) { return ${column_at_j}; }

// Adds two neighbouring columns of a row, if that is in D.
__device__ __forceinline__ void add_to_columns(pair &sum, pair x, tile_place at) {
  if (at.row < at.rows) sum = {sum.x + x.x, sum.y + x.y};
}
//@ end
//@ if row_sums

// Where a lane's row number i is, of those that are sent together.
__device__ __forceinline__ int row_of_total(int i) { return ${row_i}; }

// Adds those of two neighbouring columns that are in D.
__device__ __forceinline__ void add_to_row(epi_t &sum, pair x, tile_place at) {
  if (at.col < at.cols) sum += x.x;
  if (at.col + 1 < at.cols) sum += x.y;
}
//@ end
