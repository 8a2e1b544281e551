//@ if chunks_of_units
//@ include sm90_chunks

//@ end
__device__ __forceinline__ void st_global_unit(
    void *to, const unsigned (&x)[chunk_words]${policy_parameter}) {
  asm volatile("st.global${policy_hint}.v4.b32 [%0], {%1, %2, %3, %4}${policy_operand};" ::"l"(to),
               "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])${policy_input}
               : "memory");
}

// Lines of D, or of what is like it, begin at multiples of 16 bytes, which are a lane's unit.
// Neighbouring lanes store neighbouring units of a line: so of what the memory has in sectors of 32
// bytes a box shares those alone that its lines begin or end in. Elements beyond the last whole
// unit are few, and only in the last boxes.
template <class result>
__device__ __forceinline__ void store_units(const epilogue_arguments &arg,
                                            typename result::element *to, int64 ld, int row0,
                                            int col0, unsigned staged, int lane) {
  constexpr int unit = chunk_bytes / int(sizeof(typename result::element));
  constexpr int a_line = (d_n_major ? ${box_d} : epi_m) / unit;
  constexpr int all = a_line * (d_n_major ? epi_m : ${box_d});
  constexpr int each = (all + warp_size - 1) / warp_size;
  const int rows = int(arg.rows), cols = int(arg.cols);
  const int whole_rows = d_n_major ? rows : rows / unit * unit;
  const int whole_cols = d_n_major ? cols / unit * unit : cols;
  unsigned x[each][chunk_words];
  typename result::element *places[each];
  bool there[each];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int number = lane + i * warp_size, line = number / a_line;
    const int along = number % a_line * unit;
    const int row = d_n_major ? line : along, col = d_n_major ? along : line;
    there[i] = (all % warp_size == 0 || number < all) &&
               (!partial_tiles || row0 + row < whole_rows && col0 + col < whole_cols);
    places[i] = to + (d_n_major ? (row0 + row) * ld + col0 + col : (col0 + col) * ld + row0 + row);
    if (there[i]) ld_shared_chunk(x[i], staged + result::offset(row, col));
  }
#pragma unroll
  for (int i = 0; i < each; ++i)
    if (there[i]) st_global_unit(places[i], x[i]${and_policy});
  if (tails && (d_n_major ? whole_cols < cols : whole_rows < rows))
    store_tail<result>(arg, to, ld, d_n_major ? whole_cols : whole_rows, row0, col0, staged, lane);
}
