//@ slot fetched

// Where a warp finds what was fetched for its rows of a block, which begin at `row` of the tile.
struct fetched_rows {
  fetched_tile tile;
  int row;
};

// Where some columns of a box of D are in a matrix that was fetched: in which of its boxes, and the
// first one's place in that.
struct cell_place {
  unsigned box;
  int row, col;
};

//@ slot locate_cells

// Loads 16-bit elements, in 8x8 matrices.
template <class matrix, class element, two<element> cell_values::*member>
__device__ __forceinline__ void load_matrices(cell_values (&cells)[read_n / 8][2],
                                              const fetched_rows &at, int box, int first,
                                              int lane, bool exists) {
#pragma unroll
  for (int j = 0; j < read_n; j += 16) {
    const cell_place place = locate_cells<matrix>(at, box, first + j);
    const int across = read_n % 16 == 0 ? lane / 16 * 8 : 0;  // else both halves read the same
    unsigned words[4];
    if constexpr (matrix::n_major)
      ldmatrix_or_zeros(words,
                        place.box + matrix::offset(place.row + lane % 16, place.col + across),
                        exists);
    else
      ldmatrix_transposed_or_zeros(words,
                                   place.box + matrix::offset(place.row + lane / 8 % 2 * 8,
                                                              place.col + across + lane % 8),
                                   exists);
#pragma unroll
    for (int p = 0; p < 4; ++p)
      if (j / 8 + p / 2 < read_n / 8)
        cells[j / 8 + p / 2][p % 2].*member = {element(words[p]), element(words[p] >> 16)};
  }
}

// Loads 32-bit elements from lines that have half of all banks, or all. Half of the rows begin with
// the second half of the line, so that the lanes' addresses are in as many banks.
template <class matrix, class element, two<element> cell_values::*member>
__device__ __forceinline__ void load_halves(cell_values (&cells)[read_n / 8][2],
                                            const fetched_rows &at, int box, int first, int lane,
                                            bool exists) {
  if (!exists) return;
  constexpr int groups = matrix::line / 8, half = groups / 2;
  const int row = lane / 4, late = row / (32 / matrix::line) % 2;
  static_assert(read_n % matrix::line == 0, "whole lines are read");
#pragma unroll
  for (int j = 0; j < read_n; j += matrix::line) {
    const cell_place place = locate_cells<matrix>(at, box, first + j);
    element x[groups][2][2];
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int down = 0; down < 2; ++down)
        ld_shared_pair(x[g][down],
                       place.box + matrix::offset(place.row + row + down * 8,
                                                  (g / half ^ late) * half * 8 + g % half * 8 +
                                                      lane % 4 * 2));
#pragma unroll
    for (int g = 0; g < groups; ++g)
#pragma unroll
      for (int down = 0; down < 2; ++down) {
        const auto &early = x[g][down], &other = x[(g + half) % groups][down];
        cells[j / 8 + g][down].*member = {late ? other[0] : early[0], late ? other[1] : early[1]};
      }
  }
}

template <class matrix, class element, two<element> cell_values::*member>
__device__ __forceinline__ void load_pairs(cell_values (&cells)[read_n / 8][2],
                                           const fetched_rows &at, int box, int first, int lane,
                                           bool exists) {
  if (!exists) return;
#pragma unroll
  for (int j = 0; j < read_n; j += 8) {
    const cell_place place = locate_cells<matrix>(at, box, first + j);
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      element x[2];
      ld_shared_pair(x, place.box + matrix::offset(place.row + lane / 4 + down * 8,
                                                   place.col + lane % 4 * 2));
      cells[j / 8][down].*member = {x[0], x[1]};
    }
  }
}

// Loads elements whose neighbours in the next column are no neighbours in memory. Half of the rows
// begin with the second column, so that the lanes' addresses are in as many banks.
template <class matrix, class element, two<element> cell_values::*member>
__device__ __forceinline__ void load_ones(cell_values (&cells)[read_n / 8][2],
                                          const fetched_rows &at, int box, int first, int lane,
                                          bool exists) {
  if (!exists) return;
  const int second = lane / 16;
#pragma unroll
  for (int j = 0; j < read_n; j += 8) {
    const cell_place place = locate_cells<matrix>(at, box, first + j);
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int row = place.row + lane / 4 + down * 8, col = place.col + lane % 4 * 2;
      element x, y;
      ld_shared(x, place.box + matrix::offset(row, col + second));
      ld_shared(y, place.box + matrix::offset(row, col + 1 - second));
      cells[j / 8][down].*member = {second ? y : x, second ? x : y};
    }
  }
}

// Loads a lane's elements of what was fetched, in the order of its accumulators: those of read_n
// columns of a box, from `first` on. A matrix that was not fetched, as C without a beta, does not
// exist, and its elements are zeros.
__device__ __forceinline__ void read_fetched(cell_values (&cells)[read_n / 8][2],
                                             const epilogue_operands &of, const fetched_rows &at,
                                             int box, int first, int lane) {
//@ insert load_cells
}

//@ slot release_stages
