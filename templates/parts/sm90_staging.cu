//@ if let_go_words
template <class element>
__device__ __forceinline__ void let_go(element (&bits)[2], unsigned word) {
  bits[0] = element(word);
  bits[1] = element(word >> 8 * sizeof(element));
}

//@ end
//@ if let_go_pairs
template <class element>
__device__ __forceinline__ void let_go(element (&bits)[2], two<element> pair) {
  bits[0] = pair.x;
  bits[1] = pair.y;
}

//@ end
// Stores two 8x8 matrices of 16-bit elements, of each of which a lane has a word. Lanes 0-7 name
// the lines of the first, 8-15 those of the second; a line has eight elements along D's contiguous
// mode.
__device__ __forceinline__ void stmatrix_x2(unsigned addr, const unsigned (&r)[2]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2${stmatrix_form}.shared.b16 [%0], {%1, %2};"
               :
               : "r"(addr), "r"(r[0]), "r"(r[1])
               : "memory");
}

// Stores four 8x8 matrices of 16-bit elements, of each of which a lane has a word. Lanes 0-7 name
// the lines of the first, 8-15 those of the second, and so on; a line has eight elements along D's
// contiguous mode.
__device__ __forceinline__ void stmatrix_x4(unsigned addr, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4${stmatrix_form}.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(addr), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

// Stages a box in 8x8 matrices: at once two along M, by one or two along N.
template <class result>
__device__ __forceinline__ void stage_matrices(const unsigned (&x)[epi_n / 8][2], unsigned staging,
                                               ${first_row_parameter}int lane) {
  constexpr int cols = epi_n % 16 == 0 ? 16 : 8;
#pragma unroll
  for (int col = 0; col < epi_n; col += cols) {
    unsigned words[cols / 4];
#pragma unroll
    for (int p = 0; p < cols / 4; ++p) words[p] = x[col / 8 + p / 2][p % 2];
    const int across = col + lane / 16 % (cols / 8) * 8;
    const unsigned line = d_n_major ? result::offset(${first_row}lane % 16, across)
                                    : result::offset(${first_row}lane / 8 % 2 * 8, across + lane % 8);
    if constexpr (epi_n % 16 == 0)
      stmatrix_x4(staging + line, words);
    else
      stmatrix_x2(staging + line, words);
  }
}

// Stages 32-bit elements. The swizzle puts a lane group's columns of a row into the same banks as
// those of the next row, or of the next but one if lines have 64 bytes. So half of the rows begin
// with the second half of the columns: then 16 lanes that store together write to all banks.
template <class result>
__device__ __forceinline__ void stage_halves(
    const two<typename result::element> (&x)[epi_n / 8][2], unsigned staging,
    ${first_row_parameter}int lane) {
  constexpr int half = epi_n / 16;
  const int row = ${first_row}lane / 4;
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

template <class result, class held>
__device__ __forceinline__ void stage_pairs(const held (&x)[epi_n / 8][2], unsigned staging,
                                            ${first_row_parameter}int lane) {
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g)
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      typename result::element bits[2];
      let_go(bits, x[g][down]);
      st_shared_pair(
          staging + result::offset(${first_row}lane / 4 + down * 8, g * 8 + lane % 4 * 2), bits);
    }
}

//@ if turns_bytes
// Stages elements of a byte where those of a column are neighbours. In each 8 columns a lane has
// two columns of two rows, which are eight apart. Lanes exchange elements, of two such groups of
// columns at once, until each has four neighbouring rows of one column in each group:
//   first, lanes whose rows are neighbours give each other a column: each then has one of both;
//   then, lanes that are two rows apart give each other their upper or their lower rows.
template <class result>
__device__ __forceinline__ void stage_turned(const unsigned (&x)[epi_n / 8][2], unsigned staging,
                                             ${first_row_parameter}int lane) {
  const bool odd = lane / 4 % 2, lower = lane / 8 % 2;
  const int row = ${first_row}lane / 16 * 4 + lower * 8, col = lane % 4 * 2 + odd;
  const unsigned kept_column = odd ? 0x7531 : 0x6420, given_column = odd ? 0x6420 : 0x7531;
  const unsigned upper_rows = odd ? 0x2604 : 0x6240, lower_rows = odd ? 0x3715 : 0x7351;
  const unsigned kept_rows = lower ? lower_rows : upper_rows;
  const unsigned given_rows = lower ? upper_rows : lower_rows;
#pragma unroll
  for (int g = 0; g < epi_n / 8; g += 2) {
    const int other = g + 1 < epi_n / 8 ? g + 1 : g;
    const unsigned first = __byte_perm(x[g][0], x[g][1], 0x5410);
    const unsigned second = __byte_perm(x[other][0], x[other][1], 0x5410);
    const unsigned column = __byte_perm(first, second, kept_column);
    const unsigned got = __shfl_xor_sync(~0u, __byte_perm(first, second, given_column), 4);
    const unsigned rows = __byte_perm(column, got, kept_rows);
    const unsigned others = __shfl_xor_sync(~0u, __byte_perm(column, got, given_rows), 8);
    st_shared(staging + result::offset(row, g * 8 + col),
              int(__byte_perm(rows, others, lower ? 0x1054 : 0x5410)));
    if (g + 1 < epi_n / 8)
      st_shared(staging + result::offset(row, g * 8 + 8 + col),
                int(__byte_perm(rows, others, lower ? 0x3276 : 0x7632)));
  }
}

//@ end
// Stages elements whose neighbours in the next column are no neighbours in memory.
//@ if not box_of_warps
// Half of the rows begin with the second column, so that the lanes' addresses are in as many banks.
//@ end
template <class result, class held>
__device__ __forceinline__ void stage_ones(const held (&x)[epi_n / 8][2], unsigned staging,
                                           ${first_row_parameter}int lane) {
  const int second = ${second_column};
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g) {
    const int first = g * 8 + lane % 4 * 2;
#pragma unroll
    for (int down = 0; down < 2; ++down) {
      const int row = ${first_row}lane / 4 + down * 8;
      typename result::element bits[2];
      let_go(bits, x[g][down]);
      st_shared(staging + result::offset(row, first + second), second ? bits[1] : bits[0]);
      st_shared(staging + result::offset(row, first + 1 - second), second ? bits[0] : bits[1]);
    }
  }
}
//@ if gated

//@ if splits_lines
// Stages a gated D. Of each eight columns of D a lane has two, in two rows.
//@ else
// Stages a gated D. It has four of each eight columns of the product, and a lane one of these, in
// two rows.
//@ end
template <class result, class held>
__device__ __forceinline__ void stage_gated(const held (&x)[epi_n / 8], unsigned staging,
                                            int lane) {
#pragma unroll
  for (int g = 0; g < epi_n / 8; ++g) {
    typename result::element bits[2];
    let_go(bits, x[g]);
#pragma unroll
    for (int down = 0; down < 2; ++down)
      st_shared(staging + result::offset(lane / 4 + down * 8, ${gated_column}), bits[down]);
  }
}
//@ end
