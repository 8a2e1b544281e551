// ---- The largest magnitude ----------------------------------------------------------------------

// The magnitude of x, as the bits of an f32 without its sign: as integers they have the order of
// the magnitudes, and NaN is above all numbers.
__device__ __forceinline__ unsigned magnitude_of(epi_t x) {
  return __float_as_uint(float(x)) & 0x7fffffff;
}

//@ if largest_of_one
// Notes one number, which a gate made of two columns that are both in the product.
__device__ __forceinline__ void note_largest_of_one(unsigned &seen, epi_t x, tile_place at) {
  if (at.row < at.rows && at.col < at.cols) seen = max(seen, magnitude_of(x));
}

//@ else
// Notes those of two neighbours that are in D.
__device__ __forceinline__ void note_largest(unsigned &seen, pair x, tile_place at) {
  if (at.row >= at.rows) return;
  if (at.col < at.cols) seen = max(seen, magnitude_of(x.x));
  if (at.col + 1 < at.cols) seen = max(seen, magnitude_of(x.y));
}

//@ end
// The order in which threads send does not matter: the largest is the same.
__device__ __forceinline__ void send_largest(float *to, unsigned seen) {
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(to), "r"(seen) : "memory");
}

__device__ __forceinline__ void send_largest_of_warp(float *to, unsigned seen) {
  unsigned largest;
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(largest) : "r"(seen));
  if (threadIdx.x % 32 == 0 && largest) send_largest(to, largest);
}

