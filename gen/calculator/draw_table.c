/* Layouts as tables of text, and the grid that the drawings share. */
#include "calculator/grid.h"
#include "layout/calc.h"
#include "layout/conflicts.h"

/* ---- The grid ---------------------------------------------------------------------------- */

gg_status gg_grid_of(gg_grid *out, const gg_tuple *shape, int64_t cells, gg_error *err) {
  int64_t size;
  gg_calc c = GG_CALC("drawing", err);
  gg_status st = gg_tuple_product(&size, shape, err);
  if (st) return st;
  if (size < 1 || size > cells) {
    return gg_fail(err, LAYOUT_DRAWING, NULL, (long long)size, (int)cells);
  }
  int rank = gg_tuple_rank(shape);
  gg_grid g = {.rows = 1, .shape = *shape};
  g.row_shape = g.column_shape = gg_tuple_int(1);
  if (rank > 1) g.row_shape = gg_tuple_sub(shape, gg_tuple_child(shape, 0, 0));
  if (rank > 0) g.column_shape = gg_tuple_sub(shape, gg_tuple_child(shape, 0, rank > 1));
  g.rows = (int)gg_product_at(&c, &g.row_shape, 0).value;
  g.columns = g.fold = (int)gg_product_at(&c, &g.column_shape, 0).value;
  g.panels = (int)(size / ((int64_t)g.rows * g.columns));
  *out = g;
  return c.status;
}

void gg_grid_fold(gg_grid *g, int width, int room) {
  int fits = room / width > 0 ? room / width : 1, unit = 1;
  if (g->columns <= fits) return;
  int64_t period = 1;
  GG_EACH_LEAF(i, &g->column_shape) {
    period *= g->column_shape.nodes[i].value;
    if (period <= fits) unit = (int)period;
  }
  if (unit < 8 && fits >= 8) unit = 8;
  int blocks = (g->columns + fits - 1) / fits, even = (g->columns + blocks - 1) / blocks;
  int rounded = (even + unit - 1) / unit * unit;
  g->fold = rounded <= fits ? rounded : fits - fits % unit;
}

int64_t gg_grid_size(const gg_grid *g) {
  return (int64_t)g->rows * g->columns * g->panels;
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

gg_status gg_grid_panel_name(gg_str *out, const gg_grid *g, int panel, gg_error *err) {
  gg_tuple rest, coord, index = gg_tuple_int(panel);
  gg_status st = gg_tuple_take(&rest, &g->shape, 2, gg_tuple_rank(&g->shape), err);
  if (!st) st = gg_idx2crd(&coord, &index, &rest, err);
  if (st) return st;
  gg_str_puts(out, "(_,_");
  GG_EACH_CHILD(child, &coord, 0) {
    gg_tuple mode = gg_tuple_sub(&coord, child);
    gg_str_putc(out, ',');
    gg_tuple_print(out, &mode, GG_NOTATION_PLAIN);
  }
  gg_str_puts(out, ")");
  return GG_OK;
}

/* ---- Holders ------------------------------------------------------------------------------ */

gg_status gg_tv_holders(gg_holder **out, const gg_tv_view *view, const gg_grid *g, gg_arena *arena,
                        gg_error *err) {
  int64_t cells = gg_grid_size(g), size = gg_layout_size(&view->tv);
  gg_status st = gg_tv_check("drawing", &view->tv, cells, err);
  if (st) return st;
  gg_holder *holders = GG_ARENA_ARRAY(arena, gg_holder, (size_t)cells);
  if (!holders) return gg_fail(err, MEMORY, NULL, "");
  int64_t threads = gg_layout_mode_size(&view->tv, 0);
  for (int64_t i = 0; i < size; i++) {
    int64_t at = gg_layout_at(&view->tv, i);
    if (view->row_major) at = at / g->columns + at % g->columns * g->rows;
    if (holders[at].count++ > 0) continue;
    holders[at].thread = i % threads;
    holders[at].value = i / threads;
  }
  *out = holders;
  return GG_OK;
}

/* ---- Text -------------------------------------------------------------------------------- */

enum { line_width = 132, shown_first = 8, shown_last = 2 };

/* What a table shows of its grid: everything, or only the ends of long modes. */
typedef struct table {
  gg_str *out;
  const gg_grid *grid;
  gg_cell_fn put;
  const void *of;
  int width; /* of a cell */
  bool compact;
} table;

static bool is_shown(const table *t, int at, int of) {
  return !t->compact || of <= shown_first + shown_last + 1 || at < shown_first ||
         at >= of - shown_last;
}

/* Whether this is the place of the gap that stands for all that is not shown. */
static bool is_gap(const table *t, int at, int of) {
  return at == shown_first && !is_shown(t, at, of);
}

/* Finds the width of the longest cell; headings count too. */
static gg_status measure(table *t, gg_error *err) {
  const gg_grid *g = t->grid;
  gg_str cell = GG_STR_INIT;
  gg_status st = GG_OK;
  size_t width = 1;
  for (int n = g->columns > g->rows ? g->columns - 1 : g->rows - 1; n >= 10; n /= 10)
    width++;
  for (int panel = 0; panel < g->panels; panel++) {
    for (int column = 0; is_shown(t, panel, g->panels) && column < g->columns; column++) {
      for (int row = 0; is_shown(t, column, g->columns) && row < g->rows && !st; row++) {
        if (!is_shown(t, row, g->rows)) continue;
        cell.length = 0;
        st = t->put(&cell, t->of, gg_grid_index(g, panel, row, column), err);
        if (cell.length > width) width = cell.length;
      }
    }
  }
  if (!st && cell.failed) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&cell);
  t->width = (int)width;
  return st;
}

static bool is_heavy(const gg_tuple *shape, int at) {
  return at == 0 || (!gg_tuple_is_int(shape) && gg_grid_level(shape, at) > 0);
}

static void put_border(const table *t, int first, int last) {
  const gg_grid *g = t->grid;
  gg_str_printf(t->out, "%*s", t->width, "");
  for (int column = first; column < last; column++) {
    if (is_gap(t, column, g->columns)) gg_str_puts(t->out, "----");
    if (!is_shown(t, column, g->columns)) continue;
    bool heavy = column == first || is_heavy(&g->column_shape, column);
    gg_str_puts(t->out, heavy ? (column > first ? "-+-" : " +-") : "--");
    for (int i = 0; i < t->width; i++)
      gg_str_putc(t->out, '-');
  }
  gg_str_puts(t->out, "-+\n");
}

static void put_header(const table *t, int first, int last) {
  const gg_grid *g = t->grid;
  gg_str_printf(t->out, "%*s", t->width, "");
  for (int column = first; column < last; column++) {
    if (is_gap(t, column, g->columns)) gg_str_puts(t->out, "    ");
    if (!is_shown(t, column, g->columns)) continue;
    bool heavy = column == first || is_heavy(&g->column_shape, column);
    gg_str_printf(t->out, "%s%*d", heavy ? "   " : "  ", t->width, column);
  }
  gg_str_putc(t->out, '\n');
}

static gg_status put_row(const table *t, int panel, int row, int first, int last, gg_error *err) {
  const gg_grid *g = t->grid;
  gg_str cell = GG_STR_INIT;
  gg_status st = GG_OK;
  gg_str_printf(t->out, "%*d", t->width, row);
  for (int column = first; column < last && !st; column++) {
    if (is_gap(t, column, g->columns)) gg_str_puts(t->out, " .. ");
    if (!is_shown(t, column, g->columns)) continue;
    cell.length = 0;
    st = t->put(&cell, t->of, gg_grid_index(g, panel, row, column), err);
    bool heavy = column == first || is_heavy(&g->column_shape, column);
    gg_str_printf(t->out, "%s%*s", heavy ? " | " : "  ", t->width, gg_str_text(&cell));
  }
  t->out->failed = t->out->failed || cell.failed;
  gg_str_puts(t->out, " |\n");
  gg_str_free(&cell);
  return st;
}

static gg_status put_block(const table *t, int panel, int first, int last, gg_error *err) {
  const gg_grid *g = t->grid;
  gg_status st = GG_OK;
  put_header(t, first, last);
  for (int row = 0; row < g->rows && !st; row++) {
    if (is_gap(t, row, g->rows)) gg_str_printf(t->out, "%*s\n", t->width, "..");
    if (!is_shown(t, row, g->rows)) continue;
    if (is_heavy(&g->row_shape, row)) put_border(t, first, last);
    st = put_row(t, panel, row, first, last, err);
  }
  put_border(t, first, last);
  return st;
}

gg_status gg_grid_table(gg_str *out, gg_grid *g, gg_cell_fn put, const void *of, bool compact,
                        gg_error *err) {
  table t = {.out = out, .grid = g, .put = put, .of = of, .compact = compact};
  gg_status st = measure(&t, err);
  if (!compact) gg_grid_fold(g, t.width + 2, line_width - t.width);
  for (int panel = 0; panel < g->panels && !st; panel++) {
    if (is_gap(&t, panel, g->panels)) gg_str_puts(out, "..\n");
    if (!is_shown(&t, panel, g->panels)) continue;
    if (gg_tuple_rank(&g->shape) > 2) {
      if ((st = gg_grid_panel_name(out, g, panel, err))) break;
      gg_str_puts(out, ":\n");
    }
    for (int first = 0; first < g->columns && !st; first += g->fold) {
      int last = g->columns - first < g->fold ? g->columns : first + g->fold;
      st = put_block(&t, panel, first, last, err);
    }
  }
  return st;
}

/* ---- Offsets ------------------------------------------------------------------------------ */

static gg_status put_offset(gg_str *out, const void *of, int64_t index, gg_error *err) {
  gg_tuple at;
  gg_status st = gg_tensor_at(&at, of, index, err);
  if (!st) gg_tuple_print(out, &at, GG_NOTATION_PLAIN);
  return st;
}

gg_status gg_draw_table(gg_str *out, const gg_tensor *t, bool compact, gg_error *err) {
  gg_grid g;
  int64_t cells = compact ? gg_grid_cells_most : gg_grid_cells;
  gg_status st = gg_grid_of(&g, &t->layout.layout.shape, cells, err);
  return st ? st : gg_grid_table(out, &g, put_offset, t, compact, err);
}

/* ---- Threads and values -------------------------------------------------------------------- */

/* Appends a holder, such as "T5V0"; where more threads hold the element, with their number:
 * "T0V0+3". */
static gg_status put_holder(gg_str *out, const void *of, int64_t index, gg_error *err) {
  const gg_holder *holder = (const gg_holder *)of + index;
  (void)err;
  if (holder->count == 0) gg_str_putc(out, '-');
  if (holder->count == 0) return GG_OK;
  gg_str_printf(out, "T%lldV%lld", (long long)holder->thread, (long long)holder->value);
  if (holder->count > 1) gg_str_printf(out, "+%lld", (long long)holder->count - 1);
  return GG_OK;
}

gg_status gg_draw_thread_table(gg_str *out, const gg_tv_view *views, int count, bool compact,
                               gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_status st = GG_OK;
  for (int i = 0; i < count && !st; i++) {
    gg_grid g;
    gg_holder *holders;
    if ((st = gg_grid_of(&g, &views[i].tile, compact ? GG_TV_MAX : gg_grid_cells, err))) break;
    if ((st = gg_tv_holders(&holders, &views[i], &g, &arena, err))) break;
    if (views[i].name[0]) gg_str_printf(out, "%s\n", views[i].name);
    st = gg_grid_table(out, &g, put_holder, holders, compact, err);
  }
  gg_arena_free(&arena);
  return st;
}
