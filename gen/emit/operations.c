/* The epilogue's operations as CUDA C++.
 *
 * A thread finishes two neighbouring columns of a row at a time. What the operations read for these
 * comes in three structs, so that each number is read once: row_values is read where a row begins,
 * col_values for two columns of all rows, and cell_values for those two elements alone. Then each
 * operation is one line of finish() (finish.c). */
#include "emit/operations.h"

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/element_text.h"
#include "emit/expression_text.h"
#include "emit/finish.h"
#include "emit/skeleton.h"
#include "emit/totals.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/operation.h"

/* Reads of vectors that were read ahead to shared memory, where `of.vectors` is the tile's. A
 * vector along n is followed by zeros behind D's last column. */
static const char *const ahead[] = {
    [GG_SPAN_ALL] = "  values.@ = @_value(ld_vector<@_t>(of.vectors + @_begin, 0));\n",
    [GG_SPAN_ROWS] = "  values.@ = @_value(ld_vector<@_t>(of.vectors + @_begin, at.row));\n",
    [GG_SPAN_COLUMNS] = "  const two<@_t> @ = ld_vector_pair<@_t>(of.vectors + @_begin, at.col);\n"
                        "  values.@ = {@_value(@.x), @_value(@.y)};\n",
};

/* Whether it is a matrix that threads bring from global memory; and whether they read it in place.
 */
static bool is_read_by_threads(const gg_item *it) {
  return gg_item_is_read(it) && it->span == GG_SPAN_MATRIX && !it->fetched;
}

static bool is_read_in_place(const gg_item *it) {
  return is_read_by_threads(it) && !it->lined;
}

/* ---- Operands --------------------------------------------------------------------------- */

/* Whether two neighbouring columns of a row can be loaded or stored at once. */
static bool has_pairs(const gg_operand *matrix, gg_major major) {
  return major == GG_MAJOR_N && matrix->align >= 2 * gg_dtype_bytes(matrix->type, 1);
}

static void write_conversions(gg_str *out, const gg_items *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
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
    if (gg_item_is_read(&it)) {
      gg_cuda_write_widening(out, it.name, operand->type);
      continue;
    }
    if (it.operation->kind != GG_OP_AUX) continue;
    gg_cuda_write_narrowing(out, it.name, operand->type, e->plan->compute, false);
    gg_item_write(out,
                  "__device__ __forceinline__ two<@_t> @_bits(pair x) {\n"
                  "  @_t bits[2];\n"
                  "  @_from_values(bits, x.x, x.y);\n"
                  "  return {bits[0], bits[1]};\n}\n\n",
                  &it);
  }
}

static void write_expressions(gg_str *out, const gg_items *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.operation->kind != GG_OP_EXPR) continue;
    gg_expression_write(out, it.name, &e->plan->expressions.list[it.operation->expression],
                        e->plan->compute);
  }
}

static bool spans_one_of(const gg_item *it, gg_span first, gg_span last) {
  return gg_item_is_read(it) && it->span >= first && it->span <= last;
}

/* Whether threads read any matrix in place. */
static bool reads_matrices(const gg_items *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (is_read_in_place(&it)) return true;
  }
  return e->reads_c;
}

/* Whether threads read any matrix in place or bring it to staging. C's sub-tiles are not counted: a
 * part of their own brings these. */
static bool brings_matrices(const gg_items *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (is_read_by_threads(&it)) return true;
  }
  return e->reads_c;
}

/* Appends whether epilogue_operands has members, and which of read_row(), read_col() and
 * read_cells() have anything to read. */
static void write_what_is_read(gg_str *out, const gg_items *e) {
  bool rows = false, columns = false;
  bool any = e->plan->alpha || e->plan->has_c || e->plan->vector_buffers;
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
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

/* Whether any operand has halves that supply a tile's columns in turns. */
static bool has_halves(const gg_items *e) {
  bool any = false;
  for (size_t i = 0; i < e->plan->operation_count && !any; i++)
    any = gg_item_of(e, i).halves;
  return any;
}

/* Appends the members of epilogue_operands, in the order of operand_list. */
static void write_members(gg_str *out, const gg_items *e) {
  const gg_plan *plan = e->plan;
  gg_str_puts(out, "// What the operations read and write besides the accumulators: the kernel's "
                   "parameters.\nstruct epilogue_operands {\n");
  const char *factor = gg_cuda_factor_type(plan);
  if (plan->alpha) gg_str_printf(out, "  %s alpha;\n", factor);
  if (has_halves(e)) gg_str_puts(out, "  int64 half_n;  // columns of a gate's half of N\n");
  if (plan->has_c) {
    gg_str_printf(out, "  %s beta;  // -0 for 0: x + 0 * -0 is x, also where x is -0\n", factor);
  }
  if (e->reads_c && plan->pointers)
    gg_str_puts(out, "  const c_t *const *all_C;  // one a batch\n  const c_t *C;\n  int64 ldc;\n");
  else if (e->reads_c)
    gg_str_puts(out, "  const c_t *C;\n  int64 ldc, batch_stride_c;\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.span == GG_SPAN_NONE || it.fetched) continue;
    gg_item_write(out, gg_item_is_read(&it) ? "  const @_t *@;\n" : "  @_t *@;\n", &it);
    gg_item_write(out,
                  it.span == GG_SPAN_MATRIX ? "  int64 ld_@, batch_stride_@;\n"
                                            : "  int64 batch_stride_@;\n",
                  &it);
  }
  gg_totals_write_member(out, plan);
  if (plan->vector_buffers)
    gg_str_puts(out, "  unsigned vectors;  // a tile's, in shared memory\n");
  gg_str_puts(out, "};\n\n");
}

/* Appends the list of operands, which templates have behind `const epilogue_operands operands = {`.
 */
static void write_operand_list(gg_str *out, const gg_items *e) {
  enum { list_column = 44 };
  const gg_plan *plan = e->plan;
  gg_str items = GG_STR_INIT;
  if (plan->alpha) gg_str_puts(&items, "alpha\n");
  if (has_halves(e)) gg_str_puts(&items, "n / 2\n");
  if (plan->has_c) gg_str_puts(&items, "beta == 0.0f ? -0.0f : beta\n");
  if (e->reads_c)
    gg_str_puts(&items, plan->pointers ? "C\nnullptr\nldc\n" : "C\nldc\nbatch_stride_c\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.span == GG_SPAN_NONE || it.fetched) continue;
    gg_item_write(&items,
                  it.span == GG_SPAN_MATRIX ? "@\nld_@\nbatch_stride_@\n" : "@\nbatch_stride_@\n",
                  &it);
  }
  gg_totals_write_items(&items, plan);
  gg_cuda_write_items(out, gg_str_text(&items), list_column, 6);
  if (items.failed) out->failed = true;
  gg_str_free(&items);
}

/* Appends what stands in front of that list if alpha and beta are no parameters, but in device
 * memory, where another kernel may compute them. */
static void write_scalars(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_reads_scalars(plan) || !(plan->alpha || plan->has_c)) return;
  const char *alpha = plan->alpha ? "alpha = *alpha_at" : "";
  const char *beta = plan->has_c ? "beta = *beta_at" : "";
  if (plan->specialised) gg_str_puts(out, "  await_dependencies();\n");
  gg_str_printf(out, "  const %s %s%s%s;\n", gg_cuda_factor_type(plan), alpha,
                *alpha && *beta ? ", " : "", beta);
}

/* Appends the function that finds C of a batch given by arrays of addresses. Not needed if a map
 * has each address. */
static void write_c_of(gg_str *out, const gg_items *e) {
  bool mapped = gg_plan_changes_maps(e->plan) && !e->reads_c;
  if (!e->plan->has_c || !e->plan->pointers || mapped) return;
  gg_str_puts(out,
              "// C of one batch. Without a beta the array is not read: it may be null.\n"
              "__device__ __forceinline__ const c_t *c_of(const epilogue_operands &of,\n"
              "                                           const c_t *const *C, int64 batch) {\n"
              "  return of.beta != 0.0f ? C[batch] : nullptr;\n"
              "}\n\n");
}

static void write_move(gg_str *out, const gg_items *e) {
  gg_str_puts(out,
              "// The same parameters, from a tile's first element on.\n"
              "__device__ __forceinline__ epilogue_operands at_tile(epilogue_operands of, "
              "int64 batch,\n"
              "                                                     int64 row, int64 col) {\n");
  if (e->reads_c) {
    gg_str_puts(out, e->plan->pointers ? "  of.C = c_of(of, of.all_C, batch);\n"
                                       : "  of.C += batch * of.batch_stride_c;\n");
    gg_str_puts(out, "  forget(of.ldc);\n"
                     "  of.C += element_offset<c_n_major>(of.ldc, row, col);\n");
  }
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.span == GG_SPAN_NONE || it.fetched || it.operation->kind == GG_OP_SUM) continue;
    gg_item_write(out, "  of.@ += batch * of.batch_stride_@;\n", &it);
    if (!it.staged) gg_item_write(out, gg_item_move(&it), &it);
  }
  gg_totals_write_move(out, e->plan);
  gg_str_puts(out, "  return of;\n}\n");
}

/* Appends the function that brings matrices to the L2 cache which threads then read in place. */
static void write_prefetch(gg_str *out, const gg_items *e) {
  gg_str_puts(out,
              "\n// Prefetches to L2 a worker's share of the matrices that the operations read.\n"
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
    gg_item it = gg_item_of(e, i);
    if (!is_read_by_threads(&it)) continue;
    gg_item_write(
        out, "  prefetch_matrix<d_n_major, workers>(of.@, of.ld_@, rows, cols, worker);\n", &it);
  }
  gg_str_puts(out, "}\n");
}

/* ---- Values ----------------------------------------------------------------------------- */

/* Appends a struct of the values whose spans are from `first` to `last`. */
static void write_struct(gg_str *out, const gg_items *e, const char *name, const char *what,
                         gg_span first, gg_span last) {
  gg_str_printf(out, "struct %s_values {%s\n", name, what);
  if (e->plan->has_c && last == GG_SPAN_MATRIX) gg_str_puts(out, "  two<c_t> c;\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (spans_one_of(&it, first, last)) gg_item_write(out, gg_item_spans[it.span].member, &it);
  }
  gg_str_puts(out, "};\n\n");
}

/* Appends that struct, and the function that reads its values. */
static void write_values(gg_str *out, const gg_items *e, const char *name, const char *what,
                         gg_span first, gg_span last) {
  write_struct(out, e, name, what, first, last);
  gg_str_printf(out,
                "__device__ __forceinline__ %s_values read_%s(const epilogue_operands &of, "
                "tile_place at) {\n  %s_values values = {};\n",
                name, name, name);
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (spans_one_of(&it, first, last))
      gg_item_write(out, it.ahead ? ahead[it.span] : gg_item_read(&it), &it);
  }
  gg_str_puts(out, "  return values;\n}\n\n");
}

/* Appends the same for matrices, but for many cells at once, so that their loads are under way
 * together. If there is a condition, it is tested once for all of them. */
static void write_read_cells(gg_str *out, const gg_items *e) {
  const gg_skeleton *skeleton = &gg_skeletons[e->plan->target->id];
  bool mma = skeleton->cell_rows > 1;
  bool twins = e->layouts->twins_m || e->layouts->twins_n;
  gg_str_puts(out, twins ? "// Reads a lane's cells.\n"
                   : mma ? "// Reads cells that are eight columns and eight rows apart.\n"
                         : "// Reads neighbouring cells.\n");
  gg_str_puts(out, "template <int across, int down>\n"
                   "__device__ __forceinline__ void read_cells(cell_values (&out)[across][down],\n"
                   "                                           const epilogue_operands &of, "
                   "tile_place at) {\n"
                   "#pragma unroll\n"
                   "  for (int i = 0; i < across * down; ++i) {\n"
                   "    cell_values &values = out[i / down][i % down];\n"
                   "    values = {};\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (is_read_in_place(&it)) gg_item_write(out, gg_item_read(&it), &it);
  }
  gg_str_puts(out, "  }\n");
  if (e->reads_c) {
    gg_str_puts(out, "  if (of.beta == 0.0f) return;  // C is not read: it may be null\n"
                     "#pragma unroll\n"
                     "  for (int i = 0; i < across * down; ++i)\n"
                     "    out[i / down][i % down].c = load_two<c_n_major, c_pairs>(\n"
                     "        of.C, of.ldc, at, ");
    gg_item_write_cell_step(out, e, true);
    gg_str_puts(out, ", ");
    gg_item_write_cell_step(out, e, false);
    gg_str_puts(out, ");\n");
  }
  gg_str_puts(out, "}\n\n");
}

static void write_cells(gg_str *out, const gg_items *e) {
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

/* Appends what finish() notes about everything that a thread finishes, and where that goes in the
 * end: for a whole warp at once, except in family naive, where some threads of a warp have ended.
 */
static void write_seen(gg_str *out, const gg_items *e) {
  bool alone = e->plan->target->id == GG_TARGET_NAIVE;
  if (!gg_plan_keeps_largest(e->plan)) return;
  gg_str_puts(out, "// What a thread has seen of all that it finished.\nstruct seen_values {\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.operation->kind == GG_OP_AMAX) gg_item_write(out, "  unsigned @;\n", &it);
  }
  gg_str_puts(out, "};\n\n__device__ __forceinline__ void report(const epilogue_operands &of, "
                   "const seen_values &seen) {\n");
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.operation->kind != GG_OP_AMAX) continue;
    gg_item_write(
        out, alone ? "  send_largest(of.@, seen.@);\n" : "  send_largest_of_warp(of.@, seen.@);\n",
        &it);
  }
  gg_str_puts(out, "}\n\n");
}

/* ---- Binding ---------------------------------------------------------------------------- */

/* Binds what a tile's epilogue has for that: the numbers, which it hands on, and reports in the
 * end. */
static void bind_seen(gg_bindings *out, const gg_plan *plan) {
  bool keeps = gg_plan_keeps_largest(plan);
  gg_str report = GG_STR_INIT;
  gg_bind_part(out, "largest", keeps ? "largest" : NULL);
  if (keeps) gg_bind_flag(out, "largest_of_one", gg_plan_is_gated(plan));
  gg_bind_text(out, "seen", keeps ? "  seen_values seen = {};\n" : "");
  gg_bind_text(out, "and_seen", keeps ? ", seen" : "");
  if (keeps)
    gg_str_printf(&report, "  report(%s, seen);\n", gg_skeletons[plan->target->id].operands);
  gg_totals_write_count(&report, plan);
  gg_bind_str(out, "report", &report);
}

static bool is_activation(gg_op_kind kind) {
  return kind == GG_OP_RELU || kind == GG_OP_GELU || kind == GG_OP_GATED ||
         (kind >= GG_OP_SILU && kind <= GG_OP_CLAMP);
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

/* Marks the functions that load_two() calls for a matrix. */
static void use_loads(gg_element_uses *uses, const gg_operand *matrix, gg_major major) {
  gg_use_element(uses, GG_GLOBAL_LOAD, matrix->type);
  if (has_pairs(matrix, major)) gg_use_element(uses, GG_GLOBAL_LOAD_PAIR, matrix->type);
}

static void bind_loads(gg_bindings *out, const gg_items *e) {
  gg_element_uses uses = {0};
  if (e->reads_c) use_loads(&uses, &e->plan->c, e->plan->c.major);
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (is_read_in_place(&it)) use_loads(&uses, &it.operation->operand, e->plan->d.major);
  }
  gg_bind_elements(out, "global_elements", &uses);
}

/* Whether threads store any matrix straight from where they computed it. */
static bool stores_matrices(const gg_items *e) {
  for (size_t i = 0; i < e->plan->operation_count; i++) {
    gg_item it = gg_item_of(e, i);
    if (it.operation->kind == GG_OP_AUX && !it.staged) return true;
  }
  return false;
}

/* Binds the parts that the operations call. */
static void bind_parts(gg_bindings *out, const gg_items *e) {
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
  gg_items e = {.plan = plan, .layouts = layouts, .reads_c = plan->has_c};
  for (size_t i = 0; i < plan->operation_count; i++) {
    gg_item it = gg_item_of(&e, i);
    if (it.operation->kind == GG_OP_LINEAR && (it.fetched || it.lined)) e.reads_c = false;
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
  write_c_of(&text, &e);
  write_move(&text, &e);
  gg_bind_str(out, "operations", &text);
  write_values(&text, &e, "row", "  // at a row", GG_SPAN_ALL, GG_SPAN_ROWS);
  write_values(&text, &e, "col", "  // at two neighbouring columns", GG_SPAN_COLUMNS,
               GG_SPAN_COLUMNS);
  write_cells(&text, &e);
  write_seen(&text, &e);
  gg_totals_write(&text, plan);
  gg_finish_write(&text, &e);
  gg_bind_str(out, "values", &text);
  gg_str_printf(&text, "constexpr bool prefetches = %s;\n", gg_cuda_bool(brings_matrices(&e)));
  write_prefetch(&text, &e);
  gg_bind_str(out, "prefetch", &text);
  write_operand_list(&text, &e);
  gg_bind_str(out, "operand_list", &text);
  write_scalars(&text, plan);
  gg_bind_str(out, "read_scalars", &text);
}
