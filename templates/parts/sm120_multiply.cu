constexpr int pieces = mma_n / piece, turns = k_steps * pieces;  // of a K tile

// Loads four matrices of 8 rows, of each of which a lane gets 4 bytes. A row has 16 bytes, or 16
// elements of 6 or 4 bits, which become bytes.
//@ if transposes
// If bytes lie along M or N, loads two matrices of 16 lines along K; each lane names one line. Of
// each matrix a lane gets four neighbouring lines' bytes at one of the first eight places of a
// line, and at one of the last eight.
//@ end
__device__ __forceinline__ void load_matrices_a(unsigned (&r)[4], unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.${matrices_a} {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr)
               : "memory");
}

//@ if sparse
__device__ __forceinline__ void load_matrices_b(unsigned &r0, unsigned &r1, unsigned &r2,
                                                unsigned &r3, unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.${matrices_b} {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(addr)
               : "memory");
}
//@ else
__device__ __forceinline__ void load_matrices_b(unsigned (&r)[2][2], unsigned addr) {
  asm volatile("ldmatrix.sync.aligned.${matrices_b} {%0, %1, %2, %3}, [%4];"
//@ if n_major_b
               : "=r"(r[0][0]), "=r"(r[1][0]), "=r"(r[0][1]), "=r"(r[1][1])
//@ else
               : "=r"(r[0][0]), "=r"(r[0][1]), "=r"(r[1][0]), "=r"(r[1][1])
//@ end
               : "r"(addr)
               : "memory");
}
//@ end

// Loads A's fragments of a K step: for each MMA, two matrices along M by two along K.
__device__ __forceinline__ void load_a(unsigned (&tCrA)[frags_m][4], unsigned sA, int row, int step,
                                       int lane) {
//@ if wide_m_major_a
  row += lane / 8 % 2 * 8;
  const int k = step * mma_k + lane / 16 * 8 + lane % 8;  // of a line, which a matrix has across
//@ else
  row += a_k_major ? lane % 16 : 0;
  const int k = step * ${k_of_a} + (a_k_major ? lane / 16 * (${k_of_a} / 2) : lane);
//@ end
#pragma unroll
  for (int i = 0; i < frags_m; ++i) {
    load_matrices_a(tCrA[i], sA + smem_a(row + i * mma_m, k) * bits_a / 8);
    // MMAs take an element of four bits from the middle of its byte.
    if constexpr (shift_a > 0)
#pragma unroll
      for (int w = 0; w < 4; ++w) tCrA[i][w] <<= shift_a;
  }
}

//@ if sparse
// Loads B's fragments of 16 columns: for each eight of them, four matrices along K.
__device__ __forceinline__ void load_b(unsigned (&tCrB)[2][4], unsigned sB, int column, int step,
                                       int lane) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
//@ if n_major_b
    const int k = step * mma_k + i * (mma_k / 2) + lane;  // half of the step at once
    load_matrices_b(tCrB[0][2 * i], tCrB[1][2 * i], tCrB[0][2 * i + 1], tCrB[1][2 * i + 1],
                    sB + smem_b(column, k) * bits_b / 8);
//@ else
    const int k = step * mma_k + lane / 8 * (mma_k / 4);
    load_matrices_b(tCrB[i][0], tCrB[i][1], tCrB[i][2], tCrB[i][3],
                    sB + smem_b(column + i * 8 + lane % 8, k) * bits_b / 8);
//@ end
  }
  if constexpr (shift_b > 0)
#pragma unroll
    for (int w = 0; w < 8; ++w) tCrB[w / 4][w % 4] <<= shift_b;
}
//@ else
// Loads B's fragments of 16 columns: for each eight of them, two matrices along K.
__device__ __forceinline__ void load_b(unsigned (&tCrB)[2][2], unsigned sB, int column, int step,
                                       int lane) {
//@ if wide_n_major_b
  column += lane / 16 * 8;
  const int k = step * mma_k + lane / 8 % 2 * 8 + lane % 8;  // of a line, which a matrix has across
//@ else
  column += b_k_major ? lane / 16 * 8 + lane % 8 : 0;
  const int k = step * mma_k + (b_k_major ? lane / 8 % 2 * (mma_k / 2) : lane);
//@ end
  load_matrices_b(tCrB, sB + smem_b(column, k) * bits_b / 8);
  if constexpr (shift_b > 0)
#pragma unroll
    for (int w = 0; w < 4; ++w) tCrB[w / 2][w % 2] <<= shift_b;
}
//@ end

// Loads what is multiplied in one turn: B's fragments of a piece's columns, in front of which, with
// a K step's first piece, A's of the step. Turns use two sets of registers alternately.
__device__ __forceinline__ void load_turn(unsigned (&tCrA)[2][frags_m][4],
                                          unsigned (&tCrB)[2][piece / 16][2][${words_b}],
                                          unsigned stage, int row, int column, int turn, int lane) {
  const int step = turn / pieces;
  if (turn % pieces == 0) load_a(tCrA[step % 2], stage, row, step, lane);
#pragma unroll
  for (int i = 0; i < piece / 16; ++i)
    load_b(tCrB[turn % 2][i], stage + stage_bytes_a, column + turn % pieces * piece + i * 16, step,
           lane);
}

// Gives back a stage that is in registers as a whole.
__device__ __forceinline__ void release_loaded(unsigned empty_barriers, int stage) {
  fence_async_shared();  // what was read comes before what is copied there next
  __syncwarp();
  release(empty_barriers, stage);
}

// Multiplies a tile's K tiles as they arrive. Each warp computes 16 rows of each of its warpgroup's
// blocks of 64 rows, which begin with first_block, by ${whose_columns}. While
// one turn's MMAs run, the next one's fragments are loaded, those of the next K tile, too. So a
// stage is released in the second turn of the K tile behind it, when its loads have long arrived:
// the fence would wait for them.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][acc_words], ring_position &read,
                                         unsigned empty_barriers, unsigned smem, int k_tiles,
                                         int first_block${column_parameter}${factor_parameter}) {
  constexpr int release_turn = turns > 1 ? 1 : 0;
  // The next K tile's first fragments go to the first set of registers, which the last K step of an
  // odd number uses, too: they are loaded behind its MMAs then.
  constexpr bool loads_ahead = k_steps % 2 == 0;
  if (k_tiles == 0) return;
  const int lane = int(threadIdx.x) % warp_size;
  const int row = first_block * mma_m + int(threadIdx.x) / warp_size % warps_per_group * 16;
  unsigned tCrA[2][frags_m][4], tCrB[2][piece / 16][2][${words_b}];
  unsigned sA = smem + read.stage * stage_bytes;
  mbarrier_wait(full_barrier(smem, read.stage), read.parity);
  load_turn(tCrA, tCrB, sA, row, ${first_column}, 0, lane);
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const bool more = k_tile + 1 < k_tiles;
//@ insert load_factors
//@ insert load_words
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int step = turn / pieces, next = (turn + 1) % turns;
      if (turn == release_turn && k_tile > 0) release_loaded(empty_barriers, read.before());
      if (next == 0 && more) {
        read.advance();
        sA = smem + read.stage * stage_bytes;
        mbarrier_wait(full_barrier(smem, read.stage), read.parity);
      }
      if (next != 0 || (more && loads_ahead))
        load_turn(tCrA, tCrB, sA, row, ${first_column}, next, lane);
#pragma unroll
      for (int column = 0; column < piece; column += 8)
#pragma unroll
        for (int i = 0; i < frags_m; ++i) {
          const int n = turn % pieces * (piece / 8) + column / 8;  // which eight columns
          mma(reinterpret_cast<acc_t (&)[atom_words]>(tCrC[i][n * atom_words]), tCrA[step % 2][i],
              tCrB[turn % 2][column / 16][column / 8 % 2]${metadata_argument}${scale_arguments});
        }
      if (next == 0 && more && !loads_ahead)
        load_turn(tCrA, tCrB, sA, row, ${first_column}, next, lane);
    }
  }
  release_loaded(empty_barriers, read.stage);
  read.advance();
}
