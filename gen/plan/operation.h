/* What an operation of the epilogue is made of: what its operand spans, and what that is called. */
#ifndef GG_PLAN_OPERATION_H
#define GG_PLAN_OPERATION_H

#include "spec/expression.h"
#include "spec/spec.h"

/* What an operation's operand spans of D. */
typedef enum gg_span {
  GG_SPAN_NONE,    /* there is no operand */
  GG_SPAN_ALL,     /* one number for all of D */
  GG_SPAN_ROWS,    /* one a row */
  GG_SPAN_COLUMNS, /* one a column */
  GG_SPAN_MATRIX,  /* one an element */
} gg_span;

gg_span gg_operation_span(const gg_operation *operation);

/* Whether one of gelu's forms is its. */
bool gg_operation_has_form(const gg_operation *operation);

/* The activation of a gate; of other operations GG_OP_LINEAR, which is none. */
gg_op_kind gg_operation_act(const gg_operation *operation);

/* Whether it is a gate whose columns are the halves of N. */
bool gg_operation_splits(const gg_operation *operation);

/* Whether it multiplies by an activation's derivative, at its operand. */
bool gg_operation_derives(const gg_operation *operation);

/* Whether its operand is what it writes, not what it reads. */
bool gg_operation_writes(const gg_operation *operation);

/* Whether it reads a matrix of its own: one like D, an element for each of D's; or fewer numbers.
 */
bool gg_operation_reads_matrix(const gg_operation *operation);
bool gg_operation_reads_vector(const gg_operation *operation);

/* The type of its operand, where nothing is said of it, beside a D of type `d`. */
gg_dtype gg_operation_usual_type(gg_op_kind kind, gg_dtype d);

/* Of so many columns of a product those that there are behind the first `count` operations of a
 * list: one of each two behind a gate. All that asks how wide D is, or what an operation reads or
 * stores, asks this; the latter of the operations before it. */
int64_t gg_columns_behind(const gg_operation *list, size_t count, int64_t columns);

/* Where a list has the operation `operand` of that number: 1 is what expressions call t1. */
size_t gg_operation_operand(const gg_operation *list, int number);

/* Where a list has its gate; `count` where it has none. */
size_t gg_operation_gate(const gg_operation *list, size_t count);

/* Whether a list's gate takes the halves of N: j and N / 2 + j become D's column j. */
bool gg_operations_split(const gg_operation *list, size_t count);

/* How many of its `numbers` say what it does. */
int gg_operation_numbers(const gg_operation *operation);

/* A list of them, with every option said. */
typedef struct gg_operations {
  gg_operation list[GG_OPERATIONS_MAX];
  size_t count;
  gg_expressions expressions; /* of its operations */
} gg_operations;

/* What a spec asks for, with what it leaves open resolved, where D is of that type; all but the
 * alignment of operands, and the major of matrices, which the plan knows. Without a list of its own
 * a spec has what is usual. */
gg_operation gg_operation_asked(const gg_spec_op *asked, gg_dtype d, bool has_c);
void gg_operations_asked(gg_operations *out, const gg_spec *spec, gg_dtype d, bool has_c);

enum { GG_OPERATION_NAME_MAX = 24 };

/* What operation `index` of a list is called: "bias", and "bias2" where it is the list's second;
 * of an operand for expressions what these call it, "t1". Gives `out`. */
const char *gg_operation_word(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index);

/* The same, as kernels call it: "factor" for "multiply". */
const char *gg_operation_name(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index);

#endif
