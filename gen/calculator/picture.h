/* Inside gen/calculator/ only: a grid of coloured cells as SVG. The kinds of pictures differ in
 * what they put into a cell, and in the legend. */
#ifndef GG_CALCULATOR_PICTURE_H
#define GG_CALCULATOR_PICTURE_H

#include "calculator/grid.h"

typedef struct gg_colour {
  int r, g, b;
} gg_colour;

/* From pale green over teal to deep blue, t from 0 to 1: order reads in grey too. */
gg_colour gg_colour_ramp(double t);
/* Eight pale hues that stay apart. */
gg_colour gg_colour_hue(int index);
/* Quads of threads share a hue, its lanes go from the full colour to the pale. */
gg_colour gg_colour_thread(int64_t thread);

typedef struct gg_cell {
  gg_colour fill;
  char text[48], second[24]; /* a second line, or "" */
} gg_cell;

typedef struct gg_picture {
  gg_grid grid;
  gg_cell *cells; /* by gg_grid_index */
  int cell_width, cell_height;
  bool two_lines, compact;
  bool legend; /* of the banks' colours */
  int banks;   /* of a column, for its heading; 0 numbers the columns */
  const char *title, *note;
} gg_picture;

/* Empty white cells in `arena`. */
gg_status gg_picture_start(gg_picture *p, gg_arena *arena, const gg_tuple *shape, gg_error *err);
/* Makes room for a cell's text. */
void gg_picture_widen(gg_picture *p, const char *text);

/* Folds what is too wide, and says how large it will be, without a margin around it. */
void gg_picture_measure(gg_picture *p, int *width, int *height);
void gg_picture_put(gg_str *out, const gg_picture *p, int x, int y);

/* One picture as a whole file. */
void gg_picture_file(gg_str *out, gg_picture *p);

enum { GG_PICTURE_MARGIN = 18, GG_PICTURE_WIDEST = 1500 /* without being folded */ };
void gg_svg_open(gg_str *out, int width, int height);
void gg_svg_close(gg_str *out);

#endif
