/* The operands of a kernel as one table, in the order of its parameters: A, B, C, D, and what the
 * epilogue's operations read and write. */
#ifndef GG_PLAN_OPERANDS_H
#define GG_PLAN_OPERANDS_H

#include "plan/layouts.h"
#include "plan/operation.h"

typedef struct gg_operand_row {
  gg_operand_id id;
  int operation;        /* of the epilogue, of GG_OPERAND_EXTRA */
  const gg_operand *is; /* its type, major and alignment */
  gg_span span;         /* of D; of A and B, which are matrices of their own, a matrix */
  bool written;
  const gg_tensor_map *map; /* by which it is copied in boxes; NULL: threads copy it */
} gg_operand_row;

enum { GG_OPERAND_ROWS_MAX = 4 + GG_OPERATIONS_MAX };

/* Those that the kernel has; gives how many. They point into plan and layouts. */
size_t gg_operand_rows(gg_operand_row out[GG_OPERAND_ROWS_MAX], const gg_plan *plan,
                       const gg_layouts *layouts);

/* The kernel's parameters in the order of its signature; gives how many. Maps come in the order of
 * layouts->maps. */
size_t gg_kernel_params(gg_param params[GG_PARAMS_MAX], const gg_plan *plan,
                        const gg_layouts *layouts);

#endif
