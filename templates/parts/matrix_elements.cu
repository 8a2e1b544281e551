
// The compiler must assume that this changes x: else multiples of leading dimensions, the same for
// all tiles, are computed once and kept in registers through the main loop.
__device__ __forceinline__ void forget(int64 &x) { asm volatile("" : "+l"(x)); }

// An element of a matrix, from its first.
template <bool n_major>
__device__ __forceinline__ int64 element_offset(int64 ld, int64 row, int64 col) {
  return n_major ? row * ld + col : col * ld + row;
}
