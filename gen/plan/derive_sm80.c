/* Family sm80: plan -> layouts.
 *
 * Shared memory. An operand's tile is cut into lines along its contiguous mode. Under a swizzle of
 * W bytes the tile consists of patterns, 8 lines of W bytes each, in which the 16-byte chunks of a
 * line are permuted by the line's number. So the 8 rows that one phase of ldmatrix reads lie in 8
 * different groups of 4 banks, and so do the chunks that 8 threads of cp.async write. Without a
 * swizzle, lines are padded to an odd number of chunks, which does the same for reads.
 *
 * Operands whose fragments lanes read element by element (gg_sm80_by_elements) are permuted, or
 * padded, in units of 32 bytes. Lanes at four places along K, and at eight along M or N (four with
 * f64), read 32 bytes of each of four lines, whichever way the lines run.
 *
 * Threads. cp.async deals chunks to threads round robin: 128 bytes of a line to as many threads as
 * that takes, then 128 bytes of the next line, and so on. What lies further along the lines goes to
 * the same threads again, so that the addresses of a thread's copies differ by a constant. The
 * tiled MMA gives each warp one contiguous block of atoms.
 *
 * Everything is then counted: that each element is copied and multiplied exactly once, and how many
 * wavefronts every access to shared memory takes, against the fewest possible. */
#include "atom/dtype.h"
#include "plan/check.h"
#include "plan/gate.h"
#include "plan/sm80.h"

enum {
  chunk_bytes = 16,      /* an ldmatrix row, the widest cp.async */
  stage_alignment = 128, /* bytes: one line of all banks, so that layouts mean the same banks */
};

/* ---- Shared-memory layouts -------------------------------------------------------------- */

/* One operand's tile: mn x k elements, in memory by lines of its contiguous mode. */
typedef struct operand_tile {
  const char *name; /* "A" */
  int64_t mn, k;
  bool k_major;
  gg_swizzle_kind swizzle;
  int copy_bytes;
  int bits;         /* of an element */
  bool by_elements; /* whether lanes read its fragments element by element */
  bool twins;       /* whether its fragments hold twins (sm80.h) */
} operand_tile;

static int log2_of(int64_t power) {
  int log = 0;
  while (power > 1) {
    power /= 2;
    log++;
  }
  return log;
}

/* Bytes that stay together in memory under every swizzle. */
static int unit_bytes(const operand_tile *tile) {
  return tile->by_elements ? 2 * chunk_bytes : chunk_bytes;
}

/* log2 of how many such units a line of the swizzle's pattern has. */
static int swizzle_bits(const operand_tile *tile) {
  int bits = 0;
  while (unit_bytes(tile) << bits < gg_swizzle_bytes(tile->swizzle))
    bits++;
  return bits;
}

static int64_t line_elements(const operand_tile *tile) {
  return tile->k_major ? tile->k : tile->mn;
}

/* (mn, k) -> element, for lines that are `pitch` elements apart. */
static gg_status pitched(gg_layout *out, const operand_tile *tile, int64_t pitch, gg_error *err) {
  gg_tuple shape = GG_TUPLE(tile->mn, tile->k);
  gg_tuple stride = tile->k_major ? GG_TUPLE(pitch, 1) : GG_TUPLE(1, pitch);
  return gg_layout_make(out, &shape, &stride, err);
}

/* The pattern of a swizzle, repeated line by line, then along the line. */
static gg_status patterned(gg_composed *out, const operand_tile *tile, int bits, gg_error *err) {
  int64_t unit = (int64_t)unit_bytes(tile) * 8 / tile->bits, width = unit << bits;
  int64_t lines = tile->by_elements ? 4 : 8; /* lines that are read at once */
  gg_tuple shape = tile->k_major ? GG_TUPLE(lines, width) : GG_TUPLE(width, lines);
  gg_tuple stride = tile->k_major ? GG_TUPLE(width, 1) : GG_TUPLE(1, width);
  gg_tuple target = GG_TUPLE(tile->mn, tile->k);
  gg_tuple order = tile->k_major ? GG_TUPLE(1, 2) : GG_TUPLE(2, 1);
  gg_layout pattern, whole;
  gg_swizzle swizzle;
  gg_status st;
  if ((st = gg_layout_make(&pattern, &shape, &stride, err))) return st;
  if ((st = gg_layout_tile_to_shape(&whole, &pattern, &target, &order, err))) return st;
  /* The swizzle permutes elements. Its low bits, those of a unit, stay as they are. The bits that
   * it permutes by are those of the number of the 128 bytes, which lie above as many units as 128
   * bytes have. */
  int units = log2_of(stage_alignment / unit_bytes(tile));
  if ((st = gg_swizzle_make(&swizzle, bits, log2_of(unit), units, err))) return st;
  return gg_composed_make(out, swizzle, 0, &whole, err);
}

static gg_status derive_operand(gg_composed *out, int64_t *size, const operand_tile *tile,
                                gg_error *err) {
  int bits = swizzle_bits(tile);
  int64_t chunk = unit_bytes(tile) * 8 / tile->bits, pitch = line_elements(tile);
  gg_status st;
  if (bits) {
    if ((st = patterned(out, tile, bits, err))) return st;
  } else {
    if (tile->swizzle == GG_SWIZZLE_PADDING && pitch / chunk % 2 == 0) pitch += chunk;
    gg_layout layout;
    if ((st = pitched(&layout, tile, pitch, err))) return st;
    *out = gg_composed_of(&layout);
  }
  int64_t unit = stage_alignment * 8 / tile->bits;
  *size = (gg_composed_cosize(out) + unit - 1) / unit * unit;
  return GG_OK;
}

/* ---- Dealing ----------------------------------------------------------------------------- */

static gg_dealing deal_tile(const operand_tile *tile, int threads) {
  int64_t line = line_elements(tile);
  return gg_sm80_deal_copy(threads, tile->mn * tile->k / line, line * tile->bits / 8,
                           tile->copy_bytes);
}

/* ---- Threads ---------------------------------------------------------------------------- */

/* Which elements each thread copies: (thread, element) -> colexicographic index in the tile. If
 * every thread has work in every turn, the layout is as the chunks are dealt; else its first mode
 * is the chunk's number in memory order. */
static gg_status derive_copy(gg_layout *out, const operand_tile *tile, int threads, gg_error *err) {
  int64_t vector = tile->copy_bytes * 8 / tile->bits, line = line_elements(tile);
  int64_t lines = tile->mn * tile->k / line;
  gg_dealing dealt = deal_tile(tile, threads);
  int64_t down = dealt.lines_per_turn, along = dealt.across * vector;
  gg_tuple shape = tile->k_major ? GG_TUPLE(tile->k, tile->mn) : GG_TUPLE(tile->mn, tile->k);
  gg_tuple stride = tile->k_major ? GG_TUPLE(tile->mn, 1) : GG_TUPLE(1, tile->mn);
  gg_tuple thread_shape = GG_TUPLE(dealt.across, down), thread_stride = GG_TUPLE(vector, line);
  gg_tuple value_shape = GG_TUPLE(vector, dealt.chunk_turns, lines / down);
  gg_tuple value_stride = GG_TUPLE(1, along, line * down);
  gg_layout memory_order, thread = gg_layout_flat(lines * line / vector, vector), deal;
  gg_layout value = gg_layout_flat(vector, 1);
  gg_status st;
  if ((st = gg_layout_make(&memory_order, &shape, &stride, err))) return st;
  if (gg_always_works(&dealt)) {
    if ((st = gg_layout_make(&thread, &thread_shape, &thread_stride, err))) return st;
    if ((st = gg_layout_make(&value, &value_shape, &value_stride, err))) return st;
    if ((st = gg_layout_coalesce(&value, &value, NULL, err))) return st; /* one turn is no mode */
  }
  if ((st = gg_layout_concat(&deal, &thread, &value, err))) return st;
  return gg_layout_composition(out, &memory_order, &deal, err);
}

/* The permutation that gives each of `warps` one contiguous block of atoms, or leaves atoms
 * alternating between warps (`turns`). Twins are 8 rows apart in an atom of 16, or one atom apart
 * if atoms have 8. */
static gg_status blocks(gg_tiler *out, int extent, int warps, int atom, bool turns, bool twins,
                        gg_error *err) {
  int64_t count = extent / warps / atom;
  gg_tuple shape = GG_TUPLE(atom, warps, count);
  gg_tuple stride = GG_TUPLE(1, turns ? atom : atom * count, turns ? atom * warps : atom);
  if (twins && atom == 16) {
    shape = GG_TUPLE(8, 2, warps, count);
    stride = GG_TUPLE(2, 1, turns ? atom : atom * count, turns ? atom * warps : atom);
  } else if (twins) {
    shape = GG_TUPLE(atom, warps, 2, count / 2);
    stride = GG_TUPLE(2, atom * count, 1, 2 * atom);
  }
  gg_layout layout;
  gg_status st = gg_layout_make(&layout, &shape, &stride, err);
  if (st == GG_OK) *out = gg_tiler_of_layout(&layout);
  return st;
}

static gg_status derive_mma(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_tuple atoms = GG_TUPLE(plan->atoms_m, plan->atoms_n, plan->atoms_k);
  gg_tiler permutation = gg_tiler_empty(), mode;
  gg_layout layout;
  gg_status st;
  if ((st = gg_layout_col_major(&layout, &atoms, err))) return st;
  out->twins_m = gg_sm80_has_twins(&plan->a);
  out->twins_n = gg_sm80_has_twins(&plan->b);
  if ((st = blocks(&mode, plan->tile_m, plan->atoms_m, plan->mma.m, plan->turns_m, out->twins_m,
                   err))) {
    return st;
  }
  if ((st = gg_tiler_append(&permutation, &mode, err))) return st;
  if ((st = blocks(&mode, plan->tile_n, plan->atoms_n, plan->mma.n, false, out->twins_n, err)))
    return st;
  if ((st = gg_tiler_append(&permutation, &mode, err))) return st;
  return gg_layouts_fragments(out, plan, &layout, &permutation, err);
}

/* ---- Accesses --------------------------------------------------------------------------- */

/* The colexicographic index of the element that is number `position` of line `line`. */
static int64_t tile_index(const operand_tile *tile, int64_t line, int64_t position) {
  return tile->k_major ? line + position * tile->mn : position + line * tile->mn;
}

/* Counts the accesses of copies from global to shared memory: every turn of every warp. */
static void count_copy(gg_smem_access *access, const gg_composed *smem, const operand_tile *tile,
                       int threads) {
  int vector = tile->copy_bytes * 8 / tile->bits;
  gg_dealing deal = deal_tile(tile, threads);
  for (int64_t turn = 0; turn < deal.line_turns * deal.chunk_turns; turn++) {
    for (int warp = 0; warp < threads; warp += GG_WARP) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        gg_chunk at;
        bool works = gg_dealt_chunk(&at, &deal, warp + lane, turn);
        address[lane] = works ? gg_composed_at(smem, tile_index(tile, at.line, at.chunk * vector)) *
                                    tile->bits / 8
                              : -1;
      }
      gg_smem_access_count(access, address);
    }
  }
}

/* Counts the reads of fragments element by element: a lane holds row lane / 4 of eight along M or
 * N, and place lane % 4 of four along K. */
static void count_elements(gg_smem_access *access, const gg_composed *smem,
                           const operand_tile *tile) {
  for (int64_t k = 0; k < tile->k; k += 4) {
    for (int64_t mn = 0; mn < tile->mn; mn += 8) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        int64_t index = mn + lane / 4 + (k + lane % 4) * tile->mn;
        address[lane] = gg_composed_at(smem, index) * tile->bits / 8;
      }
      gg_smem_access_count(access, address);
    }
  }
}

/* Counts the reads of fragments with twins. One ldmatrix brings 16 bytes along M or N at 32 places
 * along K, as four matrices of 8 lines. The four neighbouring places that a lane needs are two in
 * one matrix and two in another. Which two are in which changes in the middle of a matrix, so that
 * its lines have all residues modulo 8, like eight lines one behind the other: a swizzle that frees
 * those of bank conflicts frees these. */
static void count_twins(gg_smem_access *access, const gg_composed *smem, const operand_tile *tile) {
  for (int64_t k = 0; k < tile->k; k += 32) {
    for (int64_t mn = 0; mn < tile->mn; mn += 16) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        int places = (lane / 8 % 2) ^ (lane / 4 % 2);
        int64_t line = k + lane / 16 * 16 + lane / 2 % 4 * 4 + places * 2 + lane % 2;
        address[lane] = gg_composed_at(smem, mn + line * tile->mn) * tile->bits / 8;
      }
      gg_smem_access_count(access, address);
    }
  }
}

/* ---- Staging ---------------------------------------------------------------------------- */

/* One warp's staging memory for C or D: rows x columns elements, stored in lines along the
 * contiguous mode. */
typedef struct staging {
  const char *fragments, *lines; /* names of its two accesses */
  int64_t rows, columns;
  bool n_major;
  int element_bytes, access_bytes;
  bool twins_m, twins_n;
  int gated; /* columns that a lane has side by side behind a gate, one for each two of the product;
              * 0: there is no gate */
} staging;

static int64_t staging_address(const gg_composed *smem, const staging *s, int64_t row,
                               int64_t column) {
  return gg_composed_at(smem, row + column * s->rows) * s->element_bytes;
}

/* Counts the accesses between registers and staging memory behind a gate. Of an accumulator's 8 x 8
 * block, a lane has row lane / 4 and, of D's four columns, column lane % 4. With twins along M it
 * has rows lane / 4 * 2 and + 1 of 16; with two columns side by side, as with twins along N or from
 * the halves of N, columns lane % 4 * 2 and + 1 of 8 in two blocks; with both, four columns in four
 * blocks. */
static gg_smem_access count_gated(const gg_composed *smem, const staging *s) {
  int rows = s->twins_m ? 2 : 1, columns = s->gated;
  gg_smem_access access = {.name = s->fragments, .bytes = s->element_bytes};
  for (int64_t i = 0; i < s->rows / 8; i++) {
    int64_t row = s->twins_m ? i / 2 * 16 + i % 2 : i * 8;
    for (int64_t j = 0; j < s->columns / 4; j++) {
      int64_t column = j / columns * columns * 4 + j % columns, address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++)
        address[lane] =
            staging_address(smem, s, row + lane / 4 * rows, column + lane % 4 * columns);
      gg_smem_access_count(&access, address);
    }
  }
  return access;
}

/* Counts the accesses between registers and staging memory. Of an accumulator's 8 x 8 block a lane
 * has row lane / 4 and columns lane % 4 * 2 and + 1: one access if these are neighbours in memory,
 * else two. With twins along M it has rows lane / 4 * 2 and + 1 of 16 in two blocks; with twins
 * along N the columns from lane % 4 * 4 to + 3 in two blocks, which are one access if they are
 * neighbours. */
static gg_smem_access count_fragments(const gg_composed *smem, const staging *s) {
  if (s->gated) return count_gated(smem, s);
  int rows = s->twins_m ? 2 : 1, columns = s->twins_n ? 4 : 2, width = s->n_major ? columns : 1;
  gg_smem_access access = {.name = s->fragments, .bytes = width * s->element_bytes};
  int parts = s->twins_n ? 2 : 1;
  for (int64_t column = 0; column < s->columns; column += 8 * parts) {
    for (int64_t i = 0; i < s->rows / 8; i++) {
      int64_t row = s->twins_m ? i / 2 * 16 + i % 2 : i * 8;
      for (int e = 0; e < columns; e += width) {
        int64_t address[GG_WARP];
        for (int lane = 0; lane < GG_WARP; lane++) {
          address[lane] =
              staging_address(smem, s, row + lane / 4 * rows, column + lane % 4 * columns + e);
        }
        gg_smem_access_count(&access, address);
      }
    }
  }
  return access;
}

/* Counts the accesses between staging memory and global memory: every turn of the warp. */
static gg_smem_access count_lines(const gg_composed *smem, const staging *s) {
  gg_smem_access access = {.name = s->lines, .bytes = s->access_bytes};
  int vector = s->access_bytes / s->element_bytes;
  int64_t line = s->n_major ? s->columns : s->rows;
  gg_dealing deal = gg_deal(GG_WARP, s->rows * s->columns / line, line / vector, GG_WARP);
  for (int64_t turn = 0; turn < deal.line_turns * deal.chunk_turns; turn++) {
    int64_t address[GG_WARP];
    for (int lane = 0; lane < GG_WARP; lane++) {
      gg_chunk at;
      bool works = gg_dealt_chunk(&at, &deal, lane, turn);
      int64_t minor = at.chunk * vector, row = s->n_major ? at.line : minor;
      address[lane] = works ? staging_address(smem, s, row, s->n_major ? minor : at.line) : -1;
    }
    gg_smem_access_count(&access, address);
  }
  return access;
}

/* The layout of staging memory: its lines, in patterns of up to 128 bytes under `swizzle`. */
static gg_status staging_layout(gg_composed *out, const staging *s, gg_swizzle swizzle,
                                gg_error *err) {
  int64_t line = s->n_major ? s->columns : s->rows, width = line;
  while (width * s->element_bytes > stage_alignment)
    width /= 2;
  int64_t lines = s->rows * s->columns / line;
  gg_tuple shape = s->n_major ? GG_TUPLE(lines, width) : GG_TUPLE(width, lines);
  gg_tuple stride = s->n_major ? GG_TUPLE(width, 1) : GG_TUPLE(1, width);
  gg_tuple target = GG_TUPLE(s->rows, s->columns);
  gg_layout pattern, whole;
  gg_status st;
  if ((st = gg_layout_make(&pattern, &shape, &stride, err))) return st;
  if ((st = gg_layout_tile_to_shape(&whole, &pattern, &target, NULL, err))) return st;
  return gg_composed_make(out, swizzle, 0, &whole, err);
}

static int waste(gg_smem_access a, gg_smem_access b) {
  return a.wavefronts.taken - a.wavefronts.least + b.wavefronts.taken - b.wavefronts.least;
}

/* Takes the first swizzle that frees both accesses of bank conflicts; if none does, the best. The
 * candidates permute the parts of 128 bytes, one line of all banks: 16-byte chunks, pairs of them,
 * or, if lanes hold four columns, groups of four. They permute by the number of the 128 bytes, or
 * by half of it, for warps that access every other line. */
static gg_status derive_staging(gg_layouts *out, gg_composed *smem, const staging *s,
                                gg_error *err) {
  int chunk_bits = log2_of(chunk_bytes / s->element_bytes);
  int pattern_bits = log2_of(stage_alignment / s->element_bytes);
  int best = -1, candidates = s->twins_n && s->n_major ? 6 : 4;
  gg_smem_access fragments = {0}, lines = {0};
  for (int candidate = 0; candidate < candidates && best != 0; candidate++) {
    int base = chunk_bits + candidate / 2, bits = pattern_bits - base, shift = bits + candidate % 2;
    gg_swizzle swizzle;
    gg_composed layout;
    gg_status st;
    if ((st = gg_swizzle_make(&swizzle, bits, base, shift, err))) return st;
    if ((st = staging_layout(&layout, s, swizzle, err))) return st;
    gg_composed flat = layout; /* the same function with fewer modes, which is cheaper to evaluate
                                */
    if ((st = gg_layout_coalesce(&flat.layout, &layout.layout, NULL, err))) return st;
    gg_smem_access f = count_fragments(&flat, s), l = count_lines(&flat, s);
    if (best >= 0 && waste(f, l) >= best) continue;
    best = waste(f, l);
    *smem = layout;
    fragments = f;
    lines = l;
  }
  out->accesses[out->access_count++] = fragments;
  out->accesses[out->access_count++] = lines;
  return GG_OK;
}

/* ---- The whole -------------------------------------------------------------------------- */

/* Counts every access to the operand's tile. Addresses come from the coalesced layout, which is the
 * same function with fewer modes and so cheaper to evaluate. */
static gg_status count_operand(gg_smem_access *copy, gg_smem_access *matrices,
                               const gg_composed *smem, const operand_tile *tile, int threads,
                               gg_error *err) {
  gg_composed flat = *smem;
  gg_status st = gg_layout_coalesce(&flat.layout, &smem->layout, NULL, err);
  if (st) return st;
  count_copy(copy, &flat, tile, threads);
  if (tile->by_elements)
    count_elements(matrices, &flat, tile);
  else if (tile->twins)
    count_twins(matrices, &flat, tile);
  else
    gg_smem_access_count_matrices(matrices, &flat, tile->k_major, tile->mn, tile->k, tile->bits);
  return GG_OK;
}

static gg_status derive_operands(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int bits = gg_dtype_info_of(plan->a.type)->bits; /* B's elements have as many bits */
  const operand_tile a = {"A",
                          plan->tile_m,
                          gg_plan_k_of_a(plan, plan->tile_k),
                          plan->a.major == GG_MAJOR_K,
                          plan->swizzle_a,
                          plan->copy_bytes_a,
                          bits,
                          gg_sm80_by_elements(&plan->a),
                          gg_sm80_has_twins(&plan->a)};
  const operand_tile b = {"B",
                          plan->tile_n,
                          plan->tile_k,
                          plan->b.major == GG_MAJOR_K,
                          plan->swizzle_b,
                          plan->copy_bytes_b,
                          bits,
                          gg_sm80_by_elements(&plan->b),
                          gg_sm80_has_twins(&plan->b)};
  gg_status st;
  if ((st = derive_operand(&out->sA, &out->size_a, &a, err))) return st;
  if ((st = derive_operand(&out->sB, &out->size_b, &b, err))) return st;
  if ((st = derive_copy(&out->tAgA, &a, plan->threads, err))) return st;
  if ((st = derive_copy(&out->tBgB, &b, plan->threads, err))) return st;
  if ((st = gg_check_split_lines(plan, deal_tile(&b, plan->threads).lines_per_turn, err)))
    return st;
  gg_smem_access *copy_a = gg_layouts_access(out, "copy A", a.copy_bytes);
  gg_smem_access *copy_b = gg_layouts_access(out, "copy B", b.copy_bytes);
  gg_smem_access *matrices_a = gg_layouts_access(out, a.by_elements ? "ld.shared A" : "ldmatrix A",
                                                 a.by_elements ? bits / 8 : chunk_bytes);
  gg_smem_access *matrices_b = gg_layouts_access(out, b.by_elements ? "ld.shared B" : "ldmatrix B",
                                                 b.by_elements ? bits / 8 : chunk_bytes);
  if ((st = count_operand(copy_a, matrices_a, &out->sA, &a, plan->threads, err))) return st;
  return count_operand(copy_b, matrices_b, &out->sB, &b, plan->threads, err);
}

static int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static gg_status derive_lined(gg_layouts *out, gg_lined *lined, const gg_plan *plan,
                              gg_error *err) {
  bool residual = plan->operations[lined->operation].kind == GG_OP_RESIDUAL;
  const staging s = {lined->is_c ? "read staged C"
                     : residual  ? "read staged residual"
                                 : "read staged matrix",
                     lined->is_c ? "stage C"
                     : residual  ? "stage residual"
                                 : "stage matrix",
                     plan->epi_m,
                     plan->epi_n,
                     lined->operand.major == GG_MAJOR_N,
                     (int)gg_dtype_bytes(lined->operand.type, 1),
                     lined->access_bytes,
                     out->twins_m,
                     out->twins_n,
                     0};
  gg_status st = derive_staging(out, &lined->layout, &s, err);
  if (st) return st;
  int64_t bytes = gg_composed_cosize(&lined->layout) * s.element_bytes;
  bytes = round_up(bytes, stage_alignment);
  if (bytes > out->staging_bytes) out->staging_bytes = bytes;
  return GG_OK;
}

/* Columns of D that a lane has side by side behind a gate. */
static int gated_columns(const gg_plan *plan, bool twins) {
  if (!gg_plan_is_gated(plan)) return 0;
  return (twins ? 2 : 1) * (plan->split_columns ? 2 : 1);
}

static gg_status derive_epilogue(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  const staging d = {"stage D",
                     "read staged D",
                     plan->epi_m,
                     gg_plan_columns_of_d(plan, plan->epi_n),
                     plan->d.major == GG_MAJOR_N,
                     (int)gg_dtype_bytes(plan->d.type, 1),
                     plan->access_bytes_d,
                     out->twins_m,
                     out->twins_n,
                     gated_columns(plan, out->twins_n)};
  gg_status st;
  if ((st = derive_staging(out, &out->sD, &d, err))) return st;
  out->size_d = gg_composed_cosize(&out->sD);
  out->staging_bytes = round_up(out->size_d * d.element_bytes, stage_alignment);
  out->lined_count = gg_sm80_lined(out->lined, plan);
  for (size_t i = 0; i < out->lined_count; i++)
    if ((st = derive_lined(out, &out->lined[i], plan, err))) return st;
  return GG_OK;
}

/* The ring of sums that warps along K hand to the first of them. They take the stages' place behind
 * a tile's last K tile. A lane moves up to 16 bytes of an MMA's sums at once, which lie beside
 * those of the warp's other lanes. */
static void derive_along_k(gg_layouts *out, const gg_plan *plan) {
  if (plan->atoms_k == 1) return;
  int bytes = gg_sm80_sums_at_once(plan);
  int64_t address[GG_WARP];
  for (int lane = 0; lane < GG_WARP; lane++)
    address[lane] = (int64_t)lane * bytes;
  gg_smem_access *access = gg_layouts_access(out, "sums along K", bytes);
  gg_smem_access_count(access, address);
  gg_rings_add(&out->rings,
               (gg_ring){.id = GG_RING_SUMS,
                         .name = "sums",
                         .depth = 1,
                         .instances = plan->atoms_k - 1,
                         .bytes = gg_sm80_along_k_bytes(plan, plan->tile_m, plan->tile_n, 2),
                         .filled_by = GG_ROLE_CONSUMER,
                         .drained_by = GG_ROLE_CONSUMER,
                         .reuses = true});
}

/* The rings and roles: the pipeline's stages, the sums in their place, then the staging. Staging
 * lies behind the stages if the next tile's first copies arrive while this tile's accumulators
 * leave; else in the same memory, once the last stage has been read. D's sub-tiles and those that
 * are read take turns in a warp's staging memory. Every warp copies, multiplies and stores, and all
 * meet at the CTA's barrier. */
static void derive_rings(gg_layouts *out, const gg_plan *plan) {
  int warps = plan->threads / GG_WARP;
  const gg_ring stages = {.id = GG_RING_STAGES,
                          .name = "stages",
                          .depth = plan->stages,
                          .instances = 1,
                          .bytes = gg_dtype_bytes(plan->a.type, out->size_a) +
                                   gg_dtype_bytes(plan->b.type, out->size_b),
                          .filled_by = GG_ROLE_CONSUMER,
                          .drained_by = GG_ROLE_CONSUMER};
  const gg_ring staged = {.id = GG_RING_STAGING,
                          .name = "staging",
                          .depth = 1,
                          .instances = warps / plan->atoms_k,
                          .bytes = out->staging_bytes,
                          .filled_by = GG_ROLE_CONSUMER,
                          .drained_by = GG_ROLE_CONSUMER,
                          .reuses = !gg_plan_is_persistent(plan)};
  gg_rings_add(&out->rings, stages);
  derive_along_k(out, plan);
  gg_rings_add(&out->rings, staged);
  gg_rings_add_role(
      &out->rings,
      (gg_role){.id = GG_ROLE_CONSUMER, .name = "warps", .warps = warps, .groups = warps});
}

static void name_layouts(gg_layouts *out, const gg_plan *plan) {
  const char *of_a =
      plan->sparse_a ? "(m, stored k) -> element of a stage" : "(m, k) -> element of a stage";
  gg_layouts_name(out, "sA", of_a, &out->sA);
  gg_layouts_name(out, "sB", "(n, k) -> element of a stage", &out->sB);
  const char *staged = "(m, n) -> element of a warp's staging";
  for (size_t i = 0; i < out->lined_count; i++)
    gg_layouts_name(out, out->lined[i].is_c ? "sC" : "sR", staged, &out->lined[i].layout);
  gg_layouts_name(out, "sD", staged, &out->sD);
  gg_layouts_name_plain(out, "tAgA",
                        plan->sparse_a ? "copy: (thread, value) -> index in (m, stored k)"
                                       : "copy: (thread, value) -> index in (m, k)",
                        &out->tAgA);
  gg_layouts_name_plain(out, "tBgB", "copy: (thread, value) -> index in (n, k)", &out->tBgB);
  gg_layouts_name_plain(out, "tCrA", "mma: (thread, value) -> index in (m, k)", &out->tCrA);
  gg_layouts_name_plain(out, "tCrB", "mma: (thread, value) -> index in (n, k)", &out->tCrB);
  gg_layouts_name_plain(out, "tCrC",
                        plan->atoms_k == 1
                            ? "mma: (thread, value) -> index in (m, n)"
                            : "mma: (thread of the first along K, value) -> index in (m, n)",
                        &out->tCrC);
}

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = derive_operands(out, plan, err))) return st;
  if ((st = derive_mma(out, plan, err))) return st;
  if ((st = derive_epilogue(out, plan, err))) return st;
  if ((st = gg_layouts_check_covers(out, plan, err))) return st;
  name_layouts(out, plan);
  if ((st = gg_sm80_derive_metadata(out, plan, err))) return st;
  int atoms_m = gg_plan_block_m(plan) / plan->mma.m, atoms_n = gg_plan_block_n(plan) / plan->mma.n;
  out->accumulator =
      (gg_accumulator_place){.home = GG_HOME_REGISTERS,
                             .sets = plan->promote ? 2 : 1,
                             .registers = atoms_m * atoms_n * gg_sm80_registers(plan, GG_MMA_C)};
  out->fragment_registers = 2 * (atoms_m * gg_sm80_registers(plan, GG_MMA_A) +
                                 atoms_n * gg_sm80_registers(plan, GG_MMA_B));
  derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
