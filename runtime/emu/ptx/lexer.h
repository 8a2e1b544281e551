/* Lexical elements of PTX: names, words that start with a dot, numbers, strings, punctuation.
 *
 * The lexer looks ahead by one token. ptx_lexer_form reads an opcode with its modifiers as one
 * text, because `1.32x128b` in a modifier is not a number. */
#ifndef GG_EMU_PTX_LEXER_H
#define GG_EMU_PTX_LEXER_H

#include "emu/ptx/ptx.h"
#include "emu/ptx/table.h"

struct ptx_symbol;

/* An identifier. There is one for each spelling, so that names can be compared by pointer. */
typedef struct ptx_name {
  const char *text; /* in the module's arena */
  uint32_t length, hash;
  struct ptx_symbol *symbol; /* what it means in the innermost scope; see scope.h */
  struct ptx_symbol *range;  /* the innermost `.reg name<N>` */
  bool prefix;               /* whether it has ever named a range */
  uint32_t split;            /* how many prefixes there were when `stem` was looked for */
  bool several;              /* whether there is more than one stem */
  struct ptx_name *stem;     /* for `%r12`: `%r`, if that is a prefix; number: 12 */
  uint32_t number;
} ptx_name;

/* A punctuation mark is its own character. */
typedef enum ptx_token_kind {
  PTX_TOKEN_END,
  PTX_TOKEN_BAD, /* lexer->status says why */
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
  const char *line_start;       /* moved on by the bytes of UTF-8 sequences after their first */
  uint32_t line;
  ptx_token token; /* the current one */
  ptx_table names;
  gg_arena *arena, *scratch; /* for texts, and for ptx_names */
  const char *file;
  gg_status status; /* the first error */
  gg_error *err;
} ptx_lexer;

/* Goes to the next token. At the end, and after an error, it stays where it is. */
void ptx_lexer_next(ptx_lexer *lexer);
/* Whether `character` follows the current token; `::` is not `:`. */
bool ptx_lexer_follows(ptx_lexer *lexer, char character);
/* Reads an opcode whose first name is the current token: its text with its modifiers, without
 * blanks between them. Goes to the token that follows. The text is valid until the next call. */
gg_status ptx_lexer_form(const char **text, uint32_t *length, ptx_lexer *lexer, gg_str *buffer);
/* Goes to the end of the line. */
void ptx_lexer_skip_line(ptx_lexer *lexer);
/* From a `{`, which is the current token, goes behind its `}`. It knows strings and comments, but
 * nothing else. */
gg_status ptx_lexer_skip_block(ptx_lexer *lexer);

/* NULL when memory is out. */
ptx_name *ptx_lexer_intern(ptx_lexer *lexer, const char *text, uint32_t length);
/* NULL when there is no such name yet. */
ptx_name *ptx_lexer_find(ptx_lexer *lexer, const char *text, uint32_t length);

gg_mark ptx_lexer_mark(const ptx_lexer *lexer, ptx_place place);
gg_status ptx_lexer_no_memory(ptx_lexer *lexer);
/* "expected %s, got" the current token. */
gg_status ptx_lexer_unexpected(ptx_lexer *lexer, const char *expected);

#endif
