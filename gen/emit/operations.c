/* The epilogue's operations as CUDA C++.
 *
 * A thread finishes two neighbouring columns of a row at a time. What the operations read for them
 * comes in three structs, so that each number is read once: row_values where a row begins,
 * col_values for two columns of all rows, cell_values for the two elements alone. Then each
 * operation is one line of finish(), from one row of the table below. */
#include "emit/operations.h"

#include <math.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/element_text.h"
#include "emit/expression_text.h"
#include "emit/skeleton.h"
#include "emit/totals.h"
#include "plan/epilogue.h"
#include "plan/operation.h"

/* A step on x, two numbers; $1 and $2 are its operand for each, @ its operand's name, $l and $h its
 * own two numbers. */
static const char *const steps[GG_OP_COUNT] = {
    [GG_OP_BIAS] = "x = {x.x + $1, x.y + $2};",
    [GG_OP_SCALE] = "x = {x.x * $1, x.y * $2};",
    [GG_OP_RESIDUAL] = "x = {x.x + $1, x.y + $2};",
    [GG_OP_MULTIPLY] = "x = {x.x * $1, x.y * $2};",
    [GG_OP_DRELU] = "x = {where_positive(x.x, $1),\n       where_positive(x.y, $2)};",
    [GG_OP_DSILU] = "x = {x.x * silu_slope($1),\n       x.y * silu_slope($2)};",
    [GG_OP_AMAX] = "note_largest(seen.@, x, at);",
    [GG_OP_AUX] = "store_two<d_n_major, @_pairs>(of.@, of.ld_@, at, @_bits(x));",
    [GG_OP_RELU] = "x = {relu(x.x), relu(x.y)};",
    [GG_OP_SILU] = "x = {silu(x.x), silu(x.y)};",
    [GG_OP_SIGMOID] = "x = {sigmoid(x.x), sigmoid(x.y)};",
    [GG_OP_TANH] = "x = {tanh_of(x.x), tanh_of(x.y)};",
    [GG_OP_HARDSWISH] = "x = {hardswish(x.x), hardswish(x.y)};",
    [GG_OP_LEAKY_RELU] = "x = {leaky_relu(x.x, $l), leaky_relu(x.y, $l)};",
    [GG_OP_EXPR] = "x = {@_of(x.x), @_of(x.y)};",
    [GG_OP_CLAMP] = "x = {at_most(at_least(x.x, $l), $h), at_most(at_least(x.y, $l), $h)};",
};
static const char *const gelu_steps[] = {
    [GG_GELU_ERF] = "x = {gelu(x.x), gelu(x.y)};",
    [GG_GELU_TANH] = "x = {gelu_tanh(x.x), gelu_tanh(x.y)};",
    [GG_GELU_TANH_APPROX] = "x = {gelu_tanh_approx(x.x), gelu_tanh_approx(x.y)};",
};
static const char *const dgelu_steps[] = {
    [GG_GELU_ERF] = "x = {x.x * gelu_slope($1),\n       x.y * gelu_slope($2)};",
    [GG_GELU_TANH] = "x = {x.x * gelu_tanh_slope($1),\n       x.y * gelu_tanh_slope($2)};",
    [GG_GELU_TANH_APPROX] = "x = {x.x * gelu_tanh_approx_slope($1),\n"
                            "       x.y * gelu_tanh_approx_slope($2)};",
};

static const char expr_of_two_step[] = "x = {@_of(x.x, $1), @_of(x.y, $2)};";
static const char at_least_step[] = "x = {at_least(x.x, $l), at_least(x.y, $l)};";
static const char column_sum_step[] = "add_to_columns(columns.@, x, at);";
static const char row_sum_step[] = "add_to_row(rows.@, x, at);";
static const char at_most_step[] = "x = {at_most(x.x, $h), at_most(x.y, $h)};";

/* For each span: an operand's values for both numbers, the member of the struct that holds it, and
 * the lines that move to the tile's first and that read it; $r and $c are the rows and columns from
 * the first cell to the i-th. */
typedef struct span_text {
  const char *values[2], *member, *move, *read;
} span_text;

static const span_text spans[] = {
    [GG_SPAN_ALL] = {{"row.@", "row.@"}, "  epi_t @;\n", "", "  values.@ = @_value(of.@[0]);\n"},
    [GG_SPAN_ROWS] = {{"row.@", "row.@"},
                      "  epi_t @;\n",
                      "  of.@ += row;\n",
                      "  values.@ = at.row < at.rows ? @_value(of.@[at.row]) : epi_t(0);\n"},
    [GG_SPAN_COLUMNS] =
        {{"col.@.x", "col.@.y"},
         "  pair @;\n",
         "  of.@ += col;\n",
         "  values.@.x = at.col < at.cols ? @_value(of.@[at.col]) : epi_t(0);\n"
         "  values.@.y = at.col + 1 < at.cols ? @_value(of.@[at.col + 1]) : epi_t(0);\n"},
    [GG_SPAN_MATRIX] = {{"@_value(cell.@.x)", "@_value(cell.@.y)"},
                        "  two<@_t> @;\n",
                        "  forget(of.ld_@);\n"
                        "  of.@ += element_offset<d_n_major>(of.ld_@, row, col);\n",
                        "    values.@ = load_two<d_n_major, @_pairs>(\n"
                        "        of.@, of.ld_@, at, $r, $c);\n"},
};

/* Vectors that were read ahead to shared memory: `of.vectors` is the tile's. A vector along n has
 * zeros behind D's last column. */
static const char *const ahead[] = {
    [GG_SPAN_ALL] = "  values.@ = @_value(ld_vector<@_t>(of.vectors + @_begin, 0));\n",
    [GG_SPAN_ROWS] = "  values.@ = @_value(ld_vector<@_t>(of.vectors + @_begin, at.row));\n",
    [GG_SPAN_COLUMNS] = "  const two<@_t> @ = ld_vector_pair<@_t>(of.vectors + @_begin, at.col);\n"
                        "  values.@ = {@_value(@.x), @_value(@.y)};\n",
};

typedef struct item {
  const gg_operation *operation;
  gg_span span;
  bool fetched; /* a matrix that the producer fetches */
  bool lined;   /* a matrix that comes through D's staging */
  bool staged;  /* a matrix that is stored through D's staging */
  bool ahead;   /* a vector that is read ahead */
  const struct epilogue *of;
  char name[GG_OPERATION_NAME_MAX];
} item;

/* A kernel's epilogue. */
typedef struct epilogue {
  const gg_plan *plan;
  const gg_layouts *layouts;
  bool reads_c; /* C is read where it lies, as an operand */
} epilogue;

static bool is_fetched(const epilogue *e, size_t index) {
  for (size_t i = 0; i < e->layouts->fetched_count; i++) {
    if (e->layouts->fetched[i].operation == (int)index) return true;
  }
  return false;
}

static bool is_lined(const epilogue *e, size_t index) {
  for (size_t i = 0; i < e->layouts->lined_count; i++) {
    if (e->layouts->lined[i].operation == (int)index) return true;
  }
  return false;
}

static bool is_staged(const epilogue *e, size_t index) {
  for (size_t i = 0; i < e->layouts->result_count; i++) {
    if (e->layouts->results[i].operation == (int)index) return true;
  }
  return false;
}

static item item_of(const epilogue *e, size_t index) {
  const gg_plan *plan = e->plan;
  item out = {.operation = &plan->operations[index],
              .of = e,
              .span = gg_operation_span(&plan->operations[index])};
  gg_operation_name(out.name, plan->operations, index);
  out.fetched = is_fetched(e, index);
  out.lined = is_lined(e, index);
  out.staged = is_staged(e, index);
  out.ahead = gg_operation_reads_vector(out.operation) && plan->vector_buffers > 0;
  return out;
}

static bool is_read(const item *it) {
  return it->span != GG_SPAN_NONE && !gg_operation_writes(it->operation);
}

/* A matrix that threads bring from memory; that they read where it lies. */
static bool is_read_by_threads(const item *it) {
  return is_read(it) && it->span == GG_SPAN_MATRIX && !it->fetched;
}

static bool is_read_in_place(const item *it) {
  return is_read_by_threads(it) && !it->lined;
}

/* The rows, or columns, from the first of the cells that a thread reads together to the i-th. */
static void write_cell_step(gg_str *out, const epilogue *e, bool rows) {
  const gg_skeleton *skeleton = &gg_skeletons[e->plan->target->id];
  if (rows ? e->layouts->twins_m : e->layouts->twins_n)
    gg_str_puts(out, rows ? "half_row(i % down)" : "twins_column(i / down)");
  else if (rows)
    gg_str_printf(out, "i %% down * %d", skeleton->cell_rows);
  else
    gg_str_printf(out, "i / down * %d", skeleton->cell_columns);
}

/* Writes `text`, each @ the item's name, $1 and $2 its values, $r and $c the steps of cells, $l and
 * $h its numbers. */
static void write_text(gg_str *out, const char *text, const item *it) {
  for (; *text; text++) {
    if (*text == '@') {
      gg_str_puts(out, it->name);
    } else if (*text == '$' && (text[1] == 'r' || text[1] == 'c')) {
      write_cell_step(out, it->of, *++text == 'r');
    } else if (*text == '$' && (text[1] == 'l' || text[1] == 'h')) {
      gg_literal_write(out, (double)it->operation->numbers[*++text == 'h'], true);
    } else if (*text == '$') {
      write_text(out, spans[it->span].values[*++text - '1'], it);
    } else {
      gg_str_putc(out, *text);
    }
  }
}

/* ---- Operands --------------------------------------------------------------------------- */

/* Whether two neighbouring columns of a row are loaded and stored at once. */
static bool has_pairs(const gg_operand *matrix, gg_major major) {
  return major == GG_MAJOR_N && matrix->align >= 2 * gg_dtype_bytes(matrix->type, 1);
}

static void write_conversions(gg_str *out, const epilogue *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    const gg_operand *operand = &it.operation->operand;
    if (it.span == GG_SPAN_NONE) continue;
    gg_cuda_write_type(out, it.name, operand->type);
    if (it.span == GG_SPAN_MATRIX && !it.fetched && !it.lined && !it.staged) {
      gg_str_printf(out, "constexpr bool %s_pairs = %s;  // two neighbours at once\n", it.name,
                    gg_cuda_bool(has_pairs(operand, e->plan->d.major)));
    }
    if (it.ahead) {
      gg_str_printf(out, "constexpr unsigned %s_begin = %lld;  // among a tile's vectors\n",
                    it.name, (long long)e->layouts->vector_begin[i]);
    }
    gg_str_putc(out, '\n');
    if (is_read(&it)) {
      gg_cuda_write_widening(out, it.name, operand->type);
      continue;
    }
    if (it.operation->kind != GG_OP_AUX) continue;
    gg_cuda_write_narrowing(out, it.name, operand->type, e->plan->compute, false);
    write_text(out,
               "__device__ __forceinline__ two<@_t> @_bits(pair x) {\n"
               "  @_t bits[2];\n"
               "  @_from_values(bits, x.x, x.y);\n"
               "  return {bits[0], bits[1]};\n}\n\n",
               &it);
  }
}

static void write_expressions(gg_str *out, const epilogue *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.operation->kind != GG_OP_EXPR) continue;
    gg_expression_write(out, it.name, &e->plan->expressions.list[it.operation->expression],
                        e->plan->compute);
  }
}

static bool spans_one_of(const item *it, gg_span first, gg_span last) {
  return is_read(it) && it->span >= first && it->span <= last;
}

/* Whether threads read matrices where they lie. */
static bool reads_matrices(const epilogue *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (is_read_in_place(&it)) return true;
  }
  return e->reads_c;
}

/* The same, or whether they bring them to staging; C's sub-tiles are brought by a part of theirs.
 */
static bool brings_matrices(const epilogue *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (is_read_by_threads(&it)) return true;
  }
  return e->reads_c;
}

/* Whether epilogue_operands has members, and which of read_row(), read_col() and read_cells() have
 * anything to read. */
static void write_what_is_read(gg_str *out, const epilogue *e) {
  bool rows = false, columns = false;
  bool any = e->plan->alpha || e->plan->has_c || e->plan->vector_buffers;
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    rows = rows || spans_one_of(&it, GG_SPAN_ALL, GG_SPAN_ROWS);
    columns = columns || spans_one_of(&it, GG_SPAN_COLUMNS, GG_SPAN_COLUMNS);
    any = any || (it.span != GG_SPAN_NONE && !it.fetched);
  }
  gg_str_printf(out,
                "constexpr bool reads_row_values = %s, reads_col_values = %s;\n"
                "constexpr bool reads_cell_values = %s, has_operands = %s;\n\n",
                gg_cuda_bool(rows), gg_cuda_bool(columns), gg_cuda_bool(reads_matrices(e)),
                gg_cuda_bool(any));
}

/* The members of epilogue_operands, in the order of operand_list. */
static void write_members(gg_str *out, const epilogue *e) {
  const gg_plan *plan = e->plan;
  gg_str_puts(out, "// What the operations read and write besides the accumulators: the kernel's "
                   "parameters.\nstruct epilogue_operands {\n");
  const char *factor = gg_cuda_factor_type(plan);
  if (plan->alpha) gg_str_printf(out, "  %s alpha;\n", factor);
  if (plan->has_c) {
    gg_str_printf(out, "  %s beta;  // -0 for 0: x + 0 * -0 is x, also where x is -0\n", factor);
  }
  if (e->reads_c) gg_str_puts(out, "  const c_t *C;\n  int64 ldc, batch_stride_c;\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.span == GG_SPAN_NONE || it.fetched) continue;
    write_text(out, is_read(&it) ? "  const @_t *@;\n" : "  @_t *@;\n", &it);
    write_text(out,
               it.span == GG_SPAN_MATRIX ? "  int64 ld_@, batch_stride_@;\n"
                                         : "  int64 batch_stride_@;\n",
               &it);
  }
  gg_totals_write_member(out, plan);
  if (plan->vector_buffers)
    gg_str_puts(out, "  unsigned vectors;  // a tile's, in shared memory\n");
  gg_str_puts(out, "};\n\n");
}

/* Where templates write it: behind `const epilogue_operands operands = {`. */
static void write_operand_list(gg_str *out, const epilogue *e) {
  enum { list_column = 44 };
  const gg_plan *plan = e->plan;
  gg_str items = GG_STR_INIT;
  if (plan->alpha) gg_str_puts(&items, "alpha\n");
  if (plan->has_c) gg_str_puts(&items, "beta == 0.0f ? -0.0f : beta\n");
  if (e->reads_c) gg_str_puts(&items, "C\nldc\nbatch_stride_c\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.span == GG_SPAN_NONE || it.fetched) continue;
    write_text(&items,
               it.span == GG_SPAN_MATRIX ? "@\nld_@\nbatch_stride_@\n" : "@\nbatch_stride_@\n",
               &it);
  }
  gg_totals_write_items(&items, plan);
  gg_cuda_write_items(out, gg_str_text(&items), list_column, 6);
  if (items.failed) out->failed = true;
  gg_str_free(&items);
}

/* In front of that list, where alpha and beta are not among the parameters: another kernel may
 * compute them. */
static void write_scalars(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_reads_scalars(plan) || !(plan->alpha || plan->has_c)) return;
  const char *alpha = plan->alpha ? "alpha = *alpha_at" : "";
  const char *beta = plan->has_c ? "beta = *beta_at" : "";
  if (plan->specialised) gg_str_puts(out, "  await_dependencies();\n");
  gg_str_printf(out, "  const %s %s%s%s;\n", gg_cuda_factor_type(plan), alpha,
                *alpha && *beta ? ", " : "", beta);
}

static void write_move(gg_str *out, const epilogue *e) {
  gg_str_puts(out,
              "// The same from a tile's first element on.\n"
              "__device__ __forceinline__ epilogue_operands at_tile(epilogue_operands of, "
              "int64 batch,\n"
              "                                                     int64 row, int64 col) {\n");
  if (e->reads_c) {
    gg_str_puts(out, "  of.C += batch * of.batch_stride_c;\n"
                     "  forget(of.ldc);\n"
                     "  of.C += element_offset<c_n_major>(of.ldc, row, col);\n");
  }
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.span == GG_SPAN_NONE || it.fetched || it.operation->kind == GG_OP_SUM) continue;
    write_text(out, "  of.@ += batch * of.batch_stride_@;\n", &it);
    if (!it.staged) write_text(out, spans[it.span].move, &it);
  }
  gg_totals_write_move(out, e->plan);
  gg_str_puts(out, "  return of;\n}\n");
}

/* What is brought to L2 before it is read: matrices that threads read where they lie. */
static void write_prefetch(gg_str *out, const epilogue *e) {
  gg_str_puts(out, "\n// What the operations read of matrices, as far as L2: a worker's share.\n"
                   "template <int workers>\n"
                   "__device__ __forceinline__ void prefetch_operands(const epilogue_operands &of, "
                   "int rows,\n"
                   "                                                  int cols, int worker) {\n");
  if (e->reads_c) {
    gg_str_puts(out,
                "  if (of.beta != 0.0f)\n"
                "    prefetch_matrix<c_n_major, workers>(of.C, of.ldc, rows, cols, worker);\n");
  }
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (!is_read_by_threads(&it)) continue;
    write_text(out, "  prefetch_matrix<d_n_major, workers>(of.@, of.ld_@, rows, cols, worker);\n",
               &it);
  }
  gg_str_puts(out, "}\n");
}

/* ---- Values ----------------------------------------------------------------------------- */

/* A struct of the values whose span is from `first` to `last`. */
static void write_struct(gg_str *out, const epilogue *e, const char *name, const char *what,
                         gg_span first, gg_span last) {
  gg_str_printf(out, "struct %s_values {%s\n", name, what);
  if (e->plan->has_c && last == GG_SPAN_MATRIX) gg_str_puts(out, "  two<c_t> c;\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (spans_one_of(&it, first, last)) write_text(out, spans[it.span].member, &it);
  }
  gg_str_puts(out, "};\n\n");
}

/* The struct, and the function that reads its values. */
static void write_values(gg_str *out, const epilogue *e, const char *name, const char *what,
                         gg_span first, gg_span last) {
  write_struct(out, e, name, what, first, last);
  gg_str_printf(out,
                "__device__ __forceinline__ %s_values read_%s(const epilogue_operands &of, "
                "tile_place at) {\n  %s_values values = {};\n",
                name, name, name);
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (spans_one_of(&it, first, last))
      write_text(out, it.ahead ? ahead[it.span] : spans[it.span].read, &it);
  }
  gg_str_puts(out, "  return values;\n}\n\n");
}

/* The same of matrices, for many cells at once, so that their loads are under way together: where
 * there is a condition, it is one for all of them. */
static void write_read_cells(gg_str *out, const epilogue *e) {
  const gg_skeleton *skeleton = &gg_skeletons[e->plan->target->id];
  bool mma = skeleton->cell_rows > 1;
  bool twins = e->layouts->twins_m || e->layouts->twins_n;
  gg_str_puts(out, twins ? "// Of a lane's cells.\n"
                   : mma ? "// Of cells that are eight columns and eight rows apart.\n"
                         : "// Of neighbouring cells.\n");
  gg_str_puts(out, "template <int across, int down>\n"
                   "__device__ __forceinline__ void read_cells(cell_values (&out)[across][down],\n"
                   "                                           const epilogue_operands &of, "
                   "tile_place at) {\n"
                   "#pragma unroll\n"
                   "  for (int i = 0; i < across * down; ++i) {\n"
                   "    cell_values &values = out[i / down][i % down];\n"
                   "    values = {};\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (is_read_in_place(&it)) write_text(out, spans[it.span].read, &it);
  }
  gg_str_puts(out, "  }\n");
  if (e->reads_c) {
    gg_str_puts(out, "  if (of.beta == 0.0f) return;  // C is not read: it may be null\n"
                     "#pragma unroll\n"
                     "  for (int i = 0; i < across * down; ++i)\n"
                     "    out[i / down][i % down].c = load_two<c_n_major, c_pairs>(\n"
                     "        of.C, of.ldc, at, ");
    write_cell_step(out, e, true);
    gg_str_puts(out, ", ");
    write_cell_step(out, e, false);
    gg_str_puts(out, ");\n");
  }
  gg_str_puts(out, "}\n\n");
}

static void write_cells(gg_str *out, const epilogue *e) {
  bool reads = reads_matrices(e);
  write_struct(out, e, "cell", "  // at two neighbouring columns of a row", GG_SPAN_MATRIX,
               GG_SPAN_MATRIX);
  if (reads) write_read_cells(out, e);
  gg_str_puts(out, "__device__ __forceinline__ cell_values read_cell(const epilogue_operands &of, "
                   "tile_place at) {\n");
  gg_str_puts(out, reads ? "  cell_values values[1][1];\n"
                           "  read_cells(values, of, at);\n"
                           "  return values[0][0];\n}\n\n"
                         : "  cell_values values = {};\n"
                           "  return values;\n}\n\n");
}

static void write_linear(gg_str *out, const epilogue *e, const gg_operation *linear) {
  const char *fma = e->plan->compute == GG_DTYPE_f64 ? "__fma_rn" : "__fmaf_rn";
  if (linear->alpha) gg_str_puts(out, "  x = {x.x * of.alpha, x.y * of.alpha};\n");
  if (linear->beta) {
    gg_str_printf(out,
                  "  x = {%s(c_value(cell.c.x), of.beta, x.x), "
                  "%s(c_value(cell.c.y), of.beta, x.y)};\n",
                  fma, fma);
  }
}

static bool is_factor(const item *it) {
  return it->operation->kind == GG_OP_SCALE && it->span == GG_SPAN_ALL;
}

/* How many factors of all of D stand behind each other from operation `first` on. */
static size_t factors_from(const epilogue *e, size_t first) {
  size_t count = 0;
  for (size_t i = first; i < e->plan->operation_count; i++, count++) {
    item it = item_of(e, i);
    if (!is_factor(&it)) break;
  }
  return count;
}

/* Neighbouring factors are multiplied with each other: one multiplication an element for all. */
static void write_factors(gg_str *out, const epilogue *e, size_t first, size_t count) {
  gg_str product = GG_STR_INIT;
  for (size_t i = first; i < first + count; i++) {
    item it = item_of(e, i);
    write_text(&product, i > first ? " * row.@" : "row.@", &it);
  }
  const char *text = gg_str_text(&product);
  gg_str_printf(out, "  x = {x.x * (%s), x.y * (%s)};\n", text, text);
  if (product.failed) out->failed = true;
  gg_str_free(&product);
}

/* What finish() gives besides D, for the staging to store. */
static bool write_aside(gg_str *out, const epilogue *e) {
  bool any = false;
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (!it.staged) continue;
    if (!any) gg_str_puts(out, "// What is stored besides D.\nstruct aside_values {\n");
    write_text(out, "  two<@_t> @;\n", &it);
    any = true;
  }
  if (any) gg_str_puts(out, "};\n\n");
  return any;
}

/* What finish() notes of all that a thread finishes, and where that goes in the end: of a warp at
 * once, but in family naive, of whose threads some have left. */
static void write_seen(gg_str *out, const epilogue *e) {
  bool alone = e->plan->target->id == GG_TARGET_NAIVE;
  if (!gg_plan_keeps_largest(e->plan)) return;
  gg_str_puts(out, "// What a thread has seen of all that it finished.\nstruct seen_values {\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.operation->kind == GG_OP_AMAX) write_text(out, "  unsigned @;\n", &it);
  }
  gg_str_puts(out, "};\n\n__device__ __forceinline__ void report(const epilogue_operands &of, "
                   "const seen_values &seen) {\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.operation->kind != GG_OP_AMAX) continue;
    write_text(
        out, alone ? "  send_largest(of.@, seen.@);\n" : "  send_largest_of_warp(of.@, seen.@);\n",
        &it);
  }
  gg_str_puts(out, "}\n\n");
}

static const char *step_of(const item *it) {
  const gg_operation *op = it->operation;
  if (it->staged) return "aside.@ = @_bits(x);";
  if (op->kind == GG_OP_EXPR && it->span != GG_SPAN_NONE) return expr_of_two_step;
  if (op->kind == GG_OP_SUM) return it->span == GG_SPAN_COLUMNS ? column_sum_step : row_sum_step;
  if (op->kind == GG_OP_GELU) return gelu_steps[op->form];
  if (op->kind == GG_OP_DGELU) return dgelu_steps[op->form];
  if (op->kind == GG_OP_CLAMP && isinf(op->numbers[1])) return at_least_step;
  if (op->kind == GG_OP_CLAMP && isinf(op->numbers[0])) return at_most_step;
  return steps[op->kind];
}

static void write_finish(gg_str *out, const epilogue *e) {
  enum { end_of_line = 100, first_parameter = 39 };
  bool aside = write_aside(out, e);
  gg_str_puts(out, "// The operations on two accumulators, in their order.\n"
                   "__device__ __forceinline__ pair finish(pair x, const epilogue_operands &of, "
                   "tile_place at,\n"
                   "                                       const row_values &row, const "
                   "col_values &col,");
  gg_str others = GG_STR_INIT;
  gg_str_printf(&others, "const cell_values &cell\n%s%s", aside ? "aside_values &aside\n" : "",
                gg_plan_keeps_largest(e->plan) ? "seen_values &seen\n" : "");
  gg_totals_write_parameters(&others, e->plan);
  gg_cuda_write_items(out, gg_str_text(&others), end_of_line, first_parameter);
  if (others.failed) out->failed = true;
  gg_str_free(&others);
  gg_str_puts(out, ") {\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.operation->kind == GG_OP_LINEAR) {
      write_linear(out, e, it.operation);
      continue;
    }
    size_t factors = factors_from(e, i);
    if (factors > 1) {
      write_factors(out, e, i, factors);
      i += factors - 1;
      continue;
    }
    if (i + 1 == e->plan->operation_count && gg_cuda_narrows_relu(e->plan)) {
      gg_str_puts(out, "  // The conversion to D's type does the relu.\n");
      continue;
    }
    gg_str_puts(out, "  ");
    write_text(out, step_of(&it), &it);
    gg_str_putc(out, '\n');
  }
  gg_str_puts(out, "  return x;\n}\n");
}

/* ---- Binding ---------------------------------------------------------------------------- */

/* What a tile's epilogue has for what finish() notes: the numbers, which it hands on, and reports
 * in the end. */
static void bind_seen(gg_bindings *out, const gg_plan *plan) {
  bool keeps = gg_plan_keeps_largest(plan);
  gg_str report = GG_STR_INIT;
  gg_bind_part(out, "largest", keeps ? "largest" : NULL);
  gg_bind_text(out, "seen", keeps ? "  seen_values seen = {};\n" : "");
  gg_bind_text(out, "and_seen", keeps ? ", seen" : "");
  if (keeps)
    gg_str_printf(&report, "  report(%s, seen);\n", gg_skeletons[plan->target->id].operands);
  gg_totals_write_count(&report, plan);
  gg_bind_str(out, "report", &report);
}

static bool is_activation(gg_op_kind kind) {
  return kind == GG_OP_RELU || kind == GG_OP_GELU || (kind >= GG_OP_SILU && kind <= GG_OP_CLAMP);
}

static bool has_activation(const gg_plan *plan) {
  size_t count = plan->operation_count - gg_cuda_narrows_relu(plan);
  for (size_t i = 0; i < count; i++) {
    const gg_operation *op = &plan->operations[i];
    bool calls =
        op->kind == GG_OP_EXPR && gg_expression_calls(&plan->expressions.list[op->expression]);
    if (is_activation(op->kind) || calls) return true;
  }
  return false;
}

/* What load_two() calls for a matrix. */
static void use_loads(gg_element_uses *uses, const gg_operand *matrix, gg_major major) {
  gg_use_element(uses, GG_GLOBAL_LOAD, matrix->type);
  if (has_pairs(matrix, major)) gg_use_element(uses, GG_GLOBAL_LOAD_PAIR, matrix->type);
}

static void bind_loads(gg_bindings *out, const epilogue *e) {
  gg_element_uses uses = {0};
  if (e->reads_c) use_loads(&uses, &e->plan->c, e->plan->c.major);
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (is_read_in_place(&it)) use_loads(&uses, &it.operation->operand, e->plan->d.major);
  }
  gg_bind_elements(out, "global_elements", &uses);
}

/* What threads store where they have computed it. */
static bool stores_matrices(const epilogue *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    item it = item_of(e, i);
    if (it.operation->kind == GG_OP_AUX && !it.staged) return true;
  }
  return false;
}

/* What the operations call. */
static void bind_parts(gg_bindings *out, const epilogue *e) {
  bool loads = reads_matrices(e), stores = stores_matrices(e);
  bool prefetches = loads || e->layouts->lined_count > 0;
  gg_bind_part(out, "prefetch_matrix", prefetches ? "prefetch_matrix" : NULL);
  gg_bind_part(out, "matrix_elements", prefetches || stores ? "matrix_elements" : NULL);
  bind_loads(out, e);
  gg_bind_part(out, "load_two", loads ? "load_two" : NULL);
  gg_bind_part(out, "store_two", stores ? "store_two" : NULL);
  gg_bind_part(out, "vector_elements", e->plan->vector_buffers ? "vector_elements" : NULL);
  bool wide = e->plan->compute == GG_DTYPE_f64, derives = gg_plan_derives(e->plan);
  gg_bind_part(out, "activations",
               !has_activation(e->plan) && !derives ? NULL
               : wide                               ? "activations_f64"
                                                    : "activations");
  gg_bind_part(out, "derivatives", !derives ? NULL : wide ? "derivatives_f64" : "derivatives");
}

void gg_bind_operations(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  epilogue e = {.plan = plan, .layouts = layouts, .reads_c = plan->has_c};
  for (size_t i = 0; i < plan->operation_count; i++) {
    bool elsewhere = is_fetched(&e, i) || is_lined(&e, i);
    if (plan->operations[i].kind == GG_OP_LINEAR && elsewhere) e.reads_c = false;
  }
  bind_parts(out, &e);
  bind_seen(out, plan);
  gg_bind_totals(out, plan);
  if (e.reads_c) {
    gg_str_printf(&text, "constexpr bool c_pairs = %s;  // two neighbours at once\n\n",
                  gg_cuda_bool(has_pairs(&plan->c, plan->c.major)));
  }
  write_conversions(&text, &e);
  write_expressions(&text, &e);
  write_what_is_read(&text, &e);
  write_members(&text, &e);
  write_move(&text, &e);
  gg_bind_str(out, "operations", &text);
  write_values(&text, &e, "row", "  // at a row", GG_SPAN_ALL, GG_SPAN_ROWS);
  write_values(&text, &e, "col", "  // at two neighbouring columns", GG_SPAN_COLUMNS,
               GG_SPAN_COLUMNS);
  write_cells(&text, &e);
  write_seen(&text, &e);
  gg_totals_write(&text, plan);
  write_finish(&text, &e);
  gg_bind_str(out, "values", &text);
  gg_str_printf(&text, "constexpr bool prefetches = %s;\n", gg_cuda_bool(brings_matrices(&e)));
  write_prefetch(&text, &e);
  gg_bind_str(out, "prefetch", &text);
  write_operand_list(&text, &e);
  gg_bind_str(out, "operand_list", &text);
  write_scalars(&text, plan);
  gg_bind_str(out, "read_scalars", &text);
}
