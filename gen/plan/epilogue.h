/* The epilogue, planned once for every family. */
#ifndef GG_PLAN_EPILOGUE_H
#define GG_PLAN_EPILOGUE_H

#include "plan/choices.h"
#include "plan/operation.h"

/* What the accumulators become: the operations with their operands, the type they are computed in,
 * and whether the architecture converts to D's type and from theirs. The plan has its operands. */
gg_status gg_choose_operations(gg_plan *plan, gg_dtype accumulator, gg_error *err);

/* Whether C, or an operation's operand with an element for each of D's, is read. */
bool gg_plan_reads_elements(const gg_plan *plan);

/* Whether it keeps the largest magnitude of anything. */
bool gg_plan_keeps_largest(const gg_plan *plan);

/* Whether alpha and beta are in device memory. */
bool gg_plan_reads_scalars(const gg_plan *plan);

/* Whether it multiplies by a derivative at something that it reads. */
bool gg_plan_derives(const gg_plan *plan);

/* Of how many columns a thread reads the operations' operands at once, of two rows and two
 * neighbouring columns of every eight: the most that so many registers hold of those that divide
 * `most` and are multiples of `least`; where none are held, the fewest. */
int gg_columns_read(const gg_plan *plan, int most, int least, int registers);

/* For people: "alpha * x + beta * C", "bias along n of f32", "gelu (erf)". */
void gg_operation_print(gg_str *out, const gg_plan *plan, const gg_operation *operation);

#endif
