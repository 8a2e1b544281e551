/* Layouts as SVG. One routine draws a grid of cells, each with a colour and one or two lines of
 * text; the kinds of pictures differ in what they put into a cell, and in the legend. Sizes are
 * in CSS pixels; fonts are the viewer's sans-serif. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "layout/calc.h"
#include "layout/grid.h"

enum { margin = 18, cell_height = 26, header = 20, panel_gap = 30, title_height = 40 };

/* ---- Colours ----------------------------------------------------------------------------- */

typedef struct colour {
  int r, g, b;
} colour;

static colour mix(colour a, colour b, double t) {
  return (colour){(int)(a.r + t * (b.r - a.r)), (int)(a.g + t * (b.g - a.g)),
                  (int)(a.b + t * (b.b - a.b))};
}

/* From pale green over teal to deep blue: order reads in grey too. */
static colour ramp(double t) {
  static const colour stops[] = {
      {247, 252, 240}, {204, 235, 197}, {123, 204, 196}, {43, 140, 190}, {8, 64, 129}};
  double x = t * 4;
  int i = x >= 4 ? 3 : (int)x;
  return mix(stops[i], stops[i + 1], x - i);
}

/* Eight pale hues that stay apart, for banks and groups of threads. */
static colour hue(int index) {
  static const colour hues[] = {{141, 211, 199}, {255, 242, 158}, {190, 186, 218}, {251, 154, 143},
                                {147, 191, 224}, {253, 191, 120}, {186, 222, 130}, {247, 190, 218}};
  return hues[index & 7];
}

/* Quads of threads share a hue, its lanes go from the full colour to the pale. */
static colour thread_colour(int64_t thread) {
  const colour white = {255, 255, 255};
  return mix(hue((int)(thread / 4 % 8)), white, (double)(thread % 4) * 0.2);
}

static bool is_dark(colour c) {
  return 299 * c.r + 587 * c.g + 114 * c.b < 130 * 1000;
}

/* ---- Primitives -------------------------------------------------------------------------- */

static void open_svg(gg_str *out, int width, int height) {
  gg_str_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\">\n"
                "<style>text{font-family:Helvetica,Arial,sans-serif;text-anchor:middle;"
                "font-size:11px;fill:#1a1a1a}"
                ".title{font-size:14px;font-weight:bold;text-anchor:start}"
                ".note{text-anchor:start;fill:#555}"
                ".head{fill:#777;font-size:10px}"
                ".light{fill:#fff}.small{font-size:9px}"
                "line{stroke:#222;stroke-linecap:square}</style>\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                width, height, width, height, width, height);
}

static void close_svg(gg_str *out) {
  gg_str_puts(out, "</svg>\n");
}

/* Centred on y by the height of digits: renderers differ in what they make of baselines. */
static void put_text(gg_str *out, double x, double y, const char *kind, const char *text) {
  gg_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" dy=\".36em\"%s%s%s>", x, y,
                *kind ? " class=\"" : "", kind, *kind ? "\"" : "");
  gg_str_xml(out, text);
  gg_str_puts(out, "</text>\n");
}

static void put_line(gg_str *out, double x1, double y1, double x2, double y2, double weight) {
  gg_str_printf(out,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%.1f\"/>\n",
                x1, y1, x2, y2, weight);
}

static void put_rect(gg_str *out, double x, double y, double w, double h, colour c) {
  gg_str_printf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "fill=\"#%02x%02x%02x\"/>\n",
                x, y, w, h, c.r, c.g, c.b);
}

/* ---- The grid ---------------------------------------------------------------------------- */

typedef struct cell {
  colour fill;
  char text[48], second[24]; /* a second line, or "" */
} cell;

typedef struct picture {
  gg_grid grid;
  cell *cells; /* by gg_grid_index */
  const gg_tuple *shape;
  int cell_width;
  bool two_lines, legend; /* legend: of the banks' colours */
  int banks;              /* of a column, for its heading; 0 numbers the columns */
  const char *title, *note;
} picture;

static int cell_rows(const picture *p) {
  return p->two_lines ? cell_height + 10 : cell_height;
}

static double weight_of(const gg_tuple *shape, int at, int end) {
  if (at == 0 || at == end) return 1.8;
  int level = gg_grid_level(shape, at);
  if (gg_tuple_is_int(shape) || level == 0) return 0.4;
  return 0.6 + 0.7 * level;
}

static void put_cell(gg_str *out, const picture *p, const cell *c, double x, double y) {
  const char *tone = is_dark(c->fill) ? "light" : "";
  double w = p->cell_width, h = cell_rows(p);
  put_rect(out, x, y, w, h, c->fill);
  put_text(out, x + w / 2, y + h / 2 - (p->two_lines ? 6.5 : 0), tone, c->text);
  if (p->two_lines) put_text(out, x + w / 2, y + h / 2 + 7.5, tone, c->second);
}

static void put_panel(gg_str *out, const picture *p, int panel, double x, double y) {
  const gg_grid *g = &p->grid;
  double w = p->cell_width, h = cell_rows(p), right = x + w * g->columns, bottom = y + h * g->rows;
  char number[32];
  for (int column = 0; column < g->columns; column++) {
    if (p->banks > 1) {
      snprintf(number, sizeof number, "%d-%d", column * p->banks, (column + 1) * p->banks - 1);
    } else {
      snprintf(number, sizeof number, "%d", column);
    }
    put_text(out, x + w * (column + 0.5), y - 9, "head", number);
  }
  for (int row = 0; row < g->rows; row++) {
    snprintf(number, sizeof number, "%d", row);
    if (g->rows > 1) put_text(out, x - 12, y + h * (row + 0.5), "head", number);
    for (int column = 0; column < g->columns; column++) {
      const cell *c = &p->cells[gg_grid_index(g, panel, row, column)];
      put_cell(out, p, c, x + w * column, y + h * row);
    }
  }
  for (int row = 0; row <= g->rows; row++) {
    put_line(out, x, y + h * row, right, y + h * row, weight_of(&g->row_shape, row, g->rows));
  }
  for (int column = 0; column <= g->columns; column++) {
    double at = x + w * column;
    put_line(out, at, y, at, bottom, weight_of(&g->column_shape, column, g->columns));
  }
}

/* "(_,_,1,0)" */
static void put_panel_name(gg_str *out, const picture *p, int panel, double x, double y) {
  gg_tuple rest, coord, index = gg_tuple_int(panel);
  int rank = gg_tuple_rank(p->shape);
  if (rank < 3 || gg_tuple_take(&rest, p->shape, 2, rank, NULL)) return;
  if (gg_idx2crd(&coord, &index, &rest, NULL)) return;
  gg_str name = GG_STR_INIT;
  gg_str_puts(&name, "(_,_");
  GG_EACH_CHILD(child, &coord, 0) {
    gg_tuple mode = gg_tuple_sub(&coord, child);
    gg_str_putc(&name, ',');
    gg_tuple_print(&name, &mode, GG_NOTATION_PLAIN);
  }
  gg_str_puts(&name, ")");
  put_text(out, x, y, "note", gg_str_text(&name));
  out->failed = out->failed || name.failed;
  gg_str_free(&name);
}

/* Which colour is which banks. */
static void put_legend(gg_str *out, double x, double y) {
  for (int i = 0; i < 8; i++) {
    char banks[32];
    snprintf(banks, sizeof banks, "%d-%d", 4 * i, 4 * i + 3);
    put_rect(out, x + 62 * i, y - 7, 14, 14, hue(i));
    put_text(out, x + 62 * i + 18, y, "note", banks);
  }
}

/* Wide enough for the title too: letters of the bold title take some 8 pixels. */
static void put_picture(gg_str *out, const picture *p) {
  const gg_grid *g = &p->grid;
  int left = margin + (g->rows > 1 ? 24 : 0), note = p->note[0] ? 18 : 0;
  int panel_height = header + g->rows * cell_rows(p);
  int width = left + g->columns * p->cell_width + margin;
  int title = 2 * margin + (int)strlen(p->title) * 8, below = 2 * margin + (int)strlen(p->note) * 6;
  if (title > width) width = title;
  if (below > width) width = below;
  if (p->legend && width < 2 * margin + 62 * 8) width = 2 * margin + 62 * 8;
  int top = margin + title_height - 14 + note;
  int name = gg_tuple_rank(p->shape) > 2 ? 16 : 0;
  int height = top + g->panels * (panel_height + name) + (g->panels - 1) * (panel_gap - 16) +
               margin + (p->legend ? 26 : 0);
  open_svg(out, width, height);
  put_text(out, margin, margin + 4, "title", p->title);
  if (note) put_text(out, margin, margin + 24, "note", p->note);
  for (int panel = 0; panel < g->panels; panel++) {
    double y = top + panel * (panel_height + name + panel_gap - 16);
    put_panel_name(out, p, panel, left, y + 6);
    put_panel(out, p, panel, left, y + name + header);
  }
  if (p->legend) put_legend(out, left, height - margin - 4);
  close_svg(out);
}

static gg_status start_picture(picture *p, gg_arena *arena, const gg_tuple *shape, gg_error *err) {
  gg_status st = gg_grid_of(&p->grid, shape, err);
  if (st) return st;
  size_t count = (size_t)p->grid.rows * (size_t)p->grid.columns * (size_t)p->grid.panels;
  p->cells = GG_ARENA_ARRAY(arena, cell, count);
  p->shape = shape;
  p->note = "";
  p->cell_width = 34;
  return p->cells ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

static void widen(picture *p, const char *text) {
  int width = (int)strlen(text) * 7 + 12;
  if (width > p->cell_width) p->cell_width = width;
}

/* ---- A layout ---------------------------------------------------------------------------- */

/* The tensor's text, for the title; a tensor at 0 is just its layout. */
static gg_str title_of(const gg_tensor *t) {
  gg_str title = GG_STR_INIT;
  bool based = false;
  GG_EACH_LEAF(i, &t->base) based |= t->base.nodes[i].value != 0;
  if (based) {
    gg_tensor_print(&title, t, GG_NOTATION_PLAIN);
  } else {
    gg_composed_print(&title, &t->layout, GG_NOTATION_PLAIN);
  }
  return title;
}

static gg_status fill_offsets(picture *p, const gg_tensor *t, int64_t *least, int64_t *most,
                              gg_error *err) {
  int64_t size = gg_composed_size(&t->layout);
  gg_tuple at;
  for (int64_t i = 0; i < size; i++) {
    gg_status st = gg_tensor_at(&at, t, i, err);
    if (st) return st;
    gg_str text = GG_STR_INIT;
    gg_tuple_print(&text, &at, GG_NOTATION_PLAIN);
    snprintf(p->cells[i].text, sizeof p->cells[i].text, "%s", gg_str_text(&text));
    bool failed = text.failed;
    gg_str_free(&text);
    if (failed) return gg_fail(err, MEMORY, NULL, "");
    widen(p, p->cells[i].text);
    int64_t offset = gg_tuple_is_int(&at) ? at.nodes[0].value : i;
    if (i == 0 || offset < *least) *least = offset;
    if (i == 0 || offset > *most) *most = offset;
  }
  return GG_OK;
}

gg_status gg_draw_layout(gg_str *out, const gg_tensor *t, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_str title = title_of(t);
  picture p = {.title = gg_str_text(&title)};
  int64_t least = 0, most = 0;
  gg_tuple at;
  gg_status st = start_picture(&p, &arena, &t->layout.layout.shape, err);
  if (!st) st = fill_offsets(&p, t, &least, &most, err);
  for (int64_t i = 0; !st && i < gg_composed_size(&t->layout); i++) {
    st = gg_tensor_at(&at, t, i, err);
    if (st) break;
    int64_t offset = gg_tuple_is_int(&at) ? at.nodes[0].value : i;
    double range = (double)most - (double)least;
    p.cells[i].fill = ramp(range > 0 ? ((double)offset - (double)least) / range * 0.9 : 0.1);
  }
  if (!st) put_picture(out, &p);
  out->failed = out->failed || title.failed;
  gg_str_free(&title);
  gg_arena_free(&arena);
  return st;
}

/* ---- Banks -------------------------------------------------------------------------------- */

gg_status gg_draw_banks(gg_str *out, const gg_tensor *t, int bits, gg_error *err) {
  if (bits < 1 || bits > 1024) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "drawing", "elements have 1 to 1024 bits");
  }
  if (gg_layout_has_basis(&t->layout.layout)) return gg_fail(err, LAYOUT_BASIS, NULL, "drawing");
  gg_arena arena = GG_ARENA_INIT;
  gg_str title = title_of(t);
  char note[160];
  snprintf(note, sizeof note,
           "offsets of %d-bit elements, coloured by the banks of shared memory they fall in", bits);
  picture p = {.title = gg_str_text(&title), .legend = true};
  int64_t least = 0, most = 0;
  gg_tuple at;
  gg_status st = start_picture(&p, &arena, &t->layout.layout.shape, err);
  p.note = note;
  if (!st) st = fill_offsets(&p, t, &least, &most, err);
  for (int64_t i = 0; !st && i < gg_composed_size(&t->layout); i++) {
    st = gg_tensor_at(&at, t, i, err);
    uint64_t bit = (uint64_t)at.nodes[0].value * (uint64_t)bits;
    p.cells[i].fill = hue((int)(bit / 128 % 8));
  }
  if (!st) put_picture(out, &p);
  out->failed = out->failed || title.failed;
  gg_str_free(&title);
  gg_arena_free(&arena);
  return st;
}

/* ---- Threads and values -------------------------------------------------------------------- */

/* Fills the cells from (thread, value) -> index of the tile; a cell that several hold shows the
 * first and counts the rest. */
static gg_status fill_thread_values(picture *p, const gg_layout *tv, int64_t cells, int *holders,
                                    gg_error *err) {
  int64_t threads = gg_layout_mode_size(tv, 0), size = gg_layout_size(tv);
  for (int64_t i = 0; i < size; i++) {
    int64_t at = gg_layout_at(tv, i), thread = i % threads, value = i / threads;
    if (at < 0 || at >= cells) {
      return gg_fail(err, LAYOUT_MODE, NULL, "drawing", (long long)at, "the tile", (int)cells);
    }
    cell *c = &p->cells[at];
    if (holders[at]++ == 0) {
      c->fill = thread_colour(thread);
      snprintf(c->text, sizeof c->text, "T%lld", (long long)thread);
      snprintf(c->second, sizeof c->second, "V%lld", (long long)value);
    } else {
      snprintf(c->second, sizeof c->second, "+%d", holders[at] - 1);
    }
    widen(p, c->text);
  }
  return GG_OK;
}

gg_status gg_draw_thread_values(gg_str *out, const gg_layout *tv, const gg_tuple *tile,
                                gg_error *err) {
  if (gg_layout_rank(tv) != 2 || gg_layout_has_basis(tv)) {
    return gg_fail(err, LAYOUT_RANK, NULL, "drawing", "the layout", gg_layout_rank(tv),
                   "(thread,value)", 2);
  }
  if (gg_layout_size(tv) > 1 << 20 || gg_layout_size(tv) < 1) {
    return gg_fail(err, LAYOUT_DRAWING, NULL, (long long)gg_layout_size(tv), 1 << 20);
  }
  gg_arena arena = GG_ARENA_INIT;
  gg_str title = GG_STR_INIT, note = GG_STR_INIT;
  gg_layout_print(&title, tv, GG_NOTATION_PLAIN);
  gg_str_puts(&note, "(thread,value) over ");
  gg_tuple_print(&note, tile, GG_NOTATION_PLAIN);
  picture p = {.title = gg_str_text(&title), .two_lines = true};
  gg_status st = start_picture(&p, &arena, tile, err);
  p.note = gg_str_text(&note);
  if (!st) {
    int64_t cells = (int64_t)p.grid.rows * p.grid.columns * p.grid.panels;
    int *holders = GG_ARENA_ARRAY(&arena, int, (size_t)cells);
    for (int64_t i = 0; i < cells; i++)
      p.cells[i].fill = (colour){255, 255, 255};
    st = holders ? fill_thread_values(&p, tv, cells, holders, err) : gg_fail(err, MEMORY, NULL, "");
  }
  if (!st) put_picture(out, &p);
  out->failed = out->failed || title.failed || note.failed;
  gg_str_free(&title);
  gg_str_free(&note);
  gg_arena_free(&arena);
  return st;
}

/* ---- A swizzle ----------------------------------------------------------------------------- */

gg_status gg_draw_swizzle(gg_str *out, gg_swizzle sw, gg_error *err) {
  int64_t unit = sw.base < 7 ? (int64_t)1 << sw.base : 128, columns = 128 / unit;
  int distance = sw.shift < 0 ? -sw.shift : sw.shift;
  int top = sw.base + sw.bits + distance, row_bits = top > 7 ? top - 7 : 0;
  if (row_bits > 10) return gg_fail(err, LAYOUT_DRAWING, NULL, 1LL << row_bits, gg_grid_cells);
  int64_t rows = (int64_t)1 << row_bits;
  gg_arena arena = GG_ARENA_INIT;
  char title[64], note[160];
  snprintf(title, sizeof title, "Sw<%d,%d,%d> on bytes of shared memory", sw.bits, sw.base,
           sw.shift);
  snprintf(note, sizeof note,
           "rows of 128 B, columns by their banks; units of %lld B named and coloured by the row "
           "and column they had",
           (long long)unit);
  gg_tuple shape = GG_TUPLE(rows, columns);
  picture p = {.title = title, .banks = (int)(unit / 4)};
  gg_status st = start_picture(&p, &arena, &shape, err);
  p.note = note;
  for (int64_t i = 0; !st && i < rows * columns; i++) {
    int64_t row = i % rows, column = i / rows;
    int64_t from = gg_swizzle_apply(sw, row * 128 + column * unit); /* its own inverse */
    cell *c = &p.cells[i];
    c->fill = hue((int)(from % 128 / (unit > 16 ? unit : 16)));
    snprintf(c->text, sizeof c->text, "%lld.%lld", (long long)(from / 128),
             (long long)(from % 128 / unit));
    widen(&p, c->text);
  }
  if (!st) put_picture(out, &p);
  gg_arena_free(&arena);
  return st;
}
