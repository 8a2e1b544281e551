/* What the specs of a family vary in, from the project's tables: a factor for each key of keys.def
 * that the family uses, one for each operation of the epilogue, and the sides of the problem. A new
 * row of keys.def, of mma_atoms.def or of archs.def is a factor, or a level of one, with no edit
 * here. */
#ifndef MATRIX_FACTORS_H
#define MATRIX_FACTORS_H

#include "plan/target.h"
#include "spec/keys.h"

enum { FACTORS_MAX = 96, LEVELS_MAX = 32, LEVEL_WORD_MAX = 80 };

typedef enum factor_kind {
  FACTOR_KEY,       /* of the spec: its value */
  FACTOR_TILE,      /* a part of the tile that `auto` gives */
  FACTOR_EXTENT,    /* whether the spec fixes it, at the problem's */
  FACTOR_OPERATION, /* of the epilogue: its options */
  FACTOR_TYPE,      /* of what the operations read and write */
  FACTOR_SIDE,      /* of the problem: a number, or "tile" and a number more or less */
} factor_kind;

/* Level 0 is that nothing is said, where that can be: its word is "". */
typedef struct factor_row {
  factor_kind kind;
  char name[48]; /* a key's path, an operation's name, a mode */
  int op;        /* gg_op_kind, of FACTOR_OPERATION */
  int count;
  char words[LEVELS_MAX][LEVEL_WORD_MAX];
} factor_row;

typedef struct factors {
  const char *family;
  int count, levels; /* of all factors */
  factor_row list[FACTORS_MAX];
  int first[FACTORS_MAX]; /* number of a factor's level 0 among all levels */
} factors;

void factors_of_family(factors *out, const char *family);

/* Leaves a key no other level than `word`; false where it has none such. */
bool factors_keep(factors *all, const char *key, const char *word);

/* The number of a factor of that name; -1: there is none. */
int factors_find(const factors *all, factor_kind kind, const char *name);

/* A level of each factor: what is written, and run, as a spec and a problem. */
typedef struct choice {
  signed char level[FACTORS_MAX];
} choice;

/* Which of a mode's words a problem's side is: of a kernel with such a tile. */
int64_t factors_side(const factors *all, const choice *of, const char *mode, int64_t tile);

/* Appends the spec. `tile`: of a spec that says nothing of it; NULL: it is not known, and neither
 * the tile nor an extent is fixed. */
void factors_write(gg_str *out, const factors *all, const choice *of, const int tile[3]);

/* Whether the choice asks for what is only known when the tile is. */
bool factors_want_tile(const factors *all, const choice *of);

/* Whether a level of the choice says something: types of the epilogue where no operation has one,
 * do not. */
bool factors_is_effective(const factors *all, const choice *of, int at);

#endif
