/* A parser of C++ expressions that computes values while it reads. */
#include "specialise/value.h"

#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const gg_tokens *tokens;
  int at, last;
  int depth;   /* how deep brackets, signs and choices stand in each other */
  bool failed; /* it met something that it cannot read */
} parser;

enum { DEPTH_MAX = 64 };

static const gg_known unknown = {false, 0};

static gg_known known(int64_t value) {
  return (gg_known){true, value};
}

static gg_known parse_choice(parser *p);

static bool ended(const parser *p) {
  return p->at > p->last;
}

static void step(parser *p) {
  p->at = gg_token_next(p->tokens, p->at);
}

static bool take(parser *p, gg_signs signs) {
  if (ended(p) || !gg_token_is(p->tokens, p->at, signs)) return false;
  step(p);
  return true;
}

static gg_known parse_number(parser *p) {
  const gg_token *token = &p->tokens->at[p->at];
  step(p);
  char *end;
  unsigned long long value = strtoull(token->text, &end, 0);
  for (; end < token->text + token->length; end++)
    if (!strchr("uUlL", *end)) return unknown;
  return value <= INT64_MAX ? known((int64_t)value) : unknown;
}

/* Skips what stands behind a word: a call, an element, a member, template arguments. Their values
 * are not known. True where there was any. */
static bool skip_postfix(parser *p) {
  bool any = false;
  while (!ended(p)) {
    if (gg_token_is(p->tokens, p->at, S(PAREN) | S(SQUARE) | S(BRACE))) {
      p->at = gg_token_next(p->tokens, p->tokens->at[p->at].partner);
    } else if (gg_token_is(p->tokens, p->at, S(DOT) | S(ARROW) | S(SCOPE))) {
      step(p), step(p);
    } else {
      break;
    }
    any = true;
  }
  return any;
}

static bool is_cast(const parser *p) {
  return gg_token_is(p->tokens, p->at, S(INT) | S(UNSIGNED) | S(INT64) | S(BOOL)) &&
         gg_token_is(p->tokens, gg_token_next(p->tokens, p->at), S(PAREN));
}

static gg_known parse_cast(parser *p) {
  bool to_bool = gg_token_is(p->tokens, p->at, S(BOOL));
  step(p), step(p);
  gg_known value = parse_choice(p);
  if (!take(p, S(PAREN_END))) p->failed = true;
  return value.known && to_bool ? known(value.value != 0) : value;
}

int gg_size_of(const gg_tokens *tokens, int first, int last) {
  static const struct {
    const char *name;
    int bytes;
  } types[] = {{"char", 1},  {"bool", 1},     {"short", 2}, {"int", 4},
               {"float", 4}, {"unsigned", 4}, {"long", 8},  {"double", 8}};
  int size = 0;
  for (int at = gg_token_from(tokens, first); at <= last; at = gg_token_next(tokens, at)) {
    if (!gg_token_is_word(tokens, at) || tokens->at[at].name < 0) return 0;
    int bytes = tokens->sizes[tokens->at[at].name];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      if (gg_token_reads(tokens, at, types[i].name)) bytes = types[i].bytes;
    /* unsigned short, short int: the other word says more */
    bool vague = gg_token_is(tokens, at, S(INT) | S(UNSIGNED));
    if (bytes == 0) return 0;
    if (size == 0 || !vague) size = bytes;
  }
  return size;
}

/* Reads the brackets of sizeof(type). */
static gg_known parse_size(parser *p) {
  int open = gg_token_next(p->tokens, p->at);
  if (!gg_token_is(p->tokens, open, S(PAREN))) return p->failed = true, unknown;
  int close = p->tokens->at[open].partner;
  int size = gg_size_of(p->tokens, gg_token_next(p->tokens, open), close - 1);
  p->at = gg_token_next(p->tokens, close);
  return size ? known(size) : unknown;
}

/* The value of owner::name. Where every struct with a member of that name has the same value for
 * it, that value is known for any owner, even a template's parameter. */
static gg_known member_value(const gg_tokens *tokens, int owner, int name) {
  gg_known common = unknown;
  bool one = true;
  for (int i = 0; i < tokens->member_count; i++) {
    const gg_member *member = &tokens->members[i];
    if (member->name != tokens->at[name].name) continue;
    if (member->owner == tokens->at[owner].name) return member->value;
    one = one && member->value.known && (!common.known || common.value == member->value.value);
    common = member->value;
  }
  return one ? common : unknown;
}

/* Reads owner::name, standing at its owner. Steps past it only where its value is known. */
static gg_known parse_member(parser *p) {
  const gg_tokens *tokens = p->tokens;
  int colons = gg_token_next(tokens, p->at), name = gg_token_next(tokens, colons);
  if (!gg_token_is(tokens, colons, S(SCOPE)) || name > p->last) return unknown;
  gg_known value = member_value(tokens, p->at, name);
  if (value.known) p->at = gg_token_next(tokens, name);
  return value;
}

static gg_known parse_primary(parser *p) {
  if (ended(p)) return p->failed = true, unknown;
  const gg_token *token = &p->tokens->at[p->at];
  if (token->kind == GG_TOKEN_NUMBER) return parse_number(p);
  if (is_cast(p)) return parse_cast(p);
  if (take(p, S(PAREN))) {
    gg_known value = parse_choice(p);
    if (!take(p, S(PAREN_END))) p->failed = true;
    return skip_postfix(p) ? unknown : value;
  }
  if (gg_token_is(p->tokens, p->at, S(SIZEOF))) return parse_size(p);
  if (token->kind != GG_TOKEN_WORD) return p->failed = true, unknown;
  if (take(p, S(TRUE))) return known(1);
  if (take(p, S(FALSE))) return known(0);
  gg_known value = parse_member(p);
  if (value.known) return value;
  value = token->name >= 0 ? p->tokens->values[token->name] : unknown;
  step(p);
  return skip_postfix(p) ? unknown : value;
}

static gg_known parse_unary(parser *p) {
  const gg_token *sign = &p->tokens->at[p->at];
  if (!take(p, S(NOT) | S(MINUS) | S(INVERT))) return parse_primary(p);
  if (++p->depth > DEPTH_MAX) return p->failed = true, unknown;
  gg_known value = parse_unary(p);
  p->depth--;
  if (!value.known || value.value == INT64_MIN) return unknown;
  return known(sign->sign & S(NOT)     ? !value.value
               : sign->sign & S(MINUS) ? -value.value
                                       : ~value.value);
}

/* Operators of two operands by precedence; those that bind closest come last. */
static const gg_signs levels[] = {S(OR_ELSE),
                                  S(AND_ALSO),
                                  S(OR),
                                  S(XOR),
                                  S(AND),
                                  S(EQUAL) | S(UNEQUAL),
                                  S(LESS) | S(GREATER) | S(AT_MOST) | S(AT_LEAST),
                                  S(SHIFT_LEFT),
                                  S(PLUS) | S(MINUS),
                                  S(TIMES) | S(DIVIDE) | S(MODULO)};
enum { LEVELS = sizeof levels / sizeof *levels };

static gg_known divide(int64_t a, int64_t b, bool remainder) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return unknown;
  return known(remainder ? a % b : a / b);
}

static gg_known compute(const gg_token *sign, int64_t a, int64_t b) {
  char two[3] = {sign->text[0], sign->length > 1 ? sign->text[1] : '\0', '\0'};
  int64_t result;
  switch (two[0]) {
  case '*':
    return __builtin_mul_overflow(a, b, &result) ? unknown : known(result);
  case '/':
    return divide(a, b, false);
  case '%':
    return divide(a, b, true);
  case '+':
    return __builtin_add_overflow(a, b, &result) ? unknown : known(result);
  case '-':
    return __builtin_sub_overflow(a, b, &result) ? unknown : known(result);
  case '=':
    return known(a == b);
  case '!':
    return known(a != b);
  case '&':
    return known(two[1] ? a && b : a & b);
  case '|':
    return known(two[1] ? a || b : a | b);
  case '^':
    return known(a ^ b);
  case '<':
    if (two[1] == '<') return b >= 0 && b < 32 && a >= 0 && a < 1 << 30 ? known(a << b) : unknown;
    return known(two[1] ? a <= b : a < b);
  default:
    return known(two[1] ? a >= b : a > b);
  }
}

/* The value where one known operand decides it alone, as 0 does in `0 && x`. */
static gg_known compute_half(const gg_token *sign, gg_known a, gg_known b) {
  bool either = (a.known && a.value != 0) || (b.known && b.value != 0);
  bool neither = (a.known && a.value == 0) || (b.known && b.value == 0);
  if (sign->length == 2 && sign->text[0] == '|' && either) return known(1);
  if (sign->length == 2 && sign->text[0] == '&' && neither) return known(0);
  if (sign->text[0] == '%' && b.known && b.value == 1) return known(0);
  return unknown;
}

static const gg_signs any_level = S(OR_ELSE) | S(AND_ALSO) | S(OR) | S(XOR) | S(AND) | S(EQUAL) |
                                  S(UNEQUAL) | S(LESS) | S(GREATER) | S(AT_MOST) | S(AT_LEAST) |
                                  S(SHIFT_LEFT) | S(PLUS) | S(MINUS) | S(TIMES) | S(DIVIDE) |
                                  S(MODULO);

/* The level of the operator that stands next; -1: none does. */
static int level_of(const parser *p) {
  if (p->failed || ended(p) || !gg_token_is(p->tokens, p->at, any_level)) return -1;
  int level = LEVELS - 1;
  while (!(p->tokens->at[p->at].sign & levels[level]))
    level--;
  return level;
}

/* Reads operands and the operators between them that bind at least as close as level `least`. */
static gg_known parse_level(parser *p, int least) {
  gg_known left = parse_unary(p);
  for (int level; (level = level_of(p)) >= least;) {
    const gg_token *sign = &p->tokens->at[p->at];
    step(p);
    gg_known right = parse_level(p, level + 1);
    left = left.known && right.known ? compute(sign, left.value, right.value)
                                     : compute_half(sign, left, right);
  }
  return left;
}

static gg_known parse_choice(parser *p) {
  if (++p->depth > DEPTH_MAX) return p->failed = true, unknown;
  gg_known value = parse_level(p, 0);
  if (take(p, S(QUESTION))) {
    gg_known yes = parse_choice(p);
    if (!take(p, S(COLON))) p->failed = true;
    gg_known no = parse_choice(p);
    value = !value.known ? unknown : value.value ? yes : no;
  }
  p->depth--;
  return value;
}

gg_known gg_value_of(const gg_tokens *tokens, int first, int last) {
  if (last >= tokens->count) last = tokens->count - 1;
  parser p = {.tokens = tokens, .at = gg_token_from(tokens, first), .last = last};
  gg_known value = parse_choice(&p);
  return p.failed || !ended(&p) ? unknown : value;
}
