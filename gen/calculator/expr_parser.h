/* Private to gen/calculator/: the parser's state and steps, shared by expr_parse.c (values and what
 * joins them) and expr_name.c (what begins with a word). The two call each other: a word has
 * arguments, which are values, and a value may begin with a word. */
#ifndef GG_CALCULATOR_EXPR_PARSER_H
#define GG_CALCULATOR_EXPR_PARSER_H

#include "calculator/expr.h"

enum { gg_expr_arguments = 16 };

typedef struct gg_parser {
  const char *text, *at, *file;
  int line, nesting;
  bool cute;       /* CuTe's notation: a plain integer is dynamic */
  gg_steps *steps; /* NULL: no steps are wanted */
  gg_arena *arena;
  gg_error *err;
} gg_parser;

/* ---- Errors ------------------------------------------------------------------------------- */

/* Fails with LAYOUT_SYNTAX at p->at; the message shows what stands there. */
gg_status gg_parser_fail(gg_parser *p, const char *expected);
/* Gives an operation's error a place: that of the argument, or of the operation. */
gg_status gg_parser_place(gg_parser *p, gg_status st, const char *at);
int gg_parser_column(const gg_parser *p, const char *at);

/* ---- Tokens ------------------------------------------------------------------------------- */

void gg_parser_blanks(gg_parser *p);
bool gg_parser_accept(gg_parser *p, char wanted);
/* Skips "{}", by which C++ makes a value of a type: Int<4>{}. */
void gg_parser_braces(gg_parser *p);
bool gg_is_word(char character); /* a letter, a digit or _ */

/* ---- Values ------------------------------------------------------------------------------- */

gg_value *gg_parser_value(gg_parser *p, gg_status *st); /* a new one; NULL sets *st */

gg_status gg_parse_integer(gg_parser *p, int64_t *out);
gg_status gg_parse_chain(gg_parser *p, gg_value *out);

/* Parses the modes of a tuple or tiler from behind its opening bracket up to `close`. A single
 * value that cannot be a mode is itself the result: the brackets are then just around an
 * expression. */
gg_status gg_parse_modes(gg_parser *p, gg_value *out, char close);

/* Parses what begins with a letter: the call of an operation, a swizzle, a pointer, a C++ type, a
 * name. */
gg_status gg_parse_name(gg_parser *p, gg_value *out);

/* Parses what follows the value that begins at `begin`: coordinates in brackets, [mode],
 * .operation(arguments). */
gg_status gg_parse_applications(gg_parser *p, gg_value *value, const char *begin);

/* Notes the part from `begin` to here as a step, if it is one. */
gg_status gg_parser_step(gg_parser *p, const char *begin, const gg_value *value);

#endif
