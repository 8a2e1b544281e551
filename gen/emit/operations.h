/* The epilogue's operations as CUDA C++: what every family's template includes as
 * parts/operations.cu. */
#ifndef GG_EMIT_OPERATIONS_H
#define GG_EMIT_OPERATIONS_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Binds "operations", the operands and the steps; "operand_list", the kernel's parameters that are
 * such, and "read_scalars", which stands in front of it; and flags for what of the part is needed.
 */
void gg_bind_operations(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
