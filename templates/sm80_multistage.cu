//@ insert banner

//@ insert sizes

// ---- Layouts: coordinates to elements of shared memory -----------------------------------------

//@ insert layouts

// ---- Instructions: the tensor core, conversions ------------------------------------------------

//@ insert instructions

//@ include sm80_instructions

// ---- Everything below uses only the names above. -----------------------------------------------

// Derived sizes. A warp owns one warp_m x warp_n block of the CTA tile and walks it in MMA atoms.
constexpr int warp_size = 32;
constexpr int threads = warp_size * warps_m * warps_n;
constexpr int warp_m = tile_m / warps_m;
constexpr int warp_n = tile_n / warps_n;
constexpr int frags_m = warp_m / mma_m;
constexpr int frags_n = warp_n / mma_n;
constexpr int k_steps = tile_k / mma_k;
// A tile's copies are issued in its second K step: in the first they would delay the ldmatrix that
// the second waits for.
constexpr int copy_step = k_steps > 1 ? 1 : 0;
constexpr int barrier_column = frags_n / 2;  // MMAs of the last step before the barrier

constexpr unsigned ab_bytes = sizeof(ab_t);
constexpr unsigned stage_bytes_a = smem_a_size * ab_bytes;
constexpr unsigned stage_bytes_b = smem_b_size * ab_bytes;
constexpr unsigned stage_bytes = stage_bytes_a + stage_bytes_b;  // sA, then sB

static_assert(tile_m % (warps_m * mma_m) == 0, "warps split the tile into whole MMA atoms");
static_assert(tile_n % (warps_n * mma_n) == 0, "warps split the tile into whole MMA atoms");
static_assert(tile_k % mma_k == 0, "a K tile is a whole number of MMA steps");
static_assert(stages >= 2, "one stage is read while another is filled");
static_assert(warp_m % epi_m == 0 && warp_n % epi_n == 0, "the epilogue walks whole sub-tiles");

// ---- Copies: global to shared memory -----------------------------------------------------------

// A tile is copied in lines (rows of its contiguous dimension), a line in chunks of one access
// each. Up to `side` workers stand side by side along a line, so that neighbours touch neighbouring
// addresses, and take turns along the line, then down the lines, until the tile is done. Where a
// line is not a whole share of the workers, the last ones have no work.
template <int workers, int lines, int line_chunks, int side>
struct dealing {
  static constexpr int across = line_chunks < side ? line_chunks : side;
  static constexpr int chunk_turns = (line_chunks + across - 1) / across;
  static constexpr int lines_per_turn = workers / across;
  static constexpr int line_turns = (lines + lines_per_turn - 1) / lines_per_turn;
  static constexpr int turns = chunk_turns * line_turns;

  static __device__ constexpr int line_step(int turn) {
    return turn / chunk_turns * lines_per_turn;
  }
  static __device__ constexpr int chunk_step(int turn) { return turn % chunk_turns * across; }

  // Whether the worker whose first line and chunk these are has work in a turn.
  static __device__ constexpr bool works(int first_line, int first_chunk, int turn) {
    return (workers % across == 0 || first_line < lines_per_turn) &&
           (lines % lines_per_turn == 0 || first_line + line_step(turn) < lines) &&
           (line_chunks % across == 0 || first_chunk + chunk_step(turn) < line_chunks);
  }
};

// What the loader and the MMA loop must know of A and of B; `mn` is the row of A or of B.
struct operand_a {
  static constexpr bool k_major = a_k_major;
  static constexpr bool even_mn = even_m;
  static constexpr int tile_mn = tile_m;
  static constexpr int copy_bytes = copy_bytes_a;
  static __device__ constexpr unsigned offset(unsigned mn, unsigned k) { return smem_a(mn, k); }
};

struct operand_b {
  static constexpr bool k_major = b_k_major;
  static constexpr bool even_mn = even_n;
  static constexpr int tile_mn = tile_n;
  static constexpr int copy_bytes = copy_bytes_b;
  static __device__ constexpr unsigned offset(unsigned mn, unsigned k) { return smem_b(mn, k); }
};

// One thread's share of an operand's tiles: it walks gA (or gB) along K, one tile at a time, and
// every tile in `copies` turns. What lies outside the matrix is never read; it becomes zeros.
//
// K's last tile is the only one that may be partial, and it comes first: so all tiles in the main
// loop are whole along K, and a chunk there is inside or outside as a whole. Two cases are left
// that need more care, and get it in a loop of their own, whose code is small, not fast:
// the partial tile, and lines along M or N that end inside a chunk (`ragged`).
template <class op>
struct tile_loader {
  static constexpr int chunk_size = op::copy_bytes / int(ab_bytes);
  static constexpr int line_size = op::k_major ? tile_k : op::tile_mn;
  static constexpr int lines = op::k_major ? op::tile_mn : tile_k;
  // 128 bytes are one access to memory: workers beyond that go to other lines, and the turns along
  // a line share an address.
  static constexpr int side = 128 / op::copy_bytes < threads ? 128 / op::copy_bytes : threads;
  using deal = dealing<threads, lines, line_size / chunk_size, side>;
  static constexpr int copies = deal::turns;
  static constexpr bool wide = op::copy_bytes == 16;  // few copies: they are written out
  static constexpr bool may_be_ragged = !op::k_major && !op::even_mn && chunk_size > 1;

  static_assert(line_size % chunk_size == 0, "a line is whole copies");

  int line, pos;    // this thread's first chunk: its line, and its first element in the line
  const ab_t *g;    // where the next tile's first chunk comes from
  int64 turn_step;  // down the lines of a turn
  int64 tile_step;  // from the end of a tile to the next tile
  int mn_left;      // along M or N, from the first chunk to the end of the matrix
  bool ragged;      // this CTA's lines end inside a chunk

  __device__ __forceinline__ tile_loader(const ab_t *origin, int64 ld, int mn, int k_tile,
                                         int thread)
      : line(thread / deal::across),
        pos(thread % deal::across * chunk_size),
        g(origin + line * ld + pos),
        turn_step(deal::lines_per_turn * ld),
        tile_step(tile_distance(ld) - (wide ? deal::line_turns * turn_step : 0)),
        mn_left(mn - (op::k_major ? line : pos)),
        ragged(may_be_ragged && mn % chunk_size != 0) {
    g += k_tile * tile_distance(ld);
  }

  // From the start of a tile to the next, in elements.
  static __device__ __forceinline__ int64 tile_distance(int64 ld) {
    return op::k_major ? tile_k : tile_k * ld;
  }

  // Where a chunk goes. Most layouts repeat after the lines of a turn, so that a turn's distance
  // from the first chunk is a constant; `repeats` is computed by trying them all.
  static __device__ constexpr unsigned place(int line, int pos) {
    return (op::k_major ? op::offset(line, pos) : op::offset(pos, line)) * ab_bytes;
  }

  static __device__ constexpr bool layout_repeats() {
    for (int turn = 1; turn < copies; ++turn)
      for (int l = 0; l < deal::lines_per_turn; ++l)
        for (int c = 0; c < deal::across; ++c) {
          const int dl = deal::line_step(turn), dp = deal::chunk_step(turn) * chunk_size;
          const unsigned first = place(l, c * chunk_size);
          if (deal::works(l, c, turn) &&
              place(l + dl, c * chunk_size + dp) - first != place(dl, dp) - place(0, 0))
            return false;
        }
    return true;
  }

  // A whole tile, in chunks of 16 bytes. Nothing is written where `skip`.
  __device__ __forceinline__ void load_whole(unsigned smem_tile, bool exists, bool skip) {
    if constexpr (wide) {
      constexpr bool repeats = layout_repeats();
      const unsigned first_dst = smem_tile + place(line, pos);
#pragma unroll
      for (int turn = 0; turn < copies; ++turn) {
        const int down = deal::line_step(turn);
        const int along = deal::chunk_step(turn) * chunk_size;
        const unsigned dst = repeats ? first_dst + (place(down, along) - place(0, 0))
                                     : smem_tile + place(line + down, pos + along);
        const bool works = deal::works(line, pos / chunk_size, turn);
        const bool inside = op::even_mn || (op::k_major ? down : along) < mn_left;
        cp_async_or_zeros(dst, g + along, exists && inside, works && !skip);
        if (turn % deal::chunk_turns == deal::chunk_turns - 1) {
          g += turn_step;
          forget(g);  // else the compiler keeps one pointer a turn
        }
      }
    }
    g += tile_step;
  }

  // Any tile, any chunks: k_left elements are left along K from the tile's first.
  __device__ __forceinline__ void load_any(unsigned smem_tile, bool exists, int k_left) const {
    constexpr int unroll = wide ? 1 : chunk_size > 1 ? 4 : 8;
    const int lines_left = op::k_major ? mn_left : k_left - line;
    const int line_left = op::k_major ? k_left - pos : mn_left;
    const ab_t *src = g;
#pragma unroll unroll
    for (int turn = 0; turn < copies; ++turn) {
      const int down = deal::line_step(turn);
      const int along = deal::chunk_step(turn) * chunk_size;
      const unsigned dst = smem_tile + place(line + down, pos + along);
      const bool works = deal::works(line, pos / chunk_size, turn);
      const int valid = exists && down < lines_left ? min(chunk_size, line_left - along) : 0;
      if constexpr (chunk_size == 1) {  // less than cp.async can move
        if (works) st_shared(dst, valid > 0 ? src[along] : ab_t(0));
      } else {
        cp_async_zfill<op::copy_bytes>(dst, src + along, max(valid, 0) * int(ab_bytes), works);
      }
      if (turn % deal::chunk_turns == deal::chunk_turns - 1) src += turn_step;
    }
  }

  // Which of the two a tile takes.
  __device__ __forceinline__ bool takes_any(int k_left) const {
    return !wide || ragged || k_left < tile_k;
  }

  __device__ __forceinline__ void rewind(int tiles, int64 ld) {
    g -= tiles * tile_distance(ld);
  }
};

// ---- The MMA loop's operands: shared memory to registers ---------------------------------------

struct fragments {
  ab_frag_t a[frags_m][4];
  ab_frag_t b[frags_n][2];
};

// The address that this lane hands to ldmatrix, as a coordinate in the warp's first 16x16 block
// of A: lanes 0-7 name the rows of the first 8x8 matrix, lanes 8-15 those of the second, … . With
// K contiguous a row runs along K; else it runs along M and ldmatrix transposes on the way.
//   A's four matrices: (m 0, k 0), (m 8, k 0), (m 0, k 8), (m 8, k 8).
struct lane_coord {
  int mn, k;
};

__device__ __forceinline__ lane_coord ldmatrix_coord_a(int lane) {
  return a_k_major ? lane_coord{lane % 16, lane / 16 * 8}
                   : lane_coord{lane / 8 % 2 * 8, lane / 16 * 8 + lane % 8};
}

//   B's four matrices: (n 0, k 0), (n 0, k 8), (n 8, k 0), (n 8, k 8): two atoms side by side.
__device__ __forceinline__ lane_coord ldmatrix_coord_b(int lane) {
  return b_k_major ? lane_coord{lane / 16 * 8 + lane % 8, lane / 8 % 2 * 8}
                   : lane_coord{lane / 16 * 8, lane % 16};
}

// Whether 16 elements further along K (along M or N) is the same distance in shared memory from
// everywhere. Swizzles repeat in one of the two directions; there the distance is a constant, and
// the lane needs one address for each step in the other direction only.
template <class op>
__device__ constexpr bool repeats_along_k() {
  constexpr int mn_grain = op::k_major ? 1 : 8, k_grain = op::k_major ? 8 : 1;
  for (int mn = 0; mn < op::tile_mn; mn += mn_grain)
    for (int k = 0; k + 16 < tile_k; k += k_grain)
      if (op::offset(mn, k + 16) - op::offset(mn, k) != op::offset(0, 16) - op::offset(0, 0))
        return false;
  return true;
}

template <class op>
__device__ constexpr bool repeats_along_mn() {
  constexpr int mn_grain = op::k_major ? 1 : 8, k_grain = op::k_major ? 8 : 1;
  for (int mn = 0; mn + 16 < op::tile_mn; mn += mn_grain)
    for (int k = 0; k < tile_k; k += k_grain)
      if (op::offset(mn + 16, k) - op::offset(mn, k) != op::offset(16, 0) - op::offset(0, 0))
        return false;
  return true;
}

// The byte offset of this lane's ldmatrix row, mn and k (multiples of 8 and 16) from its first.
template <class op>
__device__ __forceinline__ unsigned ldmatrix_place(lane_coord at, int mn, int k) {
  constexpr bool along_k = repeats_along_k<op>();
  constexpr bool along_mn = repeats_along_mn<op>();
  if constexpr (along_k)
    return op::offset(at.mn + mn, at.k) * ab_bytes +
           k / 16 * (op::offset(0, 16) - op::offset(0, 0)) * ab_bytes;
  else if constexpr (along_mn)
    return op::offset(at.mn, at.k + k) * ab_bytes +
           mn / 16 * (op::offset(16, 0) - op::offset(0, 0)) * ab_bytes;
  else
    return op::offset(at.mn + mn, at.k + k) * ab_bytes;
}

__device__ __forceinline__ void load_a(fragments &f, int i, unsigned stage, lane_coord at, int k) {
  const unsigned addr = stage + ldmatrix_place<operand_a>(at, i * mma_m, k);
  ldmatrix_x4<!a_k_major>(f.a[i][0], f.a[i][1], f.a[i][2], f.a[i][3], addr);
}

__device__ __forceinline__ void load_b(fragments &f, int j, unsigned stage, lane_coord at, int k) {
  const unsigned addr = stage + stage_bytes_a + ldmatrix_place<operand_b>(at, j * mma_n, k);
  if (j + 1 < frags_n)  // two atoms side by side
    ldmatrix_x4<!b_k_major>(f.b[j][0], f.b[j][1], f.b[j + 1][0], f.b[j + 1][1], addr);
  else  // an odd last atom
    ldmatrix_x2<!b_k_major>(f.b[j][0], f.b[j][1], addr);
}

__device__ __forceinline__ void load_fragments(fragments &f, unsigned stage, lane_coord at_a,
                                               lane_coord at_b, int k) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i) load_a(f, i, stage, at_a, k);
#pragma unroll
  for (int j = 0; j < frags_n; j += 2) load_b(f, j, stage, at_b, k);
}

// Columns first … last - 1 of the warp's atoms. Every other column is walked upwards, so that
// neighbouring MMAs share an A or a B fragment.
__device__ __forceinline__ void mma_columns(acc_frag_t (&tCrC)[frags_m][frags_n][acc_words],
                                            const fragments &f, int first, int last) {
#pragma unroll
  for (int j = first; j < last; ++j) {
#pragma unroll
    for (int step = 0; step < frags_m; ++step) {
      const int i = j % 2 ? frags_m - 1 - step : step;
      mma(tCrC[i][j], f.a[i], f.b[j]);
    }
  }
}

// ---- The main loop -----------------------------------------------------------------------------

// The pipeline's state between tiles. Fragments are double buffered: while the tensor cores work on
// one K step, ldmatrix brings the next; at the end of a tile that is the next tile's first step.
struct pipeline {
  tile_loader<operand_a> load_gA;
  tile_loader<operand_b> load_gB;
  lane_coord at_a, at_b;  // where this lane's ldmatrix rows begin
  fragments frag[2];
};

// Issues a tile's copies: those that need care, then the others. Tiles that do not exist become
// zeros.
__device__ __forceinline__ void load_with_care(pipeline &p, unsigned stage, bool exists,
                                               int k_left) {
  if (p.load_gA.takes_any(k_left)) p.load_gA.load_any(stage, exists, k_left);
  if (p.load_gB.takes_any(k_left)) p.load_gB.load_any(stage + stage_bytes_a, exists, k_left);
}

__device__ __forceinline__ void load_the_rest(pipeline &p, unsigned stage, bool exists,
                                              int k_left) {
  const bool skip_a = p.load_gA.takes_any(k_left), skip_b = p.load_gB.takes_any(k_left);
  p.load_gA.load_whole(stage, exists, skip_a);
  p.load_gB.load_whole(stage + stage_bytes_a, exists, skip_b);
  cp_async_commit();
}

// Fills all stages but one: K's last tile, which may be partial, then the first, the second, … .
__device__ __forceinline__ void fill(pipeline &p, unsigned stages_begin, int k, int k_tiles,
                                     int64 lda, int64 ldb) {
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    const int k_left = even_k || stage > 0 ? tile_k : k - (k_tiles - 1) * tile_k;
    load_with_care(p, stages_begin + stage * stage_bytes, stage < k_tiles, k_left);
    load_the_rest(p, stages_begin + stage * stage_bytes, stage < k_tiles, k_left);
    if (stage > 0) continue;
    p.load_gA.rewind(k_tiles, lda);
    p.load_gB.rewind(k_tiles, ldb);
  }
}

// Multiplies all tiles and fills the pipeline with those stages - 1 ahead.
__device__ __forceinline__ void multiply(acc_frag_t (&tCrC)[frags_m][frags_n][acc_words],
                                         pipeline &p, unsigned stages_begin, int k_tiles) {
  const unsigned stages_end = stages_begin + stages * stage_bytes;
  unsigned read = stages_begin;  // the stage being read, and the one being filled
  unsigned write = stages_end - stage_bytes;
  cp_async_wait<stages - 2>();
  __syncthreads();
  load_fragments(p.frag[0], read, p.at_a, p.at_b, 0);

#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    // The stage being filled was read in the previous tile; the barrier that ended that tile says
    // that every warp is done with it.
    const bool exists = k_tile + stages - 1 < k_tiles;
    load_with_care(p, write, exists, tile_k);
#pragma unroll
    for (int step = 0; step < k_steps; ++step) {
      const fragments &now = p.frag[step % 2];
      fragments &next = p.frag[(step + 1) % 2];
      const bool last_step = step + 1 == k_steps;

      if (!last_step) load_fragments(next, read, p.at_a, p.at_b, (step + 1) * mma_k);
      if (step == copy_step) load_the_rest(p, write, exists, tile_k);
      if (!last_step) {
        mma_columns(tCrC, now, 0, frags_n);
        continue;
      }
      // Half of the last step's MMAs cover the wait at the barrier, half the first ldmatrix of the
      // next tile.
      mma_columns(tCrC, now, 0, barrier_column);
      write = read;
      read = read + stage_bytes == stages_end ? stages_begin : read + stage_bytes;
      cp_async_wait<stages - 2>();
      __syncthreads();
      load_fragments(next, read, p.at_a, p.at_b, 0);
      mma_columns(tCrC, now, barrier_column, frags_n);
    }
    if constexpr (k_steps % 2 == 1) p.frag[0] = p.frag[1];  // an odd number ends in the other
  }
  cp_async_wait<0>();
  __syncthreads();  // nobody reads a stage any more
}

// ---- Which tiles this CTA computes -------------------------------------------------------------

//@ include rasterise

//@ include operations

//@ include epilogue

// ---- The kernel --------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(128) unsigned char smem[];
  const unsigned smem_base = unsigned(__cvta_generic_to_shared(smem));
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int k = int(extent_k(k_arg));
  const int k_tiles = (k + tile_k - 1) / tile_k;
  const epilogue_operands operands = {${operand_list}};
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const unsigned tiles = tiles_m * tiles_n;  // of a batch
  const unsigned all_tiles = tiles * unsigned(extent_batch(batch_arg));

  const int thread = int(threadIdx.x);
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  const int warp_m0 = warp % warps_m * warp_m;
  const int warp_n0 = warp / warps_m * warp_n;

  acc_frag_t tCrC[frags_m][frags_n][acc_words];
  epilogue_arguments arguments;
  int rows = 0, cols = 0;  // of D that the tile in the accumulators has
  bool pending = false;    // it waits for its epilogue

  // The next tile's first copies are under way while this one's epilogue runs.
  for (unsigned work = blockIdx.x;; work += gridDim.x) {
    const bool more = persistent ? work < all_tiles : !pending;
    const int64 batch = work / tiles;
    const tile_coord tile = rasterise(work % tiles, tiles_m, tiles_n);
    const int64 m0 = int64(tile.m) * tile_m;
    const int64 n0 = int64(tile.n) * tile_n;
    const ab_t *gA = A + batch * batch_stride_a + m0 * (a_k_major ? lda : 1);
    const ab_t *gB = B + batch * batch_stride_b + n0 * (b_k_major ? ldb : 1);
    const int next_rows = int(min(m - m0, int64(tile_m)));
    const int next_cols = int(min(n - n0, int64(tile_n)));
    pipeline p = {{gA, lda, next_rows, max(k_tiles - 1, 0), thread},
                  {gB, ldb, next_cols, max(k_tiles - 1, 0), thread},
                  ldmatrix_coord_a(lane),
                  ldmatrix_coord_b(lane),
                  {}};
    p.at_a.mn += warp_m0;
    p.at_b.mn += warp_n0;
    if (more) fill(p, smem_base, k, k_tiles, lda, ldb);
    if (pending) {
      const unsigned staging = smem_base + staging_begin + warp * epi_bytes;
      epilogue(tCrC, arguments, warp_m0, warp_n0, rows, cols, staging, lane);
    }
    if (!more) break;

#pragma unroll
    for (int i = 0; i < frags_m; ++i)
#pragma unroll
      for (int j = 0; j < frags_n; ++j)
#pragma unroll
        for (int w = 0; w < acc_words; ++w) tCrC[i][j][w] = 0;
    multiply(tCrC, p, smem_base, k_tiles);

    pending = true;
    rows = next_rows;
    cols = next_cols;
    arguments = {
        D + batch * batch_stride_d + (d_n_major ? m0 * ldd + n0 : n0 * ldd + m0), ldd,
//@ if c
        C + batch * batch_stride_c + (c_n_major ? m0 * ldc + n0 : n0 * ldc + m0), ldc,
//@ end
        at_tile(operands, batch, m0, n0)};
  }
}
