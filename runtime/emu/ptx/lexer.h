/* Lexical elements of PTX: names, words that start with a dot, numbers, strings, punctuation.
 *
 * One token is looked ahead. Opcodes with their modifiers are read as one text by
 * ptx_lexer_form, since `1.32x128b` of a modifier is no number. */
#ifndef GG_EMU_PTX_LEXER_H
#define GG_EMU_PTX_LEXER_H

#include "emu/ptx/ptx.h"
#include "emu/ptx/table.h"

struct ptx_symbol;

/* An identifier. There is one of each spelling, so that names compare by pointer. */
typedef struct ptx_name {
  const char *text; /* in the module's arena */
  uint32_t length, hash;
  struct ptx_symbol *symbol; /* what it means in the innermost scope; see scope.h */
  struct ptx_symbol *range;  /* the innermost `.reg name<N>` */
  bool prefix;               /* has ever named a range */
  uint32_t split;            /* when `stem` was looked for: a count of prefixes */
  bool several;              /* more than one stem */
  struct ptx_name *stem;     /* of `%r12`: `%r`, if that is a prefix; number: 12 */
  uint32_t number;
} ptx_name;

/* A punctuation mark is its own character. */
typedef enum ptx_token_kind {
  PTX_TOKEN_END,
  PTX_TOKEN_BAD, /* lexer->status tells why */
  PTX_TOKEN_NAME = 128,
  PTX_TOKEN_WORD, /* `.u32`, `.shared::cta`; text and length are without the dot */
  PTX_TOKEN_INTEGER,
  PTX_TOKEN_FLOAT,  /* width: 32 or 64 */
  PTX_TOKEN_STRING, /* text and length are without the quotes */
  PTX_TOKEN_SHL,
  PTX_TOKEN_SHR,
  PTX_TOKEN_LE,
  PTX_TOKEN_GE,
  PTX_TOKEN_EQ,
  PTX_TOKEN_NE,
  PTX_TOKEN_AND,
  PTX_TOKEN_OR,
} ptx_token_kind;

typedef struct ptx_token {
  int kind;
  ptx_place place;
  const char *text; /* in the source */
  uint32_t length;
  ptx_name *name;
  uint64_t value;   /* of a number: an integer, or a float's bits */
  bool is_unsigned; /* of an integer: has a U, or does not fit in 63 bits */
  int width;        /* of a float */
} ptx_token;

typedef struct ptx_lexer {
  const char *start, *at, *end; /* *end is a NUL */
  const char *line_start;       /* moved on by what a UTF-8 sequence has past its first byte */
  uint32_t line;
  ptx_token token; /* the one looked at */
  ptx_table names;
  gg_arena *arena, *scratch; /* of texts, and of ptx_names */
  const char *file;
  gg_status status; /* the first error */
  gg_error *err;
} ptx_lexer;

/* Looks at the next token. At the end, and after an error, nothing moves any more. */
void ptx_lexer_next(ptx_lexer *lexer);
/* Whether `character` stands next behind the token looked at; `::` is not `:`. */
bool ptx_lexer_follows(ptx_lexer *lexer, char character);
/* The rest of an opcode whose first name is the token looked at: its text with its modifiers,
 * blanks between them taken out. Looks at what follows. The text lives until the next call. */
gg_status ptx_lexer_form(const char **text, uint32_t *length, ptx_lexer *lexer, gg_str *buffer);
/* Goes to the end of the line. */
void ptx_lexer_skip_line(ptx_lexer *lexer);
/* With a `{` looked at: behind its `}`, strings and comments minded, nothing else. */
gg_status ptx_lexer_skip_block(ptx_lexer *lexer);

/* NULL when memory is out. */
ptx_name *ptx_lexer_intern(ptx_lexer *lexer, const char *text, uint32_t length);
/* NULL when there is no such name yet. */
ptx_name *ptx_lexer_find(ptx_lexer *lexer, const char *text, uint32_t length);

gg_mark ptx_lexer_mark(const ptx_lexer *lexer, ptx_place place);
gg_status ptx_lexer_no_memory(ptx_lexer *lexer);
/* "expected %s, got the token looked at". */
gg_status ptx_lexer_unexpected(ptx_lexer *lexer, const char *expected);

#endif
