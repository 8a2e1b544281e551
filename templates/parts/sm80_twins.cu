
// Bytes along M or N, which ldmatrix transposes by two: where this lane's row is in a block of 16
// at 32 places along K. The bytes of twins, two neighbours along M or N, come to one lane, for two
// of its four places along K in each of two matrices: of the first, lanes 0-7 name the places 0, 1,
// 4, 5, 10, 11, 14, 15, of the second the other eight of 16. All eight differ modulo 8, as
// neighbours do, and so are in different banks.
__device__ __forceinline__ lane_coord twins_coord(int lane) {
  const int places = lane / 8 % 2 ^ lane / 4 % 2;
  return lane_coord{0, lane / 16 * 16 + lane % 8 / 2 * 4 + places * 2 + lane % 2};
}

// The address of this lane's row, mn and k (in 16s and 32s) from its first. Where steps along a
// line change bits that nothing else does, one address is enough for all of them.
template <class op>
__device__ __forceinline__ unsigned ldmatrix_address(unsigned stage, lane_coord at, int mn, int k) {
  if constexpr (!op::steps_are_bits)
    return stage + ldmatrix_place<op>(at, mn, k);
  else if constexpr (op::k_major)
    return ((stage + op::offset(at.mn, at.k)) ^ op::offset(0, k)) + op::offset(mn, 0);
  else
    return ((stage + op::offset(at.mn, at.k)) ^ op::offset(mn, 0)) + op::offset(0, k);
}

// Of x and y, which have both twins' bytes for two places along K each: the first twin's for all
// four to x, the second's to y. `first` says which bytes are the first's.
__device__ __forceinline__ void part_twins(unsigned &x, unsigned &y, unsigned first) {
  const unsigned of_first = __byte_perm(x, y, first);
  y = __byte_perm(x, y, first + 0x1111);
  x = of_first;
}

// Twins become the rows r and r + 8 of an MMA, or the columns r of two.
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

// From a lane's first row to where its part of another half of an MMA's rows is.
__device__ constexpr int half_row(int half) { return half / 2 * 16 + half % 2; }
//@ end
//@ if twins_n

// From a lane's first column to another two: of four neighbours the MMAs j and j + 1 have every
// other, and stand for two each.
__device__ constexpr int twins_column(int j) { return j / 2 * 16 + j % 2 * 2; }
//@ end
