//@ slot cells

// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// A warp has 16 rows of each of its 64-row blocks. It finishes them a box of epi_n columns at a
// time, stages the box in shared memory, and has it stored while it goes on to the next box, or the
//@ if box_of_warps
// next tile. Lines of D run along its rows, of which a box therefore has those of box_warps warps:
// these meet before they stage it, when its buffer is free, and before one of them stores it.
//@ else
// next tile. Only lanes of one warp meet here, so that __syncwarp is enough.
//@ end

//@ insert results

// What the epilogue reads and writes, besides the accumulators.
struct epilogue_arguments {
//@ insert argument_members
};

__device__ __forceinline__ void clear(acc_t (&tCrC)[frags_m][acc_words]) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < acc_words; ++w) tCrC[i][w] = 0;
}

// ---- A box in registers -------------------------------------------------------------------------

//@ if gated
// Two elements, of two rows, finished, in a register.
//@ else
// Two neighbouring elements, finished, in a register.
//@ end
template <class element>
__device__ __forceinline__ unsigned hold(two<element> pair) {
  unsigned word = pair.x | unsigned(pair.y) << 8 * sizeof(element);
  asm volatile("" : "+r"(word)::"memory");  // the compiler converts here, not later
  return word;
}

//@ if gated
// A lane's share of a box: of each eight columns it has two rows, eight apart, and what the gate
// made of two neighbours of each.
//@ else
// A lane's share of a box, of each result: of each eight columns it has two rows, eight apart, and
// two neighbours of each.
//@ end
struct finished_box {
//@ insert finished_members
};

// The beginning of a row of the tile at (m0, n0), of which only a part may lie in D.
__device__ __forceinline__ tile_place row_place(int row, int m0, int n0, int64 m, int64 n) {
  return {row, 0, int(min(m - m0, int64(tile_m))), int(min(n - n0, int64(${tile_columns})))};
}

// Element e of a lane's accumulators is at row lane / 4 (+ 8 for every other pair), columns
// e / 4 * 8 + lane % 4 * 2 and + 1.
__device__ __forceinline__ tile_place lane_place(tile_place warp, int lane) {
  return warp.beyond(lane / 4, lane % 4 * ${lane_columns});
}

//@ if splits_lines
// Columns of the two halves of N, of which a tile has split_columns each by turns, are finished in
// D's order, as if they came one by one. Of each 16 such columns, eight of D, a lane has four: what
// one column of D is made of, and then what the next one is.
__device__ __forceinline__ constexpr int column_of_turn(int col) {
  return col / 16 * 16 + col / 8 % 2 * 2;
}

// The element of a lane's accumulators that is the gate there.
__device__ __forceinline__ constexpr int gate_of_turn(int col) {
  const int of_d = col / 16 * 8;
  const int gate = of_d / ${columns_of_half} * 2 * ${columns_of_half} + of_d % ${columns_of_half};
  return gate / 2 + col / 8 % 2;
}

//@ end
//@ slot scale_d

// Finishes a box of a block's accumulators. What the operations read is read for several columns at
// once, so that the loads are under way together.
// `at`: the lane's first element of the box.
// `row`: the warp's first row of the tile.
__device__ __forceinline__ void finish_box(finished_box &out, const acc_t (&acc)[acc_words],
                                           const epilogue_arguments &arg,
                                           const row_values (&rows)[2], tile_place at, int row,
                                           int box, int lane${seen_parameter}) {
  col_values cols[read_n / 8];
  cell_values cells[read_n / 8][2];
//@ if scaled_d
  pair block[scaled_block / 8][2];  // whose elements get a factor
//@ end
//@ if column_sums
  column_totals column_total[${sent_columns}];
//@ end
//@ if row_sums
  row_totals row_total[2] = {};
//@ end
#pragma unroll
  for (int col = 0; col < epi_n; col += 8) {
    const int group = col % read_n / 8;
//@ if derives
    // Without this the compiler computes derivatives of whole boxes ahead of the sums that they are
    // for, until it runs out of registers and computes what is left one by one.
    if (group == 0) __syncwarp();
//@ end
    if ((reads_col_values || (reads_cells && !reads_cell_values)) && group == 0)
#pragma unroll
      for (int j = 0; j < read_n / 8; ++j) {
        if constexpr (reads_col_values) cols[j] = read_col(arg.operands, at.beyond(0, ${read_at}));
        if constexpr (reads_cells && !reads_cell_values)
          cells[j][0] = cells[j][1] = {};  // for what is not fetched
      }
    if (reads_cell_values && group == 0) read_cells(cells, arg.operands, at.beyond(0, col));
    if (fetches && group == 0)
      read_fetched(cells, arg.operands, {arg.fetched, row}, box, col, lane);
//@ if column_sums
    const int sent = col / 8 % ${sent_columns};  // its place among those that are sent together
    column_total[sent] = {};
//@ end
//@ if repeats_columns
    // Columns that the box before this one has, too, are in that box's sums already.
    const bool repeated = box > 0 && box_column(box) + col < box_column(box - 1) + epi_n;
    row_totals left_out;
//@ end
//@ if gated
    epi_t gated[2];  // of both rows, which are converted together
//@ end
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int e = ${first_sum} + down * 2;
//@ insert aside
//@ if gated
      gated[down] = finish({acc_value(acc, e), acc_value(acc, e + ${to_partner})}, arg.operands,
                           at.beyond(down * 8, ${col_of_pair}), rows[down], cols[group],
                           cells[group][down]${and_aside}${and_seen}${and_totals});
//@ else
      const pair x = finish({acc_value(acc, e), acc_value(acc, e + 1)}, arg.operands,
                            at.beyond(down * 8, col), rows[down], cols[group],
                            cells[group][down]${and_aside}${and_seen}${and_totals});
//@ end
//@ if scaled_d
      block[col % scaled_block / 8][down] = within(x, at.beyond(0, col));
//@ end
//@ if plain_d
      d_t bits[2];
      d_from_values(bits, x.x, x.y);
//@ end
//@ if not gated
//@ insert hold_results
//@ end
    }
//@ if gated
    d_t bits[2];
    d_from_values(bits, gated[0], gated[1]);
//@ insert hold_results
//@ end
//@ if column_sums
    if (sent == ${sent_columns} - 1)
      send_columns(arg.operands, column_total, at.beyond(0, col - 8 * sent), row / epi_m,
                   lane);
//@ end
//@ if scaled_d
    if (col % scaled_block == scaled_block - 8) scale_block(out, block, col - (scaled_block - 8));
//@ end
  }
//@ if row_sums
  send_rows(arg.operands, row_total, at, ${box_across}, lane);
//@ end
}

// ---- From registers to shared memory, and to D --------------------------------------------------

//@ include sm90_staging

//@ if box_of_warps
// The warps that stage a box together meet here.
__device__ __forceinline__ void meet_at_box() {
  named_barrier_sync(box_barriers + int(threadIdx.x) / box_threads, box_threads);
}

//@ end
// Waits until what was in the next buffer has been read, and returns its address.
__device__ __forceinline__ unsigned await_buffer(unsigned staging, int turn, int lane) {
  if constexpr (maps_results)
    if (lane == 0) tma_store_wait_read<epi_buffers - 1>();
  ${meet_at_box};
  return staging + turn % epi_buffers * epi_bytes;
}

//@ include sm90_store_maps

//@ slot store_lines
//@ slot store_units
//@ slot store_packed
//@ slot store_factors

// `turn`: of the buffers, the first result's.
__device__ __forceinline__ void store_results(const epilogue_arguments &arg,
                                              const finished_box &box, int row0, int col0,
                                              unsigned staging, int turn, int lane) {
//@ if box_of_warps
  // The box has the rows of other warps, too, in front of this warp's and behind them.
  const int first_row = int(threadIdx.x) % box_threads / warp_size * epi_m;
  const int box_lane = int(threadIdx.x) % box_threads;
  row0 -= first_row;
//@ end
//@ insert store_results
}

//@ slot store_tile
