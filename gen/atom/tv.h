/* Thread-value layouts by name: the table of tv_layouts.def. */
#ifndef GG_ATOM_TV_H
#define GG_ATOM_TV_H

#include "layout/layout.h"

typedef enum gg_tv {
#define GG_TV(name, text) GG_TV_##name,
#include "atom/tv_layouts.def"
#undef GG_TV
  GG_TV_COUNT
} gg_tv;

/* The values of the letters in a row's text; rows without letters need none. */
typedef struct gg_tv_sizes {
  int m, n, k; /* the atom's shape */
  int bits;    /* bits of a copy */
  int repeat;  /* repeats of a tensor-memory copy: .x1 to .x128 */
} gg_tv_sizes;

/* The layout of a row. It cannot fail: tests check that every row of the table parses. */
gg_layout gg_tv_layout(gg_tv tv, gg_tv_sizes sizes);

/* The size of a mode of that layout (0: threads, 1: values), without making the layout. */
int64_t gg_tv_mode_size(gg_tv tv, gg_tv_sizes sizes, int mode);

const char *gg_tv_name(gg_tv tv); /* "w16x8" */

#endif
