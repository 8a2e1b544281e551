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
//@ if map_d
  const tensor_map &map_d;
//@ end
//@ if maps_aside
  const tensor_map ${aside_members};
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

// ---- A box in registers -------------------------------------------------------------------------

//@ if in_words
// Two neighbouring elements, finished, in a register.
template <class element>
__device__ __forceinline__ unsigned hold(two<element> pair) {
  unsigned word = pair.x | unsigned(pair.y) << 8 * sizeof(element);
  settle(word);  // not later
  return word;
}
//@ if splits_words

template <class element>
__device__ __forceinline__ void let_go(element (&bits)[2], unsigned word) {
  bits[0] = element(word);
  bits[1] = element(word >> 8 * sizeof(element));
}
//@ end

//@ end
//@ if in_twos
// Two neighbouring elements of 32 bits, finished.
template <class element>
__device__ __forceinline__ two<element> hold_two(two<element> pair) {
  settle(pair.x);  // not later
  settle(pair.y);
  return pair;
}
//@ if splits_twos

template <class element>
__device__ __forceinline__ void let_go(element (&bits)[2], two<element> pair) {
  bits[0] = pair.x;
  bits[1] = pair.y;
}
//@ end

//@ end
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

//@ if by_matrix
// 8x8 blocks of 16-bit elements, two down and one or two across, a word of each from a lane. A lane
// names a line of eight elements, along D's contiguous mode.
template <class result>
__device__ __forceinline__ void stage_matrices(const unsigned (&x)[epi_n / 8][2], unsigned staging,
                                               int lane) {
  constexpr int cols = epi_n % 16 == 0 ? 16 : 8;
#pragma unroll
  for (int col = 0; col < epi_n; col += cols) {
    unsigned words[cols / 4];
#pragma unroll
    for (int p = 0; p < cols / 4; ++p) words[p] = x[col / 8 + p / 2][p % 2];
    const int across = col + lane / 16 % (cols / 8) * 8;
    if constexpr (d_n_major)
      stmatrix(staging + result::offset(lane % 16, across), words);
    else
      stmatrix_transposed(staging + result::offset(lane / 8 % 2 * 8, across + lane % 8), words);
  }
}

//@ end
//@ if in_halves
// The same columns of several rows, swizzled, are in the same banks: of every other row, or of
// every other two where lines have 64 bytes. Half of the rows therefore begin with the other half
// of the columns; so each 16 lanes that store together write to all banks.
template <class result>
__device__ __forceinline__ void stage_halves(
    const two<typename result::element> (&x)[epi_n / 8][2], unsigned staging, int lane) {
  constexpr int half = epi_n / 16;
  const int row = lane / 4;
  const int late = row / (32 / epi_n) % 2;
#pragma unroll
  for (int turn = 0; turn < 2; ++turn) {
    const int first = (turn ^ late) * half * 8 + lane % 4 * 2;
#pragma unroll
    for (int g = 0; g < half; ++g) {
#pragma unroll
      for (int down = 0; down < 2; ++down) {
        const auto &early = x[turn * half + g][down], &other = x[(1 - turn) * half + g][down];
        const typename result::element bits[2] = {late ? other.x : early.x,
                                                  late ? other.y : early.y};
        st_shared_pair(staging + result::offset(row + down * 8, first + g * 8), bits);
      }
    }
  }
}

//@ end
//@ if in_pairs
template <class result, class held>
__device__ __forceinline__ void stage_pairs(const held (&x)[epi_n / 8][2], unsigned staging,
                                            int lane) {
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g)
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      typename result::element bits[2];
      let_go(bits, x[g][down]);
      st_shared_pair(staging + result::offset(lane / 4 + down * 8, g * 8 + lane % 4 * 2), bits);
    }
}

//@ end
//@ if in_ones
// Neighbouring columns are no neighbours in memory. Half of the rows begin with the second: the
// lanes' addresses are then in as many banks.
template <class result, class held>
__device__ __forceinline__ void stage_ones(const held (&x)[epi_n / 8][2], unsigned staging,
                                           int lane) {
  const int second = lane / 16;
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g) {
    const int first = g * 8 + lane % 4 * 2;
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int row = lane / 4 + down * 8;
      typename result::element bits[2];
      let_go(bits, x[g][down]);
      st_shared(staging + result::offset(row, first + second), second ? bits[1] : bits[0]);
      st_shared(staging + result::offset(row, first + 1 - second), second ? bits[0] : bits[1]);
    }
  }
}

//@ end
// ---- Storing ------------------------------------------------------------------------------------

// The buffer that is next, when what was in it has been read.
__device__ __forceinline__ unsigned await_buffer(unsigned staging, int turn, int lane) {
//@ if maps_results
  if (lane == 0) tma_store_wait_read<epi_buffers - 1>();
//@ end
  __syncwarp();
  return staging + turn % epi_buffers * epi_bytes;
}

//@ if maps_results
// Stores by the copy engine end at whole 16 bytes of a result's lines, and so does its map. The
// elements beyond are few, and only in the last boxes: lanes store them.
template <class result>
__device__ __forceinline__ void store_tail(const epilogue_arguments &arg,
                                           typename result::element *to, int64 ld, int end,
                                           int row0, int col0, unsigned staged, int lane) {
  constexpr int unit = 16 / int(sizeof(typename result::element));
  constexpr int across = d_n_major ? epi_m : epi_n;  // lines of the box
  const int first = end - (d_n_major ? col0 : row0);
  if (first < 0 || first >= (d_n_major ? epi_n : epi_m)) return;
#pragma unroll 1
  for (int i = lane; i < across * unit; i += warp_size) {
    const int row = d_n_major ? i % across : first + i / across;
    const int col = d_n_major ? first + i / across : i % across;
    if (row0 + row < arg.rows && col0 + col < arg.cols) {
      const int64 at =
          d_n_major ? (row0 + row) * ld + col0 + col : (col0 + col) * ld + row0 + row;
      ld_shared(to[at], staged + result::offset(row, col));
    }
  }
}

template <class result>
__device__ __forceinline__ void store_box(const epilogue_arguments &arg, const tensor_map &map,
                                          typename result::element *to, int64 ld, int row0,
                                          int col0, unsigned staged, int lane) {
  constexpr int unit = 16 / int(sizeof(typename result::element));
  const int rows = int(arg.rows), cols = int(arg.cols);
  const int whole_rows = d_n_major ? rows : rows / unit * unit;
  const int whole_cols = d_n_major ? cols / unit * unit : cols;
  fence_async_shared();
  __syncwarp();
  if (lane == 0) {
    if (row0 < whole_rows && col0 < whole_cols)
      tma_store(map, staged, d_n_major ? col0 : row0, d_n_major ? row0 : col0, arg.batch);
    tma_store_commit();
  }
  if (whole_rows < rows || whole_cols < cols)
    store_tail<result>(arg, to, ld, d_n_major ? whole_cols : whole_rows, row0, col0, staged, lane);
}

//@ end
//@ if stores_lines
// Lines begin anywhere. Lanes store them, neighbouring ones side by side, in units of what the
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

template <class result, class unit>
__device__ __forceinline__ void store_units(const epilogue_arguments &arg,
                                            typename result::element *to, int64 ld, int row0,
                                            int col0, unsigned staged, int lane) {
  constexpr int elements = int(sizeof(unit) / sizeof(typename result::element));
  constexpr int a_line = (d_n_major ? epi_n : epi_m) / elements;
  constexpr int all = epi_m * epi_n / elements;
  constexpr int most = 8, each = (all + warp_size - 1) / warp_size;
  constexpr int at_once = each < most ? each : most;
#pragma unroll 1
  for (int first = lane; first < all; first += at_once * warp_size) {
    unit x[at_once], *places[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int number = first + i * warp_size;
      const int along = number % a_line * elements;
      const int row = d_n_major ? number / a_line : along;
      const int col = d_n_major ? along : number / a_line;
      const bool inside = number < all && row0 + row < arg.rows && col0 + col < arg.cols;
      auto *at = to + (d_n_major ? (row0 + row) * ld + col0 + col : (col0 + col) * ld + row0 + row);
      places[i] = inside ? (unit *)at : nullptr;
      if (inside) ld_shared(x[i], staged + result::offset(row, col));
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (places[i]) *places[i] = x[i];
  }
}

template <class result>
__device__ __forceinline__ void store_lines(const epilogue_arguments &arg,
                                            typename result::element *to, int64 ld, int row0,
                                            int col0, unsigned staged, int lane) {
  using unit = typename unit_of<result::access_bytes>::type;
  __syncwarp();
  if (d_n_major ? col0 + epi_n <= arg.cols : row0 + epi_m <= arg.rows)
    store_units<result, unit>(arg, to, ld, row0, col0, staged, lane);
  else
    store_units<result, typename result::element>(arg, to, ld, row0, col0, staged, lane);
}

//@ end
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
#pragma unroll
  for (int i = 0; i < frags_m * 2; ++i)
    rows[i / 2][i % 2] = read_row(arg.operands, first.beyond(i / 2 * mma_m + i % 2 * 8, 0));
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
