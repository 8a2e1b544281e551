/* Expressions: what the operation `expr` of an epilogue makes of x, such as "x * sigmoid(1.702 * x)
 * + t0".
 *
 *     sum      product (('+' | '-') product)*
 *     product  unary (('*' | '/') unary)*
 *     unary    '-' unary | primary
 *     primary  number | 'x' | 't0' ... 't3' | function '(' sum (',' sum)* ')' | '(' sum ')'
 *
 * A parsed expression is a list of nodes. Each stands behind its arguments, and the last one is the
 * result. */
#ifndef GG_SPEC_EXPRESSION_H
#define GG_SPEC_EXPRESSION_H

#include "base/error.h"
#include "gemmgen.h"

typedef enum gg_expression_op {
#define GG_EXPRESSION(node, name, arguments) GG_EXPRESSION_##node,
#include "spec/expressions.def"
  GG_EXPRESSION_OPS
} gg_expression_op;

typedef struct gg_expression_node {
  unsigned char op;           /* gg_expression_op */
  unsigned char arguments[3]; /* indices of nodes before this one; 0 for arguments that it does not
                               * have */
  double number;              /* the value of a NUMBER; else 0 */
} gg_expression_node;

enum { GG_EXPRESSION_NODES_MAX = 48, GG_EXPRESSIONS_MAX = 4 };

/* Operands that an expression can read: t0 is its own; t1 and on are those of the list's operations
 * `operand`, in their order. */
enum { GG_EXPRESSION_OPERANDS_MAX = 4 };

struct gg_expression {
  gg_expression_node nodes[GG_EXPRESSION_NODES_MAX];
  int count;
  unsigned char operands; /* the operands that it reads: bit i for t<i> */
};

static inline bool gg_expression_reads(const gg_expression *expression, int operand) {
  return expression->operands >> operand & 1;
}

/* The expressions of an epilogue, in its order. */
typedef struct gg_expressions {
  gg_expression list[GG_EXPRESSIONS_MAX];
  int count;
} gg_expressions;

/* Parses an expression. `operands` is how many operations `operand` stand before it, whose operands
 * it may read. `mark` is where the text begins; errors are marked where they are found in it.
 * Errors: SPEC_EXPRESSION, SPEC_LIMIT. */
gg_status gg_expression_parse(gg_expression *out, const char *text, int operands,
                              const gg_mark *mark, gg_error *err);

/* The number of the operand that a node reads: 0 for t0; -1 if it reads none. */
int gg_expression_operand(gg_expression_op op);

const char *gg_expression_name(gg_expression_op op);
int gg_expression_arguments(gg_expression_op op);

/* Appends the expression as one would write it, without blanks and needless parentheses. */
void gg_expression_print(gg_str *out, const gg_expression *expression);

bool gg_expression_is_same(const gg_expression *left, const gg_expression *right);

#endif
