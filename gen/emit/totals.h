/* Sums over D's rows and columns as CUDA C++, beside the operations: templates/parts/totals.cu. */
#ifndef GG_EMIT_TOTALS_H
#define GG_EMIT_TOTALS_H

#include "emit/binding.h"
#include "plan/plan.h"

/* What finish() takes besides, a line each: "column_totals &columns", "row_totals &rows", those
 * that there are. */
void gg_totals_write_parameters(gg_str *out, const gg_plan *plan);

/* The member of epilogue_operands that tells where parts and counters are; what fills it, as items
 * of a list; and what says in at_tile() which tile it is. */
void gg_totals_write_member(gg_str *out, const gg_plan *plan);
void gg_totals_write_items(gg_str *out, const gg_plan *plan);
void gg_totals_write_move(gg_str *out, const gg_plan *plan);

/* The structs that finish() adds to, and what is done with them: behind epilogue_operands. */
void gg_totals_write(gg_str *out, const gg_plan *plan);

/* What counts a tile's boxes at the end of its epilogue. */
void gg_totals_write_count(gg_str *out, const gg_plan *plan);

void gg_bind_totals(gg_bindings *out, const gg_plan *plan);

#endif
