/* Thread-value layouts as SVG: a single one, or those of an atom, a tiled MMA or a tiled copy
 * together.
 *
 * The operands of an MMA stand around one another as CuTe prints them: A to the left of C, whose
 * rows it shares, and B above C, whose columns it shares, with K running down. If a picture is
 * folded, they follow one below the other instead. */
#include <stdio.h>

#include "calculator/picture.h"
#include "layout/calc.h"

enum { gap = 28 };

typedef struct placed {
  gg_picture picture;
  gg_str title, note;
  int x, y, width, height;
} placed;

static void fill(gg_picture *p, const gg_holder *holders) {
  int64_t cells = gg_grid_size(&p->grid);
  for (int64_t i = 0; i < cells; i++) {
    const gg_holder *holder = &holders[i];
    gg_cell *c = &p->cells[i];
    if (holder->count == 0) continue;
    c->fill = gg_colour_thread(holder->thread);
    snprintf(c->text, sizeof c->text, "T%lld", (long long)holder->thread);
    snprintf(c->second, sizeof c->second, "V%lld", (long long)holder->value);
    if (holder->count > 1) {
      snprintf(c->second, sizeof c->second, "V%lld +%lld", (long long)holder->value,
               (long long)holder->count - 1);
    }
    gg_picture_widen(p, c->text);
    gg_picture_widen(p, c->second);
  }
}

static gg_status prepare(placed *out, const gg_tv_view *view, bool compact, gg_arena *arena,
                         gg_error *err) {
  gg_holder *holders;
  gg_status st;
  if (view->name[0]) gg_str_printf(&out->title, "%s: ", view->name);
  gg_layout_print(&out->title, &view->tv, GG_NOTATION_PLAIN);
  if (!view->name[0]) {
    gg_str_puts(&out->note, "(thread,value) over ");
    gg_tuple_print(&out->note, &view->tile, GG_NOTATION_PLAIN);
  }
  gg_picture *p = &out->picture;
  *p = (gg_picture){.two_lines = true, .compact = compact};
  p->title = gg_str_text(&out->title);
  p->note = gg_str_text(&out->note);
  if ((st = gg_picture_start(p, arena, &view->tile, err))) return st;
  if ((st = gg_tv_holders(&holders, view, &p->grid, arena, err))) return st;
  fill(p, holders);
  gg_picture_measure(p, &out->width, &out->height);
  return GG_OK;
}

/* ---- Where they stand --------------------------------------------------------------------- */

static placed *operand(placed *all, const gg_tv_view *views, int count, char name) {
  for (int i = 0; i < count; i++) {
    if (views[i].operand == name) return &all[i];
  }
  return NULL;
}

static bool is_folded(const placed *p) {
  return p->picture.grid.fold < p->picture.grid.columns;
}

static int max(int a, int b) {
  return a > b ? a : b;
}

/* Arranges A, B and C. A and C share rows, B and C columns, so their cells must have the same
 * sizes. */
static void arrange_operands(placed *a, placed *b, placed *c) {
  int cell = max(c->picture.cell_width, b ? b->picture.cell_width : 0);
  c->picture.cell_width = cell;
  if (b) b->picture.cell_width = cell;
  gg_picture_measure(&c->picture, &c->width, &c->height);
  if (b) gg_picture_measure(&b->picture, &b->width, &b->height);
  c->x = a ? a->width + gap : 0;
  c->y = b ? b->height + gap : 0;
  if (a) a->y = c->y;
  if (b) b->x = c->x;
}

/* Puts source and destination side by side where a screen has room for both. */
static void arrange_in_turn(placed *all, int count, bool folded) {
  int width = (count - 1) * gap;
  for (int i = 0; i < count; i++)
    width += all[i].width;
  bool beside = !folded && width <= GG_PICTURE_WIDEST;
  for (int i = 1; i < count; i++) {
    if (beside) all[i].x = all[i - 1].x + all[i - 1].width + gap;
    if (!beside) all[i].y = all[i - 1].y + all[i - 1].height + gap;
  }
}

static void arrange(placed *all, const gg_tv_view *views, int count) {
  placed *a = operand(all, views, count, 'A'), *b = operand(all, views, count, 'B');
  placed *c = operand(all, views, count, 'C');
  bool folded = false;
  for (int i = 0; i < count; i++)
    folded |= is_folded(&all[i]);
  if (c && !folded) {
    arrange_operands(a, b, c);
  } else {
    arrange_in_turn(all, count, folded);
  }
}

gg_status gg_draw_thread_values(gg_str *svg, const gg_tv_view *views, int count, bool compact,
                                gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  placed all[GG_TV_VIEWS] = {{.x = 0}};
  gg_status st = GG_OK;
  for (int i = 0; i < count && !st; i++)
    st = prepare(&all[i], &views[i], compact, &arena, err);
  if (!st) {
    int width = 0, height = 0, margin = GG_PICTURE_MARGIN;
    arrange(all, views, count);
    for (int i = 0; i < count; i++) {
      width = max(width, all[i].x + all[i].width);
      height = max(height, all[i].y + all[i].height);
    }
    gg_svg_open(svg, width + 2 * margin, height + 2 * margin);
    for (int i = 0; i < count; i++)
      gg_picture_put(svg, &all[i].picture, margin + all[i].x, margin + all[i].y);
    gg_svg_close(svg);
  }
  for (int i = 0; i < count; i++) {
    svg->failed = svg->failed || all[i].title.failed || all[i].note.failed;
    gg_str_free(&all[i].title);
    gg_str_free(&all[i].note);
  }
  gg_arena_free(&arena);
  return st;
}
