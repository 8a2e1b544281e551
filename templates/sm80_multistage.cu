//@ insert banner

//@ insert sizes
//@ insert traced

// Derived sizes. A warp owns one warp_m x warp_n block of the CTA tile and walks it in MMA atoms.
constexpr int warp_size = 32;
constexpr int threads = warp_size * ${all_warps};
constexpr int warp_m = tile_m / warps_m, warp_n = tile_n / warps_n;
constexpr int frags_m = warp_m / mma_m, frags_n = warp_n / mma_n;
constexpr int k_steps = tile_k / ${turn_k};
//@ if spreads_copies
constexpr int copy_parts = ${copy_parts};  // parts of a tile's copies, each issued in its own K step
//@ end
constexpr unsigned ab_bytes = sizeof(ab_t);
//@ slot trace

// ---- Tiles in shared memory: which threads copy them, and where an element lies -----------------

// A tile is copied in lines (rows of its contiguous dimension), a line in chunks of one access
// each. `across` workers stand side by side along a line, so that neighbours touch neighbouring
// addresses, and take turns along the line, then down the lines, until the tile is done.

//@ insert tiles

// ---- Instructions -------------------------------------------------------------------------------

//@ insert instructions

//@ include sm80_instructions
//@ if awaits

//@ include dependencies
//@ end

// Whether any tile needs more care than whole chunks do.
constexpr bool may_skip = !whole_chunks || !even_k;
constexpr bool wide_chunks = operand_a::copy_bytes == 16 || operand_b::copy_bytes == 16;
constexpr bool one_chunk_turn = operand_a::chunk_turns == 1 && operand_b::chunk_turns == 1;

// ---- Copies: global to shared memory ------------------------------------------------------------

//@ include copy_work
//@ slot split_columns

// One thread's share of an operand's tiles: it walks gA (or gB) along K, one tile at a time. What
// lies outside the matrix is never read; it becomes zeros.
//
// K's last tile is the only one that may be partial, and it comes first: so all tiles in the main
// loop are whole along K, and a chunk there is inside or outside as a whole. Tiles that need more
// care are copied by code that is small rather than fast.
struct tile_loader {
  int line, pos;    // this thread's first chunk: its line, and its first element in the line
  const ab_t *g;    // where the next tile's first chunk comes from
  int64 turn_step;  // from one turn's lines to the next turn's
  int64 tile_step;  // from the end of a tile to the next tile
  int mn_left;      // along M or N, from the first chunk to the end of the matrix
//@ if ragged_lines
  bool ragged;      // lines along M or N end inside a chunk: known to be the same in all threads
//@ end
};

template <class op>
__device__ __forceinline__ tile_loader start_loader(const ab_t *origin, int64 ld, int mn,
                                                    int k_tile, int thread${half_parameter}) {
  const int line = thread / op::across;
  const int pos = thread % op::across * op::chunk_size;
  const int64 turn_step = ${lines_of_turn} * ld;
  const int64 tile_distance = op::k_major ? ${tile_k_of} : ${tile_k_of} * ld;
  const int64 walked = op::copy_bytes == 16 ? op::line_turns * turn_step : 0;
  return {line,
          pos,
          origin + ${first_line} * ld + ${first_column} + k_tile * tile_distance,
          turn_step,
          tile_distance - walked,
//@ if ragged_lines
          ${lines_left},
          !op::k_major && !op::even_mn && ${line_end} % op::chunk_size != 0};
//@ else
          ${lines_left}};
//@ end
}

//@ if spreads_copies
// Copies a part of a whole tile, in chunks of 16 bytes. Each part begins where the one before it
// left off. With `skip` nothing is written; the loader only moves on.
//@ else
// Copies a whole tile, in chunks of 16 bytes. With `skip` nothing is written; the loader only moves
// on to the next tile.
//@ end
template <class op>
__device__ __forceinline__ void load_whole(tile_loader &l, unsigned smem_tile, bool exists,
                                           bool skip${part_parameter}) {
  if constexpr (wide_chunks && op::copy_bytes == 16) {
    const unsigned first_dst =
        smem_tile +
        (op::k_major ? op::offset(l.line, l.pos) : op::offset(l.pos, l.line)) * ab_bytes;
//@ if spreads_copies
    constexpr int turns = op::line_turns * (one_chunk_turn ? 1 : op::chunk_turns);
#pragma unroll
    for (int turn = turns * part / copy_parts; turn < turns * (part + 1) / copy_parts; ++turn) {
//@ else
#pragma unroll
    for (int turn = 0; turn < op::line_turns * (one_chunk_turn ? 1 : op::chunk_turns); ++turn) {
//@ end
      const int down = (one_chunk_turn ? turn : turn / op::chunk_turns) * op::line_step;
      const int along = one_chunk_turn ? 0 : turn % op::chunk_turns * op::chunk_step;
//@ if splits_columns
      const int from = column_in_half<op>(along);
//@ end
      const unsigned dst =
          op::turns_repeat
              ? first_dst +
                    (op::k_major ? op::offset(down, along) : op::offset(along, down)) * ab_bytes
              : smem_tile + (op::k_major ? op::offset(l.line + down, l.pos + along)
                                         : op::offset(l.pos + along, l.line + down)) *
                                ab_bytes;
      const bool inside = op::even_mn || (op::k_major ? down : ${column_along}) < l.mn_left;
      if constexpr (op::all_work && !may_skip)
        cp_async_or_zeros(dst, l.g + ${place_along}, exists && inside);
      else
        cp_async_or_zeros_if(
            (op::all_work || has_work<op>(l.line, l.line + down, l.pos + along)) &&
                (!may_skip || !skip),
            dst, l.g + ${place_along}, exists && inside);
      if (one_chunk_turn || turn % op::chunk_turns == op::chunk_turns - 1) {
        l.g += l.turn_step;
        forget_address(l.g);  // else the compiler keeps a pointer for each turn
      }
    }
  }
  ${behind_copies}l.g += l.tile_step;
}

// Copies any tile, in chunks of any size. Along K k_left elements are left, from the tile's first
// on.
template <class op>
__device__ __forceinline__ void load_any(const tile_loader &l, unsigned smem_tile, bool exists,
                                         int k_left) {
  constexpr int unroll = op::copy_bytes == 16 ? 1 : op::chunk_size > 1 ? 4 : 8;
  const int lines_left = op::k_major ? l.mn_left : k_left - l.line;
  const int line_left = op::k_major ? k_left - l.pos : l.mn_left;
  const ab_t *src = l.g;
#pragma unroll unroll
  for (int turn = 0; turn < op::line_turns * (one_chunk_turn ? 1 : op::chunk_turns); ++turn) {
    const int down = (one_chunk_turn ? turn : turn / op::chunk_turns) * op::line_step;
    const int along = one_chunk_turn ? 0 : turn % op::chunk_turns * op::chunk_step;
//@ if splits_columns
    const int from = column_in_half<op>(along);
//@ end
    const unsigned dst =
        smem_tile + (op::k_major ? op::offset(l.line + down, l.pos + along)
                                 : op::offset(l.pos + along, l.line + down)) *
                        ab_bytes;
    const int valid = exists && down < lines_left ? min(op::chunk_size, line_left - ${column_along}) : 0;
    const bool works = op::all_work || has_work<op>(l.line, l.line + down, l.pos + along);
    if constexpr (copies_elements && op::chunk_size == 1) {  // less than cp.async can move
      if (works) st_shared(dst, valid > 0 ? src[${place_along}] : ab_t(0));
    } else if constexpr (copies_first && op::all_work || !copies_zfill) {
      cp_async_first<op::copy_bytes>(dst, src + ${place_along}, max(valid, 0) * int(ab_bytes));
    } else {
      cp_async_zfill<op::copy_bytes>(dst, src + ${place_along}, max(valid, 0) * int(ab_bytes), works);
    }
    if (one_chunk_turn || turn % op::chunk_turns == op::chunk_turns - 1) src += l.turn_step;
  }
}

// Whether load_any() loads a tile: where chunks have fewer than 16 bytes, where K ends within the
// tile, or where a line along M or N ends inside a chunk.
template <class op>
__device__ __forceinline__ bool needs_care(const tile_loader &l, int k_left) {
//@ if ragged_lines
  return op::copy_bytes != 16 ||
         (!op::k_major && !op::even_mn && l.ragged) || k_left < ${tile_k_of};
//@ else
  return op::copy_bytes != 16 || k_left < ${tile_k_of};
//@ end
}

// ---- The MMA loop's operands: shared memory to registers ----------------------------------------

//@ if matrices
// The address that this lane hands to ldmatrix, as a coordinate in the warp's first 16x${step_k} block
// of A: lanes 0-7 name the rows of the first 8x8 matrix, lanes 8-15 those of the second, … . With
// K contiguous a row runs along K; else it runs along M and ldmatrix transposes on the way.
//@ if not twins_m
//   A's four matrices: (m 0, k 0), (m 8, k 0), (m 0, k ${row}), (m 8, k ${row}).
//@ end
//@ else
//@ if has_twins
// Where the row that this lane hands to ldmatrix begins in a block of A or B.
//@ else
// Where the first of this lane's elements is in a block of A or B.
//@ end
//@ end
struct lane_coord {
  int mn, k;
};

__device__ __forceinline__ lane_coord ldmatrix_coord_a(int lane) {
  return a_k_major ? lane_coord{lane % 16, lane / 16 * ${row}}
                   : lane_coord{lane / 8 % 2 * 8, lane / 16 * 8 + lane % 8};
}

//@ if sparse
//   B's four matrices are neighbours along K, ${row} elements each: all of an atom's.
__device__ __forceinline__ lane_coord ldmatrix_coord_b(int lane) {
  return b_k_major ? lane_coord{lane % 8, lane / 8 * ${row}} : lane_coord{0, lane};
}
//@ else
//   B's four matrices: (n 0, k 0), (n 0, k ${row}), (n 8, k 0), (n 8, k ${row}): two atoms side by side.
__device__ __forceinline__ lane_coord ldmatrix_coord_b(int lane) {
  return b_k_major ? lane_coord{lane / 16 * 8 + lane % 8, lane / 8 % 2 * ${row}}
                   : lane_coord{lane / 16 * 8, lane % 16};
}
//@ end

//@ if elements
// Lanes that read single elements hold eight along M or N, and four along K.
__device__ __forceinline__ lane_coord element_coord(int lane) {
  return lane_coord{lane / 4, lane % 4};
}

// The byte offset of a lane's element that is mn (a multiple of 8) and k (a multiple of 4) from its
// first one. Where the swizzle repeats along K or along M or N, that distance is a constant, and
// the lane needs one address for each step in the other direction only.
template <class op>
__device__ __forceinline__ unsigned element_place(lane_coord at, int mn, int k) {
  if constexpr (op::repeats == 1)
    return op::offset(at.mn + mn, at.k) * ab_bytes + k / 4 * op::offset(0, 4) * ab_bytes;
  else if constexpr (op::repeats == 2)
    return op::offset(at.mn, at.k + k) * ab_bytes + mn / 8 * op::offset(8, 0) * ab_bytes;
  else
    return op::offset(at.mn + mn, at.k + k) * ab_bytes;
}

__device__ __forceinline__ void load_element(${holder} &x, unsigned addr) {
  asm volatile("ld.shared.${load} %0, [%1];" : "=${constraint}"(x) : "r"(addr));
}

//@ end
// The byte offset of this lane's ldmatrix row, mn and k (${multiples}) from its first. Swizzles
// repeat along K or along M or N; there the distance is a constant, and the lane needs one address
// for each step in the other direction only.
template <class op>
__device__ __forceinline__ unsigned ldmatrix_place(lane_coord at, int mn, int k) {
  if constexpr (op::repeats == 1)
    return op::offset(at.mn + mn, at.k) * ab_bytes + k / ${step_k} * op::offset(0, ${step_k}) * ab_bytes;
  else if constexpr (op::repeats == 2)
    return op::offset(at.mn, at.k + k) * ab_bytes + mn / ${step_mn} * op::offset(${step_mn}, 0) * ab_bytes;
  else
    return op::offset(at.mn + mn, at.k + k) * ab_bytes;
}

struct fragments {
  ${fragments_a}
  ${fragments_b}
};
//@ if rounds

// Elements of tf32 are f32 in memory: to nearest even at 10 fraction bits, as tensor maps round.
// The tensor core would cut the low bits off.
__device__ __forceinline__ unsigned rounded(unsigned x) {
//@ if converts_tf32
  unsigned y;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(y) : "f"(__uint_as_float(x)));
  return y;
//@ else
  const float value = __uint_as_float(x);
  return value == value ? x + (0xfffu + (x >> 13 & 1)) : x;  // NaN stays NaN
//@ end
}

__device__ __forceinline__ void round_fragments(fragments &f) {
//@ if rounds_a
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < ${words_a}; ++w) f.a[i][w] = rounded(f.a[i][w]);
//@ end
//@ if rounds_b
#pragma unroll
  for (int j = 0; j < frags_n; ++j)
#pragma unroll
    for (int w = 0; w < ${words_b}; ++w) f.b[j][w] = rounded(f.b[j][w]);
//@ end
}
//@ end
//@ slot twins

__device__ __forceinline__ void load_fragments(fragments &f, unsigned stage, lane_coord at_a,
                                               lane_coord at_b, int k) {
//@ if elements_a
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int w = 0; w < ${words_a}; ++w)
      load_element(f.a[i][w],
                   stage + element_place<operand_a>(at_a, ${step_m} * i + w % ${eights_m} * 8,
                                                    k + w / ${eights_m} * 4));
//@ else
#pragma unroll
  for (int i = 0; i < frags_m; ++i) {
    const unsigned addr = ${address_a};
    if constexpr (a_k_major)
      ldmatrix_x4(f.a[i][0], f.a[i][1], f.a[i][2], f.a[i][3], addr);
    else
      ldmatrix_x4_trans(f.a[i][0], f.a[i][1], f.a[i][2], f.a[i][3], addr);
  }
//@ end
//@ if elements_b
#pragma unroll
  for (int j = 0; j < frags_n; ++j)
#pragma unroll
    for (int w = 0; w < ${words_b}; ++w)
      load_element(f.b[j][w], stage + stage_begin_b +
                                  element_place<operand_b>(at_b, mma_n * j, k + w * 4));
//@ else
//@ if twins_n
#pragma unroll
  for (int j = 0; j < frags_n; j += 2)  // two atoms side by side
    ldmatrix_x4_trans(f.b[j][0], f.b[j + 1][0], f.b[j][1], f.b[j + 1][1],
                      ${address_b});
//@ else
//@ if sparse
#pragma unroll
  for (int j = 0; j < frags_n; ++j) {
    const unsigned addr = ${address_b};
    if constexpr (b_k_major)
      ldmatrix_x4(f.b[j][0], f.b[j][1], f.b[j][2], f.b[j][3], addr);
    else
      ldmatrix_x4_trans(f.b[j][0], f.b[j][1], f.b[j][2], f.b[j][3], addr);
  }
//@ else
#pragma unroll
  for (int j = 0; j < frags_n; j += 2) {  // two atoms side by side
    const unsigned addr = ${address_b};
    if (frags_n % 2 == 1 && j + 1 == frags_n) {  // an odd last one
      if constexpr (b_k_major)
        ldmatrix_x2(f.b[j][0], f.b[j][1], addr);
      else
        ldmatrix_x2_trans(f.b[j][0], f.b[j][1], addr);
    } else {
      if constexpr (b_k_major)
        ldmatrix_x4(f.b[j][0], f.b[j][1], f.b[j + 1][0], f.b[j + 1][1], addr);
      else
        ldmatrix_x4_trans(f.b[j][0], f.b[j][1], f.b[j + 1][0], f.b[j + 1][1], addr);
    }
  }
//@ end
//@ end
//@ end
}
//@ slot metadata
//@ slot widened
//@ if not widens

// Columns first … last - 1 of the warp's atoms. Every other column is walked upwards, so that
// neighbouring MMAs share an A or a B fragment.
__device__ __forceinline__ void mma_columns(acc_t (&tCrC)[frags_m][frags_n][acc_words],
//@ if sparse
                                            const fragments &f, const metadata_words &e,
                                            int k_step, int first, int last) {
//@ else
                                            const fragments &f, int first, int last) {
//@ end
#pragma unroll
  for (int j = first; j < last; ++j) {
#pragma unroll
    for (int step = 0; step < frags_m; ++step) {
      const int i = j % 2 ? frags_m - 1 - step : step;
      mma(tCrC[i][j], f.a[i], f.b[j]${word_of_i});
    }
  }
}
//@ end

//@ if promotes
// The tensor core's sums of a few steps along K are short; they are added up here in full.
__device__ __forceinline__ void promote(acc_t (&tCrC)[frags_m][frags_n][acc_words],
                                        acc_t (&sums)[frags_m][frags_n][acc_words]) {
#pragma unroll
  for (int i = 0; i < frags_m; ++i)
#pragma unroll
    for (int j = 0; j < frags_n; ++j)
#pragma unroll
      for (int w = 0; w < acc_words; ++w) {
        tCrC[i][j][w] += sums[i][j][w];
        sums[i][j][w] = 0;
      }
}

//@ end
// ---- The main loop ------------------------------------------------------------------------------

// The pipeline's state between tiles. Fragments are double buffered: while the tensor cores work on
// one K step, ${reads} brings the next; at the end of a tile that is the next tile's first step.
struct pipeline {
  tile_loader load_gA, load_gB;
  lane_coord at_a, at_b;  // where this lane's ldmatrix rows begin
  fragments frag[2];
//@ if sparse
  metadata_loader load_gE;
//@ end
};

// A tile's copies are issued by two functions: load_with_care() for operands whose tile needs care,
// then load_the_rest() for the others. Tiles that do not exist become zeros.
__device__ __forceinline__ void load_with_care(pipeline &p, unsigned stage, bool exists,
                                               int k_left) {
  if (whole_chunks ? k_left < tile_k : needs_care<operand_a>(p.load_gA, ${k_left_a}))
    load_any<operand_a>(p.load_gA, stage, exists, ${k_left_a});
  if (whole_chunks ? k_left < tile_k : needs_care<operand_b>(p.load_gB, k_left))
    load_any<operand_b>(p.load_gB, stage + stage_begin_b, exists, k_left);
}

__device__ __forceinline__ void load_the_rest(pipeline &p, unsigned stage, bool exists,
                                              int k_left${part_parameter}) {
  const bool skip_a = whole_chunks ? k_left < tile_k : needs_care<operand_a>(p.load_gA, ${k_left_a});
  const bool skip_b = whole_chunks ? k_left < tile_k : needs_care<operand_b>(p.load_gB, k_left);
  load_whole<operand_a>(p.load_gA, stage, exists, skip_a${part});
  load_whole<operand_b>(p.load_gB, stage + stage_begin_b, exists, skip_b${part});
  ${behind_copies}cp_async_commit();
}

// Fills all stages but one: K's last tile, which may be partial, then the first, the second, … .
__device__ __forceinline__ void fill(pipeline &p, unsigned stages_begin, int k, int k_tiles,
                                     int64 lda, int64 ldb) {
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    const int k_left = even_k || stage > 0 ? tile_k : k - (k_tiles - 1) * tile_k;
    if constexpr (may_skip)
      load_with_care(p, stages_begin + stage * stage_bytes, stage < k_tiles, k_left);
//@ if spreads_copies
#pragma unroll
    for (int part = 0; part < copy_parts; ++part)
      load_the_rest(p, stages_begin + stage * stage_bytes, stage < k_tiles, k_left, part);
//@ else
    load_the_rest(p, stages_begin + stage * stage_bytes, stage < k_tiles, k_left);
//@ end
    if (stage > 0) continue;
    p.load_gA.g -= k_tiles * (a_k_major ? int64(${tile_k_a}) : ${tile_k_a} * lda);
    p.load_gB.g -= k_tiles * (b_k_major ? int64(tile_k) : tile_k * ldb);
  }
}

//@ if spreads_copies
// A tile's copies are issued from its second K step on: in the first step they would delay the
// ldmatrix that the second step waits for. Each step issues a part of them: all at once they would
// delay the ldmatrix of later steps.
//@ else
// A tile's copies are issued in its second K step: in the first step they would delay the ldmatrix
// that the second step waits for.
//@ end
constexpr int copy_step = k_steps > 1 ? 1 : 0;
constexpr int barrier_column = frags_n / 2;  // the last step's MMA columns before the barrier

// Multiplies all K tiles. While one is multiplied, the one that is stages - 1 ahead is copied.
__device__ __forceinline__ void multiply(acc_t (&tCrC)[frags_m][frags_n][acc_words], pipeline &p,
                                         unsigned stages_begin, int k_tiles) {
  const unsigned stages_end = stages_begin + stages * stage_bytes;
  unsigned read = stages_begin;  // the stage being read, and the one being filled
  unsigned write = stages_end - stage_bytes;
//@ if sparse
  metadata_words e, next_e;  // of the K tile being multiplied, and of the next one
  if (k_tiles > 0) load_metadata(e, p.load_gE, k_tiles - 1);
//@ end
  cp_async_wait<stages - 2>();
  __syncthreads();
  load_fragments(p.frag[0], read, p.at_a, p.at_b, 0);
//@ if has_twins
  part_fragments(p.frag[0]);
//@ end
//@ if promotes
  acc_t sums[frags_m][frags_n][acc_words] = {};
//@ end

#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    // The stage being filled was read in the previous tile; the barrier that ended that tile says
    // that every warp is done with it.
    const bool exists = k_tile + stages - 1 < k_tiles;
    if constexpr (!whole_chunks) load_with_care(p, write, exists, tile_k);
//@ if sparse
    load_metadata(next_e, p.load_gE, k_tile);
//@ end
#pragma unroll
    for (int step = 0; step < k_steps; ++step) {
      const fragments &now = p.frag[step % 2];
      fragments &next = p.frag[(step + 1) % 2];
      const bool last_step = step + 1 == k_steps;

      if (!last_step) load_fragments(next, read, p.at_a, p.at_b, (step + 1) * ${turn_k});
//@ if spreads_copies
      if (step >= copy_step && step < copy_step + copy_parts)
        load_the_rest(p, write, exists, tile_k, step - copy_step);
//@ else
      if (step == copy_step) load_the_rest(p, write, exists, tile_k);
//@ end
//@ if rounds
      round_fragments(p.frag[step % 2]);
//@ end
      if (!last_step) {
        mma_columns(${mma_sums}, now, ${e_of_step}0, frags_n);
//@ if promotes
        if ((step + 1) % promoted_steps == 0) promote(tCrC, sums);
//@ end
//@ if has_twins
        part_fragments(next);
//@ end
        continue;
      }
      // Half of the last step's MMAs cover the wait at the barrier, half the first ldmatrix of the
      // next tile.
      mma_columns(${mma_sums}, now, ${e_of_step}0, barrier_column);
      write = read;
      read = read + stage_bytes == stages_end ? stages_begin : read + stage_bytes;
      cp_async_wait<stages - 2>();
      if constexpr (traced) stamp<trace_await_barrier>(0);
      __syncthreads();
      if constexpr (traced) stamp<trace_go>(0);
      load_fragments(next, read, p.at_a, p.at_b, 0);
      mma_columns(${mma_sums}, now, ${e_of_step}barrier_column, frags_n);
//@ if promotes
      promote(tCrC, sums);
//@ end
//@ if has_twins
      part_fragments(next);
//@ end
    }
    if constexpr (k_steps % 2 == 1) p.frag[0] = p.frag[1];  // the next tile begins with frag[0]
//@ if sparse
    e = next_e;
//@ end
  }
  cp_async_wait<0>();
  __syncthreads();  // nobody reads a stage any more
}

// ---- Which tiles this CTA computes --------------------------------------------------------------

//@ include rasterise

//@ include operations
//@ slot cta_shares
//@ slot add_along_k

//@ include epilogue

// ---- The kernel ---------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(threads, ctas_per_sm)
    ${name}(${parameters}) {
  extern __shared__ __align__(128) unsigned char smem[];
  const unsigned smem_base = unsigned(__cvta_generic_to_shared(smem));
  if constexpr (traced) trace_begin(smem_base);
  const int64 m = extent_m(m_arg);
  const int64 n = extent_n(n_arg);
  const int64 k = extent_k(k_arg)${of_byte};
  const int64 batches = extent_batch(batch_arg);
//@ insert lines_in_bytes
//@ if awaits
  await_dependencies();
  launch_dependents();
//@ end
//@ insert read_scalars
  const epilogue_operands operands = {${operand_list}};

  const int thread = int(threadIdx.x);
  const int lane = thread % warp_size;
  const int warp = thread / warp_size;
  const int warp_m0 = warp % warps_m * ${warp_step_m};
  const int warp_n0 = ${warp_along_n} * warp_n;
//@ if along_k
  const int warp_k0 = warp / block_warps * mma_k;
//@ end
//@ if not shares

  const int k_tiles = (int(k) + tile_k - 1) / tile_k;
  const unsigned tiles_m = unsigned((m + tile_m - 1) / tile_m);
  const unsigned tiles_n = unsigned((n + tile_n - 1) / tile_n);
  const unsigned tiles = tiles_m * tiles_n;  // of a batch
  const unsigned all_tiles = tiles * unsigned(batches);

  // The tile in the accumulators, while it waits for its epilogue.
  acc_t tCrC[frags_m][frags_n][acc_words];
  bool pending = false;
  int rows = 0, cols = 0;  // the part of the tile that lies in D
  d_t *gD;                 // the tile's first element of D
  const c_t *gC;           // and of C
  epilogue_operands operands_at;

  // The next tile's first copies are under way while this one's epilogue runs.
  for (unsigned work = blockIdx.x;; work += gridDim.x) {
    const bool more = persistent ? work < all_tiles : !pending;
    const int64 batch = work / tiles;
    const tile_coord tile = rasterise(work % tiles, tiles_m, tiles_n);
    const int64 m0 = int64(tile.m) * tile_m;
    const int64 n0 = int64(tile.n) * tile_n;
//@ insert listed
    const ab_t *gA = ${a_first} + m0 * (a_k_major ? lda : 1);
    const ab_t *gB = ${b_first} + ${b_n0} * (b_k_major ? ldb : 1);
    const int next_rows = even_m ? tile_m : int(min(m - m0, int64(tile_m)));
    const int next_cols = even_n ? tile_n : int(min(n - n0, int64(tile_n)));
    pipeline p = {start_loader<operand_a>(gA, lda, next_rows, max(k_tiles - 1, 0), thread${half_of_a}),
                  start_loader<operand_b>(gB, ldb, next_cols, max(k_tiles - 1, 0), thread${half_of_b}),
                  ${coord_a}(lane),
                  ${coord_b}(lane),
//@ if sparse
                  {},
                  start_metadata(metadata + batch * batch_stride_metadata, m, m0 + warp_m0, 0,
                                 lane)};
//@ else
                  {}};
//@ end
    p.at_a.mn += warp_m0;
    p.at_b.mn += warp_n0;
//@ if along_k
    p.at_a.k += warp_k0;
    p.at_b.k += warp_k0;
//@ end
    if (more) fill(p, smem_base, int(k), k_tiles, lda, ldb);
//@ if along_k
    const bool stores = pending && warp < block_warps;  // the first warps along K have the sums
//@ end
    if (${stores}) {
      const unsigned staging = smem_base + staging_begin + warp * staging_bytes;
      if constexpr (traced) stamp<trace_finish>(0);
      epilogue(tCrC, operands_at, gD, ldd, gC, ldc, warp_m0, warp_n0, even_m ? tile_m : rows,
               even_n ? tile_n : cols, staging, lane);
      if constexpr (traced) stamp<trace_finished>(0);
    }
    if (!more) break;
    if constexpr (traced) stamp<trace_tile>(work);

#pragma unroll
    for (int i = 0; i < frags_m; ++i)
#pragma unroll
      for (int j = 0; j < frags_n; ++j)
#pragma unroll
        for (int w = 0; w < acc_words; ++w) tCrC[i][j][w] = 0;
    if constexpr (prefetches)
      prefetch_operands<threads>(at_tile(operands, batch, m0, n0), next_rows, next_cols, thread);
    if constexpr (stages_c)
      prefetch_c(operands, ${c_next}, ldc, m0, n0, next_rows, next_cols, thread);
    multiply(tCrC, p, smem_base, k_tiles);
//@ if along_k
    add_along_k(tCrC, smem_base, warp, lane);
//@ end

    pending = true;
    if constexpr (!even_m) rows = next_rows;
    if constexpr (!even_n) cols = next_cols;
    gD = ${d_first} + (d_n_major ? m0 * ldd + ${d_n0} : n0 * ldd + m0);
    if constexpr (stages_c)
      gC = ${c_first} + (c_n_major ? m0 * ldc + n0 : n0 * ldc + m0);
    if constexpr (has_operands) operands_at = at_tile(operands, batch, m0, n0);
  }
  if constexpr (traced) trace_end();
}
//@ end
//@ slot kernel_shares
