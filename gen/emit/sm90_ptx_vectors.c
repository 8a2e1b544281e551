/* Families sm90 and sm100 in PTX: the epilogue's vectors, which a warp of their own brings to
 * shared memory while the tile is multiplied, element by element, as any address will do for them;
 * zeros where D ends. Consumers that take tiles in turns have a place each. */
#include "emit/sm90_ptx.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "plan/operation.h"
#include "plan/sm100.h"

/* ---- Who reads them ------------------------------------------------------------------------- */

bool gg_sm90_ptx_has_vector(const gg_operation *operation) {
  gg_dtype type = operation->operand.type;
  bool kind = operation->kind == GG_OP_BIAS || operation->kind == GG_OP_SCALE;
  return kind && gg_operation_reads_vector(operation) &&
         (type == GG_DTYPE_f32 || type == GG_DTYPE_f16 || type == GG_DTYPE_bf16);
}

static bool is_factor(const gg_operation *operation) {
  return operation->kind == GG_OP_SCALE && gg_operation_span(operation) == GG_SPAN_ALL;
}

bool gg_sm90_ptx_joins_factor(const gg_plan *plan, size_t number) {
  return number > 0 && is_factor(&plan->operations[number]) &&
         is_factor(&plan->operations[number - 1]);
}

/* Of operation `number`, its `i`th number of 16 bits as a float. */
static void write_float(gg_str *out, const gg_operation *operation, size_t number, int i) {
  if (operation->operand.type == GG_DTYPE_f16)
    gg_str_printf(out, "    cvt.f32.f16 %%v%zu_%d, %%h%zu_%d;\n", number, i, number, i);
  else if (operation->operand.type == GG_DTYPE_bf16)
    gg_str_printf(out, "    mov.b32 %%v%zu_%d, {%%no_bits, %%h%zu_%d};\n", number, i, number, i);
}

/* To %v`number`_0 and, of two, %v`number`_1, from shared memory. */
static void write_value(gg_str *out, const gg_operation *operation, size_t number, bool two,
                        const char *base, ll offset) {
  bool whole = operation->operand.type == GG_DTYPE_f32;
  const char *width = whole ? "f32" : "b16", *to = whole ? "v" : "h";
  gg_str_printf(out, "    ld.shared.%s%s ", two ? "v2." : "", width);
  if (two)
    gg_str_printf(out, "{%%%s%zu_0, %%%s%zu_1}, ", to, number, to, number);
  else
    gg_str_printf(out, "%%%s%zu_0, ", to, number);
  gg_ptx_write_place(out, base, offset);
  gg_str_puts(out, ";\n");
  for (int i = 0; i < 1 + two; i++)
    write_float(out, operation, number, i);
}

/* The same from where it lies: zeros where D ends. */
static void write_direct(gg_str *out, const gg_operation *operation, size_t number, bool two,
                         int index) {
  bool whole = operation->operand.type == GG_DTYPE_f32;
  int bytes = (int)gg_dtype_bytes(operation->operand.type, 1);
  gg_span span = gg_operation_span(operation);
  for (int i = 0; i < 1 + two; i++) {
    char to[48], base[48];
    snprintf(to, sizeof to, "%%%s%zu_%d", whole ? "v" : "h", number, i);
    snprintf(base, sizeof base, "%%vector%zu", number);
    if (span == GG_SPAN_ALL) {
      gg_str_puts(out, "    ");
    } else {
      gg_str_printf(out,
                    "    mov.b%d %s, 0;\n    setp.gt.s32 %%exists, %%left_%s, %d;\n    @%%exists ",
                    8 * bytes, to, span == GG_SPAN_ROWS ? "rows" : "cols", index + i);
    }
    gg_str_printf(out, "ld.global.b%d %s, ", 8 * bytes, to);
    gg_ptx_write_place(out, base, (ll)(index + i) * bytes);
    gg_str_puts(out, ";\n");
    write_float(out, operation, number, i);
  }
}

void gg_sm90_ptx_read_vectors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int row,
                              int column, bool first_of_columns) {
  bool direct = !gg_rings_find(&layouts->rings, GG_RING_VECTORS);
  char base[48];
  size_t first_factor = 0;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    gg_span span = gg_operation_span(operation);
    if (!gg_sm90_ptx_has_vector(operation)) continue;
    if (span != GG_SPAN_ROWS && !first_of_columns) continue;
    bool two = span == GG_SPAN_COLUMNS;
    int index = two ? column : span == GG_SPAN_ROWS ? row : 0;
    int bytes = (int)gg_dtype_bytes(operation->operand.type, 1);
    snprintf(base, sizeof base, "%%%s_by_%d", two ? "col" : "row", bytes);
    if (direct)
      write_direct(out, operation, i, two, index);
    else
      write_value(out, operation, i, two, span == GG_SPAN_ALL ? "%vectors" : base,
                  (ll)layouts->vector_begin[i] + (ll)index * bytes);
    if (gg_sm90_ptx_joins_factor(plan, i))
      gg_str_printf(out, "    mul.rn.f32 %%v%zu_0, %%v%zu_0, %%v%zu_0;\n", first_factor,
                    first_factor, i);
    else
      first_factor = i;
  }
}

/* Of vectors that lanes read where they lie: how many rows and columns there are from this lane's
 * first ones on, and where each vector has what belongs to these. */
void gg_sm90_ptx_find_vectors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  char name[GG_OPERATION_NAME_MAX];
  bool any = false;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    gg_span span = gg_operation_span(operation);
    if (!gg_sm90_ptx_has_vector(operation)) continue;
    if (gg_rings_find(&layouts->rings, GG_RING_VECTORS)) return;
    if (!any)
      gg_str_puts(out, "  // Where this lane reads vectors: from its first row or column on.\n"
                       "  .reg .b32 %own_row, %own_col, %left_rows, %left_cols;\n"
                       "  .reg .b64 %of_vector, %stride;\n"
                       "  .reg .pred %exists;\n"
                       "  shr.u32 %own_row, %lane, 2;\n  add.u32 %own_row, %own_row, %row0;\n"
                       "  and.b32 %own_col, %lane, 3;\n"
                       "  mad.lo.u32 %own_col, %own_col, 2, %n0;\n"
                       "  sub.s32 %left_rows, %m, %own_row;\n"
                       "  sub.s32 %left_cols, %n, %own_col;\n");
    any = true;
    gg_operation_name(name, plan->operations, i);
    gg_str_printf(out,
                  "  .reg .b64 %%vector%zu;\n  ld.param.u64 %%vector%zu, [%s];\n"
                  "  cvta.to.global.u64 %%vector%zu, %%vector%zu;\n"
                  "  ld.param.u64 %%stride, [batch_stride_%s];\n"
                  "  cvt.u64.u32 %%of_vector, %%batch;\n"
                  "  mul.lo.u64 %%stride, %%of_vector, %%stride;\n",
                  i, i, name, i, i, name);
    if (span != GG_SPAN_ALL)
      gg_str_printf(out,
                    "  cvt.u64.u32 %%of_vector, %%own_%s;\n"
                    "  add.u64 %%stride, %%stride, %%of_vector;\n",
                    span == GG_SPAN_ROWS ? "row" : "col");
    gg_str_printf(out, "  mad.lo.u64 %%vector%zu, %%stride, %d, %%vector%zu;\n", i,
                  (int)gg_dtype_bytes(operation->operand.type, 1), i);
  }
}

/* A lane's row and its first column, of those that its warp has: in %row_by_4 and %col_by_4. */
static void write_own(gg_str *out, const gg_plan *plan) {
  bool apart = gg_plan_in_tensor_memory(plan);
  int rows = apart ? gg_sm100_blocks_of_mma(plan) * plan->epi_m : plan->epi_m;
  int parts = apart ? gg_plan_column_parts(plan) : 1;
  gg_str_printf(out,
                "  and.b32 %%row_by_2, %%warp_of_group, %d;\n"
                "  shr.u32 %%row_by_4, %%lane, 2;\n"
                "  mad.lo.u32 %%row_by_4, %%row_by_2, %d, %%row_by_4;\n",
                4 / parts - 1, rows);
  if (!apart && plan->atoms_m > 1)
    gg_str_printf(out, "  mad.lo.u32 %%row_by_4, %%consumer, %d, %%row_by_4;\n",
                  gg_plan_block_m(plan));
  gg_str_puts(out, "  and.b32 %col_by_4, %lane, 3;\n  shl.b32 %col_by_4, %col_by_4, 1;\n");
  if (parts > 1)
    gg_str_printf(out,
                  "  shr.u32 %%col_by_2, %%warp_of_group, 1;\n"
                  "  mad.lo.u32 %%col_by_4, %%col_by_2, %d, %%col_by_4;\n",
                  gg_plan_half_step(plan));
}

/* Where this lane reads vectors, of elements of either size: its two columns, and its row. */
static void write_places(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_VECTORS);
  if (!ring) return;
  gg_str_printf(
      out,
      "  // Where this lane reads vectors: its row and its column, for elements of 2 or of 4 "
      "bytes.\n"
      "  .reg .b32 %%vectors, %%bar_vectors, %%row_by_2, %%row_by_4, %%col_by_2, %%col_by_4;\n"
      "  add.u32 %%vectors, %%smem, %lld;\n"
      "  mov.u32 %%bar_vectors, %%barriers;\n",
      (ll)ring->begin);
  if (ring->depth > 1)
    gg_str_printf(out,
                  "  mad.lo.u32 %%vectors, %%consumer, %lld, %%vectors;\n"
                  "  mad.lo.u32 %%bar_vectors, %%consumer, %d, %%bar_vectors;\n",
                  (ll)ring->bytes, GG_BARRIER_BYTES);
  write_own(out, plan);
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "col" : "row";
    gg_str_printf(out,
                  "  mad.lo.u32 %%%s_by_2, %%%s_by_4, 2, %%vectors;\n"
                  "  mad.lo.u32 %%%s_by_4, %%%s_by_4, 4, %%vectors;\n",
                  name, name, name, name);
  }
}

/* ---- Who brings them ------------------------------------------------------------------------ */

/* Elements of a tile's vector, and which extents and first elements it has. */
static int length_of(const gg_plan *plan, gg_span span) {
  return span == GG_SPAN_ROWS      ? plan->tile_m
         : span == GG_SPAN_COLUMNS ? gg_plan_tile_span(plan)
                                   : 1;
}

/* Where the vector of this tile begins in memory: %from; and how many elements there are of what it
 * needs: %inside. */
static void write_source(gg_str *out, const char *name, gg_span span, int bytes) {
  char mn = span == GG_SPAN_ROWS ? 'm' : 'n';
  gg_str_printf(out,
                "    ld.param.u64 %%from, [%s];\n    cvta.to.global.u64 %%from, %%from;\n"
                "    ld.param.u64 %%stride, [batch_stride_%s];\n"
                "    cvt.u64.u32 %%first, %%batch;\n    mul.lo.u64 %%first, %%first, %%stride;\n"
                "    cvt.u64.u32 %%of_lane, %%lane;\n    add.u64 %%first, %%first, %%of_lane;\n",
                name, name);
  if (span != GG_SPAN_ALL)
    gg_str_printf(out,
                  "    cvt.u64.u32 %%of_lane, %%%c0;\n    add.u64 %%first, %%first, %%of_lane;\n"
                  "    sub.s32 %%inside, %%%c, %%%c0;\n",
                  mn, mn, mn);
  else
    gg_str_puts(out, "    mov.u32 %inside, 1;\n");
  gg_str_printf(out, "    mad.lo.u64 %%from, %%first, %d, %%from;\n", bytes);
}

/* A lane copies every 32nd element: all of them are on their way at once. */
static void write_copy(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, size_t number) {
  const gg_operation *operation = &plan->operations[number];
  gg_span span = gg_operation_span(operation);
  int bytes = (int)gg_dtype_bytes(operation->operand.type, 1), length = length_of(plan, span);
  int each = (length + GG_WARP - 1) / GG_WARP;
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_VECTORS);
  char name[GG_OPERATION_NAME_MAX];
  gg_operation_name(name, plan->operations, number);
  gg_str_printf(out,
                "  {  // %s, %d numbers\n    .reg .b64 %%from, %%stride, %%first, %%of_lane;\n"
                "    .reg .b32 %%inside, %%at, %%to;\n    .reg .b%d %%e<%d>;\n"
                "    .reg .pred %%exists;\n",
                name, length, 8 * bytes, each);
  write_source(out, name, span, bytes);
  gg_str_printf(out, "    mad.lo.u32 %%to, %%lane, %d, %%own_vectors;\n", bytes);
  for (int i = 0; i < each; i++)
    gg_str_printf(out,
                  "    add.u32 %%at, %%lane, %d;\n    setp.lt.s32 %%exists, %%at, %%inside;\n"
                  "    mov.b%d %%e%d, 0;\n    @%%exists ld.global.b%d %%e%d, [%%from + %d];\n",
                  i * GG_WARP, 8 * bytes, i, 8 * bytes, i, i * GG_WARP * bytes);
  for (int i = 0; i < each; i++) {
    bool some = (i + 1) * GG_WARP > length;
    if (some) gg_str_printf(out, "    setp.lt.u32 %%exists, %%lane, %d;\n", length - i * GG_WARP);
    gg_str_printf(
        out, "    %sst.shared.b%d [%%to + %lld], %%e%d;\n", some ? "@%exists " : "", 8 * bytes,
        (ll)(ring->begin + layouts->vector_begin[number] + (int64_t)i * GG_WARP * bytes), i);
  }
  gg_str_puts(out, "  }\n");
}

void gg_sm90_ptx_bind_vectors(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_VECTORS);
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_VECTORS);
  static const gg_ring none = {0};
  const gg_ring *vectors = ring ? ring : &none;
  ll begin = (ll)layouts->rings.barriers_begin;
  gg_str text = GG_STR_INIT;
  gg_bind_flag(out, "vectors", ring != NULL);
  gg_ptx_bind_number(out, "vectors_warp", role ? role->first_warp : 0);
  if (!gg_plan_in_tensor_memory(plan)) {
    gg_ptx_bind_number(out, "vector_buffers", vectors->depth);
    gg_ptx_bind_number(out, "vectors_bytes", (ll)vectors->bytes);
  }
  gg_ptx_bind_number(out, "to_full_vectors", (ll)vectors->full.begin - begin);
  gg_ptx_bind_number(out, "to_empty_vectors", (ll)vectors->empty[0].begin - begin);
  write_places(&text, plan, layouts);
  gg_bind_str(out, "vector_places", &text);
  for (size_t i = 0; i < plan->operation_count && ring; i++)
    if (gg_operation_reads_vector(&plan->operations[i])) write_copy(&text, plan, layouts, i);
  gg_bind_str(out, "copy_vectors", &text);
}
