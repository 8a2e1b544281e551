/* Joins each statement whose tokens changed into one line, and breaks that where it is too long. */
#include "specialise/flow.h"

#include "specialise/expression.h"

/* In columns: WIDTH is the widest a line may be; a line that would begin further right than FAR,
 * below a bracket, is hung instead. DEPTH_MAX: brackets within each other. */
enum { WIDTH = 100, FAR = 72, DEPTH_MAX = 32 };

static int any_before(const gg_tokens *tokens, int at) {
  for (at--; at >= 0 && tokens->at[at].dead; at--)
    ;
  return at;
}

static int any_next(const gg_tokens *tokens, int at) {
  for (at++; at < tokens->count && tokens->at[at].dead; at++)
    ;
  return at;
}

/* Whether `at` ends the head of an `if`, a `for` or a `while`. */
static bool ends_head(const gg_tokens *tokens, int at) {
  if (!gg_token_is(tokens, at, S(PAREN_END))) return false;
  int before = gg_token_before(tokens, tokens->at[at].partner);
  return gg_token_is(tokens, before, S(IF) | S(FOR) | S(WHILE) | S(CONSTEXPR));
}

static bool ends_template(const gg_tokens *tokens, int at) {
  if (!gg_token_is(tokens, at, S(GREATER))) return false;
  int first = at;
  while (first > 0 &&
         !gg_token_is(tokens, first, S(SEMICOLON) | S(BRACE) | S(BRACE_END) | S(TEMPLATE)))
    first--;
  return gg_token_is(tokens, first, S(TEMPLATE)) &&
         gg_angle_end(tokens, gg_token_next(tokens, first)) == at;
}

/* Whether a token that stands first in its line begins a statement, a declaration or a `}`, so that
 * the line break in front of it must stay. */
static bool begins(const gg_tokens *tokens, int at) {
  if (tokens->at[at].newlines == 0) return false;
  int before = any_before(tokens, at);
  if (before < 0 || tokens->at[before].kind == GG_TOKEN_COMMENT ||
      tokens->at[before].kind == GG_TOKEN_PRAGMA || gg_token_is(tokens, at, S(BRACE_END)))
    return true;
  return gg_token_is(tokens, before, S(SEMICOLON) | S(BRACE) | S(BRACE_END) | S(ELSE)) ||
         ends_head(tokens, before) || ends_template(tokens, before);
}

/* Spaces in front of a token that stood first in its line and is now joined to the line before. */
static int joined_space(const gg_tokens *tokens, int at) {
  return !gg_token_is(tokens, gg_token_before(tokens, at), S(PAREN) | S(SQUARE));
}

/* How good it is to break a line between two tokens: the smaller, the better; -1: it must not break
 * there. At one depth of brackets a break behind a comma is better than one behind an operator. A
 * break behind `=` counts as one behind an operator two brackets deep. */
static int break_rank(const gg_tokens *tokens, int before, int at, int depth) {
  if (tokens->at[at].indent == 0) return -1;
  if (gg_token_is(tokens, before, S(COMMA))) return 2 * depth;
  if (gg_token_is(tokens, before, S(ASSIGN))) return 5;
  if (gg_token_is(tokens, before,
                  S(PLUS) | S(MINUS) | S(TIMES) | S(DIVIDE) | S(MODULO) | S(AND_ALSO) | S(OR_ELSE) |
                      S(OR) | S(XOR) | S(QUESTION) | S(COLON) | S(SHIFT_LEFT) | S(EQUAL)))
    return 2 * depth + 1;
  return -1;
}

typedef struct line {
  int opens[DEPTH_MAX]; /* columns just right of the brackets that are open */
  int depth;
} line;

/* Breaks the tokens first..last into lines of at most WIDTH columns. A line after the first begins
 * below the innermost open bracket, or `hang` columns in where no bracket is open. */
static void wrap(gg_tokens *tokens, int first, int last, int hang) {
  line l = {.depth = 0}, best_line = l;
  int column = tokens->at[first].indent, best = -1, best_rank = 0, best_column = 0;
  int begin = first; /* first token of the line */
  for (int at = first; at <= last; at = any_next(tokens, at)) {
    gg_token *token = &tokens->at[at];
    if (at != first) {
      column += token->indent;
      int rank = at == begin ? -1 : break_rank(tokens, any_before(tokens, at), at, l.depth);
      if (rank >= 0 && (best < 0 || rank <= best_rank)) {
        best = at, best_rank = rank, best_line = l;
        best_column = l.depth > 0 ? l.opens[l.depth - 1] : hang;
        if (best_column > FAR) best_column = hang;
      }
    }
    column += token->length;
    if (gg_token_is(tokens, at, S(ASSIGN)) && l.depth == 0 && column < FAR) hang = column + 1;
    if (gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE)) && l.depth < DEPTH_MAX)
      l.opens[l.depth++] = column;
    if (gg_token_is(tokens, at, S(PAREN_END) | S(SQUARE_END) | S(BRACE_END)) && l.depth > 0)
      l.depth--;
    if (column <= WIDTH || best < 0) continue;
    tokens->at[best].newlines = 1;
    tokens->at[best].indent = best_column;
    begin = best;
    at = any_before(tokens, best);
    l = best_line;
    column = 0;
    best = -1;
  }
}

/* Whether `at` is an entry of a list in braces, not a statement. */
static bool in_list(const gg_tokens *tokens, int at) {
  int before = gg_token_before(tokens, at);
  return gg_token_is(tokens, before, S(BRACE)) &&
         gg_token_is(tokens, gg_token_before(tokens, before),
                     S(ASSIGN) | S(RETURN) | S(PAREN) | S(COMMA));
}

static int width_of(const gg_tokens *tokens, int first, int last) {
  int width = 0;
  for (int at = first; at <= last; at = any_next(tokens, at))
    width += tokens->at[at].length + (at == first ? 0 : tokens->at[at].indent);
  return width;
}

/* Makes first..last one line, then breaks it where it is too long. */
static void flow(gg_tokens *tokens, int first, int last) {
  int indent = tokens->at[first].indent;
  for (int at = first; at <= last; at = any_next(tokens, at)) {
    if (tokens->at[at].kind == GG_TOKEN_COMMENT || gg_token_is(tokens, at, S(ASM))) return;
  }
  for (int at = any_next(tokens, first); at <= last; at = any_next(tokens, at)) {
    if (tokens->at[at].newlines == 0) continue;
    tokens->at[at].indent = joined_space(tokens, at);
    tokens->at[at].newlines = 0;
  }
  if (indent + width_of(tokens, first, last) <= WIDTH) return;
  wrap(tokens, first, last, in_list(tokens, first) ? indent : indent + 4);
}

void gg_flow(gg_tokens *tokens) {
  for (int first = gg_token_from(tokens, 0); first < tokens->count;) {
    bool moved = tokens->at[first].moved;
    int last = first, next = any_next(tokens, first);
    while (next < tokens->count && tokens->at[next].kind != GG_TOKEN_COMMENT &&
           tokens->at[next].kind != GG_TOKEN_PRAGMA && !begins(tokens, next)) {
      moved = moved || tokens->at[next].moved;
      last = next;
      next = any_next(tokens, next);
    }
    if (moved && tokens->at[first].newlines > 0) flow(tokens, first, last);
    first = next;
    while (first < tokens->count && (tokens->at[first].kind == GG_TOKEN_COMMENT ||
                                     tokens->at[first].kind == GG_TOKEN_PRAGMA))
      first = any_next(tokens, first);
  }
}
