// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// A warp has 16 rows of each of its 64-row blocks. It stages them in shared memory, a box of epi_n
// columns at a time, and has the copy engine store the box while it goes on to the next box, or
// the next tile. Only lanes of one warp meet here, so that __syncwarp is enough.

static_assert(frags_m * block_boxes % epi_buffers == 0, "staging buffers take turns");

// What the epilogue reads and writes, besides the accumulators.
struct epilogue_arguments {
//@ if map_d
  const tensor_map &map_d;
//@ end
  int row0, col0, batch;  // this warp's first element of D
  int64 rows, cols;       // of D
  d_t *gD;                // of this batch
  int64 ldd;
  tile_place at;  // this warp's first element of the tile
  epilogue_operands operands;
//@ if fetches
  fetched_tile fetched;
//@ end
//@ if sums
  box_set boxes;  // of this warp's, those to store
//@ end
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
//@ if in_halves
constexpr int staged_cols = epi_n;
//@ else
constexpr int staged_cols = epi_n % 16 == 0 ? 16 : 8;
//@ end

//@ if by_matrix
// 8x8 blocks of 16-bit elements, two down and one or two across from column `col`, a word of each
// from a lane. A lane names a line of eight elements, along D's contiguous mode.
__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
  unsigned words[staged_cols / 4];
#pragma unroll
  for (int p = 0; p < staged_cols / 4; ++p)
    words[p] = unsigned(x[p / 2][p % 2][0]) | unsigned(x[p / 2][p % 2][1]) << 16;
  const int across = col + lane / 16 % (staged_cols / 8) * 8;
  if constexpr (d_n_major)
    stmatrix(staged(staging, lane % 16, across), words);
  else
    stmatrix_transposed(staged(staging, lane / 8 % 2 * 8, across + lane % 8), words);
}
//@ end
//@ if in_halves
// The same columns of several rows, swizzled, are in the same banks: of every other row, or of
// every other two where lines have 64 bytes. Half of the rows therefore begin with the other half
// of the columns; so each 16 lanes that store together write to all banks.
__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
  constexpr int half = staged_cols / 16;
  const int row = lane / 4;
  const int late = row / (32 / epi_n) % 2;
#pragma unroll
  for (int turn = 0; turn < 2; ++turn) {
    const int first = col + (turn ^ late) * half * 8 + lane % 4 * 2;
#pragma unroll
    for (int g = 0; g < half; ++g) {
#pragma unroll
      for (int down = 0; down < 2; ++down) {
        const auto &early = x[turn * half + g][down], &other = x[(1 - turn) * half + g][down];
        const d_t bits[2] = {late ? other[0] : early[0], late ? other[1] : early[1]};
        st_shared_pair(staged(staging, row + down * 8, first + g * 8), bits);
      }
    }
  }
}
//@ end
//@ if in_pairs
__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
#pragma unroll
  for (int g = 0; g < staged_cols / 8; ++g)
#pragma unroll
    for (int down = 0; down < 2; ++down)
      st_shared_pair(staged(staging, lane / 4 + down * 8, col + g * 8 + lane % 4 * 2), x[g][down]);
}
//@ end
//@ if in_ones
// Neighbouring columns are no neighbours in memory. Half of the rows begin with the second: the
// lanes' addresses are then in as many banks.
__device__ __forceinline__ void stage_columns(unsigned staging, int col,
                                              const d_t (&x)[staged_cols / 8][2][2], int lane) {
  const int second = lane / 16;
#pragma unroll
  for (int g = 0; g < staged_cols / 8; ++g) {
    const int first = col + g * 8 + lane % 4 * 2;
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int row = lane / 4 + down * 8;
      const d_t(&bits)[2] = x[g][down];
      st_shared(staged(staging, row, first + second), second ? bits[1] : bits[0]);
      st_shared(staged(staging, row, first + 1 - second), second ? bits[0] : bits[1]);
    }
  }
}
//@ end

// The beginning of a row of the tile at m0, n0, of whose elements D may have but some.
__device__ __forceinline__ tile_place row_place(int row, int m0, int n0, int64 m, int64 n) {
  return {row, 0, int(min(m - m0, int64(tile_m))), int(min(n - n0, int64(tile_n)))};
}

// Element e of a lane's accumulators is at row lane / 4 (+ 8 for every other pair), columns
// e / 4 * 8 + lane % 4 * 2 and + 1.
__device__ __forceinline__ tile_place lane_place(tile_place warp, int lane) {
  return warp.beyond(lane / 4, lane % 4 * 2);
}

//@ if fetches
//@ include sm90_cells
//@ end

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

//@ if map_d
// Stores by the copy engine end at whole 16 bytes of D's lines, and so does D's map. The elements
// beyond are few, and only in the last boxes: lanes store them.
constexpr int store_unit = 16 / int(sizeof(d_t));

// What the copy engine stores.
struct whole_extent {
  int rows, cols;
};

__device__ __forceinline__ whole_extent whole_of(const epilogue_arguments &arg) {
  const int rows = int(arg.rows), cols = int(arg.cols);
  if constexpr (d_n_major) return {rows, cols / store_unit * store_unit};
  return {rows / store_unit * store_unit, cols};
}

__device__ __forceinline__ void store_tail(const epilogue_arguments &arg, whole_extent whole,
                                           int row0, int col0, unsigned sD, int lane) {
  constexpr int across = d_n_major ? epi_m : epi_n;  // lines of the box
  const int first = d_n_major ? whole.cols - col0 : whole.rows - row0;
  if (first < 0 || first >= (d_n_major ? epi_n : epi_m)) return;
#pragma unroll 1
  for (int i = lane; i < across * store_unit; i += warp_size) {
    const int row = d_n_major ? i % across : first + i / across;
    const int col = d_n_major ? first + i / across : i % across;
    if (row0 + row < arg.rows && col0 + col < arg.cols) {
      const int64 at = d_n_major ? (row0 + row) * arg.ldd + col0 + col
                                 : (col0 + col) * arg.ldd + row0 + row;
      ld_shared(arg.gD[at], staged(sD, row, col));
    }
  }
}
//@ else
// D's lines begin anywhere. Lanes store them, neighbouring ones side by side, in units of what the
// lines are aligned to; elements where a line ends within the box.
template <int bytes>
struct unit_of;
template <>
struct unit_of<1> {
  using type = unsigned char;
};
template <>
struct unit_of<2> {
  using type = unsigned short;
};
template <>
struct unit_of<4> {
  using type = int;
};
template <>
struct unit_of<8> {
  using type = long long;
};

__device__ __forceinline__ void ld_shared(long long &x, unsigned addr) {
  asm volatile("ld.shared.b64 %0, [%1];" : "=l"(x) : "r"(addr) : "memory");
}

template <class unit>
__device__ __forceinline__ void store_units(const epilogue_arguments &arg, int row0, int col0,
                                            unsigned sD, int lane) {
  constexpr int elements = int(sizeof(unit) / sizeof(d_t));
  constexpr int a_line = (d_n_major ? epi_n : epi_m) / elements;
  constexpr int all = epi_m * epi_n / elements;
  constexpr int most = 8, each = (all + warp_size - 1) / warp_size;
  constexpr int at_once = each < most ? each : most;
#pragma unroll 1
  for (int first = lane; first < all; first += at_once * warp_size) {
    unit x[at_once], *to[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int number = first + i * warp_size;
      const int along = number % a_line * elements;
      const int row = d_n_major ? number / a_line : along;
      const int col = d_n_major ? along : number / a_line;
      const bool inside = number < all && row0 + row < arg.rows && col0 + col < arg.cols;
      d_t *at = arg.gD + (d_n_major ? (row0 + row) * arg.ldd + col0 + col
                                    : (col0 + col) * arg.ldd + row0 + row);
      to[i] = inside ? (unit *)at : nullptr;
      if (inside) ld_shared(x[i], staged(sD, row, col));
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (to[i]) *to[i] = x[i];
  }
}

__device__ __forceinline__ void store_box(const epilogue_arguments &arg, int row0, int col0,
                                          unsigned sD, int lane) {
  if (d_n_major ? col0 + epi_n <= arg.cols : row0 + epi_m <= arg.rows)
    store_units<unit_of<access_bytes_d>::type>(arg, row0, col0, sD, lane);
  else
    store_units<d_t>(arg, row0, col0, sD, lane);
}
//@ end

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
