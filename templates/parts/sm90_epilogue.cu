// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// A warp has 16 rows of each of its 64-row blocks. It stages them in shared memory, a box of epi_n
// columns at a time, and has the copy engine store the box while it goes on to the next box, or
// the next tile. Only lanes of one warp meet here, so that __syncwarp is enough.

static_assert(frags_m * block_boxes % epi_buffers == 0, "staging buffers take turns");

// What the epilogue reads and writes, besides the accumulators.
struct epilogue_arguments {
//@ insert map_member
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

__device__ __forceinline__ unsigned staged(unsigned staging, int row, int col) {
  return staging + smem_d(row, col) * unsigned(sizeof(d_t));
}

// Elements are staged so many columns at once. Of each eight of them a lane has two rows, eight
// apart, and two neighbours of each.
constexpr int staged_cols = ${staged_cols};

//@ slot stage_columns

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

// A box of a block's accumulators, to staging memory. `at`: the lane's first element of the box,
// `row`: the warp's first row of the tile.
__device__ __forceinline__ void stage_box(const acc_t (&acc)[acc_words],
                                          const epilogue_arguments &arg,
                                          const row_values (&rows)[2], box_values &values,
                                          tile_place at, int row, int box, unsigned staging,
                                          int lane) {
  const int first = box_column(box);
#pragma unroll
  for (int j = 0; j < epi_n; j += staged_cols) {
    d_t bits[staged_cols / 8][2][2];
#pragma unroll
    for (int g = 0; g < staged_cols / 8; ++g) {
      const int col = j + g * 8, group = col % read_n / 8;
      if (col > 0 && col % read_n == 0) read_box(values, arg.operands, at.beyond(0, col));
//@ if fetches
      if (col % read_n == 0)
        read_fetched(values.cells, arg.operands, {arg.fetched, row}, box, col, lane);
//@ end
#pragma unroll
      for (int down = 0; down < 2; ++down) {
        const int e = (first + col) / 2 + down * 2;
        const pair x =
            finish({acc_value(acc, e), acc_value(acc, e + 1)}, arg.operands,
                   at.beyond(down * 8, col), rows[down], values.cols[group],
                   values.cells[group][down]);
        d_from_values(bits[g][down], x.x, x.y);
      }
    }
    stage_columns(staging, j, bits, lane);
  }
}

//@ slot store

__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[frags_m][acc_words],
                                         const epilogue_arguments &arg, unsigned staging,
                                         int lane) {
  forget(lane);  // else the addresses below are kept in registers through the main loop
//@ if map_d
  const whole_extent whole = whole_of(arg);
  const bool has_tail = whole.rows < arg.rows || whole.cols < arg.cols;
//@ end
#pragma unroll
  for (int i = 0; i < frags_m; ++i) {
    const tile_place block = lane_place(arg.at.beyond(i * mma_m, 0), lane);
    const row_values rows[2] = {read_row(arg.operands, block),
                                read_row(arg.operands, block.beyond(8, 0))};
#pragma unroll
    for (int b = 0; b < block_boxes; ++b) {
//@ if sums
      if (!(arg.boxes >> (i * block_boxes + b) & 1)) {
//@ if map_d
        if (lane == 0) tma_store_commit();  // nothing; boxes keep their turns
//@ end
        continue;
      }
//@ end
      const tile_place at = block.beyond(0, box_column(b));
      box_values values;  // the first ones while the box before is stored
      read_box(values, arg.operands, at);
      const int row0 = arg.row0 + i * mma_m;
      const int col0 = arg.col0 + box_column(b);
      const unsigned sD = staging + (i * block_boxes + b) % epi_buffers * epi_bytes;
//@ if map_d
      if (lane == 0) tma_store_wait_read<epi_buffers - 1>();
//@ end
      __syncwarp();  // the buffer has been read
      stage_box(tCrC[i], arg, rows, values, at, arg.at.row + i * mma_m, b, sD, lane);
//@ if map_d
      fence_async_shared();
      __syncwarp();
      if (lane == 0) {
        if (row0 < whole.rows && col0 < whole.cols)
          tma_store(arg.map_d, sD, d_n_major ? col0 : row0, d_n_major ? row0 : col0, arg.batch);
        tma_store_commit();
      }
      if (has_tail) store_tail(arg, whole, row0, col0, sD, lane);
//@ else
      __syncwarp();
      store_box(arg, row0, col0, sD, lane);
//@ end
    }
  }
}
