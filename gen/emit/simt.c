/* Family simt: plan + layouts -> the names of templates/simt_multistage.cu.
 *
 * Which elements a thread copies, reads and multiplies is printed from the derived layouts: tiles
 * in shared memory as functions of (mn, k), the threads' blocks as functions of (thread, value). */
#include "plan/simt.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/shares.h"
#include "emit/skeleton.h"
#include "plan/gate.h"

/* ---- Types and sizes -------------------------------------------------------------------- */

/* A word of shared memory in CUDA C++ and in PTX. */
typedef struct word {
  const char *type, *ptx;
  char constraint;
} word;

static word word_of(const gg_plan *plan) {
  static const word float32 = {"float", "f32", 'f'}, float64 = {"double", "f64", 'd'};
  static const word bytes = {"unsigned", "b32", 'r'};
  return plan->mma.k > 1 ? bytes : plan->mma.a == GG_DTYPE_f64 ? float64 : float32;
}

static void write_types(gg_str *out, const gg_plan *plan) {
  gg_str_puts(out, "using int64 = long long;\n");
  gg_cuda_write_type(out, "ab", plan->a.type);
  gg_cuda_write_types(out, plan);
  gg_str_printf(out, "using word_t = %s;  // of shared memory, multiplied at once\n",
                word_of(plan).type);
  gg_str_printf(out, "using acc_t = %s;\n\n", gg_cuda_type_of(plan->accumulator));
}

static void write_flags(gg_str *out, const gg_plan *plan) {
  const gg_cuda_flag flags[] = {
      {"a_k_major", plan->a.major == GG_MAJOR_K},
      {"b_k_major", plan->b.major == GG_MAJOR_K},
      {"c_n_major", plan->has_c && plan->c.major == GG_MAJOR_N},
      {"d_n_major", plan->d.major == GG_MAJOR_N},
      {"even_m", gg_is_even(plan->fixed_m, plan->tile_m)},
      {"even_n", gg_is_even(plan->fixed_n, plan->tile_n)},
      {"even_k", gg_is_even(plan->fixed_k, plan->tile_k)},
      {"raster_along_m", plan->raster == GG_RASTER_ALONG_M},
  };
  gg_cuda_write_flags(out, flags, sizeof flags / sizeof *flags);
}

static void write_sizes(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str_printf(out, "constexpr int tile_m = %d, tile_n = %d, tile_k = %d;  // of a CTA\n",
                plan->tile_m, plan->tile_n, plan->tile_k);
  gg_str_printf(out, "constexpr int mma_k = %d;  // elements along K of a word\n", plan->mma.k);
  gg_str_printf(out, "constexpr int threads_m = %d, threads_n = %d;  // of a CTA\n", plan->atoms_m,
                plan->atoms_n);
  gg_str_puts(out, "constexpr int threads = threads_m * threads_n, acc_words = 1;\n");
  gg_str_printf(
      out, "constexpr int vec_m = %d, vec_n = %d;  // words that a thread reads at once\n",
      gg_simt_vector(plan, gg_plan_block_m(plan)), gg_simt_vector(plan, gg_plan_block_n(plan)));
  if (gg_plan_shares_tiles(plan))
    gg_str_printf(out, "constexpr int box_pieces = %d;  // of the epilogue, with one owner\n",
                  gg_simt_box_pieces(plan));
  gg_str_printf(out, "constexpr int access_d = %lld;  // elements of D that it stores at once\n",
                (long long)(plan->access_bytes_d / gg_dtype_bytes(plan->d.type, 1)));
  gg_str_printf(out, "constexpr int ctas_per_sm = %d;\n", plan->ctas_per_sm);
  gg_str_printf(out, "constexpr int raster_group = %d;\n\n", plan->raster_group);
  gg_write_cta_shares(out, plan);

  long long a = gg_dtype_bytes(plan->mma.a, layouts->size_a);
  long long b = gg_dtype_bytes(plan->mma.b, layouts->size_b);
  gg_str_puts(out, "// Shared memory, in bytes: the stages, each A's tile, then B's.\n");
  gg_str_printf(out, "constexpr int stages = %d;\n", plan->stages);
  gg_str_printf(out, "constexpr unsigned stage_bytes = %lld, stage_begin_b = %lld;\n", a + b, a);
  gg_str_printf(out, "constexpr unsigned element_bytes = %lld;\n\n",
                (long long)gg_dtype_bytes(plan->mma.a, 1));
  write_flags(out, plan);
  gg_cuda_write_split_columns(out, plan);
  gg_cuda_write_extents(out, plan);
}

/* ---- Tiles ------------------------------------------------------------------------------ */

/* A or B: its tile in shared memory, and how its threads copy it. */
typedef struct tile {
  const char *name, *what; /* "operand_a", "A: (m, k)" */
  const char *coords[2];
  const gg_composed *layout;
  const gg_operand *operand;
  int mn, copy_bytes;
} tile;

/* Whether A or B has whole tiles along M or N. */
static bool is_even(const gg_plan *plan, const gg_operand *operand) {
  return operand == &plan->a ? gg_is_even(plan->fixed_m, plan->tile_m)
                             : gg_is_even(plan->fixed_n, plan->tile_n);
}

/* Whether lines of A or B along M or N may end inside a chunk. */
static bool is_ragged(const gg_plan *plan, const gg_operand *operand) {
  int copy_bytes = operand == &plan->a ? plan->copy_bytes_a : plan->copy_bytes_b;
  return copy_bytes > gg_dtype_bytes(operand->type, 1) && operand->major != GG_MAJOR_K &&
         !is_even(plan, operand);
}

/* Whether words are made of elements from several lines of A or of B. */
static bool has_units(const gg_plan *plan) {
  return gg_simt_unit(plan, &plan->a) > 1 || gg_simt_unit(plan, &plan->b) > 1;
}

static gg_status write_operand(gg_str *out, const gg_plan *plan, const tile *t, gg_error *err) {
  gg_dealing d = gg_simt_deal(plan, t->operand, t->mn, t->copy_bytes);
  long long chunk = t->copy_bytes / gg_dtype_bytes(t->operand->type, 1);
  bool k_major = t->operand->major == GG_MAJOR_K;
  gg_str_printf(out, "// %s -> element, ", t->what);
  gg_composed_print(out, t->layout, GG_NOTATION_PLAIN);
  gg_str_printf(out, "\nstruct %s {\n", t->name);
  gg_str_printf(out, "  static constexpr int copy_bytes = %d, chunk_size = %lld;  // elements\n",
                t->copy_bytes, chunk);
  gg_str_printf(out, "  static constexpr bool k_major = %s, even_mn = %s, ragged = %s;\n",
                gg_cuda_bool(k_major), gg_cuda_bool(is_even(plan, t->operand)),
                gg_cuda_bool(is_ragged(plan, t->operand)));
  gg_cuda_write_split(out, plan, t->operand == &plan->a);
  long long unit = gg_simt_unit(plan, t->operand);
  bool by_registers = gg_simt_by_registers(plan, t->operand);
  if (by_registers) {
    int access = t->operand->align < t->copy_bytes ? t->operand->align : t->copy_bytes;
    gg_str_printf(out,
                  "  static constexpr int access_bytes = %d, raw_words = %d;  // of a chunk: of "
                  "its loads; in registers\n",
                  access, (t->copy_bytes + 3) / 4);
  }
  if (by_registers || has_units(plan))
    gg_str_printf(
        out, "  static constexpr int unit = %lld;  // lines that a word has elements of\n", unit);
  gg_str_printf(out, "  static constexpr int workers = %lld;\n", (long long)d.workers);
  gg_str_printf(out, "  static constexpr int lines = %lld, line_size = %d;\n",
                (long long)d.lines * unit, k_major ? plan->tile_k : t->mn);
  gg_str_printf(out, "  static constexpr int across = %lld;  // threads side by side\n",
                (long long)d.across);
  gg_str_printf(out,
                "  static constexpr int chunk_step = %lld, chunk_turns = %lld;  // along a line\n",
                (long long)d.across * chunk, (long long)d.chunk_turns);
  gg_str_printf(out, "  static constexpr int line_step = %lld, line_turns = %lld;\n",
                (long long)d.lines_per_turn * unit, (long long)d.line_turns);
  gg_str_printf(out, "  static constexpr bool all_work = %s;\n", gg_cuda_bool(gg_always_works(&d)));
  gg_status st = gg_emit_layout_method(out, "offset", t->coords, t->layout, err);
  gg_str_puts(out, "};\n\n");
  return st;
}

/* From a layout (thread, value) -> m + n * tile_m, takes the part that gives m, or n. */
static gg_status project(gg_composed *out, const gg_layout *tv, int64_t tile_m, bool rows,
                         gg_error *err) {
  gg_layout modes[2], both;
  gg_status st;
  for (int mode = 0; mode < 2; mode++) {
    gg_layout part;
    if ((st = gg_layout_get(&part, tv, mode, err))) return st;
    part = gg_layout_flatten(&part); /* not coalesced: a mode of rows may go on in one of columns */
    modes[mode] = gg_layout_flat(1, 0);
    for (int i = 0; i < gg_layout_rank(&part); i++) {
      int64_t shape = gg_tuple_value(&part.shape, i), stride = gg_tuple_value(&part.stride, i);
      bool is_row = stride < tile_m;
      gg_layout leaf = gg_layout_flat(shape, is_row != rows ? 0 : rows ? stride : stride / tile_m);
      st = i ? gg_layout_append(&modes[mode], &modes[mode], &leaf, err) : GG_OK;
      if (!i) st = gg_layout_wrap(&modes[mode], &leaf, err);
      if (st) return st;
    }
  }
  if ((st = gg_layout_concat(&both, &modes[0], &modes[1], err))) return st;
  *out = gg_composed_of(&both);
  return GG_OK;
}

static gg_status write_blocks(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err) {
  static const char *const coords[] = {"thread", "value"}, *const names[] = {"tile_row",
                                                                             "tile_col"};
  gg_str_puts(out, "// The row and the column of the tile that a thread has its values of: rows "
                   "of its block first.\n");
  for (int i = 0; i < 2; i++) {
    gg_composed place;
    gg_status st = project(&place, &layouts->tCrC, plan->tile_m, i == 0, err);
    if (st == GG_OK) st = gg_emit_layout_function(out, names[i], coords, &place, err);
    if (st) return st;
    gg_str_putc(out, '\n');
  }
  return GG_OK;
}

static gg_status write_tiles(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                             gg_error *err) {
  const tile a = {.name = "operand_a",
                  .what = "A: (m, k)",
                  .coords = {"m", "k"},
                  .layout = &layouts->sA,
                  .operand = &plan->a,
                  .mn = plan->tile_m,
                  .copy_bytes = plan->copy_bytes_a};
  const tile b = {.name = "operand_b",
                  .what = "B: (n, k)",
                  .coords = {"n", "k"},
                  .layout = &layouts->sB,
                  .operand = &plan->b,
                  .mn = plan->tile_n,
                  .copy_bytes = plan->copy_bytes_b};
  gg_status st;
  if ((st = write_operand(out, plan, &a, err))) return st;
  if ((st = write_operand(out, plan, &b, err))) return st;
  return write_blocks(out, plan, layouts, err);
}

/* ---- Words ------------------------------------------------------------------------------ */

static void write_load(gg_str *out, word w, int count) {
  static const char *const widths[] = {[1] = "", [2] = ".v2", [4] = ".v4"};
  gg_str_printf(out, "    asm volatile(\"ld.shared%s.%s %s", widths[count], w.ptx,
                count > 1 ? "{" : "");
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s%%%d", i ? ", " : "", i);
  gg_str_printf(out, "%s, [%%%d];\"\n                 : ", count > 1 ? "}" : "", count);
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s\"=%c\"(x[%d][0])", i ? ", " : "", w.constraint, i);
  gg_str_puts(out, "\n                 : \"r\"(addr));\n");
}

static void write_store(gg_str *out, word w, int count) {
  static const char *const widths[] = {[1] = "", [2] = ".v2", [4] = ".v4"};
  gg_str_printf(out, "    asm volatile(\"st.shared%s.%s [%%0], %s", widths[count], w.ptx,
                count > 1 ? "{" : "");
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s%%%d", i ? ", " : "", i + 1);
  gg_str_printf(out, "%s;\"\n                 :\n                 : \"r\"(addr)",
                count > 1 ? "}" : "");
  for (int i = 0; i < count; i++)
    gg_str_printf(out, ", \"%c\"(x[%d][0])", w.constraint, i);
  gg_str_puts(out, "\n                 : \"memory\");\n");
}

/* Appends the body of a function of `count` words, for each of the two values in `counts` (which
 * may be equal). */
static void write_cases(gg_str *out, word w, const int counts[2],
                        void (*write)(gg_str *out, word w, int count)) {
  gg_str_printf(out, "  if constexpr (count == %d)\n", counts[0]);
  write(out, w, counts[0]);
  if (counts[1] != counts[0]) {
    gg_str_puts(out, "  else\n");
    write(out, w, counts[1]);
  }
  gg_str_puts(out, "}\n");
}

/* How many words of an operand a thread stores at once; 0 if cp.async stores them. */
static int words_stored(const gg_plan *plan, const gg_operand *operand, int copy_bytes) {
  if (!gg_simt_by_registers(plan, operand)) return 0;
  return operand->major == GG_MAJOR_K ? 1 : copy_bytes / (int)gg_dtype_bytes(operand->type, 1);
}

/* Binds loads of as many words as a block's rows and columns are read by, and stores of as many as
 * come through registers at once. */
static void bind_words(gg_bindings *out, const gg_plan *plan) {
  int a = words_stored(plan, &plan->a, plan->copy_bytes_a);
  int b = words_stored(plan, &plan->b, plan->copy_bytes_b);
  const int loads[] = {gg_simt_vector(plan, gg_plan_block_m(plan)),
                       gg_simt_vector(plan, gg_plan_block_n(plan))};
  const int stores[] = {a ? a : b, b ? b : a};
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "// Neighbouring words of shared memory.\n"
                     "template <int count>\n"
                     "__device__ __forceinline__ void ld_words(word_t (*x)[1], unsigned addr) {\n");
  write_cases(&text, word_of(plan), loads, write_load);
  if (stores[0]) {
    gg_str_puts(
        &text, "\ntemplate <int count>\n"
               "__device__ __forceinline__ void st_words(unsigned addr, const word_t (*x)[1]) {\n");
    write_cases(&text, word_of(plan), stores, write_store);
  }
  gg_bind_str(out, "words", &text);
}

/* ---- Binding ---------------------------------------------------------------------------- */

/* Binds on which way A and B come to shared memory. */
static void bind_routes(gg_bindings *out, const gg_plan *plan) {
  bool a = gg_simt_by_registers(plan, &plan->a), b = gg_simt_by_registers(plan, &plan->b);
  gg_bind_flag(out, "a_by_registers", a);
  gg_bind_flag(out, "b_by_registers", b);
  gg_bind_flag(out, "by_registers", a || b);
  gg_bind_flag(out, "ragged_by_registers",
               (a && is_ragged(plan, &plan->a)) || (b && is_ragged(plan, &plan->b)));
  gg_bind_flag(out, "units", has_units(plan));
  gg_bind_part(out, "register_copies", a || b ? "simt_registers" : NULL);
  if (a || b) gg_bind_part(out, "put_unit", plan->mma.k > 1 ? "simt_put_bytes" : "simt_put_wide");
}

/* Binds where a thread is along M and N, not counting the lanes that add up a sum over D together.
 */
static void bind_places(gg_bindings *out, const gg_plan *plan) {
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  int lanes_m = 1 << __builtin_popcount((unsigned)boxes.row_lanes);
  int lanes_n = 1 << __builtin_popcount((unsigned)boxes.column_lanes);
  bool n_major = plan->d.major == GG_MAJOR_N;
  char m[64], n[64];
  if (plan->stages > 1) {
    snprintf(m, sizeof m, "thread / 32 %% (threads_m / %d)", lanes_m);
    snprintf(n, sizeof n, "thread / 32 / (threads_m / %d)", lanes_m);
  } else {
    snprintf(m, sizeof m, "thread %s / %d", n_major ? "/ threads_n" : "% threads_m", lanes_m);
    snprintf(n, sizeof n, "thread %s / %d", n_major ? "% threads_n" : "/ threads_m", lanes_n);
  }
  gg_bind_text(out, "thread_m", m);
  gg_bind_text(out, "thread_n", n);
}

/* Binds what depends on a split gate's columns of both halves of N, of which a thread has vectors
 * in turns: where copies find them, and which accumulators a piece of D's columns is made of. */
static void bind_split_columns(gg_bindings *out, const gg_plan *plan) {
  bool split = plan->split_columns > 0;
  gg_bind_text(out, "place_along", split ? "place" : "along");
  gg_bind_text(out, "column_of_piece",
               split ? "column_of_turn(p, j)" : "p % pieces_n * piece_n + j");
  if (!gg_plan_shares_tiles(plan)) return;
  gg_bind_text(out, "column_of_word",
               split ? "column_of_turn(piece, in_piece % piece_n)"
                     : "piece % pieces_n * piece_n + in_piece % piece_n");
}

/* Binds where the matrices of a tile's batch begin. */
static void bind_firsts(gg_bindings *out, const gg_plan *plan) {
  bool shares = gg_plan_shares_tiles(plan);
  const char *from = shares ? "from.batch" : "batch", *to = shares ? "to.batch" : "batch";
  gg_cuda_bind_first(out, plan, "a_first", GG_OPERAND_A, from);
  gg_cuda_bind_split(out, plan);
  bind_split_columns(out, plan);
  gg_cuda_bind_first(out, plan, "b_first", GG_OPERAND_B, from);
  gg_cuda_bind_first(out, plan, "d_first", GG_OPERAND_D, to);
}

gg_status gg_simt_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err) {
  gg_str text = GG_STR_INIT;
  write_types(&text, plan);
  write_sizes(&text, plan, layouts);
  gg_bind_str(out, "sizes", &text);
  gg_status st = write_tiles(&text, plan, layouts, err);
  gg_bind_str(out, "tiles", &text);
  if (st) return st;
  gg_bind_flag(out, "awaits", gg_plan_awaits(plan));
  gg_bind_flag(out, "gated", gg_plan_is_gated(plan));
  gg_bind_text(out, "d_n0", gg_plan_is_gated(plan) ? "n0 / 2" : "n0");
  bind_firsts(out, plan);
  gg_bind_cta_shares(out, plan, "simt_sums", "simt_kernel_shares");
  gg_bind_part(out, "multiply", plan->stages > 1 ? "simt_pipeline" : "simt_one_stage");
  bind_words(out, plan);
  bind_routes(out, plan);
  bind_places(out, plan);
  gg_str conversion = GG_STR_INIT;
  bool widens = plan->mma.k == 1 && plan->a.type != plan->mma.a;
  if (widens) gg_cuda_write_widening(&conversion, "ab", plan->a.type);
  st = gg_cuda_bind(out, plan, layouts, "acc_t", gg_str_text(&conversion), err);
  if (conversion.failed) out->failed = true;
  gg_str_free(&conversion);
  return st;
}
