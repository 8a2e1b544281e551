/* Inside gen/layout/ only: a layout's domain as panels of rows and columns. */
#ifndef GG_LAYOUT_GRID_H
#define GG_LAYOUT_GRID_H

#include "layout/draw.h"

enum { gg_grid_cells = 16384 };

typedef struct gg_grid {
  int rows, columns, panels;
  gg_tuple row_shape, column_shape; /* nesting, for the weight of lines */
} gg_grid;

gg_status gg_grid_of(gg_grid *out, const gg_tuple *shape, gg_error *err);

/* The colexicographic index of a cell. */
int64_t gg_grid_index(const gg_grid *g, int panel, int row, int column);

/* How many nested modes end before position `at` of a mode: 0 inside the innermost. */
int gg_grid_level(const gg_tuple *shape, int at);

#endif
