/* Layouts, the banks that they fall in, and swizzles as SVG. */
#include <stdio.h>

#include "calculator/picture.h"
#include "layout/calc.h"

/* ---- A layout ---------------------------------------------------------------------------- */

/* The tensor's text, for the title. A tensor whose base is 0 is written as just its layout. */
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

static gg_status fill_offsets(gg_picture *p, const gg_tensor *t, int64_t *least, int64_t *most,
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
    gg_picture_widen(p, p->cells[i].text);
    int64_t offset = gg_tuple_is_int(&at) ? at.nodes[0].value : i;
    if (i == 0 || offset < *least) *least = offset;
    if (i == 0 || offset > *most) *most = offset;
  }
  return GG_OK;
}

gg_status gg_draw_layout(gg_str *out, const gg_tensor *t, bool compact, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_str title = title_of(t);
  gg_picture p = {.title = gg_str_text(&title), .compact = compact};
  int64_t least = 0, most = 0;
  gg_tuple at;
  gg_status st = gg_picture_start(&p, &arena, &t->layout.layout.shape, err);
  if (!st) st = fill_offsets(&p, t, &least, &most, err);
  for (int64_t i = 0; !st && i < gg_composed_size(&t->layout); i++) {
    st = gg_tensor_at(&at, t, i, err);
    if (st) break;
    int64_t offset = gg_tuple_is_int(&at) ? at.nodes[0].value : i;
    double range = (double)most - (double)least, above = (double)offset - (double)least;
    p.cells[i].fill = gg_colour_ramp(range > 0 ? above / range * 0.9 : 0.1);
  }
  if (!st) gg_picture_file(out, &p);
  out->failed = out->failed || title.failed;
  gg_str_free(&title);
  gg_arena_free(&arena);
  return st;
}

/* ---- Banks -------------------------------------------------------------------------------- */

gg_status gg_draw_banks(gg_str *out, const gg_tensor *t, int bits, bool compact, gg_error *err) {
  if (bits < 1 || bits > 1024) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "drawing", "elements have 1 to 1024 bits");
  }
  if (gg_layout_has_basis(&t->layout.layout)) return gg_fail(err, LAYOUT_BASIS, NULL, "drawing");
  gg_arena arena = GG_ARENA_INIT;
  gg_str title = title_of(t);
  char note[160];
  snprintf(note, sizeof note,
           "offsets of %d-bit elements, coloured by the banks of shared memory they fall in", bits);
  gg_picture p = {.title = gg_str_text(&title), .note = note, .legend = true, .compact = compact};
  int64_t least = 0, most = 0;
  gg_status st = gg_picture_start(&p, &arena, &t->layout.layout.shape, err);
  if (!st) st = fill_offsets(&p, t, &least, &most, err);
  for (int64_t i = 0; !st && i < gg_composed_size(&t->layout); i++) {
    uint64_t bit = (uint64_t)gg_tensor_offset(t, i) * (uint64_t)bits;
    p.cells[i].fill = gg_colour_hue((int)(bit / 128 % 8));
  }
  if (!st) gg_picture_file(out, &p);
  out->failed = out->failed || title.failed;
  gg_str_free(&title);
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
  gg_picture p = {.title = title, .note = note, .banks = (int)(unit / 4)};
  gg_status st = gg_picture_start(&p, &arena, &shape, err);
  for (int64_t i = 0; !st && i < rows * columns; i++) {
    int64_t row = i % rows, column = i / rows;
    int64_t from = gg_swizzle_apply(sw, row * 128 + column * unit); /* inverts itself */
    gg_cell *c = &p.cells[i];
    c->fill = gg_colour_hue((int)(from % 128 / (unit > 16 ? unit : 16)));
    snprintf(c->text, sizeof c->text, "%lld.%lld", (long long)(from / 128),
             (long long)(from % 128 / unit));
    gg_picture_widen(&p, c->text);
  }
  if (!st) gg_picture_file(out, &p);
  gg_arena_free(&arena);
  return st;
}
