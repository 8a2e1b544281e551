
// ---- Scale factors ------------------------------------------------------------------------------

//@ include load_atoms
//@ if splits_scales

// Bytes of the scale factors that a stage has for one half of N: one atom's rows.
constexpr unsigned scales_of_half = scale_atoms_k * scale_rows * 4;
//@ end

// Loads the factors of the tile's rows of A and of its columns of B.
__device__ __forceinline__ void load_scales(const tensor_map &map_a, const tensor_map &map_b,
                                            unsigned stage, unsigned barrier,
                                            const tile_origin &at, int k_tile) {
  const int k = k_tile * scale_atoms_k;
  load_atoms(stage + stage_scales_a, map_a, barrier, at.m0 / scale_rows, k, at.batch);
//@ if splits_scales
  // A tile has the same columns of both halves of N.
  const int rows = at.n0 / 2 / scale_rows;
  load_atoms(stage + stage_scales_b, map_b, barrier, rows, k, at.batch);
  load_atoms(stage + stage_scales_b + scales_of_half, map_b, barrier,
             rows + at.half_n / scale_rows, k, at.batch);
//@ else
  load_atoms(stage + stage_scales_b, map_b, barrier, at.n0 / scale_rows, k, at.batch);
//@ end
}

// The address of the line with a row's factors. An atom is 32 lines of 16 bytes; line r has the
// factors of rows r, r + 32, r + 64 and r + 96, a word of four for each.
__device__ __forceinline__ unsigned scale_line(unsigned factors, int atom, int row) {
  return factors + atom * scale_rows * 4 + row % 32 * 16;
}

// Loads the factors of a lane's rows of A. Of each two blocks of 64 rows, the first half of a quad
// has rows of the first block, the second half those of the second. If the last block is alone,
// both halves have its rows.
__device__ __forceinline__ void load_scales_a(
    unsigned (&words)[scale_atoms_k][scale_words_a], unsigned stage, int row, int lane) {
#pragma unroll
  for (int atom = 0; atom < scale_atoms_k; ++atom)
#pragma unroll
    for (int i = 0; i < scale_words_a; ++i) {
      const int block = 2 * i + 1 < frags_m ? 2 * i + lane / 2 % 2 : 2 * i;
      const int r = row + block * mma_m + lane % 2 * 8 + lane / 4;
      asm volatile("ld.shared.u32 %0, [%1];"
                   : "=r"(words[atom][i])
                   : "r"(scale_line(stage + stage_scales_a,
                                    atom * scale_atoms_a + r / scale_rows, r) +
                         r % scale_rows / 32 * 4)
                   : "memory");
    }
}

//@ if splits_scales
// Loads the factors of a lane's columns of B. Of each 32 columns, each lane of a quad has one in
// another eight. columns_a_half columns in a row are of one half of N, the next ones of the other.
__device__ __forceinline__ void load_scales_b(
    unsigned (&words)[scale_atoms_k][scale_words_b], unsigned stage, int lane${factor_parameter}) {
  constexpr int columns_a_half = ${columns_a_half};
#pragma unroll
  for (int i = 0; i < scale_words_b; ++i) {
    const int column = i * 32 + lane % 4 * 8 + lane / 4;
    const int half = column / columns_a_half % 2;
    const int row = column / (2 * columns_a_half) * columns_a_half +
                    column % columns_a_half${and_first};
#pragma unroll
    for (int atom = 0; atom < scale_atoms_k; ++atom)
      asm volatile("ld.shared.u32 %0, [%1];"
                   : "=r"(words[atom][i])
                   : "r"(scale_line(stage + stage_scales_b + half * scales_of_half, atom, row) +
                         row / 32 * 4)
                   : "memory");
  }
}
//@ else
// Loads the factors of a lane's columns of B, four words at once. Of each 32 columns, each lane of
// a quad has one in another eight.
__device__ __forceinline__ void load_scales_b(
    unsigned (&words)[scale_atoms_k][scale_words_b], unsigned stage, int lane) {
#pragma unroll
  for (int atom = 0; atom < scale_atoms_k; ++atom)
#pragma unroll
    for (int i = 0; i < scale_words_b; i += 4)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words[atom][i]), "=r"(words[atom][i + 1]), "=r"(words[atom][i + 2]),
                     "=r"(words[atom][i + 3])
                   : "r"(scale_line(stage + stage_scales_b, atom * scale_atoms_b + i / 4,
                                    lane % 4 * 8 + lane / 4))
                   : "memory");
}
//@ end

// The byte of a word in which a K step's factors begin.
__device__ __forceinline__ constexpr int scale_byte(int step) {
  return step % steps_an_atom * (4 / steps_an_atom);
}
