/* The operations of the epilogue: what their operands span, and what they are called. */
#ifndef GG_PLAN_OPERATION_H
#define GG_PLAN_OPERATION_H

#include "spec/expression.h"
#include "spec/spec.h"

/* Which elements of D one number of an operation's operand belongs to. */
typedef enum gg_span {
  GG_SPAN_NONE,    /* there is no operand */
  GG_SPAN_ALL,     /* one number for all of D */
  GG_SPAN_ROWS,    /* one a row */
  GG_SPAN_COLUMNS, /* one a column */
  GG_SPAN_MATRIX,  /* one an element */
} gg_span;

gg_span gg_operation_span(const gg_operation *operation);

/* Whether the operation computes a gelu, which has several forms. */
bool gg_operation_has_form(const gg_operation *operation);

/* The activation of a gate. For other operations GG_OP_LINEAR, which stands for none. */
gg_op_kind gg_operation_act(const gg_operation *operation);

/* Whether the operation is a split gate, which pairs the halves of N. */
bool gg_operation_splits(const gg_operation *operation);

/* Whether the operation multiplies by an activation's derivative, taken at its operand. */
bool gg_operation_derives(const gg_operation *operation);

/* Whether the operation writes its operand rather than reads it. */
bool gg_operation_writes(const gg_operation *operation);

/* Whether the operation reads an operand of its own that is a matrix like D, with one element for
 * each of D's; or a vector or a single number. */
bool gg_operation_reads_matrix(const gg_operation *operation);
bool gg_operation_reads_vector(const gg_operation *operation);

/* The type of the operation's operand if the spec does not say it, when D is of type `d`. */
gg_dtype gg_operation_usual_type(gg_op_kind kind, gg_dtype d);

/* How many columns are left of `columns` columns of a product behind the first `count` operations
 * of a list: half of them behind a gate. Everything that needs to know how wide D is, or how wide
 * what an operation reads or stores is, calls this; for the latter, `count` is the number of
 * operations before that one. */
int64_t gg_columns_behind(const gg_operation *list, size_t count, int64_t columns);

/* The index in a list of the operation `operand` with that number; number 1 is the one that
 * expressions call t1. */
size_t gg_operation_operand(const gg_operation *list, int number);

/* The index of a list's gate; `count` if it has none. */
size_t gg_operation_gate(const gg_operation *list, size_t count);

/* Whether a list has a split gate: columns j and N / 2 + j of the product become D's column j. */
bool gg_operations_split(const gg_operation *list, size_t count);

/* How many of the operation's `numbers` have a meaning. */
int gg_operation_numbers(const gg_operation *operation);

/* A list of operations in which every option is set. */
typedef struct gg_operations {
  gg_operation list[GG_OPERATIONS_MAX];
  size_t count;
  gg_expressions expressions; /* those that the list's operations refer to */
} gg_operations;

/* The operations that a spec asks for, with everything that it leaves open resolved for a D of type
 * `d`, except the alignment of operands and the major of matrices, which the plan knows. A spec
 * without a list gets the usual one. */
gg_operation gg_operation_asked(const gg_spec_op *asked, gg_dtype d, bool has_c);
void gg_operations_asked(gg_operations *out, const gg_spec *spec, gg_dtype d, bool has_c);

enum { GG_OPERATION_NAME_MAX = 24 };

/* Writes what operation `index` of a list is called, and returns `out`: "bias"; "bias2" if it is
 * the list's second; and for an operand of expressions the name that these use, "t1". */
const char *gg_operation_word(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index);

/* The same name as kernels use it: "factor" instead of "multiply". */
const char *gg_operation_name(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index);

#endif
