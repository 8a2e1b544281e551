// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// An MMA fragment scatters a row over four lanes, two elements each: storing it directly would
// write 4 or 8 bytes a lane. So each warp stages epi_m x epi_n sub-tiles of its block in shared
// memory of its own and stores them from there in pieces of whole lines. Only lanes of one warp
// meet here, so that __syncwarp is enough.

// A sub-tile of C, whose first element is at (row0, col0) of the CTA's, to staging memory.
// `whole`: all of it lies in the matrix, of which the CTA's tile has rows x cols.
template <bool whole>
__device__ __forceinline__ void fetch_c(const c_t *gC, int64 ldc, int row0, int col0, int rows,
                                        int cols, unsigned staging, int lane) {
  const int line = lane / staged_c::across;
  const int pos = lane % staged_c::across * staged_c::access;
  const int64 start = c_n_major ? (row0 + line) * ldc + (col0 + pos)
                                : (col0 + line) * ldc + (row0 + pos);
  const int lines_left = (c_n_major ? rows - row0 : cols - col0) - line;
  const int line_left = (c_n_major ? cols - col0 : rows - row0) - pos;
  constexpr int unroll = !whole                       ? 1
                         : staged_c::chunk_turns == 1 ? staged_c::line_turns
                                                      : staged_c::line_turns * staged_c::chunk_turns;
#pragma unroll unroll
  for (int turn = 0; turn < staged_c::line_turns; ++turn) {
    const int down = turn * staged_c::line_step;
#pragma unroll unroll
    for (int chunk = 0; chunk < staged_c::chunk_turns; ++chunk) {
      const int along = chunk * staged_c::chunk_step;
      const int valid = whole ? staged_c::access : min(staged_c::access, line_left - along);
      const bool inside = whole || (down < lines_left && valid > 0);
      if (inside && (staged_c::all_work || has_work<staged_c>(line, line + down, pos + along))) {
        const c_t *src = gC + (start + down * ldc + along);
        const unsigned dst =
            staging + (c_n_major ? staged_c::offset(line + down, pos + along)
                                 : staged_c::offset(pos + along, line + down)) *
                          unsigned(sizeof(c_t));
        if (whole || staged_c::access == 1 || valid == staged_c::access) {
          copy_global_to_shared<staged_c::access * sizeof(c_t)>(dst, src);
        } else {  // the matrix ends inside the chunk
#pragma unroll 1
          for (int e = 0; e < valid; ++e) st_shared(dst + e * unsigned(sizeof(c_t)), src[e]);
        }
      }
    }
  }
}

// Two neighbouring columns of a row of it.
__device__ __forceinline__ two<c_t> load_c_pair(unsigned staging, int row, int col) {
  const unsigned addr = staging + staged_c::offset(row, col) * unsigned(sizeof(c_t));
  c_t bits[2];
  if constexpr (c_n_major && sizeof(c_t) == 2) {
    ld_shared_pair_b16(bits, addr);
  } else if constexpr (c_n_major) {
    ld_shared_pair_f32(bits, addr);
  } else {
    ld_shared(bits[0], addr);
    ld_shared(bits[1], staging + staged_c::offset(row, col + 1) * unsigned(sizeof(c_t)));
  }
  return {bits[0], bits[1]};
}

// A sub-tile of D, whose first element is at (row0, col0) of the CTA's, from staging memory.
// `whole`: all of it lies in the matrix, of which the CTA's tile has rows x cols.
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

// Two neighbouring columns of a row, to staging memory.
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

// A warp's block of the CTA's tile, which has rows x cols of D; the block's first element is at
// (row0, col0).
__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                         const epilogue_operands &of, d_t *gD, int64 ldd,
                                         const c_t *gC, int64 ldc, int row0, int col0, int rows,
                                         int cols, unsigned staging, int lane) {
  forget(lane);  // else the addresses below are kept in registers through the main loop

  // Where an accumulator's elements are: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1.
  const int frag_row = lane / 4;
  const int frag_col = lane % 4 * 2;
  const bool whole = (even_m || row0 + warp_m <= rows) && (even_n || col0 + warp_n <= cols);
  constexpr int across = warp_n / epi_n;
  constexpr int subtiles = warp_m / epi_m * across;

  // The loop is not unrolled, so that its code exists once; only accumulators, which are registers,
  // must be named by constants.
#pragma unroll 1
  for (int sub = 0; sub < subtiles; ++sub) {
    const int sub_row = row0 + sub / across * epi_m;
    const int sub_col = col0 + sub % across * epi_n;
    const tile_place at = {sub_row + frag_row, sub_col + frag_col, rows, cols};

    // What the operations read for this lane's share of the sub-tile.
    row_values row_at[epi_m / 8];
    col_values col_at[epi_n / mma_n];
    cell_values cell_at[epi_m / 8][epi_n / mma_n];
    if constexpr (reads_row_values) {
#pragma unroll
      for (int i = 0; i < epi_m / 8; ++i) row_at[i] = read_row(of, at.beyond(i * 8, 0));
    }
    if constexpr (reads_cell_values) {
#pragma unroll
      for (int i = 0; i < epi_m / 8; ++i)
#pragma unroll
        for (int j = 0; j < epi_n / mma_n; ++j)
          cell_at[i][j] = read_cell(of, at.beyond(i * 8, mma_n * j));
    }
    if constexpr (reads_col_values) {
#pragma unroll
      for (int j = 0; j < epi_n / mma_n; ++j) col_at[j] = read_col(of, at.beyond(0, mma_n * j));
    }
    if constexpr (has_c) {
      if (of.beta != 0.0f) {  // else C is not read: it may be null
        if (whole)
          fetch_c<true>(gC, ldc, sub_row, sub_col, rows, cols, staging, lane);
        else
          fetch_c<false>(gC, ldc, sub_row, sub_col, rows, cols, staging, lane);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < epi_m / 8; ++i)
#pragma unroll
          for (int j = 0; j < epi_n / mma_n; ++j)
            cell_at[i][j].c = load_c_pair(staging, i * 8 + frag_row, j * mma_n + frag_col);
        __syncwarp();  // D's elements take the same memory
      } else {
#pragma unroll
        for (int i = 0; i < epi_m / 8; ++i)
#pragma unroll
          for (int j = 0; j < epi_n / mma_n; ++j) cell_at[i][j].c = {0, 0};
      }
    }

#pragma unroll
    for (int s = 0; s < subtiles; ++s) {
      if (s != sub) continue;
#pragma unroll
      for (int i = 0; i < epi_m / mma_m; ++i) {
#pragma unroll
        for (int j = 0; j < epi_n / mma_n; ++j) {
#pragma unroll
          for (int e = 0; e < 4; e += 2) {
            const auto &acc =
                tCrC[s / across * (epi_m / mma_m) + i][s % across * (epi_n / mma_n) + j];
            const int half = i * 2 + e / 2;  // of 8 rows
            const pair x = finish(acc_words == 4
                                      ? pair{acc[e], acc[e + 1]}
                                      : pair{acc_value(acc, e), acc_value(acc, e + 1)},
                                  of, at.beyond(half * 8, mma_n * j), row_at[half], col_at[j],
                                  cell_at[half][j]);
            stage_d_pair(staging, half * 8 + frag_row, j * mma_n + frag_col, x);
          }
        }
      }
    }
    __syncwarp();
    if (whole)
      store_d<true>(gD, ldd, sub_row, sub_col, rows, cols, staging, lane);
    else
      store_d<false>(gD, ldd, sub_row, sub_col, rows, cols, staging, lane);
    __syncwarp();  // the staging memory is free again
  }
}
