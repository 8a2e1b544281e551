/* Private to gen/calculator/: a grid of coloured cells as SVG. Kinds of pictures differ in what
 * they put into the cells, and in the legend. */
#ifndef GG_CALCULATOR_PICTURE_H
#define GG_CALCULATOR_PICTURE_H

#include "calculator/grid.h"

typedef struct gg_colour {
  int r, g, b;
} gg_colour;

/* A colour from pale green over teal to deep blue, for t from 0 to 1. The order also shows in grey.
 */
gg_colour gg_colour_ramp(double t);
/* One of eight pale colours that are easy to tell apart. */
gg_colour gg_colour_hue(int index);
/* The colour of a thread. A quad of four threads shares a hue, which fades from its first thread to
 * its last. */
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
  bool legend; /* of the colours of banks */
  int banks;   /* banks that a column spans, for its heading; 0: columns are numbered */
  const char *title, *note;
} gg_picture;

/* Starts a picture with empty white cells in `arena`. */
gg_status gg_picture_start(gg_picture *p, gg_arena *arena, const gg_tuple *shape, gg_error *err);
/* Widens the cells so that they hold this text. */
void gg_picture_widen(gg_picture *p, const char *text);

/* Folds a picture that is too wide, and measures it, without the margin around it. */
void gg_picture_measure(gg_picture *p, int *width, int *height);
void gg_picture_put(gg_str *out, const gg_picture *p, int x, int y);

/* Appends one picture as a complete file. */
void gg_picture_file(gg_str *out, gg_picture *p);

enum { GG_PICTURE_MARGIN = 18, GG_PICTURE_WIDEST = 1500 /* without being folded */ };
void gg_svg_open(gg_str *out, int width, int height);
void gg_svg_close(gg_str *out);

#endif
