/* Family sm80: plan + layouts -> the names of templates/sm80_multistage.cu.
 *
 * One block of constexpr sizes, types, tiles and instruction wrappers goes to the top of the
 * kernel; the body below it uses only those names. Constant expressions whose value does not depend
 * on the device are computed here: the text of one kernel contains the results. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/element_text.h"
#include "emit/shares.h"
#include "emit/skeleton.h"
#include "emit/sm80.h"
#include "plan/gate.h"
#include "plan/operation.h"
#include "plan/sm80.h"
#include "plan/sparse.h"

/* ---- Types ------------------------------------------------------------------------------ */

static void write_types(gg_str *out, const gg_plan *plan) {
  const char *type;
  gg_mma_atom_registers(&plan->mma, GG_MMA_C, &type);
  gg_str_printf(out, "using int64 = long long;\n");
  gg_cuda_write_type(out, "ab", plan->a.type);
  gg_cuda_write_types(out, plan);
  gg_str_printf(out, "using acc_t = %s;  // %s\n", type,
                plan->accumulator == GG_DTYPE_f16 ? "two of f16"
                                                  : gg_dtype_info_of(plan->accumulator)->name);
}

/* ---- Sizes ------------------------------------------------------------------------------ */

/* Whether an operand's copies, in a tile that is whole along K, are all chunks of 16 bytes, each of
 * which is either inside or outside of the matrix. */
static bool has_whole_chunks(const gg_operand *operand, int copy_bytes, bool even_mn) {
  return copy_bytes == 16 && (operand->major == GG_MAJOR_K || even_mn);
}

/* Whether lines of A or B are copied element by element, because these are less than cp.async can
 * move. */
static bool copies_elements(const gg_plan *plan) {
  return plan->copy_bytes_a < GG_SM80_ASYNC_LEAST || plan->copy_bytes_b < GG_SM80_ASYNC_LEAST;
}

static bool stages_c(const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->lined_count; i++)
    if (layouts->lined[i].is_c) return true;
  return false;
}

static void write_flags(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool even_m = gg_is_even(plan->fixed_m, plan->tile_m),
       even_n = gg_is_even(plan->fixed_n, plan->tile_n);
  bool even_k = gg_is_even(plan->fixed_k, plan->tile_k);
  bool whole_chunks = has_whole_chunks(&plan->a, plan->copy_bytes_a, even_m) &&
                      has_whole_chunks(&plan->b, plan->copy_bytes_b, even_n);
  const gg_cuda_flag flags[] = {
      {"a_k_major", plan->a.major == GG_MAJOR_K},
      {"b_k_major", plan->b.major == GG_MAJOR_K},
      {"c_n_major", plan->has_c && plan->c.major == GG_MAJOR_N},
      {"d_n_major", plan->d.major == GG_MAJOR_N},
      {"stages_c", stages_c(layouts)},
      {"even_m", even_m},
      {"even_n", even_n},
      {"even_k", even_k},
      {"whole_chunks", whole_chunks},
      {"copies_elements", copies_elements(plan)},
      {"persistent", gg_plan_is_persistent(plan)},
      {"sums_are_finished", plan->accumulator == plan->compute},
      {"raster_along_m", plan->raster == GG_RASTER_ALONG_M},
  };
  gg_cuda_write_flags(out, flags, sizeof flags / sizeof *flags);
}

/* Appends the sizes of metadata. If a lane has all words of 16 rows in lines of its own, the words
 * of MMAs along K are neighbours, and up to four are read at once. With 8-bit elements, where half
 * of K belongs to another lane, only every other word is the lane's. */
static void write_metadata_sizes(gg_str *out, const gg_plan *plan) {
  enum { word_bytes = 4, widest = 4 };
  int step = gg_metadata_step(plan), steps = plan->tile_k / plan->mma.k;
  int at_once = step > word_bytes ? 1 : steps < widest ? steps : widest;
  gg_str_printf(out, "constexpr int metadata_k = %d;  // of a tile of metadata\n",
                gg_metadata_tile_k(plan));
  gg_str_printf(out,
                "constexpr int word_step = %d;  // bytes from an MMA's metadata to the next one's\n"
                "constexpr int words_at_once = %d;\n",
                step, at_once);
}

static void write_sizes(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  const int packed = gg_sm80_packed(plan);
  if (packed > 1) gg_str_printf(out, "// K counts bytes of A and B, %d elements each.\n", packed);
  gg_str_printf(out, "constexpr int tile_m = %d, tile_n = %d, tile_k = %d;  // of a CTA\n",
                plan->tile_m, plan->tile_n, plan->tile_k / packed);
  gg_str_printf(out, "constexpr int mma_m = %d, mma_n = %d, mma_k = %d;  // of an MMA\n",
                plan->mma.m, plan->mma.n, plan->mma.k / packed);
  if (plan->turns_m)
    gg_str_printf(out, "constexpr int turn_m = %d;  // rows from a warp's MMA to its next one's\n",
                  plan->mma.m * plan->atoms_m);
  gg_str_printf(out, "constexpr int epi_m = %d, epi_n = %d;  // of what a warp stages at once\n",
                plan->epi_m, plan->epi_n);
  gg_str_printf(out, "constexpr int warps_m = %d, warps_n = %d", plan->atoms_m, plan->atoms_n);
  if (plan->atoms_k > 1) gg_str_printf(out, ", warps_k = %d", plan->atoms_k);
  gg_str_puts(out, ";  // of a CTA\n");
  if (plan->atoms_k > 1)
    gg_str_puts(
        out, "constexpr int turn_k = mma_k * warps_k;  // from a warp's MMAs to its next ones\n");
  gg_str_printf(out, "constexpr int acc_words = %d;  // registers of an accumulator fragment\n",
                gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL));
  if (plan->promote)
    gg_str_printf(out, "constexpr int promoted_steps = %d;  // MMAs along K of a sum\n",
                  plan->promote);
  if (plan->sparse_a) write_metadata_sizes(out, plan);
  gg_str_printf(out, "constexpr int ctas_per_sm = %d;\n", plan->ctas_per_sm);
  gg_str_printf(out, "constexpr int raster_group = %d;\n\n", plan->raster_group);
  gg_write_cta_shares(out, plan);
  if (plan->atoms_k > 1 && !gg_plan_shares_tiles(plan)) {
    gg_write_words(out, plan);
    gg_str_putc(out, '\n');
  }

  long long a = gg_dtype_bytes(plan->a.type, layouts->size_a);
  long long b = gg_dtype_bytes(plan->b.type, layouts->size_b);
  gg_str_printf(out,
                "// Shared memory, in bytes: the stages, each A's tile, then B's; a buffer for "
                "each warp.\n");
  gg_str_printf(out, "constexpr int stages = %d;\n", plan->stages);
  gg_str_printf(out, "constexpr unsigned stage_bytes = %lld, stage_begin_b = %lld;\n", a + b, a);
  gg_str_printf(out, "constexpr unsigned staging_begin = %lld, staging_bytes = %lld;\n\n",
                (long long)gg_rings_find(&layouts->rings, GG_RING_STAGING)->begin,
                (long long)layouts->staging_bytes);
  write_flags(out, plan, layouts);
  gg_cuda_write_split_columns(out, plan);
  gg_cuda_write_extents(out, plan);
}

/* ---- Elements of shared memory ---------------------------------------------------------- */

/* Whether a line may end inside an access, so that text for single elements is needed. For D this
 * matters only if tiles may be partial; for what is read it is decided by extents that the text is
 * told. */
static bool is_wide(const gg_operand *operand, int access_bytes) {
  return access_bytes > gg_dtype_bytes(operand->type, 1);
}

static bool has_partial_tiles(const gg_plan *plan) {
  return !(gg_is_even(plan->fixed_m, plan->tile_m) && gg_is_even(plan->fixed_n, plan->tile_n));
}

static void bind_elements(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_element_uses uses = {0};
  if (copies_elements(plan)) gg_use_element(&uses, GG_SHARED_STORE, plan->a.type);
  bool ones = plan->d.major != GG_MAJOR_N || gg_plan_is_gated(plan);
  gg_use_element(&uses,
                 ones               ? GG_SHARED_STORE
                 : layouts->twins_n ? GG_SHARED_STORE_FOUR
                                    : GG_SHARED_STORE_PAIR,
                 plan->d.type);
  if (has_partial_tiles(plan) && is_wide(&plan->d, plan->access_bytes_d))
    gg_use_element(&uses, GG_SHARED_LOAD, plan->d.type);
  for (size_t i = 0; i < layouts->lined_count; i++) {
    const gg_operand *read = &layouts->lined[i].operand;
    if (is_wide(read, layouts->lined[i].access_bytes))
      gg_use_element(&uses, GG_SHARED_STORE, read->type);
    gg_use_element(&uses,
                   read->major == GG_MAJOR_M ? GG_SHARED_LOAD
                   : layouts->twins_n        ? GG_SHARED_LOAD_FOUR
                                             : GG_SHARED_LOAD_PAIR,
                   read->type);
  }
  gg_bind_elements(out, "shared_elements", &uses);
}

/* Binds what a sub-tile's lanes do to get their elements of a matrix by way of staging. */
static void bind_lined(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < layouts->lined_count; i++) {
    const gg_lined *r = &layouts->lined[i];
    char x[GG_OPERATION_NAME_MAX];
    if (r->is_c) continue;
    gg_operation_name(x, plan->operations, (size_t)r->operation);
    gg_str_printf(&text,
                  "    fetch_lines<staged_%s, d_n_major>(of.%s, of.ld_%s, sub_row, sub_col,\n"
                  "                                      rows, cols, staging, lane);\n"
                  "    __syncwarp();\n"
                  "#pragma unroll\n"
                  "    for (int i = 0; i < epi_m / 8; ++i)\n"
                  "#pragma unroll\n",
                  x, x, x);
    const char *row = layouts->twins_m ? "half_row(i)" : "i * 8";
    if (layouts->twins_n && r->operand.major == GG_MAJOR_N)
      gg_str_printf(&text,
                    "      for (int j = 0; j < epi_n / mma_n; j += 2)\n"
                    "        load_lined_four<staged_%s>(cell_at[j][i].%s, cell_at[j + 1][i].%s,\n"
                    "                                  staging, %s + frag_row,\n"
                    "                                  twins_column(j) + frag_col);\n",
                    x, x, x, row);
    else
      gg_str_printf(&text,
                    "      for (int j = 0; j < epi_n / mma_n; ++j)\n"
                    "        cell_at[j][i].%s = load_lined_pair<staged_%s, d_n_major, %s_t>(\n"
                    "            staging, %s + frag_row, %s + frag_col);\n",
                    x, x, x, row, layouts->twins_n ? "twins_column(j)" : "j * mma_n");
    gg_str_puts(&text, "    __syncwarp();  // D's elements take the same memory\n");
  }
  gg_bind_str(out, "lined", &text);
}

/* Whether lines of an operand that are copied in chunks of 16 bytes may end inside one. */
static bool has_ragged_lines(const gg_operand *operand, int copy_bytes, int64_t extent, int part) {
  return copy_bytes == 16 && operand->major != GG_MAJOR_K && !gg_is_even(extent, part);
}

static const char *coord_of(const gg_operand *operand, const char *by_ldmatrix) {
  if (gg_sm80_by_elements(operand)) return "element_coord";
  return gg_sm80_has_twins(operand) ? "twins_coord" : by_ldmatrix;
}

/* Binds the functions that say which part of a block a lane names, and where that is for an MMA. */
static void bind_coords(gg_bindings *out, const gg_plan *plan) {
  const char *step_m = plan->turns_m ? "turn_m" : "mma_m";
  bool twins = gg_sm80_has_twins(&plan->a) || gg_sm80_has_twins(&plan->b);
  char text[96];
  snprintf(text, sizeof text,
           twins ? "ldmatrix_address<operand_a>(stage, at_a, %s * i, k)"
                 : "stage + ldmatrix_place<operand_a>(at_a, %s * i, %s)",
           step_m, plan->sparse_a ? "k / 2" : "k");
  gg_bind_text(out, "address_a", text);
  gg_bind_text(out, "address_b",
               twins ? "ldmatrix_address<operand_b>(stage + stage_begin_b, at_b, mma_n * j, k)"
                     : "stage + stage_begin_b + ldmatrix_place<operand_b>(at_b, mma_n * j, k)");
  gg_bind_text(out, "coord_a", coord_of(&plan->a, "ldmatrix_coord_a"));
  gg_bind_text(out, "coord_b", coord_of(&plan->b, "ldmatrix_coord_b"));
}

/* Binds which columns of a sub-tile a lane has, in D's order, as if those of a gate were
 * neighbours: columns of one MMA's accumulators; of two MMAs, if twins are shared between them or
 * if columns come from both halves of N; or of four, if both is so. */
static void bind_columns(gg_bindings *out, const gg_plan *plan, bool twins) {
  bool split = plan->split_columns > 0, two = twins || split;
  const char *column = split ? "split_column(j)" : "twins_column(j)";
  gg_bind_flag(out, "two_mmas", two);
  gg_bind_part(out, "split_turns", split ? "sm80_split_turns" : NULL);
  gg_bind_text(out, "first_of_two", split ? "first_of_turn(j)" : "j / 2 * 2");
  gg_bind_text(out, "from_first", split ? "turns / 2" : "1");
  gg_bind_text(out, "own_column", split ? "j % turns / (turns / 2)" : "j % 2");
  gg_bind_text(out, "lane_columns",
               !two             ? "lane % 4 * 2 and + 1"
               : twins && split ? "lane % 4 * 8 to + 7"
                                : "lane % 4 * 4 to + 3");
  gg_bind_text(out, "column_step", !two ? "2" : twins && split ? "8" : "4");
  gg_bind_text(out, "column_j", two ? column : "j * mma_n");
  gg_bind_text(out, "column_at_j", two ? column : "mma_n * j");
  gg_bind_text(out, "left", two ? "left[own]" : "acc[e]");
  gg_bind_text(out, "right", two ? "right[own]" : "acc[e + 1]");
  gg_bind_text(out, "of_left", two ? "left, own" : "acc, e");
  gg_bind_text(out, "of_right", two ? "right, own" : "acc, e + 1");
}

/* Binds where a lane's accumulators are in a sub-tile of the epilogue, and which two of them are in
 * neighbouring columns of a row: two of one MMA; or, with twins, two of two MMAs, which have four
 * columns between them. */
static void bind_accumulators(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool twins_m = layouts->twins_m, twins_n = layouts->twins_n;
  bool fours_c = false, fours = false;
  for (size_t i = 0; i < layouts->lined_count; i++) {
    bool has = twins_n && layouts->lined[i].operand.major == GG_MAJOR_N;
    fours_c = fours_c || (has && layouts->lined[i].is_c);
    fours = fours || has;
  }
  gg_bind_flag(out, "fours", fours);
  gg_bind_flag(out, "fours_c", fours_c);
  bool gated = gg_plan_is_gated(plan);
  gg_bind_flag(out, "fours_d", twins_n && plan->d.major == GG_MAJOR_N && !gated);
  gg_bind_flag(out, "gated", gated);
  gg_bind_text(out, "d_n0", gated ? "n0 / 2" : "n0");
  gg_bind_text(out, "cols_d", gated ? "cols / 2" : "cols");
  gg_bind_text(out, "sub_col_d", gated ? "sub_col / 2" : "sub_col");
  bind_columns(out, plan, twins_n);
  gg_bind_part(out, "twins", twins_m || twins_n ? "sm80_twins" : NULL);
  gg_bind_flag(out, "has_twins", twins_m || twins_n);
  gg_bind_flag(out, "twins_m", twins_m);
  gg_bind_flag(out, "twins_n", twins_n);
  gg_bind_text(out, "lane_rows", twins_m ? "lane / 4 * 2 and + 1" : "lane / 4 and + 8");
  gg_bind_text(out, "row_step", twins_m ? " * 2" : "");
  gg_bind_text(out, "row_i", twins_m ? "half_row(i)" : "i * 8");
  gg_bind_text(out, "row_half", twins_m ? "half_row(half)" : "half * 8");
}

/* A remark on what a 32-bit register holds of A or B. */
static const char *elements_each(int bits) {
  return bits == 16  ? "  // two elements each"
         : bits == 8 ? "  // four elements each"
         : bits == 4 ? "  // eight elements each"
         : bits == 1 ? "  // 32 elements each"
                     : "";
}

/* Binds how fragments come to registers: rows of ldmatrix and steps along K in elements, the
 * registers of a fragment, and which operands lanes read element by element. */
static void bind_fragments(gg_bindings *out, const gg_plan *plan) {
  enum { row_bytes = 16 };
  const char *type_a, *type_b;
  char text[64];
  int bytes = (int)gg_dtype_bytes(plan->a.type, 1);
  int words_a = gg_mma_atom_registers(&plan->mma, GG_MMA_A, &type_a);
  int words_b = gg_mma_atom_registers(&plan->mma, GG_MMA_B, &type_b);
  bool elements_a = gg_sm80_by_elements(&plan->a), elements_b = gg_sm80_by_elements(&plan->b);
  snprintf(text, sizeof text, "%d", row_bytes / bytes);
  gg_bind_text(out, "row", text);
  snprintf(text, sizeof text, "%d", 2 * row_bytes / bytes);
  gg_bind_text(out, "step_k", text);
  snprintf(text, sizeof text,
           plan->sparse_a ? "in 8s and %ds"
           : bytes == 2   ? "multiples of 16"
                          : "in 16s and %ds",
           2 * row_bytes / bytes);
  gg_bind_text(out, "multiples", text);
  gg_bind_text(out, "step_mn", plan->sparse_a ? "8" : "16");
  snprintf(text, sizeof text, "%s a[frags_m][%d];%s", type_a, words_a,
           elements_each(gg_dtype_info_of(plan->a.type)->bits));
  gg_bind_text(out, "fragments_a", text);
  snprintf(text, sizeof text, "%s b[frags_n][%d];", type_b, words_b);
  gg_bind_text(out, "fragments_b", text);
  snprintf(text, sizeof text, "%d", words_a);
  gg_bind_text(out, "words_a", text);
  snprintf(text, sizeof text, "%d", words_b);
  gg_bind_text(out, "words_b", text);
  gg_bind_text(out, "holder", type_a);
  gg_bind_text(out, "load", bytes == 8 ? "f64" : "b32");
  gg_bind_text(out, "constraint", bytes == 8 ? "d" : "r");
  bind_coords(out, plan);
  gg_bind_text(out, "reads", elements_a && elements_b ? "ld.shared" : "ldmatrix");
  gg_bind_flag(out, "elements_a", elements_a);
  gg_bind_flag(out, "elements_b", elements_b);
  gg_bind_flag(out, "elements", elements_a || elements_b);
  gg_bind_flag(out, "matrices",
               !(elements_a || gg_sm80_has_twins(&plan->a)) ||
                   !(elements_b || gg_sm80_has_twins(&plan->b)));
  bool tf32 = plan->a.type == GG_DTYPE_tf32;
  gg_bind_flag(out, "rounds", tf32 && !(plan->rounded_a && plan->rounded_b));
  gg_bind_flag(out, "rounds_a", tf32 && !plan->rounded_a);
  gg_bind_flag(out, "rounds_b", tf32 && !plan->rounded_b);
  gg_bind_flag(out, "converts_tf32", gg_sm80_converts_tf32(plan));
  gg_bind_text(out, "eights_m", plan->mma.m == 16 ? "2" : "1");
  gg_bind_text(out, "lane_sums", plan->mma.m == 16 ? "4" : "2");
  gg_bind_text(out, "half_of", plan->mma.m == 16 ? "i * 2 + e / 2" : "i");
}

static const char *widening_of(const gg_plan *plan, gg_dtype type) {
  if (plan->a.type == plan->b.type) return "widened";
  return type == GG_DTYPE_e4m3 ? "widened_e4m3" : "widened_e5m2";
}

static void write_widening(gg_str *out, const gg_plan *plan, gg_dtype type) {
  gg_str_printf(
      out,
      "// The first two of four %s (half 0), or the last two, as f16.\n"
      "template <int half>\n"
      "__device__ __forceinline__ unsigned %s(unsigned x) {\n"
      "  unsigned y;\n"
      "  asm(\"{ .reg .b16 of<2>; mov.b32 {of0, of1}, %%1; cvt.rn.f16x2.%sx2 %%0, of%%2; }\"\n"
      "      : \"=r\"(y) : \"r\"(x), \"n\"(half));\n"
      "  return y;\n"
      "}\n\n",
      gg_dtype_info_of(type)->name, widening_of(plan, type), gg_dtype_info_of(type)->ptx);
}

/* Binds the multiplication of 8-bit floats as f16: how two of them are converted, and MMAs with
 * half the K. */
static void bind_widened(gg_bindings *out, const gg_plan *plan) {
  gg_str text = GG_STR_INIT;
  gg_bind_flag(out, "widens", plan->widens);
  gg_bind_part(out, "widened", plan->widens ? "sm80_widened" : NULL);
  if (!plan->widens) return;
  write_widening(&text, plan, plan->a.type);
  if (plan->b.type != plan->a.type) write_widening(&text, plan, plan->b.type);
  gg_bind_str(out, "widenings", &text);
  gg_bind_text(out, "widen_a", widening_of(plan, plan->a.type));
  gg_bind_text(out, "widen_b", widening_of(plan, plan->b.type));
}

/* In how many parts a K tile's copies are begun, one part in each K step from the second on. Copies
 * that are all begun at once delay what the next steps read, but only text that converts 8-bit
 * floats is slower by that. With two stages the end of the tile waits for the copies, so they are
 * begun as early as possible. Chunks of less than 16 bytes are not divided: a loop before the first
 * step copies them. */
static int copy_parts(const gg_plan *plan) {
  enum { most = 3, chunk_bytes = 16 };
  int later_steps = plan->tile_k / (plan->mma.k * plan->atoms_k) - 1;
  bool whole = plan->copy_bytes_a == chunk_bytes || plan->copy_bytes_b == chunk_bytes;
  if (!plan->widens || plan->stages < 3 || !whole || later_steps < 2) return 1;
  return later_steps < most ? later_steps : most;
}

static void bind_copies(gg_bindings *out, const gg_plan *plan) {
  const int parts = copy_parts(plan);
  char text[16];
  snprintf(text, sizeof text, "%d", parts);
  gg_bind_flag(out, "spreads_copies", parts > 1);
  gg_bind_text(out, "copy_parts", text);
  gg_bind_text(out, "part_parameter", parts > 1 ? ", int part" : "");
  gg_bind_text(out, "part", parts > 1 ? ", part" : "");
  gg_bind_text(out, "behind_copies", parts > 1 ? "if (part + 1 == copy_parts) " : "");
}

/* Binds what depends on warps along K: where each begins and how far apart its steps are, which of
 * them store, and how they bring their sums together. */
static void bind_along_k(gg_bindings *out, const gg_plan *plan) {
  enum { word_bytes = 4, wide_bytes = 8 };
  bool several = plan->atoms_k > 1, wide = plan->accumulator == GG_DTYPE_f64;
  int at_once = gg_sm80_sums_at_once(plan) / (wide ? wide_bytes : word_bytes);
  gg_bind_flag(out, "along_k", several);
  gg_bind_part(out, "add_along_k", several ? "sm80_along_k" : NULL);
  gg_bind_text(out, "all_warps", several ? "warps_m * warps_n * warps_k" : "warps_m * warps_n");
  gg_bind_text(out, "turn_k", several ? "turn_k" : "mma_k");
  gg_bind_text(out, "warp_along_n", several ? "warp / warps_m % warps_n" : "warp / warps_m");
  gg_bind_text(out, "stores", several ? "stores" : "pending");
  if (!several) return;
  if (!gg_plan_shares_tiles(plan)) gg_bind_words(out, plan);
  gg_bind_flag(out, "four_words", at_once == 4);
  gg_bind_text(out, "words_at_once", at_once == 4 ? "4" : "2");
  gg_bind_text(out, "word_type", wide ? "f64" : "b32");
}

/* Binds where the matrices of a batch begin: A, B, and C as it is brought to L2, of the next tile's
 * batch; C and D of the batch that is stored. A CTA that shares no tiles asks for A's and B's also
 * beyond its last tile. */
static void bind_firsts(gg_bindings *out, const gg_plan *plan) {
  bool shares = gg_plan_shares_tiles(plan);
  const char *next = shares ? "from.batch" : "batch", *stored = shares ? "to.batch" : "batch";
  bool beyond = plan->pointers && !shares;
  const char *loaded = beyond ? "listed" : next;
  gg_bind_text(out, "listed",
               beyond ? "    const int64 listed = more ? batch : 0;"
                        "  // beyond the last tile there are no addresses\n"
                      : "");
  gg_cuda_bind_first(out, plan, "a_first", GG_OPERAND_A, loaded);
  gg_cuda_bind_split(out, plan);
  gg_bind_text(out, "place_along", plan->split_columns ? "from" : "along");
  gg_cuda_bind_first(out, plan, "b_first", GG_OPERAND_B, loaded);
  gg_cuda_bind_first(out, plan, "c_next", GG_OPERAND_C, next);
  gg_cuda_bind_first(out, plan, "c_first", GG_OPERAND_C, stored);
  gg_cuda_bind_first(out, plan, "d_first", GG_OPERAND_D, stored);
}

/* Binds the conversion of what the problem counts in elements to bytes, if a byte holds several. */
static void bind_packed(gg_bindings *out, const gg_plan *plan) {
  const int packed = gg_sm80_packed(plan);
  char lines[64] = "", each[16] = "";
  if (packed > 1) {
    snprintf(lines, sizeof lines, "  lda /= %d, ldb /= %d;  // in bytes\n", packed, packed);
    snprintf(each, sizeof each, " / %d", packed);
  }
  gg_bind_text(out, "lines_in_bytes", lines);
  gg_bind_text(out, "of_byte", each);
}

/* Binds what a sparse A changes: its extents along K, which are half of B's, and the word of
 * metadata that an MMA takes for each block of 16 rows. */
static void bind_sparse(gg_bindings *out, const gg_plan *plan) {
  enum { word_bytes = 4 };
  bool sparse = plan->sparse_a, ones = gg_dtype_info_of(plan->a.type)->bits == 32;
  gg_bind_flag(out, "sparse", sparse);
  gg_bind_part(out, "metadata", sparse ? "sm80_sparse" : NULL);
  gg_bind_text(out, "tile_k_of", sparse ? "op::tile_k" : "tile_k");
  gg_bind_text(out, "tile_k_a", sparse ? "operand_a::tile_k" : "tile_k");
  gg_bind_text(out, "k_left_a", sparse ? "stored(k_left)" : "k_left");
  gg_bind_text(out, "word_of_i", sparse ? ", e.word[i][k_step]" : "");
  gg_bind_text(out, "e_of_step", sparse ? "e, step, " : "");
  if (!sparse) return;
  gg_bind_text(out, "group", ones ? "2" : "4");
  gg_bind_text(out, "group_less_one", ones ? "1" : "3");
  gg_bind_text(out, "group_stored", ones ? "1" : "2");
  gg_bind_text(out, "lane_place", gg_metadata_step(plan) > word_bytes ? " + lane / 2 % 2 * 4" : "");
  gg_bind_text(out, "block_step", plan->turns_m ? "warps_m" : "1");
}

gg_status gg_sm80_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st;
  write_types(&text, plan);
  gg_str_putc(&text, '\n');
  write_sizes(&text, plan, layouts);
  gg_bind_str(out, "sizes", &text);
  st = gg_sm80_write_tiles(&text, plan, layouts, err);
  gg_bind_str(out, "tiles", &text);
  if (st) return st;
  /* Distances along M between: the rows of one MMA of a warp and of the next; the first rows of one
   * warp and of the next; the first and the last row of a warp; and one sub-tile of the epilogue
   * and the one below it. */
  gg_bind_text(out, "step_m", plan->turns_m ? "turn_m" : "mma_m");
  gg_bind_text(out, "warp_step_m", plan->turns_m ? "mma_m" : "warp_m");
  gg_bind_text(out, "warp_rows", plan->turns_m ? "(frags_m - 1) * turn_m + mma_m" : "warp_m");
  gg_bind_text(out, "sub_step", plan->turns_m ? "turn_m" : "epi_m");
  gg_bind_flag(out, "ragged_lines",
               has_ragged_lines(&plan->a, plan->copy_bytes_a, plan->fixed_m, plan->tile_m) ||
                   has_ragged_lines(&plan->b, plan->copy_bytes_b, plan->fixed_n, plan->tile_n));
  bind_fragments(out, plan);
  bind_accumulators(out, plan, layouts);
  bind_along_k(out, plan);
  bind_firsts(out, plan);
  bind_packed(out, plan);
  bind_sparse(out, plan);
  bind_widened(out, plan);
  bind_copies(out, plan);
  gg_bind_flag(out, "promotes", plan->promote > 0);
  gg_bind_flag(out, "awaits", gg_plan_awaits(plan));
  gg_bind_text(out, "mma_sums", plan->promote ? "sums" : "tCrC");
  gg_bind_cta_shares(out, plan, "sm80_sums", "sm80_kernel_shares");
  bind_elements(out, plan, layouts);
  bind_lined(out, plan, layouts);
  return gg_cuda_bind(out, plan, layouts, "acc_t", "", err);
}
