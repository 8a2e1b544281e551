#include "emit/item.h"

#include "emit/expression_text.h"
#include "emit/skeleton.h"
#include "plan/gate.h"

const gg_item_span gg_item_spans[] = {
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

/* For split gates: a vector, or a matrix that is stored, has its columns in two halves, and the
 * tile's columns come from both in turns, beginning with an even one. */
static const char move_halves[] = "  of.@ += col / 2;\n";
static const char move_half_lines[] =
    "  forget(of.ld_@);\n"
    "  of.@ += element_offset<d_n_major>(of.ld_@, row, col / 2);\n";
static const char read_halves[] =
    "  values.@.x = at.col < at.cols ? @_value(of.@[at.col / 2]) : epi_t(0);\n"
    "  values.@.y = at.col < at.cols ? @_value(of.@[of.half_n + at.col / 2]) : epi_t(0);\n";

const char *gg_item_move(const gg_item *it) {
  if (!it->halves) return gg_item_spans[it->span].move;
  return it->span == GG_SPAN_MATRIX ? move_half_lines : move_halves;
}

const char *gg_item_read(const gg_item *it) {
  return it->halves ? read_halves : gg_item_spans[it->span].read;
}

static bool is_fetched(const gg_items *e, size_t index) {
  for (size_t i = 0; i < e->layouts->fetched_count; i++) {
    if (e->layouts->fetched[i].operation == (int)index) return true;
  }
  return false;
}

static bool is_lined(const gg_items *e, size_t index) {
  for (size_t i = 0; i < e->layouts->lined_count; i++) {
    if (e->layouts->lined[i].operation == (int)index) return true;
  }
  return false;
}

static bool is_staged(const gg_items *e, size_t index) {
  for (size_t i = 0; i < e->layouts->result_count; i++) {
    if (e->layouts->results[i].operation == (int)index) return true;
  }
  return false;
}

gg_item gg_item_of(const gg_items *e, size_t index) {
  const gg_plan *plan = e->plan;
  gg_item out = {.operation = &plan->operations[index],
                 .of = e,
                 .span = gg_operation_span(&plan->operations[index])};
  gg_operation_name(out.name, plan->operations, index);
  out.fetched = is_fetched(e, index);
  out.lined = is_lined(e, index);
  out.staged = is_staged(e, index);
  out.ahead = gg_operation_reads_vector(out.operation) && plan->vector_buffers > 0;
  bool columns = out.span == GG_SPAN_COLUMNS || out.span == GG_SPAN_MATRIX;
  out.halves = columns && gg_plan_is_split(plan);
  return out;
}

bool gg_item_is_read(const gg_item *it) {
  return it->span != GG_SPAN_NONE && !gg_operation_writes(it->operation);
}

void gg_item_write_cell_step(gg_str *out, const gg_items *e, bool rows) {
  const gg_skeleton *skeleton = &gg_skeletons[e->plan->target->id];
  if (rows ? e->layouts->twins_m : e->layouts->twins_n)
    gg_str_puts(out, rows ? "half_row(i % down)" : "twins_column(i / down)");
  else if (rows)
    gg_str_printf(out, "i %% down * %d", skeleton->cell_rows);
  else
    gg_str_printf(out, "i / down * %d", skeleton->cell_columns);
}

void gg_item_write_step(gg_str *out, const char *text, const gg_item *it, gg_item_number x) {
  for (; *text; text++) {
    if (*text == '@') {
      gg_str_puts(out, it->name);
    } else if (*text == '$' && (text[1] == 'r' || text[1] == 'c')) {
      gg_item_write_cell_step(out, it->of, *++text == 'r');
    } else if (*text == '$' && (text[1] == 'l' || text[1] == 'h')) {
      gg_literal_write(out, (double)it->operation->numbers[*++text == 'h'], true);
    } else if (*text == '$' && text[1] >= '1' && text[1] <= '9') {
      size_t index = gg_operation_operand(it->of->plan->operations, *++text - '0');
      gg_item operand = gg_item_of(it->of, index);
      gg_item_write_step(out, gg_item_spans[operand.span].values[x.value], &operand, x);
    } else if (*text == '$' && text[1] == 'x') {
      gg_str_puts(out, x.name);
      text++;
    } else if (*text == '$') {
      gg_item_write_step(out, gg_item_spans[it->span].values[x.value], it, x);
      text++;
    } else {
      gg_str_putc(out, *text);
    }
  }
}

void gg_item_write(gg_str *out, const char *text, const gg_item *it) {
  gg_item_write_step(out, text, it, (gg_item_number){"", 0});
}
