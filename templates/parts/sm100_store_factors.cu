
// Factors lie in atoms of 128 rows by 4, of which a row has 4 bytes side by side; atoms follow each
// other along N first. What pads a row's last 4 factors is 0, as a block of zeros has it.
__device__ __forceinline__ void store_factors(const epilogue_arguments &arg,
                                              const finished_box &box, int row0, int col0,
                                              int lane) {
  constexpr int atom_rows = 128, atom_factors = 4, atom_bytes = atom_rows * atom_factors;
  constexpr int words = epi_n / scaled_block / factors_a_word;
  constexpr int atom_columns = atom_factors * scaled_block;
  constexpr int word_columns = factors_a_word * scaled_block;
  const int down = lane % 4, row = row0 + lane / 4 + down * 8;
  if (down > 1 || row >= arg.rows) return;
  const int64 atoms = (arg.cols + atom_columns - 1) / atom_columns;  // along N
  unsigned char *const line = arg.scale_D + row / atom_rows * atoms * atom_bytes +
                              row % 32 * 16 + row % atom_rows / 32 * atom_factors;
#pragma unroll
  for (int w = 0; w < words; ++w) {
    const int col = col0 + w * word_columns;
    if (col >= arg.cols) break;
    const int factor = col % atom_columns / scaled_block;
    unsigned char *to = line + int64(col / atom_columns) * atom_bytes + factor;
    *(factors_t *)to = down ? box.factors[w][1] : box.factors[w][0];
//@ if word_parts
    if (col + word_columns < arg.cols) continue;
    for (int i = col % atom_columns + word_columns; i < atom_columns; i += word_columns)
      *(factors_t *)(to += factors_a_word) = 0;
//@ end
  }
}
