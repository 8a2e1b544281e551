/* Family sm90 in PTX: the epilogue, a box of D after the other, by templates/parts/sm90_box.ptx.
 *
 * A warp has 16 rows of each of its consumer's blocks. Element e of a lane's accumulators is at row
 * lane / 4 (+ 8 for every other pair), columns e / 4 * 8 + lane % 4 * 2 and + 1. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "emit/sm100_ptx.h"
#include "emit/sm90.h"
#include "emit/sm90_ptx.h"
#include "plan/epilogue.h"

/* Boxes and how lanes have them. */
typedef struct boxes {
  const gg_plan *plan;
  const gg_result *d;
  gg_sm90_cells cells;
  gg_sm90_epilogue has;
  int bytes;   /* of an element */
  int columns; /* of a box */
  int rows;    /* of a box: those of `warps` */
  int warps;
  bool n_major;
  bool evicts; /* a launch may say that D is to leave the L2 cache first */
  ll buffer_bytes;
  int buffers;
} boxes;

static boxes boxes_of(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *staging = gg_rings_find(&layouts->rings, GG_RING_STAGING);
  return (boxes){.plan = plan,
                 .d = &layouts->results[0],
                 .cells = gg_sm90_cells_of_result(plan, &layouts->results[0]),
                 .has = gg_sm90_epilogue_of(plan, layouts),
                 .bytes = (int)gg_dtype_bytes(plan->d.type, 1),
                 .columns = plan->epi_n,
                 .rows = gg_plan_box_rows(plan),
                 .warps = plan->box_warps,
                 .n_major = plan->d.major == GG_MAJOR_N,
                 .evicts = layouts->evicts_first,
                 .buffer_bytes = (ll)staging->bytes,
                 .buffers = staging->depth};
}

static unsigned place(const boxes *b, int row, int column) {
  return (unsigned)(gg_composed_at(&b->d->layout, row + (int64_t)column * b->rows) * b->bytes);
}

/* Columns of the matrices that one stmatrix stores. */
static int columns_at_once(const boxes *b) {
  return b->columns % 16 == 0 ? 16 : 8;
}

static gg_sm90_lane_cells lane_cells_of(const boxes *b) {
  return (gg_sm90_lane_cells){b->cells, b->columns, b->warps > 1};
}

static int late_bit(const boxes *b) {
  const gg_sm90_lane_cells lanes = lane_cells_of(b);
  return gg_sm90_late_bit(&lanes);
}

/* Names of registers and instructions that are others where a box is of several warps: its lanes'
 * numbers, the first of them, and how they meet. */
static const char *lane_of(const boxes *b) {
  return b->warps > 1 ? "%box_lane" : "%lane";
}

static const char *is_first_of(const boxes *b) {
  return b->warps > 1 ? "%is_box_lane_0" : "%is_lane_0";
}

static void write_meeting(gg_str *out, const boxes *b) {
  if (b->warps > 1)
    gg_str_printf(out, "    bar.sync %%box_barrier, %d;\n", GG_WARP * b->warps);
  else
    gg_str_puts(out, "    bar.warp.sync 0xffffffff;\n");
}

/* Where lanes store at once: of columns from `column` on, and of what a lane stores element by
 * element and row by row in turn, rows from `row` on; an odd `column` is the second of two. */
static gg_ptx_lanes places_at(const boxes *b, int row, int column) {
  gg_ptx_lanes out = {.of = lane_of(b), .count = GG_WARP * b->warps};
  const gg_sm90_lane_cells lanes = lane_cells_of(b);
  int wide = columns_at_once(b);
  for (int i = 0; i < out.count; i++) {
    int lane = i % GG_WARP, first = i / GG_WARP * b->plan->epi_m + row;
    if (b->cells == GG_SM90_CELLS_MATRICES) {
      int across = column + lane / 16 % (wide / 8) * 8;
      out.at[i] = b->n_major ? place(b, first + lane % 16, across)
                             : place(b, first + lane / 8 % 2 * 8, across + lane % 8);
    } else {
      gg_sm90_cell at = gg_sm90_cell_of_lane(&lanes, lane, column);
      out.at[i] = place(b, first + at.row, (int)at.column);
    }
  }
  return out;
}

const char *gg_sm90_ptx_boxes_lack(const gg_plan *plan, const gg_layouts *layouts) {
  boxes b = boxes_of(plan, layouts);
  if (b.cells == GG_SM90_CELLS_PACKED) return "a D of 4 bits";
  gg_ptx_lanes first = places_at(&b, 0, 0);
  bool linear = gg_ptx_is_linear(&first);
  bool whole = b.cells == GG_SM90_CELLS_MATRICES || b.cells == GG_SM90_CELLS_TURNED;
  int rows = whole ? 1 : plan->epi_m;
  int wide = b.cells == GG_SM90_CELLS_MATRICES ? columns_at_once(&b) : 8;
  int ones = b.cells == GG_SM90_CELLS_ONES ? 2 : 1;
  for (int column = 0; column < b.columns; column += wide) {
    for (int i = 0; i < rows / (rows > 1 ? 8 : 1) * ones; i++) {
      gg_ptx_lanes other = places_at(&b, i / ones * 8, column + i % ones);
      linear = linear && gg_ptx_step_between(&first, &other).known;
    }
  }
  if (b.has.tails) linear = linear && gg_ptx_is_linear_in_both(&b.d->layout, b.rows, b.columns);
  return linear ? NULL : "boxes of D whose width is no power of two";
}

/* ---- A box --------------------------------------------------------------------------------- */

/* Of a lane, the accumulators of a box and what they become: `fragment` and `box` number it. */
typedef struct box {
  const boxes *of;
  const gg_layouts *layouts;
  int number, fragment;
  int first_row, first_column, first_word;
  ll buffer; /* behind the warp's first */
} box;

/* Of a warp. */
static int fragments_of(const gg_plan *plan) {
  if (gg_plan_in_tensor_memory(plan)) return gg_sm100_ptx_blocks(plan);
  return gg_plan_block_m(plan) / plan->mma.m;
}

static int boxes_of_fragment(const gg_plan *plan) {
  if (gg_plan_in_tensor_memory(plan)) return gg_sm100_ptx_boxes(plan);
  return gg_plan_boxes_of_mma(plan, plan->epi_n);
}

static box box_of(const boxes *b, const gg_layouts *layouts, int number, int fragment) {
  int fragments = fragments_of(b->plan);
  ll buffer = (number * fragments + fragment) % b->buffers * b->buffer_bytes;
  if (gg_plan_in_tensor_memory(b->plan)) {
    gg_sm90_ptx_box_place at = gg_sm100_ptx_place_of(b->plan, number, fragment);
    return (box){b, layouts, number, fragment, at.row, at.column, at.word, buffer};
  }
  int last = gg_plan_mma_columns(b->plan) - b->columns;
  int column = number * b->columns < last ? number * b->columns : last;
  return (box){.of = b,
               .layouts = layouts,
               .number = number,
               .fragment = fragment,
               .first_row = fragment * b->plan->mma.m,
               .first_column = column,
               .first_word = fragment * gg_sm90_mma_registers(b->plan) + column / 2,
               .buffer = buffer};
}

static bool is_int(gg_dtype type) {
  return gg_dtype_info_of(type)->kind != 'f';
}

/* What is computed in: floats, or the sums themselves. */
static bool in_floats(const boxes *b) {
  return b->plan->compute == GG_DTYPE_f32;
}

/* The registers of a box: x0, x1, ... are what operations make of the sums, d0, d1, ... what those
 * are as elements of D, two of 16 or 8 bits a register; w0, w1 are integers on their way there. */
static void declare(gg_str *out, const boxes *b) {
  const gg_plan *plan = b->plan;
  gg_str_printf(out, "    .reg .%s %%x<%d>;\n", in_floats(b) ? "f32" : "b32", b->columns / 2);
  if (b->bytes == 4)
    gg_str_printf(out, "    .reg .b32 %%d<%d>;\n", b->columns / 2);
  else
    gg_str_printf(out, "    .reg .b%d %%d<%d>;\n", 16 * b->bytes, b->columns / 4);
  if (is_int(plan->d.type) && b->bytes == 1) gg_str_puts(out, "    .reg .b32 %w<2>;\n");
  gg_sm90_ptx_declare_values(out, plan);
  if (!plan->has_c) return;
  /* ldmatrix has four registers also where the columns are of two. */
  gg_str_printf(out, "    .reg .b32 %%c<%d>;\n    .reg .f32 %%c_value;\n",
                b->columns < 16 ? 4 : b->columns / 4);
  gg_str_puts(out, plan->c.type == GG_DTYPE_f16 ? "    .reg .b16 %low, %high;\n"
                                                : "    .reg .b32 %bits;\n");
}

/* x`i` and the one before it as elements of 8 bits that are integers: rounded, then clamped. */
static void write_bytes(gg_str *out, const boxes *b, int i) {
  /* As gg_cuda_write_narrowing has it, and for the same reason. */
  if (in_floats(b) && b->plan->d.type == GG_DTYPE_u8)
    gg_str_printf(out, "    add.rn.f32 %%x%d, %%x%d, 0f00000000;  // keeps a relu apart\n", i - 1,
                  i - 1);
  for (int j = 0; j < 2 && in_floats(b); j++)
    gg_str_printf(out, "    cvt.rni.s32.f32 %%w%d, %%x%d;\n", j, i - 1 + j);
  gg_str_printf(out, "    cvt.pack.sat.%s.s32.b32 %%w0, ", gg_dtype_info_of(b->plan->d.type)->ptx);
  if (in_floats(b))
    gg_str_puts(out, "%w1, %w0, 0;\n");
  else
    gg_str_printf(out, "%%x%d, %%x%d, 0;\n", i, i - 1);
  gg_str_printf(out, "    cvt.u16.u32 %%d%d, %%w0;\n", i / 2);
}

/* x`i` as an element of D, or with the one before it. */
static void write_element(gg_str *out, const boxes *b, int i) {
  const gg_dtype_info *d = gg_dtype_info_of(b->plan->d.type);
  if (b->bytes == 4) {
    bool rounds = in_floats(b) && b->plan->d.type == GG_DTYPE_s32;
    gg_str_printf(out, "    %s %%d%d, %%x%d;\n", rounds ? "cvt.rni.s32.f32" : "mov.b32", i, i);
  } else if (i % 2 && is_int(b->plan->d.type)) {
    write_bytes(out, b, i);
  } else if (i % 2) {
    gg_str_printf(out, "    cvt.rn.%s%sx2.f32 %%d%d, %%x%d, %%x%d;\n",
                  b->bytes == 1 ? "satfinite." : "", d->ptx, i / 2, i, i - 1);
  }
}

static void write_c(gg_str *out, const box *x, int column) {
  const gg_plan *plan = x->of->plan;
  if (gg_plan_in_tensor_memory(plan))
    gg_sm100_ptx_write_c(out, plan, x->layouts, x->fragment, column);
  else
    gg_sm90_ptx_write_c(out, plan, x->layouts, x->number, x->fragment, column);
}

static gg_status write_finish(gg_str *out, gg_arena *arena, const box *x, gg_error *err) {
  const boxes *b = x->of;
  const gg_plan *plan = b->plan;
  bool subtiles = plan->has_c && plan->subtile_stages > 0 && !gg_plan_in_tensor_memory(plan);
  gg_sm90_ptx_box_place at = {x->first_row, x->first_column, x->first_word};
  gg_status st = GG_OK;
  declare(out, b);
  if (subtiles) gg_sm90_ptx_begin_subtile(out, x->layouts);
  for (int i = 0; i < b->columns / 2 && !st; i++) {
    if (plan->has_c && i * 2 % plan->read_n == 0) write_c(out, x, i * 2);
    st = gg_sm90_ptx_finish(out, arena, plan, x->layouts, at, i, err);
    write_element(out, b, i);
  }
  if (subtiles) gg_sm90_ptx_end_subtile(out, plan, x->layouts, x->number, x->fragment);
  return st;
}

/* The address of a store by lanes: "%staging + 128", or what a line computes, by the lanes' first
 * place. */
static void write_address(gg_str *lines, gg_str *address, const box *x, int row, int column) {
  gg_ptx_lanes first = places_at(x->of, 0, 0), at = places_at(x->of, row, column);
  gg_ptx_step step = gg_ptx_step_between(&first, &at);
  if (!step.xors) {
    gg_ptx_write_place(address, "%lane_staging", x->buffer + step.by);
    return;
  }
  gg_str_printf(lines,
                "    xor.b32 %%place, %%lane_place, 0x%x;\n"
                "    add.u32 %%place, %%place, %%staging;\n",
                step.by);
  gg_ptx_write_place(address, "%place", x->buffer);
}

/* In matrices of 8 x 8, two down and one or two across. */
static void write_matrices(gg_str *out, const box *x) {
  const boxes *b = x->of;
  int wide = columns_at_once(b);
  for (int column = 0; column < b->columns; column += wide) {
    gg_str address = GG_STR_INIT;
    write_address(out, &address, x, 0, column);
    gg_str_printf(out, "    stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, ", wide / 4,
                  b->n_major ? "" : ".trans", gg_str_text(&address));
    for (int i = 0; i < wide / 4; i++)
      gg_str_printf(out, "%s%%d%d", i ? ", " : "{", column / 4 + i);
    gg_str_puts(out, "};\n");
    gg_str_free(&address);
  }
}

/* Two neighbouring columns at once. Of lines as long as half of all banks or more, half of the rows
 * begin with the other half of the line: so each 16 lanes that store together write to all banks.
 */
static void write_pairs(gg_str *out, const box *x) {
  const boxes *b = x->of;
  bool halves = b->cells == GG_SM90_CELLS_HALVES;
  int count = b->columns / 2;
  if (halves) gg_str_puts(out, "    .reg .b32 %left, %right;\n");
  for (int column = 0; column < b->columns; column += 8) {
    for (int row = 0; row < b->rows; row += 8) {
      int early = column / 2 + row / 4, late = (early + count / 2) % count;
      gg_str address = GG_STR_INIT;
      write_address(out, &address, x, row, column);
      for (int i = 0; i < 2 && halves; i++)
        gg_str_printf(out, "    selp.b32 %%%s, %%d%d, %%d%d, %%is_late;\n", i ? "right" : "left",
                      late + i, early + i);
      if (halves)
        gg_str_printf(out, "    st.shared.v2.b32 %s, {%%left, %%right};\n", gg_str_text(&address));
      else if (b->bytes == 1)
        gg_str_printf(out, "    st.shared.b16 %s, %%d%d;\n", gg_str_text(&address), early / 2);
      else
        gg_str_printf(out, "    st.shared.v2.b32 %s, {%%d%d, %%d%d};\n", gg_str_text(&address),
                      early, early + 1);
      gg_str_free(&address);
    }
  }
}

/* Two columns one after the other, as they are no neighbours in memory: half of the rows begin with
 * the second, so that the lanes' addresses are in as many banks. */
static void write_ones(gg_str *out, const box *x) {
  const boxes *b = x->of;
  bool late = late_bit(b) != 0;
  if (late) gg_str_puts(out, "    .reg .b32 %left, %right;\n");
  for (int column = 0; column < b->columns; column += 8) {
    for (int row = 0; row < b->plan->epi_m; row += 8) {
      int word = column / 2 + row / 4;
      if (late)
        gg_str_printf(out,
                      "    selp.b32 %%left, %%d%d, %%d%d, %%is_late;\n"
                      "    selp.b32 %%right, %%d%d, %%d%d, %%is_late;\n",
                      word + 1, word, word, word + 1);
      for (int i = 0; i < 2; i++) {
        gg_str address = GG_STR_INIT;
        write_address(out, &address, x, row, column + i);
        gg_str_printf(out, "    st.shared.b32 %s, ", gg_str_text(&address));
        if (late)
          gg_str_printf(out, "%%%s;\n", i ? "right" : "left");
        else
          gg_str_printf(out, "%%d%d;\n", word + i);
        gg_str_free(&address);
      }
    }
  }
}

/* Elements of a byte, whose neighbours are those of a column: lanes give each other elements of two
 * groups of eight columns at a time, until each has four of a column of either, as in
 * templates/parts/sm90_staging.cu. */
static void write_turned(gg_str *out, const box *x) {
  const boxes *b = x->of;
  gg_str_puts(out, "    .reg .b32 %bytes<2>, %kept, %given;\n");
  for (int column = 0; column < b->columns; column += 16) {
    int groups = column + 8 < b->columns ? 2 : 1, first = column / 4,
        second = first + 2 * (groups - 1);
    gg_str_printf(out,
                  "    mov.b32 %%bytes0, {%%d%d, %%d%d};\n"
                  "    mov.b32 %%bytes1, {%%d%d, %%d%d};\n"
                  "    prmt.b32 %%kept, %%bytes0, %%bytes1, %%kept_column;\n"
                  "    prmt.b32 %%given, %%bytes0, %%bytes1, %%given_column;\n"
                  "    shfl.sync.bfly.b32 %%given, %%given, 4, 0x1f, 0xffffffff;\n"
                  "    prmt.b32 %%bytes0, %%kept, %%given, %%kept_rows;\n"
                  "    prmt.b32 %%bytes1, %%kept, %%given, %%given_rows;\n"
                  "    shfl.sync.bfly.b32 %%bytes1, %%bytes1, 8, 0x1f, 0xffffffff;\n",
                  first, first + 1, second, second + 1);
    for (int i = 0; i < groups; i++) {
      gg_str address = GG_STR_INIT;
      write_address(out, &address, x, 0, column + 8 * i);
      gg_str_printf(out,
                    "    prmt.b32 %%kept, %%bytes0, %%bytes1, %%%s_group;\n"
                    "    st.shared.b32 %s, %%kept;\n",
                    i ? "second" : "first", gg_str_text(&address));
      gg_str_free(&address);
    }
  }
}

/* The elements of a line behind its last whole 16 bytes. */
static void bind_tail(gg_bindings *out, const boxes *b) {
  const gg_ptx_element element = {&b->d->layout, b->rows,   b->columns, b->bytes,
                                  "%from",       "%in_row", "%in_col",  "%place"};
  bool n = b->n_major;
  gg_str text = GG_STR_INIT;
  gg_bind_flag(out, "tails", b->has.tails);
  gg_ptx_bind_number(out, "d_bits", 8 * b->bytes);
  gg_ptx_bind_number(out, "register_bits", b->bytes == 1 ? 16 : 8 * b->bytes);
  gg_ptx_bind_number(out, "d_bytes", b->bytes);
  gg_ptx_bind_number(out, "box_along", n ? b->columns : b->rows);
  gg_ptx_write_split(&text, 4, n ? "%in_col" : "%in_row", n ? "%in_row" : "%in_col", "%i",
                     n ? b->rows : b->columns);
  gg_bind_str(out, "in_tail", &text);
  gg_ptx_bind_number(out, "tail_elements", (ll)(n ? b->rows : b->columns) * (16 / b->bytes));
  gg_bind_text(out, "in_along", n ? "%in_col" : "%in_row");
  gg_bind_text(out, "to_along", n ? "%in_col" : "%in_row");
  gg_bind_text(out, "to_across", n ? "%in_row" : "%in_col");
  if (b->has.tails) gg_ptx_write_element(&text, 4, &element);
  gg_str_puts(&text, "    add.u32 %from, %from, %staging;\n");
  gg_bind_str(out, "tail_place", &text);
}

/* For the reader. */
static const char *operations_of(const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++)
    if (plan->operations[i].kind != GG_OP_LINEAR) return "what operations make of x";
  if (plan->has_c) return plan->alpha ? "alpha * x + beta * C" : "x + beta * C";
  return plan->alpha ? "alpha * x" : "x";
}

static gg_status write_box(gg_str *out, gg_arena *arena, const box *x, gg_error *err) {
  const boxes *b = x->of;
  gg_bindings bindings = {.arena = arena};
  gg_str text = GG_STR_INIT;
  gg_ptx_bind_number(&bindings, "first_row", x->first_row);
  gg_ptx_bind_number(&bindings, "last_row", x->first_row + b->plan->epi_m - 1);
  gg_ptx_bind_number(&bindings, "first_column", x->first_column);
  gg_ptx_bind_number(&bindings, "last_column", x->first_column + b->columns - 1);
  gg_bind_text(&bindings, "operations", operations_of(b->plan));
  gg_bind_text(&bindings, "d_type", gg_dtype_info_of(b->plan->d.type)->name);
  gg_status st = write_finish(&text, arena, x, err);
  gg_bind_str(&bindings, "finish", &text);
  gg_ptx_bind_number(&bindings, "pending", b->buffers - 1);
  write_meeting(&text, b);
  gg_bind_str(&bindings, "meet", &text);
  gg_bind_text(&bindings, "is_first", is_first_of(b));
  gg_bind_text(&bindings, "box_lane", lane_of(b));
  gg_bind_text(&bindings, "whose", b->warps > 1 ? "these warps'" : "this warp's");
  gg_bind_text(&bindings, "box_row0", b->warps > 1 ? "%box_row0" : "%row0");
  gg_ptx_bind_number(&bindings, "box_lanes", (ll)GG_WARP * b->warps);
  if (b->cells == GG_SM90_CELLS_MATRICES)
    write_matrices(&text, x);
  else if (b->cells == GG_SM90_CELLS_ONES)
    write_ones(&text, x);
  else if (b->cells == GG_SM90_CELLS_TURNED)
    write_turned(&text, x);
  else
    write_pairs(&text, x);
  gg_bind_str(&bindings, "stage", &text);
  gg_bind_flag(&bindings, "partial", b->has.partial_tiles);
  gg_bind_flag(&bindings, "reduces", gg_plan_reduces_sums(b->plan));
  int bit = x->fragment * gg_plan_boxes_of_mma(b->plan, b->columns) + x->number;
  gg_str_printf(&text, "0x%llx", gg_plan_reduces_sums(b->plan) ? 1ull << bit : 0ull);
  gg_bind_str(&bindings, "box_bit", &text);
  gg_bind_text(&bindings, "policy_hint", b->evicts ? ".L2::cache_hint" : "");
  gg_bind_text(&bindings, "policy", b->evicts ? ", %policy" : "");
  gg_bind_text(&bindings, "along", b->n_major ? "%col" : "%row");
  gg_bind_text(&bindings, "across", b->n_major ? "%row" : "%col");
  gg_ptx_write_place(&text, "%staging", x->buffer);
  gg_bind_str(&bindings, "staged", &text);
  gg_ptx_write_place(&text, "%from", x->buffer);
  gg_bind_str(&bindings, "staged_element", &text);
  gg_bind_text(&bindings, "whole_rows", b->n_major ? "%m" : "%whole");
  gg_bind_text(&bindings, "whole_cols", b->n_major ? "%whole" : "%n");
  bind_tail(&bindings, b);
  if (!st) st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, "parts/sm90_box.ptx", bindings.rows,
                            bindings.count, err);
}

/* ---- All boxes ----------------------------------------------------------------------------- */

/* What is the same for all tiles: the factor, where boxes and lines end, where D is. */
static void bind_epilogue_arguments(gg_bindings *out, const boxes *b) {
  gg_str text = GG_STR_INIT;
  int unit = 16 / b->bytes;
  if (b->plan->alpha) gg_str_puts(&text, "  .reg .f32 %alpha;\n  ld.param.f32 %alpha, [alpha];\n");
  if (b->has.partial_tiles || b->has.tails)
    gg_str_printf(&text,
                  "  .reg .b32 %%whole;  // elements of a line of D that the copy engine stores\n"
                  "  and.b32 %%whole, %%%c, -%d;\n",
                  b->n_major ? 'n' : 'm', unit);
  if (b->has.tails)
    gg_str_printf(
        &text,
        "  .reg .pred %%no_tail;\n  .reg .b64 %%d_begin, %%ld_d, %%stride_d, %%d_of_batch;\n"
        "  setp.eq.u32 %%no_tail, %%whole, %%%c;\n"
        "  ld.param.u64 %%d_begin, [D];\n  cvta.to.global.u64 %%d_begin, %%d_begin;\n"
        "  ld.param.u64 %%ld_d, [ldd];\n  ld.param.u64 %%stride_d, [batch_stride_d];\n",
        b->n_major ? 'n' : 'm');
  if (b->evicts)
    gg_str_puts(&text, "  .reg .b64 %policy, %evict_first;  // of the L2 cache, for D\n"
                       "  .reg .pred %evicts;\n"
                       "  ld.param.u64 %evict_first, [evict_first];\n"
                       "  setp.ne.u64 %evicts, %evict_first, 0;\n"
                       "  createpolicy.fractional.L2::evict_first.b64 %evict_first, 1.0;\n"
                       "  createpolicy.fractional.L2::evict_normal.b64 %policy, 1.0;\n"
                       "  selp.b64 %policy, %evict_first, %policy, %evicts;\n");
  gg_bind_str(out, "epilogue_arguments", &text);
}

/* What a tile's boxes begin from. */
static void bind_tile(gg_bindings *out, const boxes *b, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  bool apart = gg_plan_in_tensor_memory(b->plan);
  if (apart)
    gg_sm100_ptx_write_origin(&text, b->plan, layouts);
  else
    gg_str_puts(&text, "  .reg .b32 %row0;  // this warp's first row of D\n"
                       "  mad.lo.u32 %row0, %warp_of_group, 16, %m0;\n");
  if (b->plan->atoms_m > 1 && !apart)
    gg_str_printf(&text, "  mad.lo.u32 %%row0, %%consumer, %d, %%row0;\n",
                  gg_plan_block_m(b->plan));
  if (b->warps > 1)
    gg_str_printf(
        &text,
        "  .reg .b32 %%box_row0;  // the first row of D of the warps that stage together\n"
        "  and.b32 %%box_row0, %%warp_of_group, %d;\n"
        "  mad.lo.u32 %%box_row0, %%box_row0, -%d, %%row0;\n",
        b->warps - 1, b->plan->epi_m);
  if (!apart) gg_sm90_ptx_find_vectors(&text, b->plan, layouts);
  if (b->has.tails)
    gg_str_printf(&text,
                  "  cvt.u64.u32 %%d_of_batch, %%batch;\n"
                  "  mul.lo.u64 %%d_of_batch, %%d_of_batch, %%stride_d;\n"
                  "  mad.lo.u64 %%d_of_batch, %%d_of_batch, %d, %%d_begin;\n",
                  b->bytes);
  gg_bind_str(out, "begin_epilogue", &text);
}

/* Which bytes of two registers a lane keeps and gives: by whether it keeps the second column, and
 * then the lower rows. The order of what it has then depends on both. */
static void write_selectors(gg_str *out) {
  gg_str_puts(
      out,
      "  .reg .b32 %kept_column, %given_column, %kept_rows, %given_rows;  // bytes, as prmt takes them\n"
      "  .reg .b32 %first_group, %second_group;\n"
      "  .reg .pred %is_odd, %is_lower;  // whether a lane keeps the second column, the lower rows\n"
      "  and.b32 %place, %lane, 4;\n"
      "  setp.ne.u32 %is_odd, %place, 0;\n"
      "  and.b32 %place, %lane, 8;\n"
      "  setp.ne.u32 %is_lower, %place, 0;\n"
      "  selp.b32 %kept_column, 0x7531, 0x6420, %is_odd;\n"
      "  selp.b32 %given_column, 0x6420, 0x7531, %is_odd;\n"
      "  selp.b32 %first_group, 0x2604, 0x6240, %is_odd;  // the upper rows\n"
      "  selp.b32 %second_group, 0x3715, 0x7351, %is_odd;  // the lower ones\n"
      "  selp.b32 %kept_rows, %second_group, %first_group, %is_lower;\n"
      "  selp.b32 %given_rows, %first_group, %second_group, %is_lower;\n"
      "  selp.b32 %first_group, 0x1054, 0x5410, %is_lower;\n"
      "  selp.b32 %second_group, 0x3276, 0x7632, %is_lower;\n");
}

/* A lane's place in a box. */
static void bind_place(gg_bindings *out, const boxes *b) {
  gg_str text = GG_STR_INIT, layout = GG_STR_INIT;
  gg_composed_print(&layout, &b->d->layout, GG_NOTATION_PLAIN);
  gg_bind_str(out, "staging_layout", &layout);
  gg_ptx_lanes first = places_at(b, 0, 0);
  if (b->warps > 1)
    gg_str_printf(&text,
                  "  .reg .b32 %%box_lane, %%box_barrier;  // among the lanes that stage together\n"
                  "  .reg .pred %%is_box_lane_0;\n"
                  "  and.b32 %%box_lane, %%thread, %d;\n"
                  "  setp.eq.u32 %%is_box_lane_0, %%box_lane, 0;\n"
                  "  div.u32 %%box_barrier, %%thread, %d;\n"
                  "  add.u32 %%box_barrier, %%box_barrier, %d;\n",
                  GG_WARP * b->warps - 1, GG_WARP * b->warps, GG_SM90_BOX_BARRIER);
  gg_str_puts(&text, "  .reg .b32 %lane_staging;\n");
  gg_ptx_write_lanes(&text, 2, &first, "%lane_place", "%place");
  gg_str_puts(&text, "  add.u32 %lane_staging, %staging, %lane_place;\n");
  if (b->cells == GG_SM90_CELLS_TURNED) write_selectors(&text);
  if (late_bit(b))
    gg_str_printf(&text,
                  "  .reg .pred %%is_late;  // whether a lane's row begins with its second %s\n"
                  "  and.b32 %%place, %%lane, %d;\n  setp.ne.u32 %%is_late, %%place, 0;\n",
                  b->cells == GG_SM90_CELLS_ONES ? "column" : "half", late_bit(b));
  gg_bind_str(out, "lane_place", &text);
}

gg_status gg_sm90_ptx_bind_boxes(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                                 gg_error *err) {
  boxes b = boxes_of(plan, layouts);
  bool apart = gg_plan_in_tensor_memory(plan);
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  for (int number = 0; number < boxes_of_fragment(plan); number++) {
    for (int i = 0; i < fragments_of(plan) && !st; i++) {
      box x = box_of(&b, layouts, number, i);
      if (apart) gg_sm100_ptx_begin_box(&text, plan, layouts, number, i);
      st = write_box(&text, out->arena, &x, err);
      if (apart) gg_sm100_ptx_end_box(&text, plan, layouts, i);
    }
    if (plan->has_c && !apart) gg_sm90_ptx_release_c(&text, plan, layouts, number);
  }
  gg_bind_str(out, "boxes", &text);
  bind_epilogue_arguments(out, &b);
  bind_tile(out, &b, layouts);
  bind_place(out, &b);
  return st;
}
