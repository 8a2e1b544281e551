/* Draws a grid of cells as SVG, each with a colour and one or two lines of text. Sizes are in CSS
 * pixels; fonts are the viewer's sans-serif.
 *
 * A picture much wider than a screen cannot be read at once, and a viewer that shrinks it makes it
 * unreadable. It is therefore folded into blocks of columns, one below the other. In the compact
 * form a cell is a small square, and the viewer shows its text under the pointer. */
#include "calculator/picture.h"

#include <stdio.h>
#include <string.h>

#include "layout/calc.h"

enum {
  cell_height = 26,
  second_line = 10,
  compact_cell = 10,
  header = 20,
  row_header = 24,
  panel_gap = 14,
  panel_name = 16,
  title_line = 26,
  note_line = 18,
  legend_line = 26,
};

/* ---- Colours ----------------------------------------------------------------------------- */

static gg_colour mix(gg_colour a, gg_colour b, double t) {
  return (gg_colour){(int)(a.r + t * (b.r - a.r)), (int)(a.g + t * (b.g - a.g)),
                     (int)(a.b + t * (b.b - a.b))};
}

gg_colour gg_colour_ramp(double t) {
  static const gg_colour stops[] = {
      {247, 252, 240}, {204, 235, 197}, {123, 204, 196}, {43, 140, 190}, {8, 64, 129}};
  double x = t * 4;
  int i = x >= 4 ? 3 : (int)x;
  return mix(stops[i], stops[i + 1], x - i);
}

gg_colour gg_colour_hue(int index) {
  static const gg_colour hues[] = {{141, 211, 199}, {255, 242, 158}, {190, 186, 218},
                                   {251, 154, 143}, {147, 191, 224}, {253, 191, 120},
                                   {186, 222, 130}, {247, 190, 218}};
  return hues[index & 7];
}

gg_colour gg_colour_thread(int64_t thread) {
  const gg_colour white = {255, 255, 255};
  return mix(gg_colour_hue((int)(thread / 4 % 8)), white, (double)(thread % 4) * 0.2);
}

static bool is_dark(gg_colour c) {
  return 299 * c.r + 587 * c.g + 114 * c.b < 130 * 1000;
}

/* ---- Primitives -------------------------------------------------------------------------- */

void gg_svg_open(gg_str *out, int width, int height) {
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

void gg_svg_close(gg_str *out) {
  gg_str_puts(out, "</svg>\n");
}

/* Puts a text, centred on y by the height of digits. Renderers differ in how they treat baselines,
 * so none of their own alignments is used. */
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

static void open_rect(gg_str *out, double x, double y, double w, double h, gg_colour c) {
  gg_str_printf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "fill=\"#%02x%02x%02x\"",
                x, y, w, h, c.r, c.g, c.b);
}

static void put_rect(gg_str *out, double x, double y, double w, double h, gg_colour c) {
  open_rect(out, x, y, w, h, c);
  gg_str_puts(out, "/>\n");
}

/* ---- The grid ---------------------------------------------------------------------------- */

gg_status gg_picture_start(gg_picture *p, gg_arena *arena, const gg_tuple *shape, gg_error *err) {
  int64_t most = p->compact ? gg_grid_cells_compact : gg_grid_cells;
  gg_status st = gg_grid_of(&p->grid, shape, most, err);
  if (st) return st;
  int64_t count = gg_grid_size(&p->grid);
  p->cells = GG_ARENA_ARRAY(arena, gg_cell, (size_t)count);
  if (!p->cells) return gg_fail(err, MEMORY, NULL, "");
  for (int64_t i = 0; i < count; i++)
    p->cells[i].fill = (gg_colour){255, 255, 255};
  if (!p->note) p->note = "";
  p->cell_width = p->compact ? compact_cell : 34;
  p->cell_height = p->compact     ? compact_cell
                   : p->two_lines ? cell_height + second_line
                                  : cell_height;
  return GG_OK;
}

void gg_picture_widen(gg_picture *p, const char *text) {
  int width = (int)strlen(text) * 7 + 12;
  if (!p->compact && width > p->cell_width) p->cell_width = width;
}

static double weight_of(const gg_tuple *shape, int at, int end) {
  if (at == 0 || at == end) return 1.8;
  int level = gg_grid_level(shape, at);
  if (gg_tuple_is_int(shape) || level == 0) return 0.4;
  return 0.6 + 0.7 * level;
}

static void put_cell(gg_str *out, const gg_picture *p, const gg_cell *c, double x, double y) {
  double w = p->cell_width, h = p->cell_height;
  if (p->compact) {
    open_rect(out, x, y, w, h, c->fill);
    gg_str_puts(out, "><title>");
    gg_str_xml(out, c->text);
    if (c->second[0]) gg_str_putc(out, ' ');
    gg_str_xml(out, c->second);
    gg_str_puts(out, "</title></rect>\n");
    return;
  }
  const char *tone = is_dark(c->fill) ? "light" : "";
  put_rect(out, x, y, w, h, c->fill);
  put_text(out, x + w / 2, y + h / 2 - (p->two_lines ? 6.5 : 0), tone, c->text);
  if (p->two_lines) put_text(out, x + w / 2, y + h / 2 + 7.5, tone, c->second);
}

/* Whether a row or column gets its number. The compact form has room for one in eight. */
static bool has_number(const gg_picture *p, int at) {
  return !p->compact || at % 8 == 0;
}

static void put_numbers(gg_str *out, const gg_picture *p, int first, int last, double x, double y) {
  double w = p->cell_width, h = p->cell_height;
  char number[32];
  for (int column = first; column < last; column++) {
    if (p->banks > 1) {
      snprintf(number, sizeof number, "%d-%d", column * p->banks, (column + 1) * p->banks - 1);
    } else {
      snprintf(number, sizeof number, "%d", column);
    }
    if (has_number(p, column)) {
      put_text(out, x + w * (column - first + 0.5), y - 9, "head", number);
    }
  }
  for (int row = 0; p->grid.rows > 1 && row < p->grid.rows; row++) {
    snprintf(number, sizeof number, "%d", row);
    if (has_number(p, row)) put_text(out, x - 12, y + h * (row + 0.5), "head", number);
  }
}

/* Draws the columns from `first` to `last`. */
static void put_block(gg_str *out, const gg_picture *p, int panel, int first, int last, double x,
                      double y) {
  const gg_grid *g = &p->grid;
  double w = p->cell_width, h = p->cell_height;
  double right = x + w * (last - first), bottom = y + h * g->rows;
  put_numbers(out, p, first, last, x, y);
  for (int row = 0; row < g->rows; row++) {
    for (int column = first; column < last; column++) {
      const gg_cell *c = &p->cells[gg_grid_index(g, panel, row, column)];
      put_cell(out, p, c, x + w * (column - first), y + h * row);
    }
  }
  for (int row = 0; row <= g->rows; row++) {
    put_line(out, x, y + h * row, right, y + h * row, weight_of(&g->row_shape, row, g->rows));
  }
  for (int column = first; column <= last; column++) {
    double at = x + w * (column - first);
    int edge = column == first ? 0 : column;
    put_line(out, at, y, at, bottom, weight_of(&g->column_shape, edge, last));
  }
}

/* Draws the legend: which colour stands for which banks. */
static void put_legend(gg_str *out, double x, double y) {
  for (int i = 0; i < 8; i++) {
    char banks[32];
    snprintf(banks, sizeof banks, "%d-%d", 4 * i, 4 * i + 3);
    put_rect(out, x + 62 * i, y - 7, 14, 14, gg_colour_hue(i));
    put_text(out, x + 62 * i + 18, y, "note", banks);
  }
}

/* ---- The whole ---------------------------------------------------------------------------- */

static int blocks_of(const gg_grid *g) {
  return (g->columns + g->fold - 1) / g->fold;
}

static int block_height(const gg_picture *p) {
  return header + p->grid.rows * p->cell_height;
}

static int left_of(const gg_picture *p) {
  return p->grid.rows > 1 ? row_header : 0;
}

static int name_line(const gg_picture *p) {
  return gg_tuple_rank(&p->grid.shape) > 2 ? panel_name : 0;
}

static int top_of(const gg_picture *p) {
  return (p->title[0] ? title_line : 0) + (p->note[0] ? note_line : 0);
}

/* The picture must be wide enough for its title, too; letters of the bold title take about 8
 * pixels. */
void gg_picture_measure(gg_picture *p, int *width, int *height) {
  gg_grid_fold(&p->grid, p->cell_width, GG_PICTURE_WIDEST);
  const gg_grid *g = &p->grid;
  int texts[] = {(int)strlen(p->title) * 8, (int)strlen(p->note) * 6, p->legend ? 62 * 8 : 0};
  int blocks = g->panels * blocks_of(g);
  *width = left_of(p) + g->fold * p->cell_width;
  for (int i = 0; i < 3; i++) {
    if (texts[i] > *width) *width = texts[i];
  }
  *height = top_of(p) + g->panels * name_line(p) + blocks * block_height(p) +
            (blocks - 1) * panel_gap + (p->legend ? legend_line : 0);
}

void gg_picture_put(gg_str *out, const gg_picture *p, int x, int y) {
  const gg_grid *g = &p->grid;
  int left = x + left_of(p);
  if (p->title[0]) put_text(out, x, y + 4, "title", p->title);
  if (p->note[0]) put_text(out, x, y + (p->title[0] ? title_line - 2 : 4), "note", p->note);
  y += top_of(p);
  for (int panel = 0; panel < g->panels; panel++) {
    gg_str name = GG_STR_INIT;
    if (name_line(p) && !gg_grid_panel_name(&name, g, panel, NULL)) {
      put_text(out, left, y + 6, "note", gg_str_text(&name));
    }
    out->failed = out->failed || name.failed;
    gg_str_free(&name);
    y += name_line(p);
    for (int first = 0; first < g->columns; first += g->fold) {
      int last = g->columns - first < g->fold ? g->columns : first + g->fold;
      put_block(out, p, panel, first, last, left, y + header);
      y += block_height(p) + panel_gap;
    }
  }
  if (p->legend) put_legend(out, left, y + legend_line - panel_gap - 4);
}

void gg_picture_file(gg_str *out, gg_picture *p) {
  int width, height, margin = GG_PICTURE_MARGIN;
  gg_picture_measure(p, &width, &height);
  gg_svg_open(out, width + 2 * margin, height + 2 * margin);
  gg_picture_put(out, p, margin, margin);
  gg_svg_close(out);
}
