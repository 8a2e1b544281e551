/* Family simt: plan -> layouts.
 *
 * Shared memory. An operand's tile is stored in lines, one for each word along K, with M or N
 * contiguous in each, so that a thread reads the words of neighbouring rows at once. If K is
 * contiguous in global memory, a warp copies 8 words along K of 4 rows, which go to 8 lines of
 * shared memory. Lines are padded by 16 bytes, so that these words lie in 32 different banks (with
 * f64: those of half a warp in 16 pairs of banks).
 *
 * Threads. A warp's lanes stand 4 along M and 8 along N. Each has vectors of 16 bytes of rows and
 * of columns, so together they read a line of 64 bytes of A and one of 128 bytes of B. Bits 0, 2
 * and 4 of a lane's number count along N, the others along M. So lanes i and i ^ 1 read the same of
 * A, lanes i and i ^ 2 the same of B, and the 16 bytes of each lane of half a warp come in one
 * wavefront. The vectors of one thread are as far apart as all lanes of a warp reach. With one
 * stage, each thread has every atoms_m-th row and every atoms_n-th column, as in CuTe's sgemm_1;
 * neighbouring threads then have neighbouring elements of D's lines.
 *
 * Everything is then counted: that each element is copied and multiplied exactly once, and how many
 * wavefronts every access to shared memory takes, against the fewest possible. */
#include "atom/dtype.h"
#include "plan/check.h"
#include "plan/gate.h"
#include "plan/simt.h"

enum { padding_bytes = 16, stage_alignment = 128 /* bytes: one line of all banks */ };

/* One operand's tile: mn x k elements. */
typedef struct operand_tile {
  int64_t mn, k;
  const gg_operand *operand;
  gg_swizzle_kind swizzle;
  int copy_bytes;
} operand_tile;

/* ---- Shared-memory layouts -------------------------------------------------------------- */

/* The layout of an operand in shared memory: (mn, k) -> element. The elements of a word come first,
 * then its neighbours along M or N, then the lines. */
static gg_status derive_operand(gg_composed *out, int64_t *size, const gg_plan *plan,
                                const operand_tile *tile, gg_error *err) {
  int64_t word = plan->mma.k, bits = gg_dtype_info_of(plan->mma.a)->bits;
  int64_t pitch = tile->mn * word, unit = stage_alignment * 8 / bits;
  if (tile->swizzle == GG_SWIZZLE_PADDING) pitch += padding_bytes * 8 / bits;
  gg_tuple k_shape = GG_TUPLE(word, tile->k / word), k_stride = GG_TUPLE(1, pitch);
  gg_layout rows = gg_layout_flat(tile->mn, word), columns, layout;
  gg_status st;
  if ((st = gg_layout_make(&columns, &k_shape, &k_stride, err))) return st;
  if ((st = gg_layout_concat(&layout, &rows, &columns, err))) return st;
  *out = gg_composed_of(&layout);
  *size = (gg_composed_cosize(out) + unit - 1) / unit * unit;
  return GG_OK;
}

/* ---- Threads ---------------------------------------------------------------------------- */

/* Which elements each thread copies: (thread, element) -> colexicographic index in the tile. What a
 * thread copies at once is a chunk from each line of a unit. If every thread has work in every
 * turn, the layout is as the chunks are dealt; else its first mode is the chunk's number in memory
 * order. */
static gg_status derive_copy(gg_layout *out, const gg_plan *plan, const operand_tile *tile,
                             gg_error *err) {
  bool k_major = tile->operand->major == GG_MAJOR_K;
  int64_t vector = tile->copy_bytes / gg_dtype_bytes(tile->operand->type, 1);
  int64_t line = k_major ? tile->k : tile->mn, unit = gg_simt_unit(plan, tile->operand);
  gg_dealing dealt = gg_simt_deal(plan, tile->operand, (int)tile->mn, tile->copy_bytes);
  gg_tuple shape = k_major ? GG_TUPLE(tile->k, tile->mn) : GG_TUPLE(tile->mn, tile->k);
  gg_tuple stride = k_major ? GG_TUPLE(tile->mn, 1) : GG_TUPLE(1, tile->mn);
  int64_t down = dealt.lines_per_turn, along = dealt.across * vector;
  bool dealt_evenly = gg_always_works(&dealt);
  int64_t across = dealt_evenly ? dealt.across : dealt.line_chunks;
  int64_t lines = dealt_evenly ? down : dealt.lines;
  gg_tuple thread_shape = GG_TUPLE(across, lines), thread_stride = GG_TUPLE(vector, line * unit);
  gg_tuple value_shape = GG_TUPLE(vector, unit, dealt_evenly ? dealt.chunk_turns : 1,
                                  dealt_evenly ? dealt.line_turns : 1);
  gg_tuple value_stride = GG_TUPLE(1, line, along, line * unit * down);
  gg_layout memory_order, thread, value, deal;
  gg_status st;
  if ((st = gg_layout_make(&memory_order, &shape, &stride, err))) return st;
  if ((st = gg_layout_make(&thread, &thread_shape, &thread_stride, err))) return st;
  if ((st = gg_layout_make(&value, &value_shape, &value_stride, err))) return st;
  if ((st = gg_layout_coalesce(&value, &value, NULL, err))) return st; /* one turn is no mode */
  if ((st = gg_layout_concat(&deal, &thread, &value, err))) return st;
  return gg_layout_composition(out, &memory_order, &deal, err);
}

/* The layout of threads: (M, N) -> thread. */
static gg_status derive_threads(gg_layout *out, const gg_plan *plan, gg_error *err) {
  int64_t warps_m = plan->atoms_m / GG_SIMT_LANES_M, warps_n = plan->atoms_n / GG_SIMT_LANES_N;
  gg_tuple shape_m = GG_TUPLE(2, 2, warps_m), stride_m = GG_TUPLE(2, 8, GG_WARP);
  gg_tuple shape_n = GG_TUPLE(2, 2, 2, warps_n), stride_n = GG_TUPLE(1, 4, 16, GG_WARP * warps_m);
  bool rows = plan->d.major == GG_MAJOR_N;
  gg_layout m = gg_layout_flat(plan->atoms_m, rows ? plan->atoms_n : 1);
  gg_layout n = gg_layout_flat(plan->atoms_n, rows ? 1 : plan->atoms_m);
  gg_status st;
  if (plan->stages > 1) {
    if ((st = gg_layout_make(&m, &shape_m, &stride_m, err))) return st;
    if ((st = gg_layout_make(&n, &shape_n, &stride_n, err))) return st;
  }
  return gg_layout_concat(out, &m, &n, err);
}

/* The permutation of M or N: the vectors of a thread are as far apart as all lanes of a warp reach,
 * and the warps' blocks stand one behind the other. With one stage, single elements in turns. */
static gg_status append_blocks(gg_tiler *out, const gg_plan *plan, int extent, int atoms, int lanes,
                               gg_error *err) {
  int block = extent / atoms, vector = gg_simt_vector(plan, block);
  gg_tuple shape = GG_TUPLE(lanes, atoms / lanes, vector, block / vector);
  gg_tuple stride = GG_TUPLE(vector, lanes * block, 1, lanes * vector);
  gg_layout layout = gg_layout_flat(extent, 1);
  gg_status st = plan->stages > 1 ? gg_layout_make(&layout, &shape, &stride, err) : GG_OK;
  if (st) return st;
  gg_tiler mode = gg_tiler_of_layout(&layout);
  return gg_tiler_append(out, &mode, err);
}

static gg_status derive_mma(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_tiler permutation = gg_tiler_empty();
  gg_layout layout;
  gg_status st;
  if ((st = derive_threads(&layout, plan, err))) return st;
  if ((st = append_blocks(&permutation, plan, plan->tile_m, plan->atoms_m, GG_SIMT_LANES_M, err)))
    return st;
  if ((st = append_blocks(&permutation, plan, plan->tile_n, plan->atoms_n, GG_SIMT_LANES_N, err)))
    return st;
  return gg_layouts_fragments(out, plan, &layout, &permutation, err);
}

/* ---- Accesses --------------------------------------------------------------------------- */

/* How many words of shared memory one copy of a thread writes at once: neighbouring words if M or N
 * is contiguous, a single one if the copy transposes. */
static int written_words(const operand_tile *tile) {
  bool k_major = tile->operand->major == GG_MAJOR_K;
  return k_major ? 1 : tile->copy_bytes / (int)gg_dtype_bytes(tile->operand->type, 1);
}

static int64_t address_of(const gg_plan *plan, const gg_composed *smem, int64_t index) {
  return gg_composed_at(smem, index) * gg_dtype_info_of(plan->mma.a)->bits / 8;
}

/* Why the words of a copy meet in the same banks, which happens only to copies that transpose:
 * lines are padded for 8 words along K side by side. */
static const char *conflict_of(const operand_tile *tile, const gg_dealing *deal) {
  if (tile->operand->major != GG_MAJOR_K) return NULL;
  if (tile->swizzle == GG_SWIZZLE_NONE) return "lines are not padded";
  return deal->across % 8 ? "not 8 words along K at once" : NULL;
}

/* Counts the accesses of copies from global to shared memory: every turn of every warp. */
static void count_copy(gg_layouts *out, const char *name, const gg_plan *plan,
                       const gg_composed *smem, const operand_tile *tile) {
  bool k_major = tile->operand->major == GG_MAJOR_K;
  int64_t vector = tile->copy_bytes / gg_dtype_bytes(tile->operand->type, 1);
  int words = written_words(tile), elements = k_major ? plan->mma.k : words;
  int64_t unit = gg_simt_unit(plan, tile->operand);
  gg_smem_access *access = gg_layouts_access(out, name, words * gg_simt_word_bytes(plan));
  gg_dealing deal = gg_simt_deal(plan, tile->operand, (int)tile->mn, tile->copy_bytes);
  int64_t stores = vector / elements; /* stores that one chunk takes */
  access->why = conflict_of(tile, &deal);
  for (int64_t turn = 0; turn < deal.line_turns * deal.chunk_turns * stores; turn++) {
    for (int warp = 0; warp < plan->threads; warp += GG_WARP) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        gg_chunk at;
        bool works = gg_dealt_chunk(&at, &deal, warp + lane, turn / stores);
        int64_t along = at.chunk * vector + turn % stores * elements, line = at.line * unit;
        int64_t index = k_major ? line + along * tile->mn : along + line * tile->mn;
        address[lane] = works ? address_of(plan, smem, index) : -1;
      }
      gg_smem_access_count(access, address);
    }
  }
}

/* Counts the accesses that read fragments: every vector of every word along K, of every warp. `tv`
 * is the fragment's layout: its first mode is the threads, and its values go along M or N first. */
static void count_read(gg_layouts *out, const char *name, const gg_plan *plan,
                       const gg_composed *smem, const gg_layout *tv, int64_t mn, int block) {
  int word = plan->mma.k, vector = gg_simt_vector(plan, block);
  gg_smem_access *access = gg_layouts_access(out, name, vector * gg_simt_word_bytes(plan));
  int64_t threads = gg_layout_mode_size(tv, 0);
  for (int warp = 0; warp < plan->threads; warp += GG_WARP) {
    int64_t first[GG_WARP];
    for (int lane = 0; lane < GG_WARP; lane++)
      first[lane] = gg_layout_at(tv, warp + lane) % mn;
    for (int64_t value = 0; value < block; value += vector) {
      int64_t rows = gg_layout_at(tv, value * word * threads) % mn;
      for (int64_t k = 0; k < plan->tile_k; k += word) {
        int64_t address[GG_WARP];
        for (int lane = 0; lane < GG_WARP; lane++)
          address[lane] = address_of(plan, smem, first[lane] + rows + k * mn);
        gg_smem_access_count(access, address);
      }
    }
  }
}

/* ---- The whole -------------------------------------------------------------------------- */

/* The rings and roles: every thread copies, multiplies and stores, and stores come straight from
 * its registers. */
static void derive_rings(gg_layouts *out, const gg_plan *plan) {
  int warps = plan->threads / GG_WARP;
  const gg_ring stages = {.id = GG_RING_STAGES,
                          .name = "stages",
                          .depth = plan->stages,
                          .instances = 1,
                          .bytes = gg_dtype_bytes(plan->mma.a, out->size_a + out->size_b),
                          .filled_by = GG_ROLE_CONSUMER,
                          .drained_by = GG_ROLE_CONSUMER};
  gg_rings_add(&out->rings, stages);
  gg_rings_add_role(
      &out->rings,
      (gg_role){.id = GG_ROLE_CONSUMER, .name = "warps", .warps = warps, .groups = warps});
}

static void name_layouts(gg_layouts *out) {
  gg_layouts_name(out, "sA", "(m, k) -> element of a stage", &out->sA);
  gg_layouts_name(out, "sB", "(n, k) -> element of a stage", &out->sB);
  gg_layouts_name_plain(out, "tAgA", "copy: (thread, value) -> index in (m, k)", &out->tAgA);
  gg_layouts_name_plain(out, "tBgB", "copy: (thread, value) -> index in (n, k)", &out->tBgB);
  gg_layouts_name_plain(out, "tCrA", "multiply: (thread, value) -> index in (m, k)", &out->tCrA);
  gg_layouts_name_plain(out, "tCrB", "multiply: (thread, value) -> index in (n, k)", &out->tCrB);
  gg_layouts_name_plain(out, "tCrC", "multiply: (thread, value) -> index in (m, n)", &out->tCrC);
}

gg_status gg_simt_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  const operand_tile a = {plan->tile_m, plan->tile_k, &plan->a, plan->swizzle_a,
                          plan->copy_bytes_a};
  const operand_tile b = {plan->tile_n, plan->tile_k, &plan->b, plan->swizzle_b,
                          plan->copy_bytes_b};
  int block_m = gg_plan_block_m(plan), block_n = gg_plan_block_n(plan);
  gg_status st;
  if ((st = derive_operand(&out->sA, &out->size_a, plan, &a, err))) return st;
  if ((st = derive_operand(&out->sB, &out->size_b, plan, &b, err))) return st;
  if ((st = derive_copy(&out->tAgA, plan, &a, err))) return st;
  if ((st = derive_copy(&out->tBgB, plan, &b, err))) return st;
  int64_t lines = gg_simt_deal(plan, &plan->b, plan->tile_n, plan->copy_bytes_b).lines_per_turn;
  if ((st = gg_check_split_lines(plan, lines, err))) return st;
  if ((st = derive_mma(out, plan, err))) return st;
  if ((st = gg_layouts_check_covers(out, plan, err))) return st;
  count_copy(out, "copy A", plan, &out->sA, &a);
  count_copy(out, "copy B", plan, &out->sB, &b);
  count_read(out, "read A", plan, &out->sA, &out->tCrA, plan->tile_m, block_m);
  count_read(out, "read B", plan, &out->sB, &out->tCrB, plan->tile_n, block_n);
  name_layouts(out);
  out->accumulator = (gg_accumulator_place){
      .home = GG_HOME_REGISTERS,
      .sets = 1,
      .registers = (int)gg_dtype_bytes(plan->accumulator, block_m * block_n) / 4};
  out->fragment_registers =
      (plan->stages > 1 ? 2 : 1) * (block_m + block_n) * gg_simt_word_bytes(plan) / 4;
  derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
