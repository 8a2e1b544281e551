/* PTX, statement by statement, and what becomes of one that is broken as mutate.def says. */
#ifndef TESTS_MUTATE_TEXT_H
#define TESTS_MUTATE_TEXT_H

#include <stdbool.h>

#include "base/str.h"

enum { OPERANDS_MAX = 16 };

typedef enum change { DROP, PASS, XOR, ADD, SET } change;

/* A row of mutate.def. */
typedef struct mutation {
  const char *class, *opcode, *part;
  int operand;
  change change;
  const char *name, *value;
} mutation;

extern const mutation mutations[];
extern const int mutation_count;

typedef struct piece {
  const char *at, *end;
} piece;

typedef struct statement {
  piece all; /* from its guard to before its semicolon */
  piece opcode, operands[OPERANDS_MAX];
  int operand_count, line;
} statement;

/* Whether the mutation is of such statements. */
bool mutation_applies(const statement *s, const mutation *m);

/* The text with `m` in place of the statement; NULL: a trap. */
void mutate_text(gg_str *out, const char *text, const statement *s, const mutation *m);

/* Every statement, of kernels and functions that have `entry` in their names alone, where that is
 * not NULL. */
void each_statement(const char *text, const char *entry,
                    void (*visit)(void *user, const statement *s), void *user);

#endif
