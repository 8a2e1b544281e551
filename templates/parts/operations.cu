// ---- Operations: what becomes of an accumulator -------------------------------------------------

// Two neighbouring columns of a row, which a thread finishes together.
struct pair {
  epi_t x, y;
};

// The same two columns, as the bits of two elements.
template <class element>
struct alignas(2 * sizeof(element)) two {
  element x, y;
};

// Where such a pair is, counted from the first element of a tile of D, of which rows x cols lie
// inside D. What lies outside reads as 0 and is not written.
struct tile_place {
  int row, col, rows, cols;

  __device__ __forceinline__ tile_place beyond(int down, int along) const {
    return {row + down, col + along, rows, cols};
  }
};
//@ slot matrix_elements
//@ insert global_elements
//@ slot load_two
//@ slot store_two
//@ slot prefetch_matrix

//@ slot activations
//@ slot derivatives
//@ slot largest
//@ slot totals
//@ insert operations
//@ slot vector_elements

//@ insert values

//@ insert prefetch
