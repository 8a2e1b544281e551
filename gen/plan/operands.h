/* The operands of a kernel as one table, in the order of its parameters: A, B, what the tensor core
 * reads beside them (scale factors of A and B, metadata of a sparse A), C, D, and what the
 * epilogue's operations read and write.
 *
 * All sizes are in bytes of elements that lie together (gg_dtype_bytes): a single element of 4 or 6
 * bits is no whole number of bytes. */
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
  int operation;        /* index of the epilogue's operation, if `id` is GG_OPERAND_EXTRA */
  const gg_operand *is; /* type, major and alignment; NULL for scale factors and metadata */
  gg_span span;         /* which part of D it has numbers for; GG_SPAN_MATRIX for A and B, too */
  bool written;
  gg_home home;             /* where the threads or MMAs that use it find it, or where they leave it
                             */
  gg_copy copy;             /* how it gets there, or from there to global memory */
  const gg_tensor_map *map; /* of GG_COPY_MAP; else NULL */
  const gg_ring *ring;      /* of GG_HOME_SHARED: the ring whose stages it lies in; else NULL */
  gg_swizzle_kind swizzle;  /* of A and B in shared memory; other operands have the widest that fits
                             */
  int64_t offset, bytes;    /* in a stage; set for A and B, what comes with them, and vectors */
} gg_operand_row;

/* Bytes that a tile needs of a vector, or of a single number, that the epilogue reads. */
int64_t gg_vector_bytes(const gg_plan *plan, const gg_operand *vector, gg_span span);

enum { GG_OPERAND_ROWS_MAX = 7 + GG_OPERATIONS_MAX };

/* What the kernel's text calls A, B, C, D, their scale factors and metadata: "a", "scale_a". */
const char *gg_operand_word(gg_operand_id id);

/* Fills `out` with the operands that the kernel has and returns how many they are. The rows point
 * into `plan` and `layouts`. */
size_t gg_operand_rows(gg_operand_row out[GG_OPERAND_ROWS_MAX], const gg_plan *plan,
                       const gg_layouts *layouts);

/* Fills `params` with the kernel's parameters, in the order of its signature, and returns how many
 * they are. Tensor maps come in the order of layouts->maps. */
size_t gg_kernel_params(gg_param params[GG_PARAMS_MAX], const gg_plan *plan,
                        const gg_layouts *layouts);

#endif
