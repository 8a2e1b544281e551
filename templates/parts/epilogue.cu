// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// An MMA fragment scatters a row over four lanes, two elements each: storing it directly would
// write 4 or 8 bytes a lane. So each warp stages epi_m x epi_n sub-tiles of its block in shared
// memory of its own and stores them from there in pieces of whole lines. Only lanes of one warp
// meet here, so that __syncwarp is enough.

// Prefetches to L2 the tile of C whose first element is at (m0, n0).
__device__ __forceinline__ void prefetch_c(const epilogue_operands &of, const c_t *C, int64 ldc,
                                           int64 m0, int64 n0, int rows, int cols, int thread) {
  if (of.beta == 0.0f) return;
  forget(ldc);
  const c_t *first = C + element_offset<c_n_major>(ldc, m0, n0);
  prefetch_matrix<c_n_major, threads>(first, ldc, rows, cols, thread);
}

// The byte offset in staging memory of an element of a matrix that is read: element `pos` of line
// `line`.
template <class staged, bool n_major, class element>
__device__ __forceinline__ unsigned lined_place(int line, int pos) {
  return (n_major ? staged::offset(line, pos) : staged::offset(pos, line)) *
         unsigned(sizeof(element));
}

// Brings a sub-tile of a matrix to staging memory, in whole lines. Its first element is at (row0,
// col0) of the CTA's tile, which has rows x cols of the matrix. All of a lane's chunks are under
// way at once.
template <class staged, bool n_major, class element>
__device__ __forceinline__ void fetch_lines(const element *tile, int64 ld, int row0, int col0,
                                            int rows, int cols, unsigned staging, int lane) {
  constexpr int chunks = staged::line_turns * staged::chunk_turns;
  constexpr int chunk_bytes = staged::access * int(sizeof(element));
  const int line = lane / staged::across;
  const int pos = lane % staged::across * staged::access;
  const element *first = tile + (n_major ? (row0 + line) * ld + (col0 + pos)
                                     : (col0 + line) * ld + (row0 + pos));
  const int lines_left = (n_major ? rows - row0 : cols - col0) - line;
  const int line_left = (n_major ? cols - col0 : rows - row0) - pos;
  unsigned x[chunks][(chunk_bytes + 3) / 4];
#pragma unroll
  for (int i = 0; i < chunks; ++i) {
    const int down = i / staged::chunk_turns * staged::line_step;
    const int along = i % staged::chunk_turns * staged::chunk_step;
    const bool works = staged::all_work || has_work<staged>(line, line + down, pos + along);
    ld_global_chunk<chunk_bytes>(
        x[i], first + (down * ld + along),
        works && down < lines_left && along + staged::access <= line_left);
  }
#pragma unroll
  for (int i = 0; i < chunks; ++i) {
    const int down = i / staged::chunk_turns * staged::line_step;
    const int along = i % staged::chunk_turns * staged::chunk_step;
    const bool works = staged::all_work || has_work<staged>(line, line + down, pos + along);
    st_shared_chunk<chunk_bytes>(
        staging + lined_place<staged, n_major, element>(line + down, pos + along), x[i], works);
  }
  if (staged::access == 1 || (n_major ? cols : rows) % staged::access == 0) return;
  // The matrix ends inside a chunk of each line.
#pragma unroll 1
  for (int i = 0; i < chunks; ++i) {
    const int down = i / staged::chunk_turns * staged::line_step;
    const int along = i % staged::chunk_turns * staged::chunk_step;
    const bool works = staged::all_work || has_work<staged>(line, line + down, pos + along);
    const int valid = works && down < lines_left ? line_left - along : 0;
    if (valid >= staged::access) continue;
#pragma unroll 1
    for (int e = 0; e < valid; ++e)
      st_shared(staging + lined_place<staged, n_major, element>(line + down, pos + along) +
                    e * unsigned(sizeof(element)),
                first[down * ld + along + e]);
  }
}

// Reads two neighbouring columns of a row of such a sub-tile from staging memory.
template <class staged, bool n_major, class element>
__device__ __forceinline__ two<element> load_lined_pair(unsigned staging, int row, int col) {
  const unsigned addr = staging + staged::offset(row, col) * unsigned(sizeof(element));
  element bits[2];
  if constexpr (n_major) {
    ld_shared_pair(bits, addr);
  } else {
    ld_shared(bits[0], addr);
    ld_shared(bits[1], staging + staged::offset(row, col + 1) * unsigned(sizeof(element)));
  }
  return {bits[0], bits[1]};
}

//@ if fours
// Reads four neighbouring columns of a row of such a sub-tile, as two pairs.
template <class staged, class element>
__device__ __forceinline__ void load_lined_four(two<element> &x, two<element> &y,
                                                unsigned staging, int row, int col) {
  element first[2], second[2];
  ld_shared_four(first, second, staging + staged::offset(row, col) * unsigned(sizeof(element)));
  x = {first[0], first[1]};
  y = {second[0], second[1]};
}

//@ end
// Stores a sub-tile of D from staging memory. Its first element is at (row0, col0) of the CTA's
// tile, which has rows x cols of the matrix. `whole` says that all of the sub-tile lies in the
// matrix.
template <bool whole>
__device__ __forceinline__ void store_d(d_t *gD, int64 ldd, int row0, int col0, int rows, int cols,
                                        unsigned staging, int lane) {
  const int line = lane / staged_d::across;
  const int pos = lane % staged_d::across * staged_d::access;
  const int64 start = d_n_major ? (row0 + line) * ldd + (col0 + pos)
                                : (col0 + line) * ldd + (row0 + pos);
  const int lines_left = (d_n_major ? rows - row0 : cols - col0) - line;
  const int line_left = (d_n_major ? cols - col0 : rows - row0) - pos;
  constexpr int unroll = !whole                       ? 1
                         : staged_d::chunk_turns == 1 ? staged_d::line_turns
                                                      : staged_d::line_turns * staged_d::chunk_turns;
#pragma unroll unroll
  for (int turn = 0; turn < staged_d::line_turns; ++turn) {
    const int down = turn * staged_d::line_step;
#pragma unroll unroll
    for (int chunk = 0; chunk < staged_d::chunk_turns; ++chunk) {
      const int along = chunk * staged_d::chunk_step;
      const int valid = whole ? staged_d::access : min(staged_d::access, line_left - along);
      const bool inside = whole || (down < lines_left && valid > 0);
      if (inside && (staged_d::all_work || has_work<staged_d>(line, line + down, pos + along))) {
        d_t *dst = gD + (start + down * ldd + along);
        const unsigned src =
            staging + (d_n_major ? staged_d::offset(line + down, pos + along)
                                 : staged_d::offset(pos + along, line + down)) *
                          unsigned(sizeof(d_t));
        if (whole || staged_d::access == 1 || valid == staged_d::access) {
          copy_shared_to_global<staged_d::access * sizeof(d_t)>(dst, src);
        } else {  // the matrix ends inside the chunk
#pragma unroll 1
          for (int e = 0; e < valid; ++e) ld_shared(dst[e], src + e * unsigned(sizeof(d_t)));
        }
      }
    }
  }
}

//@ if not gated
// Writes two neighbouring columns of a row to staging memory.
__device__ __forceinline__ void stage_d_pair(unsigned staging, int row, int col, pair x) {
  const unsigned addr = staging + staged_d::offset(row, col) * unsigned(sizeof(d_t));
  d_t bits[2];
  d_from_values(bits, x.x, x.y);
  if constexpr (d_n_major) {
    st_shared_pair(addr, bits);
  } else {
    st_shared(addr, bits[0]);
    st_shared(staging + staged_d::offset(row, col + 1) * unsigned(sizeof(d_t)), bits[1]);
  }
}

//@ end
//@ if fours_d
// Writes four neighbouring columns of a row to staging memory, given as two pairs.
__device__ __forceinline__ void stage_d_four(unsigned staging, int row, int col, pair x, pair y) {
  d_t first[2], second[2];
  d_from_values(first, x.x, x.y);
  d_from_values(second, y.x, y.y);
  st_shared_four(staging + staged_d::offset(row, col) * unsigned(sizeof(d_t)), first, second);
}

//@ end
//@ insert count_boxes
//@ slot split_turns
// Finishes a warp's block of the CTA's tile and stores it. The tile has rows x cols of D; the
// block's first element is at (row0, col0) of the tile.
__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                         ${own_boxes}const epilogue_operands &of, d_t *gD, int64 ldd,
                                         const c_t *gC, int64 ldc, int row0, int col0, int rows,
                                         int cols, unsigned staging, int lane) {
  forget(lane);  // else the addresses below are kept in registers through the main loop

  // Where an accumulator's elements are: rows ${lane_rows}, columns ${lane_columns}.
  const int frag_row = lane / 4${row_step};
  const int frag_col = lane % 4 * ${column_step};
  const bool whole = (even_m || row0 + ${warp_rows} <= rows) && (even_n || col0 + warp_n <= cols);
  constexpr int across = warp_n / epi_n;
  constexpr int subtiles = warp_m / epi_m * across;

  cell_values cell_at[epi_n / mma_n][epi_m / 8];
//@ insert seen
//@ if not shares
  if constexpr (reads_cell_values)
    read_cells(cell_at, of, {row0 + frag_row, col0 + frag_col, rows, cols});

//@ end
  // The loop is not unrolled, so that its code exists once; only accumulators, which are registers,
  // must be named by constants.
#pragma unroll 1
  for (int sub = 0; sub < subtiles; ++sub) {
//@ if shares
    if (!(boxes >> sub & 1)) continue;
//@ end
    const int sub_row = row0 + sub / across * ${sub_step};
    const int sub_col = col0 + sub % across * epi_n;
    const tile_place at = {sub_row + frag_row, sub_col + frag_col, rows, cols};
//@ if shares
    if (reads_cell_values && (sub == 0 || !(boxes >> (sub - 1) & 1))) read_cells(cell_at, of, at);
//@ end

    // What the operations read for this lane's share of the sub-tile.
    row_values row_at[epi_m / 8];
    col_values col_at[epi_n / mma_n];
    if constexpr (reads_row_values) {
#pragma unroll
      for (int i = 0; i < epi_m / 8; ++i) row_at[i] = read_row(of, at.beyond(${row_i}, 0));
    }
    if constexpr (reads_col_values) {
#pragma unroll
      for (int j = 0; j < epi_n / mma_n; ++j) col_at[j] = read_col(of, at.beyond(0, ${column_at_j}));
    }
    if constexpr (stages_c) {
      if (of.beta != 0.0f) {  // else C is not read: it may be null
        fetch_lines<staged_c, c_n_major>(gC, ldc, sub_row, sub_col, rows, cols, staging, lane);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < epi_m / 8; ++i)
#pragma unroll
//@ if fours_c
          for (int j = 0; j < epi_n / mma_n; j += 2)
            load_lined_four<staged_c>(cell_at[j][i].c, cell_at[j + 1][i].c, staging,
                                      ${row_i} + frag_row, ${column_j} + frag_col);
//@ else
          for (int j = 0; j < epi_n / mma_n; ++j)
            cell_at[j][i].c = load_lined_pair<staged_c, c_n_major, c_t>(
                staging, ${row_i} + frag_row, ${column_j} + frag_col);
//@ end
        __syncwarp();  // D's elements take the same memory
      } else {
#pragma unroll
        for (int i = 0; i < epi_m / 8; ++i)
#pragma unroll
          for (int j = 0; j < epi_n / mma_n; ++j) cell_at[j][i].c = {0, 0};
      }
    }
//@ insert lined
//@ if column_sums
    column_totals column_total[epi_n / mma_n] = {};
//@ end
//@ if row_sums
    row_totals row_total[epi_m / 8] = {};
//@ end

#pragma unroll
    for (int s = 0; s < subtiles; ++s) {
      if (s != sub) continue;
//@ if fours_d
      pair before[epi_m / 8];  // the first two of four columns
//@ end
#pragma unroll
      for (int i = 0; i < epi_m / mma_m; ++i) {
#pragma unroll
        for (int j = 0; j < epi_n / mma_n; ++j) {
//@ if gated
          epi_t gated[2] = {};  // of an MMA's halves of rows, which are converted together
//@ end
#pragma unroll
          for (int e = 0; e < ${lane_sums}; e += 2) {
//@ if two_mmas
            const auto &row_of = tCrC[s / across * (epi_m / mma_m) + i];
            const int first = s % across * (epi_n / mma_n) + ${first_of_two};  // of two MMAs
            const auto &left = row_of[first], &right = row_of[first + ${from_first}];
            const int own = e + ${own_column};  // the column of both
//@ else
            const auto &acc =
                tCrC[s / across * (epi_m / mma_m) + i][s % across * (epi_n / mma_n) + j];
//@ end
            const int half = ${half_of};  // of 8 rows
//@ if gated
            gated[half % 2] = finish(sums_are_finished
//@ else
            const pair x = finish(sums_are_finished
//@ end
                                      ? pair{${left}, ${right}}
                                      : pair{acc_value(${of_left}), acc_value(${of_right})},
                                  of, at.beyond(${row_half}, ${column_at_j}), row_at[half], col_at[j],
                                  cell_at[j][half]${and_seen}${and_totals});
//@ if not gated
//@ if fours_d
            if (j % 2 == 0)
              before[half] = x;
            else
              stage_d_four(staging, ${row_half} + frag_row, twins_column(j - 1) + frag_col,
                           before[half], x);
//@ else
            stage_d_pair(staging, ${row_half} + frag_row, ${column_j} + frag_col, x);
//@ end
//@ end
          }
//@ if gated
          d_t bits[2];
          d_from_values(bits, gated[0], gated[1]);
#pragma unroll
          for (int e = 0; e < ${lane_sums}; e += 2) {
            const int half = ${half_of};
            st_shared(staging + staged_d::offset(${row_half} + frag_row,
                                                 (${column_j} + frag_col) / 2) *
                                    unsigned(sizeof(d_t)),
                      bits[half % 2]);
          }
//@ end
        }
      }
    }
//@ if column_sums
    send_columns(of, column_total, at, sub_row / epi_m, lane);
//@ end
//@ if row_sums
    send_rows(of, row_total, at, sub_col / epi_n, lane);
//@ end
//@ if shares
    if (reads_cell_values && sub + 1 < subtiles && (boxes >> (sub + 1) & 1))
//@ else
    if (reads_cell_values && sub + 1 < subtiles)  // under way while this one is stored
//@ end
      read_cells(cell_at, of,
                 {row0 + (sub + 1) / across * ${sub_step} + frag_row,
                  col0 + (sub + 1) % across * epi_n + frag_col, rows, cols});
    __syncwarp();
    if (whole)
      store_d<true>(gD, ldd, sub_row, ${sub_col_d}, rows, ${cols_d}, staging, lane);
    else
      store_d<false>(gD, ldd, sub_row, ${sub_col_d}, rows, ${cols_d}, staging, lane);
    __syncwarp();  // the staging memory is free again
  }
//@ insert report
}
