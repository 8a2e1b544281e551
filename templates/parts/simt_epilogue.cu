// ---- Epilogue: registers to D -------------------------------------------------------------------

// A thread has vectors of vec_m x vec_n neighbouring elements, and those of a warp lie side by
// side. So what a warp stores of a line of D at once is whole sectors of memory, and nothing has to
// go through shared memory first.

// A thread's block is finished piece by piece. A piece is a vector along D's lines, in two lines at
// most.
constexpr int piece_m = d_n_major && vec_m > 2 ? 2 : vec_m;
constexpr int piece_n = !d_n_major && vec_n > 2 ? 2 : vec_n;
constexpr int pairs_n = piece_n > 1 ? piece_n / 2 : 1;  // of columns, which are finished together
//@ if gated
constexpr int line_elements = pairs_n;  // a gate makes one column of D of each two
//@ else
constexpr int line_elements = d_n_major ? piece_n : piece_m;
//@ end
constexpr int pieces_n = block_n / piece_n;
constexpr int pieces = block_m / piece_m * pieces_n;
//@ if splits_columns

// Every other vector of a thread's columns is of the second half of N, whose columns belong to
// those of the vector before it. Pieces are of D's columns in their order: the gates of a piece's
// columns, and what they multiply, by turns.
__device__ __forceinline__ constexpr int column_of_turn(int piece, int j) {
  const int vectors = piece % pieces_n / 2 * 2, half_piece = piece % pieces_n % 2;
  return (vectors + j % 2) * vec_n + half_piece * (vec_n / 2) + j / 2;
}
//@ end
//@ slot cta_shares

struct alignas(access_d * sizeof(d_t)) d_access {
  d_t x[access_d];
};

// Stores neighbouring elements of a line of D, of which the first `valid` lie in the matrix.
__device__ __forceinline__ void store_line(d_t *to, const d_t (&x)[line_elements], int valid) {
#pragma unroll
  for (int first = 0; first < line_elements; first += access_d) {
    if (first + access_d <= valid) {
      d_access whole;
#pragma unroll
      for (int e = 0; e < access_d; ++e) whole.x[e] = x[first + e];
      *reinterpret_cast<d_access *>(to + first) = whole;
    } else if (access_d > 1) {
#pragma unroll
      for (int e = 0; e < access_d; ++e)
        if (first + e < valid) to[first + e] = x[first + e];
    }
  }
}

// Where a piece begins. Where it has a single column, `cols` ends behind that one, so that it has
// no neighbour.
__device__ __forceinline__ tile_place piece_place(int thread, int piece, int rows, int cols) {
  const int i = piece / pieces_n * piece_m, j = piece % pieces_n * piece_n;
//@ if splits_columns
  const int first = int(tile_col(thread, 0) + tile_col(0, j / (2 * vec_n) * 2 * vec_n * block_m));
  const int col = 2 * column_in_half<operand_b>(first) + j % (2 * vec_n);
//@ else
  const int col = int(tile_col(thread, 0) + tile_col(0, j * block_m));
//@ end
  return {int(tile_row(thread, 0) + tile_row(0, i)), col, rows,
          piece_n > 1 ? cols : min(cols, col + 1)};
}

//@ if column_sums
// Which of the blocks below each other a thread's is, where those whose lanes add up are one.
__device__ __forceinline__ int block_above(int thread) { return ${thread_m}; }

//@ end
//@ if row_sums
// Of those beside each other.
__device__ __forceinline__ int block_before(int thread) { return ${thread_n}; }

//@ end
//@ insert count_boxes
// The CTA's tile, which has rows x cols of D; its first element is gD's.
__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[block_m][block_n][1],
                                         ${own_boxes}const epilogue_operands &of, d_t *gD, int64 ldd,
                                         int thread, int rows, int cols) {
  cell_values cell_at[pairs_n][piece_m];
//@ insert seen
//@ if not shares
  if constexpr (reads_cell_values) read_cells(cell_at, of, piece_place(thread, 0, rows, cols));

//@ end
  // The loop is not unrolled, so that its code exists once and takes few registers; only
  // accumulators, which are registers, must be named by constants.
#pragma unroll 1
  for (int piece = 0; piece < pieces; ++piece) {
//@ if shares
    if (!(boxes >> piece / box_pieces & 1)) continue;
    if (reads_cell_values && (piece == 0 || !(boxes >> (piece - 1) / box_pieces & 1)))
      read_cells(cell_at, of, piece_place(thread, piece, rows, cols));
//@ end
    acc_t acc[piece_m][piece_n][1];
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      if (p != piece) continue;
#pragma unroll
      for (int i = 0; i < piece_m; ++i)
#pragma unroll
        for (int j = 0; j < piece_n; ++j)
          acc[i][j][0] = tCrC[p / pieces_n * piece_m + i][${column_of_piece}][0];
    }
    const tile_place at = piece_place(thread, piece, rows, cols);
    col_values col_at[pairs_n];
    if constexpr (reads_col_values) {
#pragma unroll
      for (int j = 0; j < pairs_n; ++j) col_at[j] = read_col(of, at.beyond(0, 2 * j));
    }

//@ if column_sums
    column_totals column_total[pairs_n] = {};
//@ end
//@ if row_sums
    row_totals row_total[piece_m] = {};
//@ end
//@ if gated
    epi_t gated[piece_m * pairs_n];
//@ else
    d_t bits[piece_m][2 * pairs_n];
//@ end
#pragma unroll
    for (int i = 0; i < piece_m; ++i) {
      const row_values row_at = read_row(of, at.beyond(i, 0));
#pragma unroll
      for (int j = 0; j < pairs_n; ++j) {
//@ if gated
        gated[i * pairs_n + j] = finish(
            {acc_value(acc[i][2 * j], 0), acc_value(acc[i][2 * j + 1], 0)}, of,
            at.beyond(i, 2 * j), row_at, col_at[j], cell_at[j][i]${and_seen}${and_totals});
//@ else
        const pair x = finish(
            {acc_value(acc[i][2 * j], 0), acc_value(acc[i][piece_n > 1 ? 2 * j + 1 : 0], 0)}, of,
            at.beyond(i, 2 * j), row_at, col_at[j], cell_at[j][i]${and_seen}${and_totals});
        d_t two_bits[2];
        d_from_values(two_bits, x.x, x.y);
        bits[i][2 * j] = two_bits[0];
        bits[i][2 * j + 1] = two_bits[1];
//@ end
      }
    }
//@ if gated
    // Conversions come in pairs; of one alone both numbers are the same.
    constexpr int count = piece_m * pairs_n;
    d_t bits[count + count % 2];
#pragma unroll
    for (int e = 0; e < count; e += 2) {
      d_t two_bits[2];
      d_from_values(two_bits, gated[e], gated[e + 1 < count ? e + 1 : e]);
      bits[e] = two_bits[0];
      bits[e + 1] = two_bits[1];
    }
//@ end
//@ if column_sums
    send_columns(of, column_total, at,
                 block_above(thread) * (block_m / piece_m) + piece / pieces_n, thread % 32);
//@ end
//@ if row_sums
    send_rows(of, row_total, at, block_before(thread) * pieces_n + piece % pieces_n,
              thread % 32);
//@ end
//@ if shares
    if (reads_cell_values && piece + 1 < pieces && (boxes >> (piece + 1) / box_pieces & 1))
//@ else
    if (reads_cell_values && piece + 1 < pieces)  // under way while this one is stored
//@ end
      read_cells(cell_at, of, piece_place(thread, piece + 1, rows, cols));

#pragma unroll
    for (int line = 0; line < (d_n_major ? piece_m : piece_n); ++line) {
      d_t x[line_elements];
#pragma unroll
//@ if gated
      for (int e = 0; e < line_elements; ++e) x[e] = bits[line * pairs_n + e];
      const bool inside = at.row + line < rows;
      store_line(gD + ((at.row + line) * ldd + at.col / 2), x, inside ? (cols - at.col) / 2 : 0);
//@ else
      for (int e = 0; e < line_elements; ++e) x[e] = d_n_major ? bits[line][e] : bits[e][line];
      const bool inside = d_n_major ? at.row + line < rows : at.col + line < cols;
      const int left = d_n_major ? cols - at.col : rows - at.row;
      store_line(gD + (d_n_major ? (at.row + line) * ldd + at.col
                                 : (at.col + line) * ldd + at.row),
                 x, inside ? left : 0);
//@ end
    }
  }
//@ insert report
}
