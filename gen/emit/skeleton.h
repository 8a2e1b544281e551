/* gg_skeleton: what emission knows of one kernel family: its template, what it binds there, and
 * what happens in its kernels. */
#ifndef GG_EMIT_SKELETON_H
#define GG_EMIT_SKELETON_H

#include "emit/binding.h"
#include "emit/outline.h"
#include "plan/target.h"

typedef gg_status gg_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                          gg_error *err);

typedef struct gg_skeleton {
  const char *template_name; /* under templates/ */
  gg_bind *bind;
  gg_outline_steps *steps; /* what happens in its kernels, for the banner */
  /* From a cell to the next that a thread reads with it, of what is like D: the rows of MMAs' 8 x 8
   * matrices, the columns; or neighbouring rows, and pairs of columns. */
  int cell_rows, cell_columns;
  const char *operands; /* what its epilogue calls those of the operations */
} gg_skeleton;

/* By the numbers of their targets. */
extern const gg_skeleton gg_skeletons[GG_TARGET_COUNT];

/* naive.c, simt.c, sm80.c, sm90.c, which binds sm100's too */
gg_bind gg_naive_bind, gg_simt_bind, gg_sm80_bind, gg_sm90_bind;

#endif
