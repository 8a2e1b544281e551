/* Text for sums over D's rows and columns: CUDA C++ that stands beside the operations
 * (templates/parts/totals.cu). */
#ifndef GG_EMIT_TOTALS_H
#define GG_EMIT_TOTALS_H

#include "emit/binding.h"
#include "plan/plan.h"

/* Appends the parameters that finish() takes for them, one to a line: "column_totals &columns" and
 * "row_totals &rows", or one of the two. */
void gg_totals_write_parameters(gg_str *out, const gg_plan *plan);

/* Appends the member of epilogue_operands that says where parts and counters are; its value, as
 * items of a list; and the line of at_tile() that tells it which tile it is. */
void gg_totals_write_member(gg_str *out, const gg_plan *plan);
void gg_totals_write_items(gg_str *out, const gg_plan *plan);
void gg_totals_write_move(gg_str *out, const gg_plan *plan);

/* Appends the structs that finish() adds to, and the functions that process them. They stand behind
 * epilogue_operands. */
void gg_totals_write(gg_str *out, const gg_plan *plan);

/* Appends what counts a tile's boxes at the end of its epilogue. */
void gg_totals_write_count(gg_str *out, const gg_plan *plan);

void gg_bind_totals(gg_bindings *out, const gg_plan *plan);

#endif
