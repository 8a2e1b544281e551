// ---- Epilogue: accumulators through shared memory to D -----------------------------------------

// An MMA fragment scatters a row over four lanes, two elements each: storing it directly would
// write 4 or 8 bytes a lane. So each warp stages epi_m x epi_n sub-tiles of its block in shared
// memory of its own and stores them from there in 16-byte pieces of whole lines. C comes in by the
// same way, read in lines and picked up in fragments. Only lanes of one warp meet here, so that
// __syncwarp is enough.

// What the epilogue reads and writes, besides the accumulators.
struct epilogue_arguments {
  d_t *gD;  // the tile's first element
  int64 ldd;
//@ if c
  const c_t *gC;
  int64 ldc;
//@ end
  epilogue_operands operands;
};

// What the walk below must know of C and of D; `line` runs along the contiguous dimension.
//@ if c
struct matrix_c {
  using element = c_t;
  static constexpr bool n_major = c_n_major;
  static constexpr int access_bytes = access_bytes_c;
  static __device__ constexpr unsigned offset(unsigned row, unsigned col) {
    return smem_c(row, col) * unsigned(sizeof(c_t));
  }
};
//@ end

struct matrix_d {
  using element = d_t;
  static constexpr bool n_major = d_n_major;
  static constexpr int access_bytes = access_bytes_d;
  static __device__ constexpr unsigned offset(unsigned row, unsigned col) {
    return smem_d(row, col) * unsigned(sizeof(d_t));
  }
};

// A lane's share of a sub-tile in lines: the copies between global and staging memory.
template <class matrix>
struct subtile_walk {
  static constexpr int chunk_size = matrix::access_bytes / int(sizeof(typename matrix::element));
  static constexpr int lines = matrix::n_major ? epi_m : epi_n;
  static constexpr int line_size = matrix::n_major ? epi_n : epi_m;
  using deal = dealing<warp_size, lines, line_size / chunk_size, warp_size>;
  static constexpr int turns = deal::turns;

  static_assert(line_size % chunk_size == 0, "a line is whole accesses");

  int line, pos;    // this lane's first chunk
  int64 start, ld;  // its element offset in the matrix
  int lines_left, line_left;

  struct place {
    bool exists;
    int valid;  // how many of the chunk's elements exist
    int64 global;
    unsigned staged;
  };

  __device__ __forceinline__ subtile_walk(int row0, int col0, int m, int n, int64 ld_, int lane)
      : line(lane / deal::across),
        pos(lane % deal::across * chunk_size),
        start(matrix::n_major ? (row0 + line) * ld_ + (col0 + pos)
                              : (col0 + line) * ld_ + (row0 + pos)),
        ld(ld_),
        lines_left((matrix::n_major ? m - row0 : n - col0) - line),
        line_left((matrix::n_major ? n - col0 : m - row0) - pos) {}

  // `whole`: all of the sub-tile lies in the matrix.
  template <bool whole>
  __device__ __forceinline__ place at(int turn) const {
    const int down = deal::line_step(turn);
    const int along = deal::chunk_step(turn) * chunk_size;
    const int valid = whole ? chunk_size : min(chunk_size, line_left - along);
    const bool exists = deal::works(line, pos / chunk_size, turn) &&
                        (whole || (down < lines_left && valid > 0));
    return {exists, valid, start + down * ld + along,
            matrix::n_major ? matrix::offset(line + down, pos + along)
                            : matrix::offset(pos + along, line + down)};
  }
};

//@ if c
template <bool whole>
__device__ __forceinline__ void fetch_c(const c_t *C, const subtile_walk<matrix_c> &walk,
                                        unsigned staging) {
  constexpr int unroll = whole ? subtile_walk<matrix_c>::turns : 1;  // the edge need not be fast
#pragma unroll unroll
  for (int turn = 0; turn < walk.turns; ++turn) {
    const auto at = walk.template at<whole>(turn);
    if (!at.exists) continue;
    if (walk.chunk_size == 1 || at.valid == walk.chunk_size) {
      copy_global_to_shared<access_bytes_c>(staging + at.staged, C + at.global);
    } else {  // the matrix ends inside the chunk
#pragma unroll 1
      for (int e = 0; e < at.valid; ++e) {
        const unsigned dst = staging + at.staged + e * unsigned(sizeof(c_t));
        copy_global_to_shared<sizeof(c_t)>(dst, C + at.global + e);
      }
    }
  }
}

//@ end
template <bool whole>
__device__ __forceinline__ void store_d(d_t *D, const subtile_walk<matrix_d> &walk,
                                        unsigned staging) {
  constexpr int unroll = whole ? subtile_walk<matrix_d>::turns : 1;
#pragma unroll unroll
  for (int turn = 0; turn < walk.turns; ++turn) {
    const auto at = walk.template at<whole>(turn);
    if (!at.exists) continue;
    if (walk.chunk_size == 1 || at.valid == walk.chunk_size) {
      copy_shared_to_global<access_bytes_d>(D + at.global, staging + at.staged);
    } else {  // the matrix ends inside the chunk
#pragma unroll 1
      for (int e = 0; e < at.valid; ++e) {
        const unsigned src = staging + at.staged + e * unsigned(sizeof(d_t));
        copy_shared_to_global<sizeof(d_t)>(D + at.global + e, src);
      }
    }
  }
}

// Two neighbouring columns of a row, between registers and staging memory.
//@ if c
__device__ __forceinline__ two<c_t> load_c_pair(unsigned sC, int row, int col) {
  c_t bits[2];
  if constexpr (c_n_major) {
    ld_shared_pair(bits, sC + matrix_c::offset(row, col));
  } else {
    ld_shared(bits[0], sC + matrix_c::offset(row, col));
    ld_shared(bits[1], sC + matrix_c::offset(row, col + 1));
  }
  return {bits[0], bits[1]};
}

//@ end
__device__ __forceinline__ void store_d_pair(unsigned sD, int row, int col, pair x) {
  d_t bits[2];
  d_from_values(bits, x.x, x.y);
  if constexpr (d_n_major) {
    st_shared_pair(sD + matrix_d::offset(row, col), bits);
  } else {
    st_shared(sD + matrix_d::offset(row, col), bits[0]);
    st_shared(sD + matrix_d::offset(row, col + 1), bits[1]);
  }
}

// What the operations read for a lane's share of a sub-tile, in which `at` is its first element.
struct subtile_values {
  row_values rows[epi_m / 8];
  col_values cols[epi_n / mma_n];
  cell_values cells[epi_m / 8][epi_n / mma_n];
};

__device__ __forceinline__ void read_subtile(subtile_values &values, const epilogue_operands &of,
                                             tile_place at) {
#pragma unroll
  for (int i = 0; i < epi_m / 8; ++i) {
    values.rows[i] = read_row(of, at.beyond(i * 8, 0));
#pragma unroll
    for (int j = 0; j < epi_n / mma_n; ++j)
      values.cells[i][j] = read_cell(of, at.beyond(i * 8, j * mma_n));
  }
#pragma unroll
  for (int j = 0; j < epi_n / mma_n; ++j) values.cols[j] = read_col(of, at.beyond(0, j * mma_n));
}

// One sub-tile's accumulators to staging memory.
__device__ __forceinline__ void stage_subtile(const acc_frag_t (&tCrC)[frags_m][frags_n][acc_words],
                                              const subtile_values &values,
                                              const epilogue_operands &of, tile_place at,
                                              int first_i, int first_j, unsigned staging,
                                              int frag_row, int frag_col) {
#pragma unroll
  for (int i = 0; i < epi_m / mma_m; ++i) {
#pragma unroll
    for (int j = 0; j < epi_n / mma_n; ++j) {
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        const auto &acc = tCrC[first_i + i][first_j + j];
        const int half = i * 2 + e / 2;  // of 8 rows
        const pair x =
            finish({acc_value(acc, e), acc_value(acc, e + 1)}, of, at.beyond(half * 8, j * mma_n),
                   values.rows[half], values.cols[j], values.cells[half][j]);
        store_d_pair(staging, half * 8 + frag_row, j * mma_n + frag_col, x);
      }
    }
  }
}

__device__ __forceinline__ void epilogue(const acc_frag_t (&tCrC)[frags_m][frags_n][acc_words],
                                         const epilogue_arguments &arg, int row0, int col0,
                                         int rows, int cols, unsigned staging, int lane) {
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
    subtile_values values;
    read_subtile(values, arg.operands, at);
//@ if c
    if (arg.operands.beta != 0.0f) {  // else C is not read: it may be null
      const subtile_walk<matrix_c> walk(sub_row, sub_col, rows, cols, arg.ldc, lane);
      if (whole)
        fetch_c<true>(arg.gC, walk, staging);
      else
        fetch_c<false>(arg.gC, walk, staging);
      __syncwarp();
#pragma unroll
      for (int i = 0; i < epi_m / 8; ++i)
#pragma unroll
        for (int j = 0; j < epi_n / mma_n; ++j)
          values.cells[i][j].c = load_c_pair(staging, i * 8 + frag_row, j * mma_n + frag_col);
      __syncwarp();  // D's elements take the same memory
    }
//@ end
#pragma unroll
    for (int s = 0; s < subtiles; ++s)
      if (s == sub)
        stage_subtile(tCrC, values, arg.operands, at, s / across * (epi_m / mma_m),
                      s % across * (epi_n / mma_n), staging, frag_row, frag_col);
    __syncwarp();
    const subtile_walk<matrix_d> walk(sub_row, sub_col, rows, cols, arg.ldd, lane);
    if (whole)
      store_d<true>(arg.gD, walk, staging);
    else
      store_d<false>(arg.gD, walk, staging);
    __syncwarp();  // the staging memory is free again
  }
}
