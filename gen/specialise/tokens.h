/* A CUDA C++ text as a list of tokens that the passes change in place.
 *
 * Tokens are never added or moved: a pass marks some as taken away, gives one another text, or
 * changes the space in front of it. So the place of a token, its index in the list, stays valid
 * throughout. */
#ifndef GG_SPECIALISE_TOKENS_H
#define GG_SPECIALISE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

typedef enum gg_token_kind {
  GG_TOKEN_WORD,    /* an identifier or a keyword */
  GG_TOKEN_NUMBER,  /* 16, 0x3ull, 1.5f */
  GG_TOKEN_STRING,  /* "..." or '...' */
  GG_TOKEN_SIGN,    /* a bracket, an operator, a comma ... */
  GG_TOKEN_COMMENT, /* // to the end of the line */
  GG_TOKEN_PRAGMA,  /* a line that begins with # */
} gg_token_kind;

/* Signs and keywords by the names that signs.def gives them. */
typedef enum gg_sign {
  GG_SIGN_NOT,
  GG_SIGN_UNEQUAL,
  GG_SIGN_MODULO,
  GG_SIGN_AND,
  GG_SIGN_AND_ALSO,
  GG_SIGN_PAREN,
  GG_SIGN_BRACE,
  GG_SIGN_SQUARE,
  GG_SIGN_PAREN_END,
  GG_SIGN_BRACE_END,
  GG_SIGN_SQUARE_END,
  GG_SIGN_TIMES,
  GG_SIGN_PLUS,
  GG_SIGN_INCREMENT,
  GG_SIGN_DECREMENT,
  GG_SIGN_ADD_TO,
  GG_SIGN_CHANGE,
  GG_SIGN_COMMA,
  GG_SIGN_MINUS,
  GG_SIGN_ARROW,
  GG_SIGN_DOT,
  GG_SIGN_DIVIDE,
  GG_SIGN_COLON,
  GG_SIGN_SCOPE,
  GG_SIGN_SEMICOLON,
  GG_SIGN_LESS,
  GG_SIGN_SHIFT_LEFT,
  GG_SIGN_AT_MOST,
  GG_SIGN_ASSIGN,
  GG_SIGN_EQUAL,
  GG_SIGN_GREATER,
  GG_SIGN_AT_LEAST,
  GG_SIGN_QUESTION,
  GG_SIGN_XOR,
  GG_SIGN_OR,
  GG_SIGN_OR_ELSE,
  GG_SIGN_INVERT,
  GG_SIGN_ALIGNAS,
  GG_SIGN_ASM,
  GG_SIGN_BOOL,
  GG_SIGN_JUMP,
  GG_SIGN_NUMBER_TYPE,
  GG_SIGN_CLASS,
  GG_SIGN_CONST,
  GG_SIGN_CONSTEXPR,
  GG_SIGN_ELSE,
  GG_SIGN_EXTERN,
  GG_SIGN_TRUE,
  GG_SIGN_FALSE,
  GG_SIGN_FOR,
  GG_SIGN_IF,
  GG_SIGN_INT,
  GG_SIGN_INT64,
  GG_SIGN_OPERATOR,
  GG_SIGN_RETURN,
  GG_SIGN_SIZEOF,
  GG_SIGN_STATIC,
  GG_SIGN_STATIC_ASSERT,
  GG_SIGN_STRUCT,
  GG_SIGN_TEMPLATE,
  GG_SIGN_UNSIGNED,
  GG_SIGN_USING,
  GG_SIGN_VOLATILE,
  GG_SIGN_WHILE,
} gg_sign;

/* A set of signs is a number with one bit for each: S(IF) | S(FOR). */
typedef uint64_t gg_signs;
#define S(name) (UINT64_C(1) << GG_SIGN_##name)

typedef struct gg_token {
  gg_signs sign; /* one bit; 0: the token is not in signs.def */
  const char *text;
  int length;
  uint8_t kind;     /* gg_token_kind */
  bool dead;        /* taken away; it is no sign then */
  bool skipped;     /* dead or a comment */
  bool changed : 1; /* its text was replaced */
  bool moved : 1;   /* part of a statement whose lines must be broken anew */
  int16_t newlines; /* line ends in front of it */
  int16_t indent;   /* spaces in front of it, behind those line ends */
  int partner;      /* of a bracket: place of the matching one */
  int again;        /* of a word: the next place of the same word; -1: none */
  int name;         /* of a word, and of a pragma that ends with one: the word's number, from 0 */
} gg_token;

/* The value of a word that names an integer constant, where it is known. */
typedef struct gg_known {
  bool known;
  int64_t value;
} gg_known;

/* A constant member of a struct, written owner::name. */
typedef struct gg_member {
  int owner, name; /* numbers of words */
  gg_known value;
} gg_member;

typedef struct gg_tokens {
  gg_arena *arena;
  gg_token *at;
  int count;
  int names;        /* how many different words the text has */
  bool failed;      /* memory ran out: the text must not be used */
  int *first;       /* by word: its first place; -1: it stands nowhere */
  gg_known *values; /* by word */
  gg_member *members;
  int member_count;
  int *sizes;     /* by word, of a type: its size in bytes; 0: not known */
  int now;        /* the number of the pass that runs now */
  int *last_pass; /* by stretch of GG_STRETCH tokens: the last pass that changed it; 0: none */
} gg_tokens;

enum { GG_STRETCH = 32 };

/* Whether the pass numbered `pass`, or a later one, changed any of the tokens first..last or one in
 * the same stretches of GG_STRETCH tokens. */
bool gg_tokens_changed(const gg_tokens *tokens, int first, int last, int pass);

/* Notes that a token was changed in this pass, so that passes look again at whatever contains it.
 */
static inline void gg_token_touch(gg_tokens *tokens, int at) {
  tokens->last_pass[at / GG_STRETCH] = tokens->now;
}

/* Returns `entries`, or, where `count` entries fill its *capacity, a copy from the arena with twice
 * the room. NULL: memory ran out. `size`: bytes of one entry. */
void *gg_make_room(gg_arena *arena, void *entries, int *capacity, int count, size_t size);

/* Reads `length` bytes of text, which must end with a NUL and outlive the tokens. Fails where
 * brackets do not match or memory runs out. */
gg_status gg_tokens_read(gg_tokens *out, gg_arena *arena, const char *text, size_t length,
                         gg_error *err);

void gg_tokens_write(gg_str *out, const gg_tokens *tokens);

/* The nearest token that is neither dead nor a comment, from `at` on; the functions below search
 * behind `at` or in front of it. Where there is none: tokens->count when searching forward, -1 when
 * searching back. */
static inline int gg_token_from(const gg_tokens *tokens, int at) {
  while (at < tokens->count && tokens->at[at].skipped)
    at++;
  return at;
}

static inline int gg_token_back(const gg_tokens *tokens, int at) {
  while (at >= 0 && tokens->at[at].skipped)
    at--;
  return at;
}

static inline int gg_token_next(const gg_tokens *tokens, int at) {
  return gg_token_from(tokens, at + 1);
}

static inline int gg_token_before(const gg_tokens *tokens, int at) {
  return gg_token_back(tokens, at - 1);
}

/* Whether the token at `at` is not dead and is one of `signs`; false for a place outside of the
 * text. */
static inline bool gg_token_is(const gg_tokens *tokens, int at, gg_signs signs) {
  return (unsigned)at < (unsigned)tokens->count && (tokens->at[at].sign & signs);
}

/* Whether the token at `at` is not dead and has this text. */
bool gg_token_reads(const gg_tokens *tokens, int at, const char *text);

bool gg_token_is_word(const gg_tokens *tokens, int at);

/* Takes the tokens first..last away, and the comments among them. */
void gg_tokens_remove(gg_tokens *tokens, int first, int last);

/* The same, together with the comments that belong to them: those on the lines right above, and one
 * behind them on their last line. */
void gg_tokens_remove_lines(gg_tokens *tokens, int first, int last);

/* Gives the token at `at` the text and the name of the one at `from`; where `at` is a pragma, the
 * word that it ends with is replaced. */
void gg_token_copy(gg_tokens *tokens, int at, int from);

/* Makes the token at `at` the word `true` or `false`. */
void gg_token_set_bool(gg_tokens *tokens, int at, bool value);

/* Replaces the word `name` by a number, or by true or false, wherever it stands in first..last.
 * False: memory ran out. */
bool gg_put_number(gg_tokens *tokens, int first, int last, int name, int64_t value, bool is_bool);

/* Gives the token at `at` the space that stands in front of the token at `place`. */
void gg_token_take_place(gg_tokens *tokens, int at, int place);

/* The last token of the statement that begins at `first`. */
int gg_statement_end(const gg_tokens *tokens, int first);

/* Whether the word `name` stands at `at` and is not a member behind `.` or `->`. */
bool gg_token_names(const gg_tokens *tokens, int at, int name);

#endif
