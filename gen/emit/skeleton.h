/* gg_skeleton: what emission must know of one kernel family: its template, what is bound in it, and
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
  /* The distance from one cell to the next that a thread reads with it, in matrices like D. It is 8
   * rows and 8 columns where threads hold 8 x 8 blocks of MMAs; else neighbouring rows, and pairs
   * of columns. */
  int cell_rows, cell_columns;
  const char *operands; /* what its epilogue calls the operands of the operations */
} gg_skeleton;

/* Indexed by gg_target_id. */
extern const gg_skeleton gg_skeletons[GG_TARGET_COUNT];

/* In naive.c, simt.c, sm80.c and sm90.c. The last one also binds the templates of sm100 and sm120.
 */
gg_bind gg_naive_bind, gg_simt_bind, gg_sm80_bind, gg_sm90_bind;

#endif
