/* The operands of a kernel as one table, in the order of its parameters: A, B, C, D, and what the
 * epilogue's operations read and write.
 *
 * What else the tensor core reads, scale factors of A and B and the metadata of a sparse A, are
 * rows behind B. All sizes are gg_dtype_bytes of elements that lie together: elements of 4 and 6
 * bits have no bytes of their own. */
#ifndef GG_PLAN_OPERANDS_H
#define GG_PLAN_OPERANDS_H

#include "plan/layouts.h"
#include "plan/operation.h"

/* Who moves an operand between global memory and its home. */
typedef enum gg_copy {
  GG_COPY_DIRECT, /* nobody: threads load and store what they compute with */
  GG_COPY_MAP,    /* the copy engine, by a tensor map */
  GG_COPY_THREADS /* threads, by cp.async or by loads and stores through shared memory */
} gg_copy;

typedef struct gg_operand_row {
  gg_operand_id id;
  int operation;        /* of the epilogue, of GG_OPERAND_EXTRA */
  const gg_operand *is; /* its type, major and alignment; NULL of scale factors and metadata */
  gg_span span;         /* of D; of A and B, which are matrices of their own, a matrix */
  bool written;
  gg_home home;             /* where what computes finds it, or leaves it */
  gg_copy copy;             /* how it gets there, or from there to global memory */
  const gg_tensor_map *map; /* of GG_COPY_MAP */
  const gg_ring *ring;      /* of GG_HOME_SHARED: in whose stages it lies */
  gg_swizzle_kind swizzle;  /* of A and B there; others have the widest that fits */
  int64_t offset, bytes;    /* of A and B, and of vectors: in a stage */
} gg_operand_row;

/* Of a vector that the epilogue reads, or of a single number: what a tile needs. */
int64_t gg_vector_bytes(const gg_plan *plan, const gg_operand *vector, gg_span span);

enum { GG_OPERAND_ROWS_MAX = 7 + GG_OPERATIONS_MAX };

/* What A, B, C, D, their scale factors and metadata are called in a kernel's text: "a", "scale_a".
 */
const char *gg_operand_word(gg_operand_id id);

/* Those that the kernel has; gives how many. They point into plan and layouts. */
size_t gg_operand_rows(gg_operand_row out[GG_OPERAND_ROWS_MAX], const gg_plan *plan,
                       const gg_layouts *layouts);

/* The kernel's parameters in the order of its signature; gives how many. Maps come in the order of
 * layouts->maps. */
size_t gg_kernel_params(gg_param params[GG_PARAMS_MAX], const gg_plan *plan,
                        const gg_layouts *layouts);

#endif
