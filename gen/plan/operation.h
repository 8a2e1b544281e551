/* What an operation of the epilogue is made of: what its operand spans, and what that is called. */
#ifndef GG_PLAN_OPERATION_H
#define GG_PLAN_OPERATION_H

#include "gemmgen.h"

/* What an operation's operand spans of D. */
typedef enum gg_span {
  GG_SPAN_NONE,    /* there is no operand */
  GG_SPAN_ALL,     /* one number for all of D */
  GG_SPAN_ROWS,    /* one a row */
  GG_SPAN_COLUMNS, /* one a column */
  GG_SPAN_MATRIX,  /* one an element */
} gg_span;

gg_span gg_operation_span(const gg_operation *operation);

enum { GG_OPERATION_NAME_MAX = 16 };

/* What operation `index` of a list is called: "bias", and "bias2" where it is the list's second.
 * Gives `out`. */
const char *gg_operation_name(char out[GG_OPERATION_NAME_MAX], const gg_operation *list,
                              size_t index);

#endif
