// ---- Transposing what arrives with M or N contiguous --------------------------------------------

// wgmma reads such elements K-major alone. So a tensor map brings boxes as they are in memory, each
// to where the lines along K will lie that it has elements of, and the barrier `raw` hears of them.
// This warpgroup's warps then read a box to registers, and write it back along K, under the
// swizzle. A lane moves cells, of 4 places along M or N by 16 bytes along K, in one store for each
// of the 4. Neighbouring lanes' cells lie on a diagonal, so that neither reads nor stores meet in a
// bank.

//@ if chunks_apart
//@ include sm90_chunks

//@ end
__device__ __forceinline__ unsigned raw_barrier(unsigned smem, int stage) {
  return smem + raw_barriers_begin + 8 * stage;
}

// What arrives: boxes of `width` elements along M or N.
//@ insert raw_boxes

constexpr int line_bytes = 128;  // of a line along K
constexpr int cell_width = 4, cell_lines = chunk_bytes / raw_bytes_each;  // elements
constexpr int cells = 2;  // of a lane, of a box

// Of a cell's places those that lie side by side in memory.
__device__ __forceinline__ void load_places(unsigned (&x)[raw_bytes_each], unsigned addr) {
  if constexpr (raw_bytes_each == 4)
    ld_shared_chunk(x, addr);
  else
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x[0]) : "r"(addr) : "memory");
}

template <class raw>
__device__ __forceinline__ void load_cell(unsigned (&x)[cell_lines][raw_bytes_each], unsigned box,
                                          int quad, int chunk) {
  const unsigned first =
      box + (chunk * cell_lines * raw::width + quad * cell_width) * raw_bytes_each;
#pragma unroll
  for (int i = 0; i < cell_lines; ++i)
    load_places(x[i], first + i * raw::width * raw_bytes_each);
}

// Of each place along M or N what it has along K.
__device__ __forceinline__ void turn_cell(unsigned (&out)[cell_width][chunk_words],
                                          const unsigned (&x)[cell_lines][raw_bytes_each]) {
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) {
    if constexpr (raw_bytes_each == 4) {
#pragma unroll
      for (int row = 0; row < cell_width; ++row) out[row][w] = x[w][row];
    } else {
      const unsigned low01 = __byte_perm(x[4 * w][0], x[4 * w + 1][0], 0x5140);
      const unsigned low23 = __byte_perm(x[4 * w + 2][0], x[4 * w + 3][0], 0x5140);
      const unsigned high01 = __byte_perm(x[4 * w][0], x[4 * w + 1][0], 0x7362);
      const unsigned high23 = __byte_perm(x[4 * w + 2][0], x[4 * w + 3][0], 0x7362);
      out[0][w] = __byte_perm(low01, low23, 0x5410);
      out[1][w] = __byte_perm(low01, low23, 0x7632);
      out[2][w] = __byte_perm(high01, high23, 0x5410);
      out[3][w] = __byte_perm(high01, high23, 0x7632);
    }
  }
}

__device__ __forceinline__ void store_cell(unsigned box, int quad, int chunk,
                                           const unsigned (&x)[cell_lines][raw_bytes_each]) {
  unsigned rows[cell_width][chunk_words];
  turn_cell(rows, x);
  const unsigned to =
      box + quad * cell_width * line_bytes + (chunk ^ quad % 2 * cell_width) * chunk_bytes;
#pragma unroll
  for (int row = 0; row < cell_width; ++row)
    st_shared_chunk((to ^ row * chunk_bytes) + row * line_bytes, rows[row]);
}

// Transposes a tile that has arrived: a box is one warp's, or that of two or four together.
template <class raw>
__device__ __forceinline__ void transpose_boxes(unsigned tile, int warp, int lane) {
  constexpr int quads = raw::width / cell_width, diagonals = warp_size / quads;
  constexpr int warps = raw::width / warp_size;
  const int quad = lane % quads, diagonal = lane / quads + warp % warps * cells * diagonals;
#pragma unroll 1
  for (int i = warp / warps; i < raw::boxes; i += warps_per_group / warps) {
    const unsigned box = tile + i * raw::width * line_bytes;
    unsigned x[cells][cell_lines][raw_bytes_each];
#pragma unroll
    for (int c = 0; c < cells; ++c)
      load_cell<raw>(x[c], box, quad, (quad ^ (diagonal + c * diagonals)) % 8);
//@ insert meet
#pragma unroll
    for (int c = 0; c < cells; ++c)
      store_cell(box, quad, (quad ^ (diagonal + c * diagonals)) % 8, x[c]);
  }
}
