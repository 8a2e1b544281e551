/* Family sm90: plan -> layouts.
 *
 * Shared memory. wgmma reads operands through descriptors, and a descriptor can only describe a
 * canonical layout: patterns of 8 lines, each as wide as the swizzle, repeated. TMA lays out a box
 * that is as wide as the swizzle as one column of such patterns, and one such column follows the
 * other. gg_smem_atom, repeated first over the lines and then along them, is both. This file checks
 * for every MMA that its operand's descriptor is that of the first one but for the start address,
 * so that the kernel only has to add to the address.
 *
 * Staging. D leaves by boxes, too, each with a warp's 16 rows. They have the same patterns.
 *
 * Then everything is counted: each element must be multiplied exactly once, each line of the tile
 * must be in exactly one box, and wavefronts are compared with the fewest possible. (PTX ISA,
 * "Asynchronous warpgroup level matrix shared memory layout", "Tensor copy: swizzling modes".) */
#include "atom/dtype.h"
#include "atom/smem_desc.h"
#include "atom/tiled_mma.h"
#include "plan/check.h"
#include "plan/gate.h"
#include "plan/narrow.h"
#include "plan/operation.h"
#include "plan/sm90.h"

enum {
  pattern_bytes = 1024, /* 8 lines of 128 bytes; the pattern of a swizzle must begin at a multiple
                         * of it */
  descriptor_unit = 16, /* bytes */
};

static int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/* The swizzle of a tensor map, in bytes, for lines of this many bytes. */
static int map_swizzle(int width) {
  return width > descriptor_unit ? width : 0;
}

static gg_smem_swizzle smem_swizzle(int bytes) {
  return bytes == 128  ? GG_SMEM_SW128
         : bytes == 64 ? GG_SMEM_SW64
         : bytes == 32 ? GG_SMEM_SW32
                       : GG_SMEM_INTER;
}

/* ---- Operands --------------------------------------------------------------------------- */

/* One operand's tile of mn x k elements. One MMA takes block_mn x block_k of them. */
typedef struct operand_tile {
  const char *name; /* "A" */
  int64_t mn, k, block_mn, block_k;
  bool k_major;
  int pieces;      /* MMAs along mn that have boxes of their own; 0: boxes span all of mn */
  int bits, width; /* bits of an element; bytes of a line of the swizzle's pattern */
  bool wide;       /* the swizzle moves units of 32 bytes, not of 16 */
  gg_smem_desc_kind kind;
  bool loaded; /* read by ldmatrix: there are no descriptors */
  bool cut;    /* lines of a box end inside of an MMA's K */
} operand_tile;

/* (mn, k) -> element, in the form that descriptors are made from: its swizzle acts on addresses. */
static gg_status canonical(gg_composed *out, const operand_tile *tile, gg_error *err) {
  gg_tuple target = GG_TUPLE(tile->mn, tile->k);
  gg_tuple order = tile->k_major ? GG_TUPLE(1, 2) : GG_TUPLE(2, 1);
  gg_composed pattern;
  gg_layout whole;
  gg_status st;
  gg_smem_swizzle swizzle = tile->wide ? GG_SMEM_SW128_32B : smem_swizzle(tile->width);
  st = gg_smem_atom(&pattern, !tile->k_major, swizzle, tile->bits, err);
  if (st) return st;
  if ((st = gg_layout_tile_to_shape(&whole, &pattern.layout, &target, &order, err))) return st;
  *out = gg_composed_with(&pattern, &whole);
  return GG_OK;
}

/* ((block_mn, blocks), (block_k, steps)) -> element. */
static gg_status blocked(gg_layout *out, const operand_tile *tile, const gg_layout *whole,
                         gg_error *err) {
  gg_tuple shape = GG_TUPLE(tile->block_mn, tile->block_k);
  gg_tiler tiler = gg_tiler_of_shape(&shape);
  return gg_layout_zipped_divide(out, whole, &tiler, err);
}

/* The same as describe for MMAs whose K step may begin in a line of one box and end in the next
 * box's. Where other descriptors have a leading dimension, theirs have the address of the next
 * box's line, as bit 52 says. The 16-byte units of each line must follow one another. (PTX ISA,
 * "Matrix Descriptor", leading dimension mode.) */
static gg_status describe_cut(gg_boxed_tile *out, const operand_tile *tile, const gg_composed *smem,
                              gg_error *err) {
  enum { least = 2 /* units of a canonical layout */ };
  const uint64_t leading = UINT64_C(0x3fff) << 16, absolute = UINT64_C(1) << 52;
  int unit = descriptor_unit * 8 / tile->bits, line = tile->width / descriptor_unit;
  operand_tile units = *tile;
  gg_layout divided, first, rest;
  gg_smem_desc base;
  gg_status st;
  units.block_k = unit * least;
  if ((st = blocked(&divided, &units, &smem->layout, err))) return st;
  if ((st = gg_layout_get(&first, &divided, 0, err))) return st;
  gg_composed operand = gg_composed_with(smem, &first);
  if ((st = gg_smem_desc_make(&base, tile->kind, &operand, false, 0, err))) return st;
  out->descriptor = (base.bits & ~leading) | absolute;
  out->step_units = tile->block_k / unit;
  units.block_k = unit;
  if ((st = blocked(&divided, &units, &smem->layout, err))) return st;
  if ((st = gg_layout_get(&rest, &divided, 1, err))) return st;
  if ((st = gg_layout_upcast(&out->steps, &rest, unit, err))) return st;
  int64_t all = gg_layout_size(&rest), blocks = tile->mn / tile->block_mn, right = 0;
  for (int64_t i = 0; i < all; i++) {
    int64_t at = i / blocks % line;
    right += gg_layout_at(&out->steps, i) == gg_layout_at(&out->steps, i - at * blocks) + at;
  }
  if (right == all) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, tile->name, (long long)right, (long long)all);
}

/* Makes the descriptor of the first MMA's operand, and the layout of where the others start. */
static gg_status describe(gg_boxed_tile *out, const operand_tile *tile, const gg_composed *smem,
                          gg_error *err) {
  gg_layout divided, first, rest;
  gg_smem_desc base, other;
  gg_status st;
  out->step_units = 0;
  if (tile->cut) return describe_cut(out, tile, smem, err);
  if ((st = blocked(&divided, tile, &smem->layout, err))) return st;
  if ((st = gg_layout_get(&first, &divided, 0, err))) return st;
  if ((st = gg_layout_get(&rest, &divided, 1, err))) return st;
  gg_composed operand = gg_composed_with(smem, &first);
  if ((st = gg_smem_desc_make(&base, tile->kind, &operand, !tile->k_major, 0, err))) return st;
  out->descriptor = base.bits;
  int64_t unit = (int64_t)descriptor_unit * 8 / tile->bits;
  if ((st = gg_layout_upcast(&out->steps, &rest, unit, err))) return st;
  for (int64_t i = 0; i < gg_layout_size(&rest); i++) {
    int64_t address = gg_layout_at(&rest, i) * tile->bits / 8;
    if ((st = gg_smem_desc_make(&other, tile->kind, &operand, !tile->k_major, address, err)))
      return st;
    if (other.bits == base.bits + (uint64_t)gg_layout_at(&out->steps, i)) continue;
    return gg_fail(err, DERIVE_COVER, NULL, tile->name, (long long)i,
                   (long long)gg_layout_size(&rest));
  }
  return GG_OK;
}

static int pieces_of(const operand_tile *tile) {
  return tile->pieces && tile->k_major ? tile->pieces : 1;
}

/* Boxes are as wide as the swizzle's pattern. They have all lines of the tile, or those of one
 * piece. */
static void derive_boxes(gg_boxed_tile *out, const operand_tile *tile) {
  int64_t contiguous = tile->k_major ? tile->k : tile->mn,
          lines = tile->k_major ? tile->mn : tile->k;
  out->line = tile->width * 8 / tile->bits;
  out->count = (int)(contiguous / out->line) * pieces_of(tile);
  out->lines = (int)lines / pieces_of(tile);
  out->bytes = (int64_t)out->lines * tile->width;
}

/* Adds the tensor map of an operand that is copied in boxes. */
static gg_tensor_map *add_map(gg_layouts *out, gg_operand_id operand, gg_dtype type, int line,
                              int lines, int width) {
  gg_tensor_map *map = &out->maps[out->map_count];
  out->maps[out->map_count++] = (gg_tensor_map){.operand = operand,
                                                .type = type,
                                                .rank = 3,
                                                .modes = {GG_MAP_LINE, GG_MAP_LINES, GG_MAP_BATCH},
                                                .box = {line, lines, 1},
                                                .swizzle_bytes = map_swizzle(width)};
  return map;
}

/* Checks that a box, which TMA writes line by line and swizzled, puts each 16-byte chunk where the
 * tile's layout has it. */
static gg_status check_boxes(const gg_boxed_tile *boxes, const operand_tile *tile,
                             const gg_composed *smem, gg_error *err) {
  int64_t chunks = tile->width / descriptor_unit, elements = boxes->line / chunks;
  int64_t right = 0, all = 0, pieces = pieces_of(tile);
  for (int64_t box = 0; box < boxes->count; box++) {
    for (int64_t line = 0; line < boxes->lines; line++) {
      for (int64_t chunk = 0; chunk < chunks; chunk++, all++) {
        int64_t along = box / pieces * boxes->line + chunk * elements;
        int64_t across = box % pieces * boxes->lines + line;
        int64_t index = tile->k_major ? across + along * tile->mn : along + across * tile->mn;
        int64_t row = box * boxes->bytes + line * tile->width;
        /* The number of the 16-byte chunk, or of the unit of 32 bytes, is xored with bits 7 and up
         * of the address. */
        int64_t bits = row / 128 % 8 & (chunks - 1);
        if (tile->wide) bits = row / 128 % 4 * 2;
        int64_t address = row + (chunk ^ bits) * descriptor_unit;
        right += gg_composed_at(smem, index) * tile->bits / 8 == address;
      }
    }
  }
  if (right == all) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, tile->name, (long long)right, (long long)all);
}

static gg_status derive_operand(gg_composed *out, int64_t *size, gg_boxed_tile *boxes,
                                const operand_tile *tile, gg_error *err) {
  gg_composed smem;
  gg_status st;
  if ((st = canonical(&smem, tile, err))) return st;
  if (!tile->loaded && (st = describe(boxes, tile, &smem, err))) return st;
  if ((st = gg_composed_position_independent(out, &smem, err))) return st;
  derive_boxes(boxes, tile);
  *size = round_up(gg_composed_cosize(out), (int64_t)pattern_bytes * 8 / tile->bits);
  return check_boxes(boxes, tile, out, err);
}

/* Adds the map of A or of B. */
static void add_input(gg_layouts *out, gg_operand_id id, const gg_plan *plan,
                      const gg_operand *operand, const gg_boxed_tile *boxes,
                      const operand_tile *tile) {
  gg_tensor_map *map = add_map(out, id, operand->type, boxes->line, boxes->lines, tile->width);
  map->unpacks = gg_plan_unpacks(plan, operand->type);
  map->swizzle_wide = tile->wide;
  map->end = gg_sm90_has_end(plan, operand);
  if (id != GG_OPERAND_B || !gg_plan_splits_rows(plan)) return;
  /* Rows of B that belong to a split gate come in turns from both halves, or as a stretch of each
   * half, of which a CTA of a pair has one. */
  bool apart = gg_sm90_halves_tile(plan);
  int halves = apart ? boxes->lines / plan->split_columns : 2;
  int half = apart ? 2 : 1, lines = 3 - half;
  map->rank = 4;
  map->modes[half] = GG_MAP_HALF, map->modes[lines] = GG_MAP_HALF_LINES;
  map->modes[3] = GG_MAP_BATCH;
  map->box[half] = halves, map->box[lines] = boxes->lines / halves, map->box[3] = 1;
}

/* Counts the tensor core's reads. It reads matrices of 8 lines of 16 bytes; under the swizzle of
 * 32-byte units, of 4 lines of 32 bytes. */
static void count_reads(gg_layouts *out, const char *name, const gg_composed *smem,
                        const operand_tile *tile) {
  enum { lines = 4, lanes = 2, unit_bits = 256, matrix = lines * lanes };
  gg_smem_access *access = gg_layouts_access(out, name, descriptor_unit);
  if (!tile->wide) {
    gg_smem_access_count_matrices(access, smem, tile->k_major, tile->mn, tile->k, tile->bits);
    return;
  }
  int64_t unit = unit_bits / tile->bits;
  for (int64_t line = 0; line < tile->k; line += lines) {
    for (int64_t at = 0; at < tile->mn; at += GG_WARP / matrix * unit) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        int64_t along = at + lane / matrix * unit + lane % lanes * unit / lanes;
        int64_t index = along + (line + lane % matrix / lanes) * tile->mn;
        address[lane] = gg_composed_at(smem, index) * tile->bits / 8;
      }
      gg_smem_access_count(access, address);
    }
  }
}

gg_status gg_sm90_derive_operands(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  bool tcgen05 = plan->mma.row->kind == GG_MMA_tcgen05;
  gg_smem_desc_kind kind = tcgen05 ? GG_SMEM_DESC_TCGEN05 : GG_SMEM_DESC_WGMMA;
  bool cut = tcgen05 && plan->mma.k == GG_MMA_LONG_K, loaded = gg_plan_multiplies_by_warps(plan);
  const operand_tile a = {.name = "sA",
                          .mn = plan->tile_m,
                          .k = gg_plan_k_of_a(plan, plan->tile_k),
                          .block_mn = gg_plan_mma_rows(plan),
                          .block_k = gg_plan_k_of_a(plan, plan->mma.k),
                          .k_major = gg_sm90_is_k_major(plan, &plan->a),
                          .bits = gg_plan_smem_bits(plan, plan->a.type),
                          .width = gg_sm90_pattern_width(plan->swizzle_a),
                          .wide = gg_plan_swizzles_wide(plan, &plan->a),
                          .kind = kind,
                          .loaded = loaded,
                          .cut = cut};
  const operand_tile b = {.name = "sB",
                          .mn = gg_plan_rows_of_b(plan, plan->tile_n),
                          .k = plan->tile_k,
                          .block_mn = gg_plan_rows_of_b(plan, loaded ? plan->tile_n : plan->mma.n),
                          .pieces = plan->tile_n / gg_plan_box_columns(plan),
                          .block_k = plan->mma.k,
                          .k_major = gg_sm90_is_k_major(plan, &plan->b),
                          .bits = gg_plan_smem_bits(plan, plan->b.type),
                          .width = gg_sm90_pattern_width(plan->swizzle_b),
                          .wide = gg_plan_swizzles_wide(plan, &plan->b),
                          .kind = kind,
                          .loaded = loaded,
                          .cut = cut};
  gg_status st;
  if ((st = derive_operand(&out->sA, &out->size_a, &out->boxes_a, &a, err))) return st;
  if ((st = derive_operand(&out->sB, &out->size_b, &out->boxes_b, &b, err))) return st;
  if (gg_sm90_transposes(plan, &plan->a))
    st = gg_sm90_derive_transposed(out, plan, true, err);
  else if (!plan->copy_bytes_a)
    add_input(out, GG_OPERAND_A, plan, &plan->a, &out->boxes_a, &a);
  if (st) return st;
  if (gg_sm90_transposes(plan, &plan->b))
    st = gg_sm90_derive_transposed(out, plan, false, err);
  else if (!plan->copy_bytes_b)
    add_input(out, GG_OPERAND_B, plan, &plan->b, &out->boxes_b, &b);
  if (st) return st;
  const char *reads_a = plan->a_in_registers || loaded ? "ldmatrix A"
                        : plan->a_in_tensor            ? "tcgen05.cp A"
                        : tcgen05                      ? "tcgen05 A"
                                                       : "wgmma A";
  count_reads(out, reads_a, &out->sA, &a);
  count_reads(out, loaded ? "ldmatrix B" : tcgen05 ? "tcgen05 B" : "wgmma B", &out->sB, &b);
  return GG_OK;
}

/* Checks that ldmatrix gives each lane what the MMA takes of A: four words, from the rows lane / 4
 * and 8 further down, and from the bytes lane % 4 * 4 and 16 further on. */
gg_status gg_sm90_check_fragments(const gg_plan *plan, gg_error *err) {
  enum { lanes = 32, rows_a_warp = 16, word_bits = 32 };
  gg_layout layout = gg_mma_atom_layout(&plan->mma, GG_MMA_A);
  int64_t threads = gg_layout_mode_size(&layout, 0), values = gg_layout_mode_size(&layout, 1);
  int64_t in_word = word_bits / gg_plan_smem_bits(plan, plan->a.type), right = 0;
  if (plan->sparse_a) in_word *= 2; /* elements that one word stores */
  for (int64_t i = 0; i < threads * values; i++) {
    int64_t thread = i % threads, value = i / threads, word = value / in_word;
    int64_t lane = thread % lanes, m = thread / lanes * rows_a_warp + lane / 4 + word % 2 * 8;
    int64_t k = (lane % 4 + word / 2 * 4) * in_word + value % in_word;
    right += gg_layout_at(&layout, i) == m + k * plan->mma.m;
  }
  if (right == threads * values) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, "tCrA", (long long)right, (long long)(threads * values));
}

/* Warpgroups side by side along M. Each has a contiguous block of the tile's rows. */
static gg_status derive_mma(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int64_t blocks = gg_plan_block_m(plan) / plan->mma.m;
  gg_tuple atoms = GG_TUPLE(plan->atoms_m, 1, 1);
  gg_tuple shape = GG_TUPLE(plan->mma.m, plan->atoms_m, blocks);
  gg_tuple stride = GG_TUPLE(1, plan->mma.m * blocks, plan->mma.m);
  gg_tuple n = gg_tuple_int(plan->tile_n), k = gg_tuple_int(plan->tile_k);
  gg_tiler permutation = gg_tiler_empty(),
           modes[3] = {gg_tiler_empty(), gg_tiler_of_shape(&n), gg_tiler_of_shape(&k)};
  gg_layout layout, rows;
  gg_tiled_mma mma;
  gg_status st;
  if ((st = gg_layout_make(&rows, &shape, &stride, err))) return st;
  modes[0] = gg_tiler_of_layout(&rows);
  for (int i = 0; i < 3; i++) {
    if ((st = gg_tiler_append(&permutation, &modes[i], err))) return st;
  }
  if ((st = gg_layout_col_major(&layout, &atoms, err))) return st;
  if ((st = gg_tiled_mma_make(&mma, &plan->mma, &layout, &permutation, err))) return st;
  if ((st = gg_tiled_mma_layout_tv(&out->tCrC, &mma, GG_MMA_C, err))) return st;
  if (plan->a_in_registers && (st = gg_sm90_check_fragments(plan, err))) return st;
  return gg_check_cover("tCrC", &out->tCrC, (int64_t)plan->tile_m * plan->tile_n, err);
}

/* ---- Staging ---------------------------------------------------------------------------- */

gg_sm90_cells gg_sm90_cells_of(const gg_operand *operand, int line) {
  int bits = gg_dtype_info_of(operand->type)->bits;
  if (bits == 16) return GG_SM90_CELLS_MATRICES;
  if (bits == 4) return GG_SM90_CELLS_PACKED;
  if (operand->major != GG_MAJOR_N) return GG_SM90_CELLS_ONES;
  return bits == 32 && line >= 16 ? GG_SM90_CELLS_HALVES : GG_SM90_CELLS_PAIRS;
}

int gg_sm90_columns_of_result(const gg_plan *plan, const gg_result *result) {
  return result->operation < 0 ? gg_plan_columns_of_d(plan, plan->epi_n) : plan->epi_n;
}

gg_sm90_cells gg_sm90_cells_of_result(const gg_plan *plan, const gg_result *result) {
  bool halved = gg_sm90_columns_of_result(plan, result) < plan->epi_n;
  if (halved) return GG_SM90_CELLS_GATED;
  gg_sm90_cells cells = gg_sm90_cells_of(&result->operand, plan->epi_n);
  bool bytes = gg_dtype_info_of(result->operand.type)->bits == 8;
  return bytes && cells == GG_SM90_CELLS_ONES ? GG_SM90_CELLS_TURNED : cells;
}

int gg_sm90_late_bit(const gg_sm90_lane_cells *of) {
  if (of->cells == GG_SM90_CELLS_ONES) return of->is_shared ? 0 : 16;
  return of->cells == GG_SM90_CELLS_HALVES ? 4 * (32 / of->line) : 0;
}

gg_sm90_cell gg_sm90_cell_of_lane(const gg_sm90_lane_cells *of, int lane, int64_t column) {
  bool late = (lane & gg_sm90_late_bit(of)) != 0;
  int64_t second = column % 2, at = column - second + lane % 4 * 2;
  int64_t box = column / of->line * of->line;
  switch (of->cells) {
  case GG_SM90_CELLS_TURNED: /* of lanes 4 apart one has the even column, of lanes 8 apart one has
                              * rows 0 to 7 */
    return (gg_sm90_cell){lane / 16 * 4 + lane / 8 % 2 * 8, at + lane / 4 % 2};
  case GG_SM90_CELLS_ONES:
    return (gg_sm90_cell){lane / 4, at + (late ? 1 - second : second)};
  case GG_SM90_CELLS_HALVES:
    return (gg_sm90_cell){lane / 4, box + (at - box + (late ? of->line / 2 : 0)) % of->line};
  default:
    return (gg_sm90_cell){lane / 4, at};
  }
}

/* Elements in shared memory that a warp has as the MMA's accumulators lie: `rows` x `cols` of
 * them. */
typedef struct cells {
  const gg_composed *smem; /* of `stride` rows */
  const gg_operand *operand;
  gg_sm90_lane_cells lanes; /* how they are accessed */
  int64_t stride, rows, cols;
} cells;

/* A warp's accesses. 16-bit elements go by stmatrix and ldmatrix: 8 lines of 16 bytes a phase. */
static void count_cells(gg_layouts *out, const char *name, const cells *c) {
  gg_sm90_cells how = c->lanes.cells;
  int bits = gg_dtype_info_of(c->operand->type)->bits;
  if (how == GG_SM90_CELLS_MATRICES) {
    gg_smem_access_count_matrices(gg_layouts_access(out, name, descriptor_unit), c->smem,
                                  c->operand->major == GG_MAJOR_N, c->stride, c->cols, bits);
    return;
  }
  bool turned = how == GG_SM90_CELLS_TURNED;
  int accesses = how == GG_SM90_CELLS_ONES ? 2 : 1, rows = turned ? GG_SM90_STAGED_ROWS : 8;
  int elements = turned ? 4 : 2 / accesses;
  gg_smem_access *access = gg_layouts_access(out, name, (int)gg_bytes_of(elements, bits));
  for (int64_t row = 0; row < c->rows; row += rows) {
    for (int64_t column = 0; column < c->cols; column += 8) {
      for (int second = 0; second < accesses; second++) {
        int64_t address[GG_WARP];
        for (int lane = 0; lane < GG_WARP; lane++) {
          gg_sm90_cell at = gg_sm90_cell_of_lane(&c->lanes, lane, column + second);
          address[lane] = gg_composed_at(c->smem, row + at.row + at.column * c->stride) * bits / 8;
        }
        gg_smem_access_count(access, address);
      }
    }
  }
}

/* The same of a D of which a lane has row lane / 4 and column lane % 4 of each 8 x 4; or of each 8
 * x 8 now the one, now the other of its two columns. */
static void count_gated(gg_layouts *out, const char *name, const cells *c, bool lines) {
  int bits = gg_dtype_info_of(c->operand->type)->bits;
  gg_smem_access *access = gg_layouts_access(out, name, (int)gg_bytes_of(1, bits));
  for (int64_t row = 0; row < c->rows; row += 8) {
    for (int64_t column = 0; column < c->cols; column += 4) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        int64_t along = lines ? column / 8 * 8 + lane % 4 * 2 + column / 4 % 2 : column + lane % 4;
        int64_t at = row + lane / 4 + along * c->stride;
        address[lane] = gg_composed_at(c->smem, at) * bits / 8;
      }
      gg_smem_access_count(access, address);
    }
  }
}

/* What lanes store of a box in units of 16 bytes: of neighbouring lanes each has the next unit. */
static void count_units(gg_layouts *out, const gg_result *result, int lines, int length) {
  int bits = gg_dtype_info_of(result->operand.type)->bits;
  int unit = result->access_bytes * 8 / bits, a_line = length / unit;
  bool n_major = result->operand.major == GG_MAJOR_N;
  gg_smem_access *access =
      gg_layouts_access(out, result->operation < 0 ? "store D" : "store aux", result->access_bytes);
  for (int first = 0; first < lines * a_line; first += GG_WARP) {
    int64_t address[GG_WARP];
    for (int lane = 0; lane < GG_WARP; lane++) {
      int64_t line = (first + lane) / a_line, along = (first + lane) % a_line * unit;
      int64_t at = n_major ? line + along * lines : along + line * length;
      bool works = line < lines;
      address[lane] = works ? gg_composed_at(&result->layout, at) * bits / 8 : -1;
    }
    gg_smem_access_count(access, address);
  }
}

/* Buffers are as large as the largest box among the results. */
static gg_status derive_result(gg_layouts *out, gg_result *result, const gg_plan *plan,
                               gg_error *err) {
  const gg_operand *operand = &result->operand;
  bool n_major = operand->major == GG_MAJOR_N, is_d = result->operation < 0;
  int bits = gg_dtype_info_of(operand->type)->bits;
  int columns = gg_sm90_columns_of_result(plan, result);
  int rows = gg_plan_box_rows(plan), length = n_major ? columns : rows;
  int line = (int)gg_bytes_of(length, bits);
  const operand_tile staged = {.name = is_d ? "sD" : "aside",
                               .mn = rows,
                               .k = columns,
                               .k_major = n_major,
                               .bits = bits,
                               .width = line};
  gg_composed smem;
  gg_status st;
  if ((st = canonical(&smem, &staged, err))) return st;
  if ((st = gg_composed_position_independent(&result->layout, &smem, err))) return st;
  int64_t bytes = round_up(gg_bytes_of(gg_composed_cosize(&result->layout), bits), 8 * line);
  if (bytes > out->staging_bytes) out->staging_bytes = bytes;
  if (result->mapped) {
    add_map(out, is_d ? GG_OPERAND_D : GG_OPERAND_EXTRA, operand->type, length,
            n_major ? rows : columns, line)
        ->operation = is_d ? 0 : result->operation;
  }
  gg_sm90_cells how = gg_sm90_cells_of_result(plan, result);
  const cells written = {&result->layout, operand, {how, columns, plan->box_warps > 1}, rows, rows,
                         columns};
  if (how == GG_SM90_CELLS_GATED)
    count_gated(out, "stage D", &written, plan->split_columns > 0);
  else
    count_cells(out, is_d ? "stage D" : "stage aux", &written);
  if (gg_sm90_stores_units(result)) count_units(out, result, n_major ? rows : columns, length);
  return GG_OK;
}

static gg_status derive_d(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_result *d = &out->results[out->result_count - 1];
  gg_status st = derive_result(out, d, plan, err);
  out->sD = d->layout;
  out->size_d = st ? 0 : gg_composed_cosize(&out->sD);
  return st;
}

/* ---- What is fetched for the epilogue ---------------------------------------------------- */

static const char *fetched_name(char out[GG_OPERATION_NAME_MAX], const gg_plan *plan,
                                const gg_fetched *matrix) {
  return matrix->is_c ? "C" : gg_operation_name(out, plan->operations, (size_t)matrix->operation);
}

static gg_status derive_matrix(gg_layouts *out, gg_fetched *matrix, const gg_plan *plan,
                               gg_error *err) {
  enum { rows_a_warp = 16 };
  char name[GG_OPERATION_NAME_MAX];
  fetched_name(name, plan, matrix);
  const gg_operand *operand = &matrix->operand;
  bool n_major = operand->major == GG_MAJOR_N;
  const operand_tile box = {.name = name,
                            .mn = n_major ? matrix->lines : matrix->line,
                            .k = n_major ? matrix->line : matrix->lines,
                            .k_major = n_major,
                            .bits = gg_dtype_info_of(operand->type)->bits,
                            .width = (int)(matrix->bytes / matrix->lines)};
  const gg_boxed_tile one = {
      .count = 1, .line = matrix->line, .lines = matrix->lines, .bytes = matrix->bytes};
  gg_composed smem;
  gg_status st;
  if ((st = canonical(&smem, &box, err))) return st;
  if ((st = gg_composed_position_independent(&matrix->layout, &smem, err))) return st;
  if ((st = check_boxes(&one, &box, &matrix->layout, err))) return st;
  bool is_c = matrix->is_c;
  add_map(out, is_c ? GG_OPERAND_C : GG_OPERAND_EXTRA, operand->type, one.line,
          one.lines / matrix->pieces, box.width)
      ->operation = is_c ? 0 : matrix->operation;
  const cells read = {
      &matrix->layout, operand,     {gg_sm90_cells_of(operand, matrix->line), matrix->line, false},
      box.mn,          rows_a_warp, box.k};
  count_cells(out, is_c ? "read C" : "read matrix", &read);
  return GG_OK;
}

static gg_status derive_c(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  for (size_t i = 0; i < out->fetched_count; i++) {
    gg_fetched *matrix = &out->fetched[i];
    gg_status st = matrix->is_c ? derive_matrix(out, matrix, plan, err) : GG_OK;
    if (st) return st;
  }
  return GG_OK;
}

static gg_status derive_operation(gg_layouts *out, const gg_plan *plan, int operation,
                                  gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < out->fetched_count && !st; i++) {
    gg_fetched *matrix = &out->fetched[i];
    if (!matrix->is_c && matrix->operation == operation) st = derive_matrix(out, matrix, plan, err);
  }
  for (size_t i = 0; i + 1 < out->result_count && !st; i++) {
    if (out->results[i].operation == operation)
      st = derive_result(out, &out->results[i], plan, err);
  }
  return st;
}

/* Adds maps in the order of the kernel's parameters: C's, D's, then those of the operations. */
gg_status gg_sm90_derive_epilogue(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  out->fetched_count = gg_sm90_fetched(out->fetched, plan);
  out->fetch_stages = gg_sm90_fetch_stages(plan);
  out->result_count = gg_sm90_results(out->results, plan);
  out->evicts_first = gg_sm90_evicts_first(plan, out);
  gg_status st = derive_c(out, plan, err);
  if (!st) st = derive_d(out, plan, err);
  for (size_t i = 0; i < plan->operation_count && !st; i++)
    st = derive_operation(out, plan, (int)i, err);
  return st;
}

/* ---- The whole -------------------------------------------------------------------------- */

void gg_sm90_name_layouts(gg_layouts *out, const gg_plan *plan) {
  const char *steps = out->boxes_b.step_units ? "(block, 16 bytes of K) -> 16 bytes"
                                              : "(block, K step) -> 16 bytes";
  gg_layouts_name(out, "sA", "(m, k) -> element of a stage", &out->sA);
  gg_layouts_name(out, "sB", "(n, k) -> element of a stage", &out->sB);
  gg_layouts_name(out, "sD", "(m, n) -> element of a warp's staging buffer", &out->sD);
  bool loaded = gg_plan_multiplies_by_warps(plan);
  if (!plan->a_in_registers && !loaded)
    gg_layouts_name_plain(out, "desc A", steps, &out->boxes_a.steps);
  if (!loaded) gg_layouts_name_plain(out, "desc B", steps, &out->boxes_b.steps);
  gg_layouts_name_plain(out, "tCrC",
                        gg_plan_in_tensor_memory(plan)
                            ? "tcgen05.ld: (thread, value) -> index in (m, n)"
                            : "mma: (thread, value) -> index in (m, n)",
                        &out->tCrC);
}

gg_status gg_sm90_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = gg_sm90_derive_operands(out, plan, err))) return st;
  if ((st = derive_mma(out, plan, err))) return st;
  if ((st = gg_sm90_derive_epilogue(out, plan, err))) return st;
  gg_sm90_name_layouts(out, plan);
  out->accumulator = (gg_accumulator_place){.home = GG_HOME_REGISTERS,
                                            .sets = 1 + plan->sum_sets,
                                            .registers = gg_sm90_accumulator_registers(plan)};
  out->fragment_registers = gg_sm90_fragment_registers(plan);
  gg_sm90_derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
