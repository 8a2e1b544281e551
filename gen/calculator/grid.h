/* Private to gen/calculator/: a layout's domain as panels of rows and columns, and what fills them.
 */
#ifndef GG_CALCULATOR_GRID_H
#define GG_CALCULATOR_GRID_H

#include "base/arena.h"
#include "calculator/draw.h"

enum {
  gg_grid_cells = 16384,
  gg_grid_cells_compact = 65536, /* in a compact drawing */
  gg_grid_cells_most = 1 << 24,  /* in a compact table, which shows only few of them */
};

typedef struct gg_grid {
  int rows, columns, panels;
  int fold;                                /* how many columns stand side by side; the others follow
                                            * below */
  gg_tuple shape, row_shape, column_shape; /* nesting, which decides how heavy lines are */
} gg_grid;

/* Makes the grid of a shape. More than `cells` cells is an error. */
gg_status gg_grid_of(gg_grid *out, const gg_tuple *shape, int64_t cells, gg_error *err);

/* Folds the grid so that columns of `width` fit in `room`, if possible at the border of a nested
 * mode. */
void gg_grid_fold(gg_grid *g, int width, int room);

int64_t gg_grid_size(const gg_grid *g);

/* The colexicographic index of a cell. */
int64_t gg_grid_index(const gg_grid *g, int panel, int row, int column);

/* How many nested modes end in front of position `at` of a mode; 0: none, it is inside of the
 * innermost. */
int gg_grid_level(const gg_tuple *shape, int at);

/* Appends the name of a panel in a domain of more than two modes: "(_,_,1,0)". */
gg_status gg_grid_panel_name(gg_str *out, const gg_grid *g, int panel, gg_error *err);

/* Which threads hold a cell of a tile. */
typedef struct gg_holder {
  int64_t thread, value; /* the first holder */
  int64_t count;
} gg_holder;

/* Finds the holders of each cell, in `arena`. Error LAYOUT_TV where the layout leaves the tile. */
gg_status gg_tv_holders(gg_holder **out, const gg_tv_view *view, const gg_grid *g, gg_arena *arena,
                        gg_error *err);

/* Tables of anything. `put` appends the text of the cell with this index. */
typedef gg_status (*gg_cell_fn)(gg_str *out, const void *of, int64_t index, gg_error *err);

gg_status gg_grid_table(gg_str *out, gg_grid *g, gg_cell_fn put, const void *of, bool compact,
                        gg_error *err);

#endif
