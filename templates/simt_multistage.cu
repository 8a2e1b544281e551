//@ insert banner

//@ insert sizes
//@ insert traced
//@ slot trace

// Derived sizes. A thread owns block_m x block_n elements of the CTA tile, in vectors of vec_m rows
// and vec_n columns.
constexpr int block_m = tile_m / threads_m, block_n = tile_n / threads_n;
constexpr int k_steps = tile_k / mma_k;

// ---- Tiles: which threads copy and multiply them, and where an element lies ---------------------

// A tile is copied in lines (rows of its contiguous dimension), a line in chunks of one access
// each. `across` threads stand side by side along a line, so that neighbours touch neighbouring
// addresses, and take turns along the line, then down the lines, until the tile is done.

//@ insert tiles

// ---- Instructions -------------------------------------------------------------------------------

//@ insert instructions

//@ include cp_async

//@ include simt_instructions
//@ if awaits

//@ include dependencies
//@ end

// ---- Copies: global to shared memory ------------------------------------------------------------

//@ include copy_work
//@ slot split_columns

// One thread's share of an operand's tiles: it walks gA (or gB) along K, one tile at a time. What
// lies outside the matrix is never read; it becomes zeros.
//
// K's last tile is the only one that may be partial, and it comes first: so all tiles in the main
// loop are whole along K. Where lines along M or N end inside a chunk, those of the CTA that has
// them are copied with care in every tile; other CTAs never ask.
struct tile_loader {
  int line, pos;    // this thread's first chunk: its line, and its first element in the line
  unsigned place;   // where that chunk goes in a stage's tile, in bytes
  const ab_t *g;    // where the next tile's first chunk comes from
  int64 turn_step;  // from one turn's lines to the next turn's
  int64 tile_step;  // from the end of a tile to the next tile
  int mn_left;      // along M or N, from the first chunk to the end of the matrix
//@ if ragged_by_registers
  bool careful;     // lines along M or N end inside a chunk: known to be the same in all threads
//@ end
//@ if units
  int64 ld;         // from a line to the next of a word
//@ end
//@ if splits_columns
  int64 half;       // of N, whose columns a line has by turns with the first's
//@ end
};

template <class op>
constexpr int turns = op::line_turns * op::chunk_turns;

template <class op>
__device__ __forceinline__ tile_loader start_loader(const ab_t *origin, int64 ld, int mn,
                                                    int k_tile, int thread${half_parameter}) {
//@ if units
  const int line = thread / op::across * op::unit;
//@ else
  const int line = thread / op::across;
//@ end
  const int pos = thread % op::across * op::chunk_size;
  const int64 turn_step = ${lines_of_turn} * ld;
  const int64 tile_distance = op::k_major ? tile_k : tile_k * ld;
  return {line,
          pos,
          unsigned(op::k_major ? op::offset(line, pos) : op::offset(pos, line)) * element_bytes,
          origin + ${first_line} * ld + ${first_column} + k_tile * tile_distance,
          turn_step,
          tile_distance - op::line_turns * turn_step,
          ${lines_left}
//@ if ragged_by_registers
          , op::ragged && ${line_end} % op::chunk_size != 0
//@ end
//@ if units
          , ld
//@ end
//@ if splits_columns
          , half
//@ end
          };
}

// Where a stage's tile has the chunk that is `down` lines and `along` elements from this thread's
// first one.
template <class op>
__device__ __forceinline__ unsigned place_of(const tile_loader &l, int down, int along) {
  return l.place +
         (op::k_major ? op::offset(down, along) : op::offset(along, down)) * element_bytes;
}

// Copies turns first ... last - 1 of a tile that is whole along K. Each chunk lies inside or
// outside of the matrix as a whole, except those in which a line along M or N ends.
template <class op>
__device__ __forceinline__ void load_turns(tile_loader &l, unsigned smem_tile, bool exists,
                                           int first, int last) {
#pragma unroll
  for (int turn = first; turn < last; ++turn) {
    const int down = turn / op::chunk_turns * op::line_step;
    const int along = turn % op::chunk_turns * op::chunk_step;
//@ if splits_columns
    const int from = column_in_half<op>(along);
    const int64 place = place_in_line<op>(along, l.half);
//@ end
    const unsigned dst = smem_tile + place_of<op>(l, down, along);
    const bool works = op::all_work || has_work<op>(l.line, l.line + down, l.pos + along);
    if constexpr (op::ragged) {
      const int valid = exists ? min(op::chunk_size, l.mn_left - ${column_along}) : 0;
      cp_async_zfill<op::copy_bytes>(dst, l.g + ${place_along}, max(valid, 0) * int(sizeof(ab_t)),
                                     works);
    } else {
      const bool inside = op::even_mn || (op::k_major ? down : ${column_along}) < l.mn_left;
      if (works) cp_async_or_zeros<op::copy_bytes>(dst, l.g + ${place_along}, exists && inside);
    }
    if (turn % op::chunk_turns == op::chunk_turns - 1) {
      l.g += l.turn_step;
      forget_address(l.g);  // else the compiler keeps a pointer for each turn
    }
  }
  if (last == turns<op>) l.g += l.tile_step;
}

// Copies any tile, in chunks of any size. Along K k_left elements are left, from the tile's first
// on.
template <class op>
__device__ __forceinline__ void load_any(tile_loader &l, unsigned smem_tile, bool exists,
                                         int k_left) {
  const int lines_left = op::k_major ? l.mn_left : k_left - l.line;
  const int line_left = op::k_major ? k_left - l.pos : l.mn_left;
#pragma unroll 1
  for (int turn = 0; turn < turns<op>; ++turn) {
    const int down = turn / op::chunk_turns * op::line_step;
    const int along = turn % op::chunk_turns * op::chunk_step;
//@ if splits_columns
    const int from = column_in_half<op>(along);
    const int64 place = place_in_line<op>(along, l.half);
//@ end
    const unsigned dst = smem_tile + place_of<op>(l, down, along);
    const int valid = exists && down < lines_left ? min(op::chunk_size, line_left - ${column_along}) : 0;
    cp_async_zfill<op::copy_bytes>(
        dst, l.g + ${place_along}, max(valid, 0) * int(sizeof(ab_t)),
        op::all_work || has_work<op>(l.line, l.line + down, l.pos + along));
    if (turn % op::chunk_turns == op::chunk_turns - 1) l.g += l.turn_step;
  }
  l.g += l.tile_step;
}

template <class op>
__device__ __forceinline__ void load_tile(tile_loader &l, unsigned smem_tile, bool exists,
                                          int k_left) {
  if (k_left < tile_k)
    load_any<op>(l, smem_tile, exists, k_left);
  else
    load_turns<op>(l, smem_tile, exists, 0, turns<op>);
}

//@ slot register_copies

// ---- Multiplying: shared memory to registers ----------------------------------------------------

struct fragments {
  word_t a[block_m][1];
  word_t b[block_n][1];
};

// Where this thread's rows and columns begin in a stage, in bytes.
struct fragment_places {
  unsigned a, b;
};

// The words of one step along K.
__device__ __forceinline__ void load_fragments(fragments &f, unsigned stage, fragment_places at,
                                               int step) {
#pragma unroll
  for (int i = 0; i < block_m; i += vec_m)
    ld_words<vec_m>(f.a + i, stage + at.a +
                                 operand_a::offset(tile_row(0, i), step * mma_k) * element_bytes);
#pragma unroll
  for (int j = 0; j < block_n; j += vec_n)
    ld_words<vec_n>(f.b + j,
                    stage + at.b +
                        operand_b::offset(tile_col(0, j * block_m), step * mma_k) * element_bytes);
}

// Rows first ... last - 1 of the thread's block. Every other one is walked backwards, so that
// neighbouring multiply-adds share a word.
__device__ __forceinline__ void multiply_rows(acc_t (&tCrC)[block_m][block_n][1],
                                              const fragments &f, int first, int last) {
#pragma unroll
  for (int i = first; i < last; ++i) {
#pragma unroll
    for (int step = 0; step < block_n; ++step) {
      const int j = i % 2 ? block_n - 1 - step : step;
      mma(tCrC[i][j], f.a[i], f.b[j]);
    }
  }
}

// ---- The main loop ------------------------------------------------------------------------------

struct loaders {
  tile_loader gA, gB;
//@ if a_by_registers
  fetched<operand_a> fetched_a;
//@ end
//@ if b_by_registers
  fetched<operand_b> fetched_b;
//@ end
};

__device__ __forceinline__ void load(loaders &l, unsigned stage, bool exists, int k_left) {
//@ if a_by_registers
  fetch_tile<operand_a>(l.gA, l.fetched_a, exists, k_left);
//@ else
  load_tile<operand_a>(l.gA, stage, exists, k_left);
//@ end
//@ if b_by_registers
  fetch_tile<operand_b>(l.gB, l.fetched_b, exists, k_left);
//@ else
  load_tile<operand_b>(l.gB, stage + stage_begin_b, exists, k_left);
//@ end
  cp_async_commit();
}

//@ if by_registers
// Stores what was fetched to registers in its stage.
__device__ __forceinline__ void put(const loaders &l, unsigned stage) {
//@ if a_by_registers
  put_tile<operand_a>(l.gA, l.fetched_a, stage);
//@ end
//@ if b_by_registers
  put_tile<operand_b>(l.gB, l.fetched_b, stage + stage_begin_b);
//@ end
}
//@ end

// Moves the loaders from behind K's last tile back to the first.
__device__ __forceinline__ void rewind(loaders &l, int k_tiles, int64 lda, int64 ldb) {
  l.gA.g -= k_tiles * (a_k_major ? int64(tile_k) : tile_k * lda);
  l.gB.g -= k_tiles * (b_k_major ? int64(tile_k) : tile_k * ldb);
}

//@ slot multiply

// ---- Which tile this CTA computes ---------------------------------------------------------------

//@ include rasterise

//@ include operations

//@ include simt_epilogue

// ---- The kernel ---------------------------------------------------------------------------------
//@ if not shares

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(128) unsigned char smem[];
  const unsigned smem_base = unsigned(__cvta_generic_to_shared(smem));
  if constexpr (traced) trace_begin(smem_base);
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg);
  const int k_tiles = (int(k) + tile_k - 1) / tile_k;
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const int64 batch = blockIdx.x / (tiles_m * tiles_n);
  const tile_coord tile = rasterise(blockIdx.x % (tiles_m * tiles_n), tiles_m, tiles_n);
  const int thread = int(threadIdx.x);

  const int64 m0 = int64(tile.m) * tile_m;
  const int64 n0 = int64(tile.n) * tile_n;
  const int rows = even_m ? tile_m : int(min(m - m0, int64(tile_m)));
  const int cols = even_n ? tile_n : int(min(n - n0, int64(tile_n)));
  const ab_t *gA = ${a_first} + m0 * (a_k_major ? lda : 1);
  const ab_t *gB = ${b_first} + ${b_n0} * (b_k_major ? ldb : 1);
  loaders l;
  l.gA = start_loader<operand_a>(gA, lda, rows, max(k_tiles - 1, 0), thread${half_of_a});
  l.gB = start_loader<operand_b>(gB, ldb, cols, max(k_tiles - 1, 0), thread${half_of_b});
  const fragment_places at = {
      operand_a::offset(tile_row(thread, 0), 0) * element_bytes,
      stage_begin_b + operand_b::offset(tile_col(thread, 0), 0) * element_bytes};

  acc_t tCrC[block_m][block_n][1];
#pragma unroll
  for (int i = 0; i < block_m; ++i)
#pragma unroll
    for (int j = 0; j < block_n; ++j) tCrC[i][j][0] = 0;
//@ if awaits
  await_dependencies();
  launch_dependents();
//@ end
//@ insert read_scalars
  const epilogue_operands parameters = {${operand_list}};
  if constexpr (prefetches)
    prefetch_operands<threads>(at_tile(parameters, batch, m0, n0), rows, cols, thread);
  if constexpr (traced) stamp<trace_tile>(blockIdx.x);
  multiply(tCrC, l, smem_base, at, int(k), k_tiles, lda, ldb);

  const epilogue_operands operands = at_tile(parameters, batch, m0, n0);
  d_t *gD = ${d_first} + (d_n_major ? m0 * ldd + ${d_n0} : n0 * ldd + m0);
  if constexpr (traced) stamp<trace_finish>(0);
  epilogue(tCrC, operands, gD, ldd, thread, rows, cols);
  if constexpr (traced) stamp<trace_finished>(0);
  if constexpr (traced) trace_end();
}
//@ end
//@ slot kernel_shares
