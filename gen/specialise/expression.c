/* Finds operands and brackets around a token, and folds choices, logic and literals. */
#include "specialise/expression.h"

#include "specialise/value.h"

/* ---- Extents ---------------------------------------------------------------------------- */

int gg_token_past(const gg_tokens *tokens, int at) {
  return gg_token_next(tokens, gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE))
                                   ? tokens->at[at].partner
                                   : at);
}

int gg_angle_end(const gg_tokens *tokens, int at) {
  int depth = 0;
  for (; at < tokens->count &&
         !gg_token_is(tokens, at, S(SEMICOLON) | S(BRACE) | S(AND_ALSO) | S(OR_ELSE));
       at = gg_token_past(tokens, at)) {
    if (gg_token_is(tokens, at, S(PAREN_END) | S(SQUARE_END) | S(BRACE_END))) return -1;
    if (gg_token_is(tokens, at, S(LESS))) depth++;
    if (gg_token_is(tokens, at, S(GREATER)) && --depth == 0) return at;
  }
  return -1;
}

int gg_declared_name(const gg_tokens *tokens, int at) {
  while (gg_token_is(tokens, at, S(CONST) | S(CONSTEXPR) | S(STATIC)))
    at = gg_token_next(tokens, at);
  if (!gg_token_is_word(tokens, at) || gg_token_is(tokens, at,
                                                   S(RETURN) | S(IF) | S(FOR) | S(WHILE) | S(ELSE) |
                                                       S(JUMP) | S(ASM) | S(STRUCT) | S(USING)))
    return -1;
  int name = gg_token_next(tokens, at);
  if (gg_token_is(tokens, name, S(LESS))) {
    name = gg_angle_end(tokens, name);
    if (name < 0) return -1;
    name = gg_token_next(tokens, name);
  }
  while (gg_token_is(tokens, name,
                     S(TIMES) | S(AND) | S(NUMBER_TYPE) | S(INT) | S(UNSIGNED) | S(CONST)))
    name = gg_token_next(tokens, name);
  if (gg_token_is(tokens, name, S(PAREN)))
    name = gg_token_next(tokens, gg_token_next(tokens, name));
  if (!gg_token_is_word(tokens, name)) return -1;
  return gg_token_is(tokens, gg_token_next(tokens, name),
                     S(ASSIGN) | S(SEMICOLON) | S(SQUARE) | S(BRACE) | S(PAREN) | S(COMMA))
             ? name
             : -1;
}

static int operand_begin(const gg_tokens *tokens, int sign, gg_signs bounds) {
  int first = sign;
  for (int at = gg_token_before(tokens, sign); at >= 0; at = gg_token_before(tokens, at)) {
    if (gg_token_is(tokens, at, S(PAREN_END) | S(SQUARE_END) | S(BRACE_END)))
      at = tokens->at[at].partner;
    else if (gg_token_is(tokens, at,
                         S(PAREN) | S(SQUARE) | S(BRACE) | S(COMMA) | S(SEMICOLON) | S(ASSIGN) |
                             S(RETURN) | S(ADD_TO) | S(CHANGE)))
      break;
    else if (gg_token_is(tokens, at, bounds))
      break;
    first = at;
  }
  return first;
}

static int operand_end(const gg_tokens *tokens, int sign, gg_signs bounds) {
  int last = sign;
  for (int at = gg_token_next(tokens, sign); at < tokens->count; at = gg_token_past(tokens, at)) {
    if (gg_token_is(tokens, at,
                    S(PAREN_END) | S(SQUARE_END) | S(BRACE_END) | S(COMMA) | S(SEMICOLON)) ||
        gg_token_is(tokens, at, bounds))
      break;
    last = gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE)) ? tokens->at[at].partner : at;
  }
  return last;
}

/* ---- Brackets --------------------------------------------------------------------------- */

static bool has_sign(const gg_tokens *tokens, int first, int last, gg_signs signs) {
  for (int at = gg_token_from(tokens, first); at <= last; at = gg_token_past(tokens, at))
    if (gg_token_is(tokens, at, signs)) return true;
  return false;
}

static const gg_signs any_sign = S(TIMES) | S(DIVIDE) | S(MODULO) | S(PLUS) | S(MINUS) |
                                 S(SHIFT_LEFT) | S(LESS) | S(GREATER) | S(AT_MOST) | S(AT_LEAST) |
                                 S(EQUAL) | S(UNEQUAL) | S(AND) | S(XOR) | S(OR) | S(AND_ALSO) |
                                 S(OR_ELSE) | S(QUESTION) | S(COMMA);

void gg_strip_brackets(gg_tokens *tokens, int first, int last) {
  int open = gg_token_before(tokens, first), close = gg_token_next(tokens, last);
  if (!gg_token_is(tokens, open, S(PAREN)) || tokens->at[open].partner != close) return;
  int before = gg_token_before(tokens, open), behind = gg_token_next(tokens, close);
  bool alone = !has_sign(tokens, first, last, any_sign);
  bool apart = gg_token_is(tokens, before,
                           S(PAREN) | S(SQUARE) | S(BRACE) | S(COMMA) | S(SEMICOLON) | S(ASSIGN) |
                               S(RETURN) | S(AND_ALSO) | S(OR_ELSE) | S(QUESTION) | S(COLON)) &&
               gg_token_is(tokens, behind,
                           S(PAREN_END) | S(SQUARE_END) | S(BRACE_END) | S(COMMA) | S(SEMICOLON) |
                               S(AND_ALSO) | S(OR_ELSE) | S(QUESTION) | S(COLON)) &&
               !has_sign(tokens, first, last, S(AND_ALSO) | S(OR_ELSE) | S(QUESTION) | S(COMMA));
  bool term = gg_token_is(tokens, before,
                          S(PLUS) | S(PAREN) | S(SQUARE) | S(BRACE) | S(COMMA) | S(SEMICOLON) |
                              S(ASSIGN) | S(RETURN)) &&
              gg_token_is(tokens, behind,
                          S(PLUS) | S(MINUS) | S(PAREN_END) | S(SQUARE_END) | S(BRACE_END) |
                              S(COMMA) | S(SEMICOLON)) &&
              !has_sign(tokens, first, last,
                        S(LESS) | S(GREATER) | S(AT_MOST) | S(AT_LEAST) | S(EQUAL) | S(UNEQUAL) |
                            S(AND) | S(XOR) | S(OR) | S(AND_ALSO) | S(OR_ELSE) | S(QUESTION) |
                            S(COMMA) | S(SHIFT_LEFT));
  bool callee = gg_token_is_word(tokens, before) && !gg_token_is(tokens, before, S(RETURN));
  bool constraint = before >= 0 && tokens->at[before].kind == GG_TOKEN_STRING; /* of asm */
  if (callee || constraint ||
      gg_token_is(tokens, before, S(PAREN_END) | S(SQUARE_END) | S(GREATER) | S(CONSTEXPR)) ||
      (!alone && !apart && !term))
    return;
  gg_token_take_place(tokens, first, open);
  gg_tokens_remove(tokens, open, open);
  gg_tokens_remove(tokens, close, close);
}

/* Strips the brackets that directly hold `at`, where they do nothing any more. */
static void strip_around(gg_tokens *tokens, int at) {
  int open = gg_token_before(tokens, at);
  while (open >= 0 && !gg_token_is(tokens, open, S(PAREN) | S(SQUARE) | S(BRACE) | S(SEMICOLON)))
    open = gg_token_before(tokens,
                           gg_token_is(tokens, open, S(PAREN_END) | S(SQUARE_END) | S(BRACE_END))
                               ? tokens->at[open].partner
                               : open);
  if (!gg_token_is(tokens, open, S(PAREN))) return;
  gg_strip_brackets(tokens, gg_token_next(tokens, open),
                    gg_token_before(tokens, tokens->at[open].partner));
}

/* Removes all of first..last but keep_first..keep_last. */
static void keep_part(gg_tokens *tokens, int first, int last, int keep_first, int keep_last) {
  gg_token_take_place(tokens, keep_first, first);
  gg_tokens_remove(tokens, first, keep_first - 1);
  gg_tokens_remove(tokens, keep_last + 1, last);
  tokens->at[keep_first].moved = true;
  gg_strip_brackets(tokens, keep_first, keep_last);
}

static void keep_bool(gg_tokens *tokens, int first, int last, bool value) {
  gg_token_set_bool(tokens, first, value);
  tokens->at[first].moved = true;
  gg_tokens_remove(tokens, first + 1, last);
}

/* ---- Choices ---------------------------------------------------------------------------- */

bool gg_fold_choice(gg_tokens *tokens, int at) {
  int first = operand_begin(tokens, at, S(QUESTION) | S(COLON));
  gg_known value = gg_value_of(tokens, first, at - 1);
  if (!value.known) return false;
  int colon = gg_token_next(tokens, at);
  for (int nested = 0; !gg_token_is(tokens, colon, S(COLON)) || nested-- > 0;
       colon = gg_token_past(tokens, colon)) {
    if (colon >= tokens->count) return false;
    nested += gg_token_is(tokens, colon, S(QUESTION));
  }
  int last = colon;
  for (int end = gg_token_next(tokens, colon), nested = 0;
       end < tokens->count &&
       !gg_token_is(tokens, end,
                    S(PAREN_END) | S(SQUARE_END) | S(BRACE_END) | S(COMMA) | S(SEMICOLON));
       end = gg_token_past(tokens, end)) {
    nested += gg_token_is(tokens, end, S(QUESTION));
    if (gg_token_is(tokens, end, S(COLON)) && nested-- == 0) break;
    last =
        gg_token_is(tokens, end, S(PAREN) | S(SQUARE) | S(BRACE)) ? tokens->at[end].partner : end;
  }
  if (value.value != 0)
    keep_part(tokens, first, last, gg_token_next(tokens, at), gg_token_before(tokens, colon));
  else
    keep_part(tokens, first, last, gg_token_next(tokens, colon), last);
  return true;
}

bool gg_fold_logic(gg_tokens *tokens, int at) {
  bool both = gg_token_is(tokens, at, S(AND_ALSO));
  gg_signs bounds = S(OR_ELSE) | S(QUESTION) | S(COLON) | (both ? S(AND_ALSO) : 0);
  int first = operand_begin(tokens, at, bounds), last = operand_end(tokens, at, bounds);
  int left_last = gg_token_before(tokens, at), right_first = gg_token_next(tokens, at);
  gg_known left = gg_value_of(tokens, first, left_last);
  gg_known right = gg_value_of(tokens, right_first, last);
  if (!left.known && !right.known) return false;
  gg_known one = left.known ? left : right;
  bool decides = both ? one.value == 0 : one.value != 0;
  if (decides)
    keep_bool(tokens, first, last, !both);
  else if (left.known)
    keep_part(tokens, first, last, right_first, last);
  else
    keep_part(tokens, first, last, first, left_last);
  return true;
}

/* ---- Literals --------------------------------------------------------------------------- */

/* The first token of the operand of `*`, `/` or `%` that ends at `at`; -1: it cannot be told. */
static int factor_begin(const gg_tokens *tokens, int at) {
  for (;;) {
    int before;
    if (gg_token_is(tokens, at, S(PAREN_END) | S(SQUARE_END))) {
      at = tokens->at[at].partner;
      before = gg_token_before(tokens, at);
      if (gg_token_is(tokens, before, S(GREATER))) return -1;
      if (!gg_token_is_word(tokens, before) &&
          !gg_token_is(tokens, before, S(PAREN_END) | S(SQUARE_END)))
        return at;
      if (gg_token_is(tokens, before, S(RETURN))) return at;
      at = before;
      continue;
    }
    before = gg_token_before(tokens, at);
    if (!gg_token_is(tokens, before, S(DOT) | S(ARROW) | S(SCOPE))) return at;
    at = gg_token_before(tokens, before);
  }
}

/* The first token, here, and the last one, below, of the product that `at` is a factor of; -1: they
 * cannot be told. */
static int product_begin(const gg_tokens *tokens, int at) {
  while (gg_token_is(tokens, gg_token_before(tokens, at), S(TIMES) | S(DIVIDE) | S(MODULO))) {
    at = factor_begin(tokens, gg_token_before(tokens, gg_token_before(tokens, at)));
    if (at < 0) return -1;
  }
  return at;
}

static int product_end(const gg_tokens *tokens, int at) {
  return operand_end(tokens, gg_token_before(tokens, at),
                     S(PLUS) | S(MINUS) | S(SHIFT_LEFT) | S(LESS) | S(GREATER) | S(AT_MOST) |
                         S(AT_LEAST) | S(EQUAL) | S(UNEQUAL) | S(AND) | S(XOR) | S(OR) |
                         S(AND_ALSO) | S(OR_ELSE) | S(QUESTION) | S(COLON));
}

static bool fold_zero(gg_tokens *tokens, int at) {
  int before = gg_token_before(tokens, at), next = gg_token_next(tokens, at);
  bool follows = gg_token_is(tokens, before, S(TIMES)),
       leads = gg_token_is(tokens, next, S(TIMES) | S(DIVIDE) | S(MODULO));
  if ((follows || leads) && !gg_token_is(tokens, before, S(DIVIDE) | S(MODULO))) {
    int first = product_begin(tokens, at), last = product_end(tokens, at);
    if (first < 0) return false;
    keep_part(tokens, first, last, at, at);
    return true;
  }
  if (leads) return false;
  if (gg_token_is(tokens, before, S(PLUS) | S(MINUS)) &&
      !gg_token_is(tokens, gg_token_before(tokens, before),
                   S(PAREN) | S(SQUARE) | S(BRACE) | S(COMMA) | S(SEMICOLON) | S(ASSIGN) |
                       S(RETURN) | S(PLUS) | S(MINUS) | S(TIMES) | S(DIVIDE) | S(MODULO) |
                       S(SHIFT_LEFT) | S(LESS) | S(GREATER) | S(AT_MOST) | S(AT_LEAST) | S(EQUAL) |
                       S(UNEQUAL) | S(AND) | S(XOR) | S(OR) | S(AND_ALSO) | S(OR_ELSE) |
                       S(QUESTION) | S(COLON))) {
    int kept = gg_token_before(tokens, before);
    gg_tokens_remove(tokens, before, at);
    tokens->at[kept].moved = true;
    strip_around(tokens, kept);
    return true;
  }
  if (gg_token_is(tokens, next, S(PLUS)) &&
      !gg_token_is(tokens, before, S(MINUS) | S(TIMES) | S(DIVIDE) | S(MODULO))) {
    int kept = gg_token_next(tokens, next);
    gg_token_take_place(tokens, kept, at);
    tokens->at[kept].moved = true;
    gg_tokens_remove(tokens, at, next);
    strip_around(tokens, kept);
    return true;
  }
  return false;
}

static bool fold_one(gg_tokens *tokens, int at) {
  int before = gg_token_before(tokens, at), next = gg_token_next(tokens, at);
  if (gg_token_is(tokens, before, S(TIMES) | S(DIVIDE)) &&
      !gg_token_is(tokens, gg_token_before(tokens, before),
                   S(PAREN) | S(COMMA) | S(ASSIGN) | S(SEMICOLON) | S(BRACE) | S(CONST))) {
    int kept = gg_token_before(tokens, before);
    tokens->at[kept].moved = true;
    gg_tokens_remove(tokens, before, at);
    strip_around(tokens, kept);
    return true;
  }
  if (gg_token_is(tokens, next, S(TIMES)) && !gg_token_is(tokens, before, S(DIVIDE) | S(MODULO))) {
    int kept = gg_token_next(tokens, next);
    gg_token_take_place(tokens, kept, at);
    tokens->at[kept].moved = true;
    gg_tokens_remove(tokens, at, next);
    strip_around(tokens, kept);
    return true;
  }
  return false;
}

bool gg_fold_literal(gg_tokens *tokens, int at) {
  if (tokens->at[at].length != 1) return false;
  if (gg_token_reads(tokens, at, "0")) return fold_zero(tokens, at);
  return gg_token_reads(tokens, at, "1") && fold_one(tokens, at);
}
