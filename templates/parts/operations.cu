// ---- Operations: what becomes of an accumulator -------------------------------------------------

// Two neighbouring columns of a row, which a thread finishes together.
struct pair {
  epi_t x, y;
};

__device__ __forceinline__ pair operator*(pair a, pair b) { return {a.x * b.x, a.y * b.y}; }
__device__ __forceinline__ pair operator*(pair a, epi_t b) { return {a.x * b, a.y * b}; }
__device__ __forceinline__ pair operator+(pair a, pair b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ pair operator+(pair a, epi_t b) { return {a.x + b, a.y + b}; }

// The same as the bits of two elements.
template <class element>
struct alignas(2 * sizeof(element)) two {
  element x, y;
};

// Where they are: from the first element of a tile of D, of which rows x cols are inside D. What is
// outside reads as 0 and is not written.
struct tile_place {
  int row, col, rows, cols;

  __device__ __forceinline__ tile_place beyond(int down, int along) const {
    return {row + down, col + along, rows, cols};
  }
};

//@ if matrices
// The compiler must assume that this changes x: else multiples of leading dimensions, the same for
// all tiles, are computed once and kept in registers through the main loop.
__device__ __forceinline__ void forget(int64 &x) { asm volatile("" : "+l"(x)); }

// An element of a matrix, from its first.
template <bool n_major>
__device__ __forceinline__ int64 element_offset(int64 ld, int64 row, int64 col) {
  return n_major ? row * ld + col : col * ld + row;
}

//@ end
//@ if load_two
template <bool n_major, bool pairs, class element>
__device__ __forceinline__ two<element> load_two(const element *from, int64 ld, tile_place at) {
  two<element> bits = {0, 0};
  if (at.row >= at.rows || at.col >= at.cols) return bits;
  const element *first = from + element_offset<n_major>(ld, at.row, at.col);
  const bool both = at.col + 1 < at.cols;
  if (n_major && pairs && both) return *reinterpret_cast<const two<element> *>(first);
  bits.x = first[0];
  if (both) bits.y = first[n_major ? 1 : ld];
  return bits;
}

//@ end
//@ if store_two
template <bool n_major, bool pairs, class element>
__device__ __forceinline__ void store_two(element *to, int64 ld, tile_place at,
                                          two<element> bits) {
  if (at.row >= at.rows || at.col >= at.cols) return;
  element *first = to + element_offset<n_major>(ld, at.row, at.col);
  const bool both = at.col + 1 < at.cols;
  if (n_major && pairs && both) {
    *reinterpret_cast<two<element> *>(first) = bits;
  } else {
    first[0] = bits.x;
    if (both) first[n_major ? 1 : ld] = bits.y;
  }
}

//@ end
//@ if activations
//@ include activations
//@ end
//@ insert operations
//@ if vectors
// Elements of a vector in shared memory.
template <class element>
__device__ __forceinline__ element ld_vector(unsigned vector, int index) {
  element x;
  ld_shared(x, vector + unsigned(index) * unsigned(sizeof(element)));
  return x;
}

template <class element>
__device__ __forceinline__ two<element> ld_vector_pair(unsigned vector, int index) {
  element x[2];
  ld_shared_pair(x, vector + unsigned(index) * unsigned(sizeof(element)));
  return {x[0], x[1]};
}

//@ end
//@ insert values
