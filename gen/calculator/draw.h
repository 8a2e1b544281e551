/* Layouts as pictures: tables of text and SVG drawings.
 *
 * Mode 0 runs down and mode 1 to the right, as CuTe prints them. A layout of rank 1 is one row;
 * further modes give one grid after another. Lines are heavier at the borders of nested modes. A
 * grid too wide to read is folded: the columns that do not fit follow below. The compact form shows
 * large layouts at a glance: a table shows only the ends of long modes, a drawing has small cells
 * whose texts appear under the pointer. A layout with more cells than can be drawn is the error
 * LAYOUT_DRAWING; the limits are 16384 cells, 65536 in a compact drawing, 2^24 in a compact table
 * of offsets. */
#ifndef GG_CALCULATOR_DRAW_H
#define GG_CALCULATOR_DRAW_H

#include "layout/tensor.h"

/* ---- Offsets ------------------------------------------------------------------------------ */

/* Appends offsets (or coordinates) as a grid of text. */
gg_status gg_draw_table(gg_str *out, const gg_tensor *t, bool compact, gg_error *err);

/* Appends an SVG in which each cell shows its offset, coloured from small to large. */
gg_status gg_draw_layout(gg_str *out, const gg_tensor *t, bool compact, gg_error *err);

/* Appends an SVG in which each cell shows its offset, coloured by where an element of `bits` lies
 * in shared memory: by its 16 bytes of a 128-byte line, which are 4 of the 32 banks. A column of
 * the picture in one colour is a bank conflict. */
gg_status gg_draw_banks(gg_str *out, const gg_tensor *t, int bits, bool compact, gg_error *err);

/* Appends an SVG of shared memory under a swizzle that counts bytes, in rows of 128 bytes. It shows
 * which unit of 2^M bytes lies where, by the unit's row and column before the swizzle. */
gg_status gg_draw_swizzle(gg_str *out, gg_swizzle sw, gg_error *err);

/* ---- Threads and values -------------------------------------------------------------------- */

enum { GG_TV_VIEWS = 3 }; /* at most, of one value */

/* A thread-value layout over a tile: which thread holds each element, and as which of its values.
 */
typedef struct gg_tv_view {
  const char *name; /* "C (M,N)"; "" where it is the only view */
  gg_layout tv;     /* (thread, value) -> index in the tile */
  gg_tuple tile;
  bool row_major; /* the tile is flat, and its index counts along rows */
  char operand;   /* A, B or C of an MMA, which are drawn around one another; else 0 */
} gg_tv_view;

gg_status gg_draw_thread_values(gg_str *svg, const gg_tv_view *views, int count, bool compact,
                                gg_error *err);
gg_status gg_draw_thread_table(gg_str *out, const gg_tv_view *views, int count, bool compact,
                               gg_error *err);

#endif
