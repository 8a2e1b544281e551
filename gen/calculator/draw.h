/* Layouts as pictures: tables of text and SVG drawings.
 *
 * Mode 0 runs down, mode 1 to the right, as CuTe prints them; a layout of rank 1 is one row, and
 * further modes make one grid after the other. Lines grow heavier at the borders of nested
 * modes. What is too wide to be read is folded: the columns that do not fit follow below. The
 * compact form shows large layouts at a glance: in a table the ends of long modes, in a drawing
 * small cells whose texts appear under the pointer. More cells than are drawn (16384; 65536 in a
 * compact drawing, 2^24 in a compact table of offsets) are LAYOUT_DRAWING. */
#ifndef GG_CALCULATOR_DRAW_H
#define GG_CALCULATOR_DRAW_H

#include "layout/tensor.h"

/* ---- Offsets ------------------------------------------------------------------------------ */

/* Offsets (or coordinates) as a grid of text. */
gg_status gg_draw_table(gg_str *out, const gg_tensor *t, bool compact, gg_error *err);

/* SVG: each cell shows its offset, coloured from small to large. */
gg_status gg_draw_layout(gg_str *out, const gg_tensor *t, bool compact, gg_error *err);

/* SVG: each cell shows its offset, coloured by the 16-byte column of shared memory (4 banks of
 * 32) that an element of `bits` falls in. A column of the picture in one colour is a conflict. */
gg_status gg_draw_banks(gg_str *out, const gg_tensor *t, int bits, bool compact, gg_error *err);

/* SVG: shared memory under a swizzle on bytes, in rows of 128 B: which unit of 2^M bytes lies
 * where, by its row and column before the swizzle. */
gg_status gg_draw_swizzle(gg_str *out, gg_swizzle sw, gg_error *err);

/* ---- Threads and values -------------------------------------------------------------------- */

enum { GG_TV_VIEWS = 3 }; /* of one value at most */

/* A thread-value layout over a tile: which thread holds each element, as which of its values. */
typedef struct gg_tv_view {
  const char *name; /* "C (M,N)"; "" where there is one view alone */
  gg_layout tv;     /* (thread, value) -> index in the tile */
  gg_tuple tile;
  bool row_major; /* the tile is flat, and its index counts along rows */
  char operand;   /* A, B, C of an MMA, which are drawn around one another; else 0 */
} gg_tv_view;

gg_status gg_draw_thread_values(gg_str *svg, const gg_tv_view *views, int count, bool compact,
                                gg_error *err);
gg_status gg_draw_thread_table(gg_str *out, const gg_tv_view *views, int count, bool compact,
                               gg_error *err);

#endif
