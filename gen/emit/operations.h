/* The epilogue's operations as CUDA C++, which every family's template includes as
 * parts/operations.cu. */
#ifndef GG_EMIT_OPERATIONS_H
#define GG_EMIT_OPERATIONS_H

#include "emit/binding.h"
#include "plan/layouts.h"

/* Binds "operations" (operands and steps), "operand_list" (those of the kernel's parameters that
 * are operands), "read_scalars" (which goes in front of that list), and flags that say what of the
 * part is needed. */
void gg_bind_operations(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
