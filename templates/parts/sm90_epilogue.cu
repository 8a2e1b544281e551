// ---- Epilogue: accumulators through shared memory to D ------------------------------------------

// A warp has 16 rows of each of its 64-row blocks. It stages them in shared memory, a box of epi_n
// columns at a time, and has the copy engine store the box while it goes on to the next box, or
// the next tile. Only lanes of one warp meet here, so that __syncwarp is enough.

// What the epilogue reads and writes, besides the accumulators.
struct epilogue_arguments {
  const tensor_map &map_d;
  int row0, col0, batch;  // this warp's first element of D
  int64 rows, cols;       // of D
  d_t *gD;                // of this batch
  int64 ldd;
//@ if alpha
  float alpha;
//@ end
//@ if c
  const c_t *gC;  // of this batch
  int64 ldc;
  float beta;
//@ end
};

// One element of D from its accumulator. What else an epilogue does to a value (bias, activation,
// …) is one line a step here, in order.
__device__ __forceinline__ epi_t finish(epi_t value, epi_t c, const epilogue_arguments &arg) {
//@ if alpha
  value *= arg.alpha;
//@ end
//@ if c
  if (arg.beta != 0.0f) value += arg.beta * c;
//@ end
  return value;
}

__device__ __forceinline__ void clear(acc_t (&tCrC)[frags_m][acc_words]) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < acc_words; ++w) tCrC[i][w] = 0;
}

// Two neighbouring columns of a row of C.
struct pair {
  epi_t x, y;
};

__device__ __forceinline__ pair load_c(const epilogue_arguments &arg, int row, int col) {
  pair c = {0, 0};
//@ if c
  if (arg.beta == 0.0f || row >= arg.rows) return c;  // C is not read: it may be null
  const c_t *at = arg.gC + (c_n_major ? row * arg.ldc + col : col * arg.ldc + row);
  if (col < arg.cols) c.x = c_value(at[0]);
  if (col + 1 < arg.cols) c.y = c_value(at[c_n_major ? 1 : arg.ldc]);
//@ end
  return c;
}

template <class element>
__device__ __forceinline__ unsigned pack(const element (&x)[2]) {  // of 16 bits
  return unsigned(x[0]) | unsigned(x[1]) << 16;
}

// The box of columns first ... first + epi_n - 1 of a block's accumulators, to staging memory.
// Element e of a lane's accumulators is at row lane / 4 (+ 8 for every other pair), columns
// e / 4 * 8 + lane % 4 * 2 and + 1.
__device__ __forceinline__ void stage_box(const acc_t (&acc)[acc_words],
                                          const epilogue_arguments &arg, int row0, int first,
                                          unsigned staging, int lane) {
  constexpr bool by_matrix = sizeof(d_t) == 2;
  const int row = lane / 4;
  const int col = lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < epi_n; j += 16) {  // 16 x 16 elements: eight a lane
    unsigned words[4];
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      const int r = row + p % 2 * 8;
      const int c = j + p / 2 * 8 + col;
      const int e = (first + j) / 2 + p * 2;
      const pair at = load_c(arg, row0 + r, arg.col0 + first + c);
      d_t bits[2];
      d_from_values(bits, finish(acc_value(acc, e), at.x, arg),
                    finish(acc_value(acc, e + 1), at.y, arg));
      if constexpr (by_matrix)
        words[p] = pack(bits);
      else
        st_shared_pair(staging + smem_d(r, c) * unsigned(sizeof(d_t)), bits);
    }
    if constexpr (by_matrix)
      stmatrix_x4(staging + smem_d(lane % 16, j + lane / 16 * 8) * unsigned(sizeof(d_t)), words);
  }
}

// Stores by the copy engine end at whole 16 bytes, and so does D's map. The columns beyond are few,
// and only in the last box: lanes store them.
constexpr int store_unit = 16 / int(sizeof(d_t));

__device__ __forceinline__ void store_tail(const epilogue_arguments &arg, int row0, int col0,
                                           int first, unsigned sD, int lane) {
  const int row = lane % epi_m;
  if (row0 + row >= arg.rows) return;
#pragma unroll 1
  for (int col = first + lane / epi_m; col < arg.cols; col += warp_size / epi_m)
    ld_shared(arg.gD[(row0 + row) * arg.ldd + col],
              sD + smem_d(row, col - col0) * unsigned(sizeof(d_t)));
}

__device__ __forceinline__ void epilogue(const acc_t (&tCrC)[frags_m][acc_words],
                                         const epilogue_arguments &arg, unsigned staging,
                                         int lane) {
  constexpr int boxes = mma_n / epi_n;  // of a block
  const int whole_cols = int(arg.cols) / store_unit * store_unit;
#pragma unroll
  for (int i = 0; i < frags_m; ++i) {
#pragma unroll
    for (int b = 0; b < boxes; ++b) {
      const int row0 = arg.row0 + i * mma_m;
      const int col0 = arg.col0 + b * epi_n;
      const unsigned sD = staging + (i * boxes + b) % epi_buffers * epi_bytes;
      if (lane == 0) tma_store_wait_read<epi_buffers - 1>();
      __syncwarp();  // the buffer has been read
      stage_box(tCrC[i], arg, row0, b * epi_n, sD, lane);
      fence_async_shared();
      __syncwarp();
      if (lane == 0) {
        if (row0 < arg.rows && col0 < whole_cols) tma_store(arg.map_d, sD, col0, row0, arg.batch);
        tma_store_commit();
      }
      if (whole_cols < arg.cols && col0 <= whole_cols && whole_cols < col0 + epi_n)
        store_tail(arg, row0, col0, whole_cols, sD, lane);
    }
  }
}
