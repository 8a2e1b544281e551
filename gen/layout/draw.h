/* Layouts as pictures: tables of text and SVG drawings.
 *
 * Mode 0 runs down, mode 1 to the right, as CuTe prints them; a layout of rank 1 is one row, and
 * further modes make one grid after the other. Lines grow heavier at the borders of nested
 * modes. A drawing of more than 16384 cells is LAYOUT_DRAWING. */
#ifndef GG_LAYOUT_DRAW_H
#define GG_LAYOUT_DRAW_H

#include "layout/tensor.h"

/* Offsets (or coordinates) as a grid of text. */
gg_status gg_draw_table(gg_str *out, const gg_tensor *t, gg_error *err);

/* SVG: each cell shows its offset, coloured from small to large. */
gg_status gg_draw_layout(gg_str *out, const gg_tensor *t, gg_error *err);

/* SVG: each cell shows its offset, coloured by the 16-byte column of shared memory (4 banks of
 * 32) that an element of `bits` falls in. A column of the picture in one colour is a conflict. */
gg_status gg_draw_banks(gg_str *out, const gg_tensor *t, int bits, gg_error *err);

/* SVG: a thread-value layout over a tile (M,N): which thread holds each element, and as which of
 * its values. */
gg_status gg_draw_thread_values(gg_str *out, const gg_layout *tv, const gg_tuple *tile,
                                gg_error *err);

/* SVG: shared memory under a swizzle on bytes, in rows of 128 B: which unit of 2^M bytes lies
 * where, by its row and column before the swizzle. */
gg_status gg_draw_swizzle(gg_str *out, gg_swizzle sw, gg_error *err);

#endif
