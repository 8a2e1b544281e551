
// Elements of a byte lie along M or N here, but ldmatrix can only transpose them two by two. So a
// lane gets the bytes of twins, two neighbours along M or N, and gets them for its four places
// along K from two matrices: of the first, lanes 0-7 name the rows at places 0, 1, 4, 5, 10, 11, 14
// and 15, of the second, lanes 8-15 name the other eight of 16. The eight places of a matrix differ
// modulo 8, as neighbours do, and so are in different banks. This returns where the row that this
// lane names is, in a block of 16 elements along M or N at 32 places along K.
__device__ __forceinline__ lane_coord twins_coord(int lane) {
  const int places = lane / 8 % 2 ^ lane / 4 % 2;
  return lane_coord{0, lane / 16 * 16 + lane % 8 / 2 * 4 + places * 2 + lane % 2};
}

// The address of the row that is mn and k, multiples of 16 and 32, from this lane's first. If steps
// along a line change bits of the offset that nothing else changes, the compiler needs only one
// address for all of them.
template <class op>
__device__ __forceinline__ unsigned ldmatrix_address(unsigned stage, lane_coord at, int mn, int k) {
  if constexpr (!op::steps_are_bits)
    return stage + ldmatrix_place<op>(at, mn, k);
  else if constexpr (op::k_major)
    return ((stage + op::offset(at.mn, at.k)) ^ op::offset(0, k)) + op::offset(mn, 0);
  else
    return ((stage + op::offset(at.mn, at.k)) ^ op::offset(mn, 0)) + op::offset(0, k);
}

// x and y have both twins' bytes for two places along K each. Moves the first twin's bytes for all
// four places to x, and the second twin's to y. `first` says which bytes are the first twin's.
__device__ __forceinline__ void part_twins(unsigned &x, unsigned &y, unsigned first) {
  const unsigned of_first = __byte_perm(x, y, first);
  y = __byte_perm(x, y, first + 0x1111);
  x = of_first;
}

// Makes twins the rows r and r + 8 of an MMA, or the columns r of two MMAs.
__device__ __forceinline__ void part_fragments(fragments &f) {
  const unsigned first = threadIdx.x % 4 < 2 ? 0x6420 : 0x2064;
//@ if twins_m
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < ${words_a}; w += 2) part_twins(f.a[i][w], f.a[i][w + 1], first);
//@ end
//@ if twins_n
#pragma unroll
  for (int j = 0; j < frags_n; j += 2)
#pragma unroll
    for (int w = 0; w < ${words_b}; ++w) part_twins(f.b[j][w], f.b[j + 1][w], first);
//@ end
}
//@ if twins_m

// The distance from a lane's first row to its row in half number `half` of the MMAs' rows.
__device__ constexpr int half_row(int half) { return half / 2 * 16 + half % 2; }
//@ end
//@ if twins_n

// The distance from a lane's first column to another two neighbours. Of four columns, each of the
// MMAs j and j + 1 has every other one; here j stands for the first two, j + 1 for the last two.
__device__ constexpr int twins_column(int j) { return j / 2 * 16 + j % 2 * 2; }
//@ end
