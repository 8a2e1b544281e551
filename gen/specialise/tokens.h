/* CUDA C++ as the templates give it, as a list of tokens that passes change in place.
 *
 * Tokens are never added or moved: a pass takes some away, gives one another text, or changes the
 * space in front of it. So the place of a token names it for good. */
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

/* The names of signs.def. */
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

/* A set of signs is a number with a bit for each: S(IF) | S(FOR). */
typedef uint64_t gg_signs;
#define S(name) (UINT64_C(1) << GG_SIGN_##name)

typedef struct gg_token {
  gg_signs sign; /* which it is; 0: another token */
  const char *text;
  int length;
  uint8_t kind;     /* gg_token_kind */
  bool dead;        /* taken away; it is no sign then */
  bool skipped;     /* dead, or a comment */
  bool changed : 1; /* given other text */
  bool moved : 1;   /* of a statement whose lines are to be broken anew */
  int16_t newlines; /* in front of it */
  int16_t indent;   /* spaces in front of it, behind those */
  int partner;      /* of a bracket: the other one */
  int again;        /* of a word: where it stands next; -1: nowhere */
  int name; /* of a word, also of a pragma's last: which of the text's words it is, from 0 */
} gg_token;

/* What is known of a word that names an integer. */
typedef struct gg_known {
  bool known;
  int64_t value;
} gg_known;

/* A constant member of a struct: owner::name. */
typedef struct gg_member {
  int owner, name; /* words */
  gg_known value;
} gg_member;

typedef struct gg_tokens {
  gg_arena *arena;
  gg_token *at;
  int count;
  int names;        /* different words */
  bool failed;      /* memory ran out: the text is not to be used */
  int *first;       /* by name: where the word stands first; -1: nowhere */
  gg_known *values; /* by name */
  gg_member *members;
  int member_count;
  int *sizes;     /* by name, of a type: its bytes; 0: not known */
  int now;        /* counts the passes */
  int *last_pass; /* by stretch of GG_STRETCH tokens: which pass changed it last; 0: none did */
} gg_tokens;

enum { GG_STRETCH = 32 };

/* Whether any of the tokens, or their neighbours, were changed in that pass or a later one. */
bool gg_tokens_changed(const gg_tokens *tokens, int first, int last, int pass);

/* Counts a token as changed, so that passes look again at what holds it. */
static inline void gg_token_touch(gg_tokens *tokens, int at) {
  tokens->last_pass[at / GG_STRETCH] = tokens->now;
}

/* The entries, or a copy with twice as much room where `count` of them fill what there is; NULL:
 * memory is out. */
void *gg_make_room(gg_arena *arena, void *entries, int *capacity, int count, size_t size);

/* Reads `length` bytes of text, which a NUL ends and must outlive the tokens. Brackets that do not
 * match, or memory that runs out, are errors. */
gg_status gg_tokens_read(gg_tokens *out, gg_arena *arena, const char *text, size_t length,
                         gg_error *err);

void gg_tokens_write(gg_str *out, const gg_tokens *tokens);

/* The next token that stands and is no comment, from `at` on, or before it; tokens->count or -1
 * where there is none. */
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

/* Whether the token there stands and is one of these; false outside of the text. */
static inline bool gg_token_is(const gg_tokens *tokens, int at, gg_signs signs) {
  return (unsigned)at < (unsigned)tokens->count && (tokens->at[at].sign & signs);
}

/* Whether the token there stands and is this text. */
bool gg_token_reads(const gg_tokens *tokens, int at, const char *text);

bool gg_token_is_word(const gg_tokens *tokens, int at);

/* Takes the tokens first..last away, comments among them too. */
void gg_tokens_remove(gg_tokens *tokens, int first, int last);

/* The same with the comments that belong to them: on lines above, and behind on the last line. */
void gg_tokens_remove_lines(gg_tokens *tokens, int first, int last);

/* Gives a token the text and the name of another; to a pragma, in place of the word that it ends
 * with. */
void gg_token_copy(gg_tokens *tokens, int at, int from);

/* Makes a token `true` or `false`. */
void gg_token_set_bool(gg_tokens *tokens, int at, bool value);

/* Writes a number, or true and false, wherever a word stands in first..last. False: memory ran
 * out. */
bool gg_put_number(gg_tokens *tokens, int first, int last, int name, int64_t value, bool is_bool);

/* Puts `at` where `place` stood: behind the same space. */
void gg_token_take_place(gg_tokens *tokens, int at, int place);

/* The last token of the statement that begins at `first`. */
int gg_statement_end(const gg_tokens *tokens, int first);

/* Whether the word `name` stands at `at`, not as a member behind `.` or `->`. */
bool gg_token_names(const gg_tokens *tokens, int at, int name);

#endif
