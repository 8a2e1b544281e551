/* Layouts as tables of text, and the grid that the drawings share. */
#include "layout/calc.h"
#include "layout/grid.h"

/* ---- The grid ---------------------------------------------------------------------------- */

gg_status gg_grid_of(gg_grid *out, const gg_tuple *shape, gg_error *err) {
  int64_t size;
  gg_calc c = GG_CALC("drawing", err);
  gg_status st = gg_tuple_product(&size, shape, err);
  if (st) return st;
  if (size < 1 || size > gg_grid_cells) {
    return gg_fail(err, LAYOUT_DRAWING, NULL, (long long)size, (int)gg_grid_cells);
  }
  int rank = gg_tuple_rank(shape);
  gg_grid g = {1, 1, 1, gg_tuple_int(1), gg_tuple_int(1)};
  if (rank > 1) g.row_shape = gg_tuple_sub(shape, gg_tuple_child(shape, 0, 0));
  if (rank > 0) g.column_shape = gg_tuple_sub(shape, gg_tuple_child(shape, 0, rank > 1));
  g.rows = (int)gg_product_at(&c, &g.row_shape, 0).value;
  g.columns = (int)gg_product_at(&c, &g.column_shape, 0).value;
  g.panels = (int)size / (g.rows * g.columns);
  *out = g;
  return c.status;
}

int64_t gg_grid_index(const gg_grid *g, int panel, int row, int column) {
  return row + (int64_t)g->rows * (column + (int64_t)g->columns * panel);
}

int gg_grid_level(const gg_tuple *shape, int at) {
  int level = 0;
  int64_t period = 1;
  GG_EACH_LEAF(i, shape) {
    period *= shape->nodes[i].value;
    if (at % period != 0) break;
    level++;
  }
  return level;
}

/* ---- Text -------------------------------------------------------------------------------- */

static gg_status put_cell(gg_str *out, const gg_tensor *t, int64_t index, gg_error *err) {
  gg_tuple at;
  gg_status st = gg_tensor_at(&at, t, index, err);
  if (!st) gg_tuple_print(out, &at, GG_NOTATION_PLAIN);
  return st;
}

/* The longest cell; headers count too. */
static gg_status cell_width(int *out, const gg_tensor *t, const gg_grid *g, gg_error *err) {
  gg_str cell = GG_STR_INIT;
  gg_status st = GG_OK;
  size_t width = 1;
  for (int n = g->columns > g->rows ? g->columns - 1 : g->rows - 1; n >= 10; n /= 10)
    width++;
  int64_t size = (int64_t)g->rows * g->columns * g->panels;
  for (int64_t i = 0; i < size && !st; i++) {
    cell.length = 0;
    st = put_cell(&cell, t, i, err);
    if (cell.length > width) width = cell.length;
  }
  if (!st && cell.failed) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&cell);
  *out = (int)width;
  return st;
}

static bool is_heavy(const gg_tuple *shape, int at) {
  return at == 0 || (!gg_tuple_is_int(shape) && gg_grid_level(shape, at) > 0);
}

static void put_border(gg_str *out, const gg_grid *g, int width) {
  gg_str_printf(out, "%*s", width, "");
  for (int column = 0; column < g->columns; column++) {
    gg_str_puts(out, is_heavy(&g->column_shape, column) ? (column ? "-+-" : " +-") : "--");
    for (int i = 0; i < width; i++)
      gg_str_putc(out, '-');
  }
  gg_str_puts(out, "-+\n");
}

static void put_header(gg_str *out, const gg_grid *g, int width) {
  gg_str_printf(out, "%*s", width, "");
  for (int column = 0; column < g->columns; column++) {
    gg_str_puts(out, is_heavy(&g->column_shape, column) ? "   " : "  ");
    gg_str_printf(out, "%*d", width, column);
  }
  gg_str_putc(out, '\n');
}

static gg_status put_row(gg_str *out, const gg_tensor *t, const gg_grid *g, int panel, int row,
                         int width, gg_error *err) {
  gg_str cell = GG_STR_INIT;
  gg_status st = GG_OK;
  gg_str_printf(out, "%*d", width, row);
  for (int column = 0; column < g->columns && !st; column++) {
    cell.length = 0;
    st = put_cell(&cell, t, gg_grid_index(g, panel, row, column), err);
    gg_str_puts(out, is_heavy(&g->column_shape, column) ? " | " : "  ");
    gg_str_printf(out, "%*s", width, gg_str_text(&cell));
  }
  out->failed = out->failed || cell.failed;
  gg_str_puts(out, " |\n");
  gg_str_free(&cell);
  return st;
}

/* "(_,_,1,0):" over each further grid. */
static gg_status put_panel_name(gg_str *out, const gg_tuple *shape, int panel, gg_error *err) {
  gg_tuple rest, coord, index = gg_tuple_int(panel);
  gg_status st = gg_tuple_take(&rest, shape, 2, gg_tuple_rank(shape), err);
  if (!st) st = gg_idx2crd(&coord, &index, &rest, err);
  if (st) return st;
  gg_str_puts(out, "(_,_");
  GG_EACH_CHILD(child, &coord, 0) {
    gg_tuple mode = gg_tuple_sub(&coord, child);
    gg_str_putc(out, ',');
    gg_tuple_print(out, &mode, GG_NOTATION_PLAIN);
  }
  gg_str_puts(out, "):\n");
  return GG_OK;
}

gg_status gg_draw_table(gg_str *out, const gg_tensor *t, gg_error *err) {
  gg_grid g;
  int width;
  gg_status st;
  const gg_tuple *shape = &t->layout.layout.shape;
  if ((st = gg_grid_of(&g, shape, err))) return st;
  if ((st = cell_width(&width, t, &g, err))) return st;
  for (int panel = 0; panel < g.panels && !st; panel++) {
    if (gg_tuple_rank(shape) > 2 && (st = put_panel_name(out, shape, panel, err))) return st;
    put_header(out, &g, width);
    for (int row = 0; row < g.rows && !st; row++) {
      if (is_heavy(&g.row_shape, row)) put_border(out, &g, width);
      st = put_row(out, t, &g, panel, row, width, err);
    }
    put_border(out, &g, width);
  }
  return st;
}
