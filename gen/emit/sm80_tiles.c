/* Family sm80: the structs of a kernel's tiles in shared memory: which threads copy them, where an
 * element lies, and what of that is the same for all lanes. */
#include <stdio.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/sm80.h"
#include "plan/gate.h"
#include "plan/operation.h"
#include "plan/sm80.h"

/* A tile in shared memory that is copied in lines of its contiguous mode. It has rows x columns
 * elements (for B: N x K), and is contiguous along its columns or along its rows. */
typedef struct tile {
  const char *name, *what; /* "operand_a", "A: (m, k)" */
  const char *coords[2];
  const gg_composed *layout;
  int64_t rows, columns;
  bool along_columns;
  gg_dealing deal;
  int chunk;              /* elements */
  const char *chunk_name; /* what the text calls the chunk: C and D need another name than A and B,
                           * which mostly have the same */
  /* Of A and B, in elements: the distances, along rows and columns, from what is read for one MMA
   * to the next, and what one read takes of a line. */
  int step_rows, step_columns, read;
  /* Of operands with twins: how many places in a line the reads for one MMA begin at, and how far
   * apart; and the steps from there. */
  int starts, start_step, steps, step;
  /* Of A and B: where each line begins, and where each position in a line is, before the swizzle.
   * An element's place is the sum of both. */
  int64_t *line_at, *position_at;
} tile;

static int64_t line_of(const tile *t) {
  return t->along_columns ? t->columns : t->rows;
}

static int64_t lines_of(const tile *t) {
  return t->rows * t->columns / line_of(t);
}

/* Allocates and fills line_at, which the caller frees, and position_at, which lies behind it in the
 * same memory. */
static gg_status find_places(tile *t, gg_error *err) {
  gg_layout flat; /* the same function with fewer modes */
  gg_status st = gg_layout_coalesce(&flat, &t->layout->layout, NULL, err);
  if (st) return st;
  t->line_at = gg_malloc((size_t)(lines_of(t) + line_of(t)) * sizeof *t->line_at);
  if (!t->line_at) return gg_fail(err, MEMORY, NULL, "");
  t->position_at = t->line_at + lines_of(t);
  int64_t line_step = t->along_columns ? 1 : t->rows, step = t->along_columns ? t->rows : 1;
  for (int64_t line = 0; line < lines_of(t); line++)
    t->line_at[line] = gg_layout_at(&flat, line * line_step);
  for (int64_t at = 0; at < line_of(t); at++)
    t->position_at[at] = gg_layout_at(&flat, at * step);
  return GG_OK;
}

/* The element at a line and a position in it. */
static int64_t element_at(const tile *t, int64_t line, int64_t position) {
  return gg_composed_apply(t->layout, t->line_at[line] + t->position_at[position]);
}

/* Whether the distance from a worker's first chunk to that of a later turn is the same for all
 * workers that have one in that turn. */
static bool turns_repeat(const tile *t) {
  const gg_dealing *d = &t->deal;
  int64_t across = d->across * t->chunk;
  for (int64_t turn = 1; turn < d->line_turns * d->chunk_turns; turn++) {
    int64_t down = turn / d->chunk_turns * d->lines_per_turn;
    int64_t along = turn % d->chunk_turns * across;
    if (down >= lines_of(t) || along >= line_of(t)) continue; /* nobody has a chunk in that turn */
    int64_t distance = element_at(t, down, along) - element_at(t, 0, 0);
    for (int64_t line = 0; line < d->lines_per_turn && line + down < d->lines; line++) {
      for (int64_t at = 0; at < across && at + along < line_of(t); at += t->chunk) {
        if (element_at(t, line + down, at + along) - element_at(t, line, at) != distance)
          return false;
      }
    }
  }
  return true;
}

/* Whether a step further along a mode is the same distance from every place that reads begin at:
 * every line, and every `read`-th element in a line. */
static bool steps_repeat(const tile *t, bool columns) {
  int64_t step = columns ? t->step_columns : t->step_rows, chunk = t->read;
  int64_t along = columns == t->along_columns ? step : 0, down = step - along;
  if (down >= lines_of(t) || along >= line_of(t)) return true; /* there is no such step */
  int64_t distance = element_at(t, down, along) - element_at(t, 0, 0);
  for (int64_t line = 0; line + down < lines_of(t); line++) {
    for (int64_t at = 0; at + along < line_of(t); at += chunk) {
      if (element_at(t, line + down, at + along) - element_at(t, line, at) != distance)
        return false;
    }
  }
  return true;
}

/* Whether each step along a line changes only address bits below those of a stage, and the same
 * ones from every place that reads begin at. */
static bool steps_are_bits(const tile *t) {
  enum { stage_alignment = 128 /* bytes, which are single elements in operands with twins */ };
  for (int64_t line = 0; line < lines_of(t); line++) {
    for (int i = 0; i < t->starts * t->steps; i++) {
      int64_t start = i / t->steps * t->start_step, step = i % t->steps * t->step;
      int64_t bits = element_at(t, 0, step);
      if (bits >= stage_alignment) return false;
      if (element_at(t, line, start + step) != (element_at(t, line, start) ^ bits)) return false;
    }
  }
  return true;
}

/* Opens the tile's struct, with what its copies need. */
static void write_copies(gg_str *out, const tile *t) {
  const gg_dealing *d = &t->deal;
  gg_str_printf(out, "// %s -> element, ", t->what);
  gg_composed_print(out, t->layout, GG_NOTATION_PLAIN);
  gg_str_printf(out, "\nstruct %s {\n", t->name);
  gg_str_printf(out, "  static constexpr int %s = %d;  // elements\n", t->chunk_name, t->chunk);
  gg_str_printf(out, "  static constexpr int workers = %lld;\n", (long long)d->workers);
  gg_str_printf(out, "  static constexpr int lines = %lld, line_size = %lld;\n",
                (long long)d->lines, (long long)line_of(t));
  gg_str_printf(out, "  static constexpr int across = %lld;  // workers side by side\n",
                (long long)d->across);
  gg_str_printf(out,
                "  static constexpr int chunk_step = %lld, chunk_turns = %lld;  // along a line\n",
                (long long)d->across * t->chunk, (long long)d->chunk_turns);
  gg_str_printf(out, "  static constexpr int line_step = %lld, line_turns = %lld;\n",
                (long long)d->lines_per_turn, (long long)d->line_turns);
  gg_str_printf(out, "  static constexpr bool all_work = %s;\n", gg_cuda_bool(gg_always_works(d)));
}

static gg_status write_offset(gg_str *out, const tile *t, gg_error *err) {
  gg_status st = gg_emit_layout_method(out, "offset", t->coords, t->layout, err);
  gg_str_puts(out, "};\n\n");
  return st;
}

static gg_status write_operand(gg_str *out, const gg_plan *plan, const tile *t, bool is_a,
                               gg_error *err) {
  int copy_bytes = is_a ? plan->copy_bytes_a : plan->copy_bytes_b;
  bool even_mn =
      is_a ? gg_is_even(plan->fixed_m, plan->tile_m) : gg_is_even(plan->fixed_n, plan->tile_n);
  bool sparse = plan->sparse_a;
  write_copies(out, t);
  gg_cuda_write_split(out, plan, is_a);
  if (sparse)
    gg_str_printf(out, "  static constexpr int tile_k = %lld;  // elements, of A those stored\n",
                  (long long)t->columns);
  gg_str_printf(out, "  static constexpr int copy_bytes = %d;\n", copy_bytes);
  gg_str_printf(out, "  static constexpr bool k_major = %s, even_mn = %s;\n",
                gg_cuda_bool(t->along_columns), gg_cuda_bool(even_mn));
  if (copy_bytes == 16) /* other copies ask for each turn's place */
    gg_str_printf(out, "  static constexpr bool turns_repeat = %s;\n",
                  gg_cuda_bool(turns_repeat(t)));
  int repeats = steps_repeat(t, true) ? 1 : steps_repeat(t, false) ? 2 : 0;
  gg_str_printf(out,
                "  static constexpr int repeats = %d;  // along K (1), M or N (2), neither (0)\n",
                repeats);
  if (t->starts)
    gg_str_printf(out, "  static constexpr bool steps_are_bits = %s;  // of an address\n",
                  gg_cuda_bool(repeats == (t->along_columns ? 2 : 1) && steps_are_bits(t)));
  return write_offset(out, t, err);
}

/* Whether cp.async copies the tile, and all threads have work in every turn (`always`), or not all
 * have. */
static bool copies_async(const tile *t, int copy_bytes, bool always) {
  return copy_bytes >= GG_SM80_ASYNC_LEAST && gg_always_works(&t->deal) == always;
}

/* Appends which of two instructions the copies of A and B use where edges need care. */
static void write_instructions(gg_str *out, const gg_plan *plan, const tile *a, const tile *b) {
  int bytes_a = plan->copy_bytes_a, bytes_b = plan->copy_bytes_b;
  bool first = copies_async(a, bytes_a, true) || copies_async(b, bytes_b, true);
  bool zfill = copies_async(a, bytes_a, false) || copies_async(b, bytes_b, false);
  gg_str_printf(out, "constexpr bool copies_first = %s, copies_zfill = %s;\n\n",
                gg_cuda_bool(first), gg_cuda_bool(zfill));
}

/* Sets what ldmatrix, or a lane, reads of an operand at once, and the steps between reads: for two
 * atoms side by side, or one beside a sparse A. */
static void put_reads(tile *t, const gg_operand *operand, bool sparse) {
  enum { matrix_rows = 8, row_bytes = 16, lanes_k = 4 };
  int bytes = (int)gg_dtype_bytes(operand->type, 1);
  bool by_elements = gg_sm80_by_elements(operand);
  t->read = by_elements ? 1 : row_bytes / bytes;
  t->step_rows = by_elements || sparse ? matrix_rows : 2 * matrix_rows;
  t->step_columns = by_elements ? lanes_k : 2 * row_bytes / bytes;
}

/* Sets what ldmatrix reads of a line of an operand with twins. Of a line along K: 16 bytes of 32 to
 * either half of the lanes, and 32 bytes to each of the warps along K in turns. Of a line along M
 * or N: 16 bytes for one MMA, or for two. */
static void put_steps(tile *t, const gg_plan *plan, bool of_a) {
  enum { row_bytes = 16 };
  t->step = t->along_columns ? 2 * row_bytes : row_bytes;
  if (t->along_columns) {
    t->starts = 2 * plan->atoms_k;
    t->start_step = row_bytes;
    t->step *= plan->atoms_k;
    t->steps = plan->tile_k / t->step;
    return;
  }
  t->starts = of_a ? plan->atoms_m : plan->atoms_n;
  t->start_step = of_a ? gg_plan_block_m(plan) : gg_plan_block_n(plan);
  t->steps = t->start_step / row_bytes;
  if (of_a && plan->turns_m) t->start_step = row_bytes, t->step = row_bytes * plan->atoms_m;
}

/* Appends where elements of A and B lie; or bytes, if a byte holds several elements. */
static gg_status write_operands(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err) {
  const int packed = gg_sm80_packed(plan);
  gg_composed bytes_a, bytes_b;
  gg_status st = gg_composed_upcast(&bytes_a, &layouts->sA, packed, err);
  if (!st) st = gg_composed_upcast(&bytes_b, &layouts->sB, packed, err);
  if (st) return st;
  tile a = {.name = "operand_a",
            .what = plan->sparse_a ? "A: (m, stored k)" : "A: (m, k)",
            .coords = {"m", "k"},
            .layout = &bytes_a,
            .rows = plan->tile_m,
            .columns = gg_plan_k_of_a(plan, plan->tile_k) / packed,
            .along_columns = plan->a.major == GG_MAJOR_K,
            .chunk = (int)(plan->copy_bytes_a / gg_dtype_bytes(plan->a.type, 1)),
            .chunk_name = "chunk_size"};
  tile b = {.name = "operand_b",
            .what = "B: (n, k)",
            .coords = {"n", "k"},
            .layout = &bytes_b,
            .rows = plan->tile_n,
            .columns = plan->tile_k / packed,
            .along_columns = plan->b.major == GG_MAJOR_K,
            .chunk = (int)(plan->copy_bytes_b / gg_dtype_bytes(plan->b.type, 1)),
            .chunk_name = "chunk_size"};
  put_reads(&a, &plan->a, plan->sparse_a);
  put_reads(&b, &plan->b, plan->sparse_a);
  if (layouts->twins_m || layouts->twins_n) {
    put_steps(&a, plan, true);
    put_steps(&b, plan, false);
  }
  const int64_t unit = gg_dtype_bytes(plan->a.type, 1);
  a.deal = gg_sm80_deal_copy(plan->threads, lines_of(&a), line_of(&a) * unit, plan->copy_bytes_a);
  b.deal = gg_sm80_deal_copy(plan->threads, lines_of(&b), line_of(&b) * unit, plan->copy_bytes_b);
  st = find_places(&a, err);
  if (st == GG_OK) st = find_places(&b, err);
  write_instructions(out, plan, &a, &b);
  if (st == GG_OK) st = write_operand(out, plan, &a, true, err);
  if (st == GG_OK) st = write_operand(out, plan, &b, false, err);
  gg_free(a.line_at);
  gg_free(b.line_at);
  return st;
}

/* Appends the struct of a matrix of which a warp stages one sub-tile at a time. */
static gg_status write_staged(gg_str *out, const gg_plan *plan, const char *name, const char *what,
                              const gg_operand *operand, int columns, int access_bytes,
                              const gg_composed *layout, gg_error *err) {
  tile t = {.name = name,
            .what = what,
            .coords = {"row", "col"},
            .layout = layout,
            .rows = plan->epi_m,
            .columns = columns,
            .along_columns = operand->major == GG_MAJOR_N,
            .chunk = (int)(access_bytes / gg_dtype_bytes(operand->type, 1)),
            .chunk_name = "access"};
  t.deal = gg_deal(GG_WARP, lines_of(&t), line_of(&t) / t.chunk, GG_WARP);
  write_copies(out, &t);
  return write_offset(out, &t, err);
}

gg_status gg_sm80_write_tiles(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err) {
  gg_status st = write_operands(out, plan, layouts, err);
  for (size_t i = 0; i < layouts->lined_count && st == GG_OK; i++) {
    const gg_lined *r = &layouts->lined[i];
    char name[GG_OPERATION_NAME_MAX] = "c", staged[GG_OPERATION_NAME_MAX + 16];
    char what[GG_OPERATION_NAME_MAX + 16];
    if (!r->is_c) gg_operation_name(name, plan->operations, (size_t)r->operation);
    snprintf(staged, sizeof staged, "staged_%s", name);
    snprintf(what, sizeof what, "%s: (row, col)", r->is_c ? "C" : name);
    st = write_staged(out, plan, staged, what, &r->operand, plan->epi_n, r->access_bytes,
                      &r->layout, err);
  }
  int columns = gg_plan_columns_of_d(plan, plan->epi_n);
  if (st == GG_OK)
    st = write_staged(out, plan, "staged_d", "D: (row, col)", &plan->d, columns,
                      plan->access_bytes_d, &layouts->sD, err);
  return st;
}
