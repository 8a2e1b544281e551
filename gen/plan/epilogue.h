/* The plan of the epilogue, which is the same for every family. */
#ifndef GG_PLAN_EPILOGUE_H
#define GG_PLAN_EPILOGUE_H

#include "plan/choices.h"
#include "plan/operation.h"

/* Decides what becomes of the accumulators: the operations, their operands, and the type that they
 * are computed in. Refuses types that the architecture cannot convert to D's type, or from an
 * operand's. The plan must have its operands. */
gg_status gg_choose_operations(gg_plan *plan, gg_dtype accumulator, gg_error *err);

/* Whether the epilogue reads C, or another operand with one element for each of D's. */
bool gg_plan_reads_elements(const gg_plan *plan);

/* Whether an operation keeps the largest magnitude of anything. */
bool gg_plan_keeps_largest(const gg_plan *plan);

/* Whether alpha and beta are in device memory rather than arguments. */
bool gg_plan_reads_scalars(const gg_plan *plan);

/* Whether an operation multiplies by an activation's derivative at something that it reads. */
bool gg_plan_derives(const gg_plan *plan);

/* The number of columns whose operands (vectors, matrices) a thread reads at once before it
 * finishes them. Of every eight columns it has two neighbouring ones, of two rows. The result
 * divides `most` and is a multiple of `least`: the largest such number for which `registers`
 * registers suffice, or, if there is none, the smallest. */
int gg_columns_read(const gg_plan *plan, int most, int least, int registers);

/* Appends an operation in words for people: "alpha * x + beta * C", "bias along n of f32", "gelu
 * (erf)". */
void gg_operation_print(gg_str *out, const gg_plan *plan, const gg_operation *operation);

#endif
