/* Inside gen/calculator/ only: a layout's domain as panels of rows and columns, and what fills it.
 */
#ifndef GG_CALCULATOR_GRID_H
#define GG_CALCULATOR_GRID_H

#include "base/arena.h"
#include "calculator/draw.h"

enum {
  gg_grid_cells = 16384,
  gg_grid_cells_compact = 65536, /* of a drawing */
  gg_grid_cells_most = 1 << 24,  /* of a compact table, which shows few of them */
};

typedef struct gg_grid {
  int rows, columns, panels;
  int fold;                                /* columns side by side; the next ones follow below */
  gg_tuple shape, row_shape, column_shape; /* nesting, for the weight of lines */
} gg_grid;

/* At most `cells` of them. */
gg_status gg_grid_of(gg_grid *out, const gg_tuple *shape, int64_t cells, gg_error *err);

/* Folds so that columns of `width` fit in `room`, at the border of a nested mode where one is. */
void gg_grid_fold(gg_grid *g, int width, int room);

int64_t gg_grid_size(const gg_grid *g);

/* The colexicographic index of a cell. */
int64_t gg_grid_index(const gg_grid *g, int panel, int row, int column);

/* How many nested modes end before position `at` of a mode: 0 inside the innermost. */
int gg_grid_level(const gg_tuple *shape, int at);

/* "(_,_,1,0)": what a panel of a domain of more than two modes is. */
gg_status gg_grid_panel_name(gg_str *out, const gg_grid *g, int panel, gg_error *err);

/* Who holds each cell of a tile. */
typedef struct gg_holder {
  int64_t thread, value; /* the first */
  int64_t count;
} gg_holder;

/* One a cell, in `arena`. LAYOUT_TV where the layout leaves the tile. */
gg_status gg_tv_holders(gg_holder **out, const gg_tv_view *view, const gg_grid *g, gg_arena *arena,
                        gg_error *err);

/* Tables of anything: `put` appends the text of a cell. */
typedef gg_status (*gg_cell_fn)(gg_str *out, const void *of, int64_t index, gg_error *err);

gg_status gg_grid_table(gg_str *out, gg_grid *g, gg_cell_fn put, const void *of, bool compact,
                        gg_error *err);

#endif
