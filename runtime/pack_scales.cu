// Rows of scale factors, a byte each, to atoms of 128 rows by 4 factors, which follow each other
// along K first. A warp makes an atom, a lane 16 bytes of it: 4 factors each of 4 rows, 32 apart.
// The warps of a CTA have neighbours along K, so that together they read whole sectors of a row.
// What pads atoms becomes 0.

constexpr int warp_size = 32, warps = 8, atom_rows = 128, atom_factors = 4, atom_bytes = 512;

struct packing {
  unsigned char *to;
  const unsigned char *from;
  long long rows, factors, ld;       // factors of a row; bytes from row to row
  long long stride_to, stride_from;  // bytes from batch to batch
  long long atoms_down, atoms_along;
};

__device__ __forceinline__ unsigned factors_of(const packing &p, const unsigned char *from,
                                               long long row, long long first) {
  unsigned word = 0;
#pragma unroll
  for (int i = 0; i < atom_factors; ++i)
    if (row < p.rows && first + i < p.factors)
      word |= unsigned(from[row * p.ld + first + i]) << 8 * i;
  return word;
}

extern "C" __global__ void __launch_bounds__(warp_size *warps) pack_scales(packing p) {
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const long long groups = (p.atoms_along + warps - 1) / warps;
  const long long along = blockIdx.x % groups * warps + warp;
  const long long down = blockIdx.x / groups % p.atoms_down;
  const long long batch = blockIdx.x / groups / p.atoms_down;
  if (along >= p.atoms_along) return;
  const unsigned char *from = p.from + batch * p.stride_from;
  const long long row = down * atom_rows + lane, first = along * atom_factors;
  unsigned char *to = p.to + batch * p.stride_to + (down * p.atoms_along + along) * atom_bytes;
  *(uint4 *)(to + lane * 16) = make_uint4(
      factors_of(p, from, row, first), factors_of(p, from, row + 32, first),
      factors_of(p, from, row + 64, first), factors_of(p, from, row + 96, first));
}
