
// ---- Sums that several warps of the CTA have of a block -----------------------------------------

// Each block of D is computed by warps_k warps: of every warps_k steps along K, each of them
// multiplies one. Behind the last K tile all warps but the first leave their sums where the stages
// were, and the first adds them up in the order of the warps, so that the result is the same from
// run to run. A lane's sums wait beside those of the warp's other lanes, so that a warp's access is
// whole lines of all banks.

constexpr int block_warps = warps_m * warps_n;  // of each step along K
constexpr int words_at_once = ${words_at_once};  // that a lane moves
constexpr int bytes_at_once = words_at_once * int(sizeof(acc_t));
constexpr int row_bytes = frags_n * acc_words * int(sizeof(acc_t)) * warp_size;  // of frags_n MMAs
constexpr int block_bytes = frags_m * row_bytes;  // of a warp's sums
//@ if not shares

//@ include add_words
//@ end

__device__ __forceinline__ void put_words(unsigned at, const acc_t *x) {
//@ if four_words
  asm volatile("st.shared.v4.${word_type} [%0], {%1, %2, %3, %4};" ::"r"(at),
               "${acc_register}"(x[0]), "${acc_register}"(x[1]), "${acc_register}"(x[2]),
               "${acc_register}"(x[3])
               : "memory");
//@ else
  asm volatile("st.shared.v2.${word_type} [%0], {%1, %2};" ::"r"(at), "${acc_register}"(x[0]),
               "${acc_register}"(x[1])
               : "memory");
//@ end
}

__device__ __forceinline__ void add_words(acc_t *sums, unsigned at) {
  acc_t x[words_at_once];
//@ if four_words
  asm volatile("ld.shared.v4.${word_type} {%0, %1, %2, %3}, [%4];"
               : "=${acc_register}"(x[0]), "=${acc_register}"(x[1]), "=${acc_register}"(x[2]),
                 "=${acc_register}"(x[3])
               : "r"(at)
               : "memory");
//@ else
  asm volatile("ld.shared.v2.${word_type} {%0, %1}, [%2];"
               : "=${acc_register}"(x[0]), "=${acc_register}"(x[1])
               : "r"(at)
               : "memory");
//@ end
#pragma unroll
  for (int w = 0; w < words_at_once; ++w) add(sums[w], x[w]);
}

// Where a lane's sums of MMA (i, j) are, from word w on: in bytes from the lane's first sums.
__device__ __forceinline__ constexpr int words_place(int i, int j, int w) {
  return i * row_bytes + (j * acc_words + w) * int(sizeof(acc_t)) * warp_size;
}

// Puts a lane's sums there, or adds to them what is there.
template <bool adds>
__device__ __forceinline__ void move_sums(acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                          unsigned at) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int j = 0; j < frags_n; ++j)
#pragma unroll
      for (int w = 0; w < acc_words; w += words_at_once)
        if constexpr (adds)
          add_words(&tCrC[i][j][w], at + words_place(i, j, w));
        else
          put_words(at + words_place(i, j, w), &tCrC[i][j][w]);
}

// Adds to the sums of a block's first warp those of the others. All stages have been read.
__device__ __forceinline__ void add_along_k(acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                            unsigned stages_begin, int warp, int lane) {
  const unsigned first = stages_begin + warp % block_warps * block_bytes + lane * bytes_at_once;
  const int part = warp / block_warps;
  if (part > 0) move_sums<false>(tCrC, first + (part - 1) * (block_warps * block_bytes));
  __syncthreads();
  if (part == 0) {
#pragma unroll 1
    for (int other = 1; other < warps_k; ++other)
      move_sums<true>(tCrC, first + (other - 1) * (block_warps * block_bytes));
  }
  __syncthreads();  // the stages' memory is free again
}
