/* Folding within expressions. */
#include "specialise/expression.h"

#include "specialise/value.h"

/* ---- Extents ---------------------------------------------------------------------------- */

int gg_token_past(const gg_tokens *tokens, int at) {
  return gg_token_next(tokens, gg_token_is_of(tokens, at, "( [ {") ? tokens->at[at].partner : at);
}

int gg_angle_end(const gg_tokens *tokens, int at) {
  int depth = 0;
  for (; at < tokens->count && !gg_token_is_of(tokens, at, "; { && ||");
       at = gg_token_past(tokens, at)) {
    if (gg_token_is_of(tokens, at, ") ] }")) return -1;
    if (gg_token_is(tokens, at, "<")) depth++;
    if (gg_token_is(tokens, at, ">") && --depth == 0) return at;
  }
  return -1;
}

int gg_declared_name(const gg_tokens *tokens, int at) {
  while (gg_token_is_of(tokens, at, "const constexpr static"))
    at = gg_token_next(tokens, at);
  if (!gg_token_is_word(tokens, at) ||
      gg_token_is_of(tokens, at, "return if for while else do asm break continue struct using"))
    return -1;
  int name = gg_token_next(tokens, at);
  if (gg_token_is(tokens, name, "<")) {
    name = gg_angle_end(tokens, name);
    if (name < 0) return -1;
    name = gg_token_next(tokens, name);
  }
  while (gg_token_is_of(tokens, name, "* & long short int unsigned char const"))
    name = gg_token_next(tokens, name);
  if (gg_token_is(tokens, name, "(")) name = gg_token_next(tokens, gg_token_next(tokens, name));
  if (!gg_token_is_word(tokens, name)) return -1;
  return gg_token_is_of(tokens, gg_token_next(tokens, name), "= ; [ { ( ,") ? name : -1;
}

static int operand_begin(const gg_tokens *tokens, int sign, const char *bounds) {
  int first = sign;
  for (int at = gg_token_before(tokens, sign); at >= 0; at = gg_token_before(tokens, at)) {
    if (gg_token_is_of(tokens, at, ") ] }"))
      at = tokens->at[at].partner;
    else if (gg_token_is_of(tokens, at, "( [ { , ; = return += -= *= |= &= ^="))
      break;
    else if (gg_token_is_of(tokens, at, bounds))
      break;
    first = at;
  }
  return first;
}

static int operand_end(const gg_tokens *tokens, int sign, const char *bounds) {
  int last = sign;
  for (int at = gg_token_next(tokens, sign); at < tokens->count; at = gg_token_past(tokens, at)) {
    if (gg_token_is_of(tokens, at, ") ] } , ;") || gg_token_is_of(tokens, at, bounds)) break;
    last = gg_token_is_of(tokens, at, "( [ {") ? tokens->at[at].partner : at;
  }
  return last;
}

/* ---- Brackets --------------------------------------------------------------------------- */

static bool has_sign(const gg_tokens *tokens, int first, int last, const char *signs) {
  for (int at = gg_token_from(tokens, first); at <= last; at = gg_token_past(tokens, at))
    if (gg_token_is_of(tokens, at, signs)) return true;
  return false;
}

#define ANY_SIGN "* / % + - << < > <= >= == != & ^ | && || ? ,"

void gg_strip_brackets(gg_tokens *tokens, int first, int last) {
  int open = gg_token_before(tokens, first), close = gg_token_next(tokens, last);
  if (!gg_token_is(tokens, open, "(") || tokens->at[open].partner != close) return;
  int before = gg_token_before(tokens, open), behind = gg_token_next(tokens, close);
  bool alone = !has_sign(tokens, first, last, ANY_SIGN);
  bool apart = gg_token_is_of(tokens, before, "( [ { , ; = return && || ? :") &&
               gg_token_is_of(tokens, behind, ") ] } , ; && || ? :") &&
               !has_sign(tokens, first, last, "&& || ? ,");
  bool term = gg_token_is_of(tokens, before, "+ ( [ { , ; = return") &&
              gg_token_is_of(tokens, behind, "+ - ) ] } , ;") &&
              !has_sign(tokens, first, last, "< > <= >= == != & ^ | && || ? , <<");
  bool callee = gg_token_is_word(tokens, before) && !gg_token_is(tokens, before, "return");
  if (callee || gg_token_is_of(tokens, before, ") ] > constexpr") || (!alone && !apart && !term))
    return;
  gg_token_take_place(tokens, first, open);
  gg_tokens_remove(tokens, open, open);
  gg_tokens_remove(tokens, close, close);
}

/* The brackets that hold `at`, where they do nothing any more. */
static void strip_around(gg_tokens *tokens, int at) {
  int open = gg_token_before(tokens, at);
  while (open >= 0 && !gg_token_is_of(tokens, open, "( [ { ;"))
    open = gg_token_before(tokens,
                           gg_token_is_of(tokens, open, ") ] }") ? tokens->at[open].partner : open);
  if (!gg_token_is(tokens, open, "(")) return;
  gg_strip_brackets(tokens, gg_token_next(tokens, open),
                    gg_token_before(tokens, tokens->at[open].partner));
}

/* Leaves keep_first..keep_last of first..last. */
static void keep_part(gg_tokens *tokens, int first, int last, int keep_first, int keep_last) {
  gg_token_take_place(tokens, keep_first, first);
  gg_tokens_remove(tokens, first, keep_first - 1);
  gg_tokens_remove(tokens, keep_last + 1, last);
  tokens->at[keep_first].moved = true;
  gg_strip_brackets(tokens, keep_first, keep_last);
}

static void keep_word(gg_tokens *tokens, int first, int last, const char *word) {
  gg_token_set(tokens, first, GG_TOKEN_WORD, word);
  tokens->at[first].moved = true;
  gg_tokens_remove(tokens, first + 1, last);
}

/* ---- Choices ---------------------------------------------------------------------------- */

bool gg_fold_choice(gg_tokens *tokens, int at) {
  int first = operand_begin(tokens, at, "? :");
  gg_known value = gg_value_of(tokens, first, at - 1);
  if (!value.known) return false;
  int colon = gg_token_next(tokens, at);
  for (int nested = 0; !gg_token_is(tokens, colon, ":") || nested-- > 0;
       colon = gg_token_past(tokens, colon))
    nested += gg_token_is(tokens, colon, "?");
  int last = colon;
  for (int end = gg_token_next(tokens, colon), nested = 0;
       !gg_token_is_of(tokens, end, ") ] } , ;"); end = gg_token_past(tokens, end)) {
    nested += gg_token_is(tokens, end, "?");
    if (gg_token_is(tokens, end, ":") && nested-- == 0) break;
    last = gg_token_is_of(tokens, end, "( [ {") ? tokens->at[end].partner : end;
  }
  if (value.value != 0)
    keep_part(tokens, first, last, gg_token_next(tokens, at), gg_token_before(tokens, colon));
  else
    keep_part(tokens, first, last, gg_token_next(tokens, colon), last);
  return true;
}

bool gg_fold_logic(gg_tokens *tokens, int at) {
  bool both = gg_token_is(tokens, at, "&&");
  const char *bounds = both ? "|| && ? :" : "|| ? :";
  int first = operand_begin(tokens, at, bounds), last = operand_end(tokens, at, bounds);
  int left_last = gg_token_before(tokens, at), right_first = gg_token_next(tokens, at);
  gg_known left = gg_value_of(tokens, first, left_last);
  gg_known right = gg_value_of(tokens, right_first, last);
  if (!left.known && !right.known) return false;
  gg_known one = left.known ? left : right;
  bool decides = both ? one.value == 0 : one.value != 0;
  if (decides)
    keep_word(tokens, first, last, both ? "false" : "true");
  else if (left.known)
    keep_part(tokens, first, last, right_first, last);
  else
    keep_part(tokens, first, last, first, left_last);
  return true;
}

/* ---- Literals --------------------------------------------------------------------------- */

/* The first token of the operand of `*` and the like that ends at `at`; -1 where it cannot tell. */
static int factor_begin(const gg_tokens *tokens, int at) {
  for (;;) {
    int before;
    if (gg_token_is_of(tokens, at, ") ]")) {
      at = tokens->at[at].partner;
      before = gg_token_before(tokens, at);
      if (gg_token_is(tokens, before, ">")) return -1;
      if (!gg_token_is_word(tokens, before) && !gg_token_is_of(tokens, before, ") ]")) return at;
      if (gg_token_is(tokens, before, "return")) return at;
      at = before;
      continue;
    }
    before = gg_token_before(tokens, at);
    if (!gg_token_is_of(tokens, before, ". -> ::")) return at;
    at = gg_token_before(tokens, before);
  }
}

/* Begin and end of the product that `at` is a factor of. */
static int product_begin(const gg_tokens *tokens, int at) {
  while (gg_token_is_of(tokens, gg_token_before(tokens, at), "* / %")) {
    at = factor_begin(tokens, gg_token_before(tokens, gg_token_before(tokens, at)));
    if (at < 0) return -1;
  }
  return at;
}

static int product_end(const gg_tokens *tokens, int at) {
  return operand_end(tokens, gg_token_before(tokens, at), "+ - << < > <= >= == != & ^ | && || ? :");
}

static bool fold_zero(gg_tokens *tokens, int at) {
  int before = gg_token_before(tokens, at), next = gg_token_next(tokens, at);
  bool follows = gg_token_is(tokens, before, "*"), leads = gg_token_is_of(tokens, next, "* / %");
  if ((follows || leads) && !gg_token_is_of(tokens, before, "/ %")) {
    int first = product_begin(tokens, at), last = product_end(tokens, at);
    if (first < 0) return false;
    keep_part(tokens, first, last, at, at);
    return true;
  }
  if (leads) return false;
  if (gg_token_is_of(tokens, before, "+ -") &&
      !gg_token_is_of(tokens, gg_token_before(tokens, before),
                      "( [ { , ; = return + - * / % << < > <= >= == != & ^ | && || ? :")) {
    int kept = gg_token_before(tokens, before);
    gg_tokens_remove(tokens, before, at);
    tokens->at[kept].moved = true;
    strip_around(tokens, kept);
    return true;
  }
  if (gg_token_is(tokens, next, "+") && !gg_token_is_of(tokens, before, "- * / %")) {
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
  if (gg_token_is_of(tokens, before, "* /") &&
      !gg_token_is_of(tokens, gg_token_before(tokens, before), "( , = ; { const")) {
    int kept = gg_token_before(tokens, before);
    tokens->at[kept].moved = true;
    gg_tokens_remove(tokens, before, at);
    strip_around(tokens, kept);
    return true;
  }
  if (gg_token_is(tokens, next, "*") && !gg_token_is_of(tokens, before, "/ %")) {
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
  if (gg_token_is(tokens, at, "0")) return fold_zero(tokens, at);
  return gg_token_is(tokens, at, "1") && fold_one(tokens, at);
}
