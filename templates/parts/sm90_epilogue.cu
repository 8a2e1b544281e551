// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// A warp has 16 rows of each of its 64-row blocks. It finishes them a box of epi_n columns at a
// time, stages the box in shared memory, and has the copy engine store it while it goes on to the
// next box, or the next tile. Only lanes of one warp meet here, so that __syncwarp is enough.
//@ if aside
// What operations store besides D leaves in the same way, in front of D's box: results take turns
// at the staging buffers.
//@ end

//@ insert results

static_assert(frags_m * block_boxes * results % epi_buffers == 0, "staging buffers take turns");

// What the epilogue reads and writes, besides the accumulators.
struct epilogue_arguments {
//@ insert map_members
  int row0, col0, batch;  // this warp's first element of D
  int64 rows, cols;       // of D
  d_t *gD;                // of this batch
  int64 ldd;
  tile_place at;  // this warp's first element of the tile
  epilogue_operands operands;
//@ insert more_members
};

__device__ __forceinline__ void clear(acc_t (&tCrC)[frags_m][acc_words]) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < acc_words; ++w) tCrC[i][w] = 0;
}

// ---- A box in registers -------------------------------------------------------------------------
//@ slot hold_words
//@ slot split_words
//@ slot hold_twos
//@ slot split_twos

// A lane's share of a box, of each result: of each eight columns it has two rows, eight apart, and
// two neighbours of each.
struct finished_box {
//@ insert finished_members
};

// The beginning of a row of the tile at m0, n0, of whose elements D may have but some.
__device__ __forceinline__ tile_place row_place(int row, int m0, int n0, int64 m, int64 n) {
  return {row, 0, int(min(m - m0, int64(tile_m))), int(min(n - n0, int64(tile_n)))};
}

// Element e of a lane's accumulators is at row lane / 4 (+ 8 for every other pair), columns
// e / 4 * 8 + lane % 4 * 2 and + 1.
__device__ __forceinline__ tile_place lane_place(tile_place warp, int lane) {
  return warp.beyond(lane / 4, lane % 4 * 2);
}

//@ slot cells

// What the operations read for a lane's share of read_n columns of a box, at once, so that the
// loads are under way together.
struct box_values {
  col_values cols[read_n / 8];
  cell_values cells[read_n / 8][2];
};

// `at`: the lane's first element of them.
__device__ __forceinline__ void read_box(box_values &values, const epilogue_operands &of,
                                         tile_place at) {
#pragma unroll
  for (int j = 0; j < read_n / 8; ++j) {
    values.cols[j] = read_col(of, at.beyond(0, j * 8));
    values.cells[j][0] = read_cell(of, at.beyond(0, j * 8));
    values.cells[j][1] = read_cell(of, at.beyond(8, j * 8));
  }
}

// A box of a block's accumulators, finished. `at`: the lane's first element of the box, `row`: the
// warp's first row of the tile.
__device__ __forceinline__ void finish_box(finished_box &out, const acc_t (&acc)[acc_words],
                                           const epilogue_arguments &arg,
                                           const row_values (&rows)[2], tile_place at, int row,
                                           int box, int lane) {
  box_values values;
#pragma unroll
  for (int col = 0; col < epi_n; col += 8) {
    const int group = col % read_n / 8;
    if (group == 0) read_box(values, arg.operands, at.beyond(0, col));
//@ if fetches
    if (group == 0) read_fetched(values.cells, arg.operands, {arg.fetched, row}, box, col, lane);
//@ end
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int e = (box_column(box) + col) / 2 + down * 2;
//@ if aside
      aside_values aside;
//@ end
      const pair x =
          finish({acc_value(acc, e), acc_value(acc, e + 1)}, arg.operands,
                 at.beyond(down * 8, col), rows[down], values.cols[group],
//@ if aside
                 values.cells[group][down], aside);
//@ else
                 values.cells[group][down]);
//@ end
      d_t bits[2];
      d_from_values(bits, x.x, x.y);
//@ insert hold_results
    }
  }
}

// ---- Staging ------------------------------------------------------------------------------------
//@ slot stage_matrices
//@ slot stage_halves
//@ slot stage_pairs
//@ slot stage_ones

// ---- Storing ------------------------------------------------------------------------------------

// The buffer that is next, when what was in it has been read.
__device__ __forceinline__ unsigned await_buffer(unsigned staging, int turn, int lane) {
//@ if maps_results
  if (lane == 0) tma_store_wait_read<epi_buffers - 1>();
//@ end
  __syncwarp();
  return staging + turn % epi_buffers * epi_bytes;
}
//@ slot store_maps
//@ slot store_units

// `turn`: of the buffers, the first result's.
__device__ __forceinline__ void store_results(const epilogue_arguments &arg,
                                              const finished_box &box, int row0, int col0,
                                              unsigned staging, int turn, int lane) {
  unsigned staged;
//@ insert store_results
}

__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[frags_m][acc_words],
                                         const epilogue_arguments &arg, unsigned staging,
                                         int lane) {
  forget(lane);  // else the addresses below are kept in registers through the main loop
  const tile_place first = lane_place(arg.at, lane);
  row_values rows[frags_m][2];
  if constexpr (reads_row_values) {
#pragma unroll
    for (int i = 0; i < frags_m * 2; ++i)
      rows[i / 2][i % 2] = read_row(arg.operands, first.beyond(i / 2 * mma_m + i % 2 * 8, 0));
  }
//@ if holds
  // All of the tile first: so the stages that were fetched for it are soon the producer's again.
  finished_box boxes[block_boxes][frags_m];
#pragma unroll
  for (int b = 0; b < block_boxes; ++b) {
#pragma unroll
    for (int i = 0; i < frags_m; ++i) {
//@ if sums
      if (!(arg.boxes >> (i * block_boxes + b) & 1)) continue;
//@ end
      finish_box(boxes[b][i], tCrC[i], arg, rows[i], first.beyond(i * mma_m, box_column(b)),
                 arg.at.row + i * mma_m, b, lane);
    }
    release_read(arg.operands, arg.fetched, b);
  }
//@ end
#pragma unroll
  for (int b = 0; b < block_boxes; ++b) {
#pragma unroll
    for (int i = 0; i < frags_m; ++i) {
//@ if sums
      if (!(arg.boxes >> (i * block_boxes + b) & 1)) {
//@ if maps_results
        for (int r = 0; lane == 0 && r < results; ++r) tma_store_commit();  // they keep their turns
//@ end
        continue;
      }
//@ end
      const int row0 = arg.row0 + i * mma_m, col0 = arg.col0 + box_column(b);
      const int turn = (b * frags_m + i) * results;
//@ if holds
      store_results(arg, boxes[b][i], row0, col0, staging, turn, lane);
//@ else
      finished_box box;
      finish_box(box, tCrC[i], arg, rows[i], first.beyond(i * mma_m, box_column(b)),
                 arg.at.row + i * mma_m, b, lane);
      store_results(arg, box, row0, col0, staging, turn, lane);
//@ end
    }
//@ if releases
    release_read(arg.operands, arg.fetched, b);
//@ end
  }
}
