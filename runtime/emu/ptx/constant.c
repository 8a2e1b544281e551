/* Constant expressions (PTX ISA, "Constants"): C's operators on .s64, .u64 and .f64.
 *
 * Integers wrap. Nesting is bounded, so that no text can exhaust the stack. */
#include <string.h>

#include "emu/ptx/parser.h"

static gg_status parse_expression(ptx_constant *out, ptx_parser *p, int least);

static double as_double(ptx_constant c) {
  double value;
  if (c.kind == PTX_SIGNED) return (double)(int64_t)c.bits;
  if (c.kind == PTX_UNSIGNED) return (double)c.bits;
  memcpy(&value, &c.bits, sizeof value);
  return value;
}

static ptx_constant from_double(double value) {
  ptx_constant c = {.kind = PTX_DOUBLE};
  memcpy(&c.bits, &value, sizeof value);
  return c;
}

static ptx_constant from_bool(bool holds) {
  return (ptx_constant){PTX_SIGNED, holds};
}

static bool is_integer(ptx_constant c) {
  return c.kind == PTX_SIGNED || c.kind == PTX_UNSIGNED;
}

/* ---- Unary ------------------------------------------------------------------------------- */

static gg_status parse_primary(ptx_constant *out, ptx_parser *p) {
  const ptx_token *token = &p->lexer.token;
  gg_status st;
  if (token->kind == PTX_TOKEN_INTEGER) {
    *out = (ptx_constant){token->is_unsigned ? PTX_UNSIGNED : PTX_SIGNED, token->value};
  } else if (token->kind == PTX_TOKEN_FLOAT) {
    *out = (ptx_constant){token->width == 32 ? PTX_SINGLE : PTX_DOUBLE, token->value};
  } else if (token->kind == PTX_TOKEN_NAME && !strcmp(token->name->text, "WARP_SZ")) {
    *out = (ptx_constant){PTX_SIGNED, 32};
  } else if (ptx_accept(p, '(')) {
    if ((st = parse_expression(out, p, 0))) return st;
    return ptx_expect(p, ')', "')'");
  } else {
    return ptx_lexer_unexpected(&p->lexer, "a constant");
  }
  ptx_lexer_next(&p->lexer);
  return GG_OK;
}

static gg_status apply_unary(ptx_constant *c, ptx_parser *p, ptx_place place, int op) {
  if (op == '-' && !is_integer(*c)) {
    c->bits ^= c->kind == PTX_SINGLE ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    return GG_OK;
  }
  if (op == '+') return GG_OK;
  if (!is_integer(*c)) return ptx_fail_value(p, place, "'%c' takes an integer", op);
  switch (op) {
  case '-':
    c->bits = 0 - c->bits;
    break;
  case '~':
    *c = (ptx_constant){PTX_UNSIGNED, ~c->bits};
    break;
  default:
    *c = from_bool(!c->bits);
    break;
  }
  return GG_OK;
}

/* `(.s64)` and `(.u64)`, of which the `(` is looked at. */
static bool at_cast(ptx_parser *p) {
  return ptx_at(p, '(') && ptx_lexer_follows(&p->lexer, '.');
}

static gg_status parse_cast(ptx_constant *out, ptx_parser *p) {
  gg_status st;
  ptx_lexer_next(&p->lexer);
  ptx_place place = p->lexer.token.place;
  bool is_signed = ptx_at_word(p, "s64");
  if (!is_signed && !ptx_at_word(p, "u64")) return ptx_lexer_unexpected(&p->lexer, ".s64 or .u64");
  ptx_lexer_next(&p->lexer);
  if ((st = ptx_expect(p, ')', "')'"))) return st;
  if ((st = parse_expression(out, p, 11))) return st;
  if (!is_integer(*out)) return ptx_fail_value(p, place, "a cast takes an integer");
  out->kind = is_signed ? PTX_SIGNED : PTX_UNSIGNED;
  return GG_OK;
}

static gg_status parse_unary(ptx_constant *out, ptx_parser *p) {
  gg_status st;
  int op = p->lexer.token.kind;
  ptx_place place = p->lexer.token.place;
  if (at_cast(p)) return parse_cast(out, p);
  if (op != '-' && op != '+' && op != '!' && op != '~') return parse_primary(out, p);
  ptx_lexer_next(&p->lexer);
  if ((st = parse_expression(out, p, 11))) return st;
  return apply_unary(out, p, place, op);
}

/* ---- Binary ------------------------------------------------------------------------------ */

/* How tight a binary operator binds, 1 to 10; 0: the token is none. */
static int binding(int op) {
  switch (op) {
  case PTX_TOKEN_OR:
    return 1;
  case PTX_TOKEN_AND:
    return 2;
  case '|':
    return 3;
  case '^':
    return 4;
  case '&':
    return 5;
  case PTX_TOKEN_EQ:
  case PTX_TOKEN_NE:
    return 6;
  case '<':
  case '>':
  case PTX_TOKEN_LE:
  case PTX_TOKEN_GE:
    return 7;
  case PTX_TOKEN_SHL:
  case PTX_TOKEN_SHR:
    return 8;
  case '+':
  case '-':
    return 9;
  case '*':
  case '/':
  case '%':
    return 10;
  default:
    return 0;
  }
}

static gg_status apply_to_doubles(ptx_constant *out, ptx_parser *p, ptx_place place, int op,
                                  double a, double b) {
  switch (op) {
  case '+':
    *out = from_double(a + b);
    return GG_OK;
  case '-':
    *out = from_double(a - b);
    return GG_OK;
  case '*':
    *out = from_double(a * b);
    return GG_OK;
  case '/':
    if (b == 0) return ptx_fail_value(p, place, "division by zero");
    *out = from_double(a / b);
    return GG_OK;
  case '<':
    *out = from_bool(a < b);
    return GG_OK;
  case '>':
    *out = from_bool(a > b);
    return GG_OK;
  case PTX_TOKEN_LE:
    *out = from_bool(a <= b);
    return GG_OK;
  case PTX_TOKEN_GE:
    *out = from_bool(a >= b);
    return GG_OK;
  case PTX_TOKEN_EQ:
    *out = from_bool(a == b);
    return GG_OK;
  case PTX_TOKEN_NE:
    *out = from_bool(a != b);
    return GG_OK;
  default:
    return ptx_fail_value(p, place, "this operator takes integers");
  }
}

static gg_status divide(ptx_constant *out, ptx_parser *p, ptx_place place, int op, uint64_t a,
                        uint64_t b, bool is_signed) {
  bool quotient = op == '/';
  if (!b) return ptx_fail_value(p, place, "division by zero");
  if (!is_signed) {
    out->bits = quotient ? a / b : a % b;
  } else if (b == UINT64_MAX) { /* -1: the quotient of the least integer wraps */
    out->bits = quotient ? 0 - a : 0;
  } else {
    int64_t x = (int64_t)a, y = (int64_t)b;
    out->bits = (uint64_t)(quotient ? x / y : x % y);
  }
  return GG_OK;
}

/* A shift keeps its left operand's type; what is shifted by 64 or more is gone. */
static uint64_t shift(int op, uint64_t a, uint64_t by, bool is_signed) {
  bool negative = is_signed && a >> 63;
  if (op == PTX_TOKEN_SHL) return by < 64 ? a << by : 0;
  if (by >= 64) return negative ? UINT64_MAX : 0;
  uint64_t fill = negative && by > 0 ? UINT64_MAX << (64 - by) : 0;
  return a >> by | fill;
}

static bool less(uint64_t a, uint64_t b, bool is_signed) {
  return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Whether a comparison or a logical operator holds; false in *known for all others. */
static bool holds(bool *known, int op, uint64_t a, uint64_t b, bool is_signed) {
  *known = true;
  switch (op) {
  case PTX_TOKEN_OR:
    return a || b;
  case PTX_TOKEN_AND:
    return a && b;
  case PTX_TOKEN_EQ:
    return a == b;
  case PTX_TOKEN_NE:
    return a != b;
  case '<':
    return less(a, b, is_signed);
  case '>':
    return less(b, a, is_signed);
  case PTX_TOKEN_LE:
    return !less(b, a, is_signed);
  case PTX_TOKEN_GE:
    return !less(a, b, is_signed);
  default:
    return *known = false;
  }
}

static gg_status apply_to_integers(ptx_constant *out, ptx_parser *p, ptx_place place, int op,
                                   ptx_constant left, ptx_constant right) {
  uint64_t a = left.bits, b = right.bits;
  bool is_signed = left.kind == PTX_SIGNED && right.kind == PTX_SIGNED, known;
  bool truth = holds(&known, op, a, b, is_signed);
  *out = known ? from_bool(truth) : (ptx_constant){is_signed ? PTX_SIGNED : PTX_UNSIGNED, 0};
  if (known) return GG_OK;
  switch (op) {
  case '|':
    *out = (ptx_constant){PTX_UNSIGNED, a | b};
    break;
  case '^':
    *out = (ptx_constant){PTX_UNSIGNED, a ^ b};
    break;
  case '&':
    *out = (ptx_constant){PTX_UNSIGNED, a & b};
    break;
  case '+':
    out->bits = a + b;
    break;
  case '-':
    out->bits = a - b;
    break;
  case '*':
    out->bits = a * b;
    break;
  case PTX_TOKEN_SHL:
  case PTX_TOKEN_SHR:
    *out = (ptx_constant){left.kind, shift(op, a, b, left.kind == PTX_SIGNED)};
    break;
  default:
    return divide(out, p, place, op, a, b, is_signed);
  }
  return GG_OK;
}

static gg_status apply_binary(ptx_constant *left, ptx_parser *p, ptx_place place, int op,
                              ptx_constant right) {
  if (left->kind == PTX_SINGLE || right.kind == PTX_SINGLE) {
    return ptx_fail_value(p, place, "a constant such as 0f3F800000 stands alone");
  }
  if (!is_integer(*left) || !is_integer(right)) {
    return apply_to_doubles(left, p, place, op, as_double(*left), as_double(right));
  }
  return apply_to_integers(left, p, place, op, *left, right);
}

/* Behind the `?`. */
static gg_status parse_choice(ptx_constant *out, ptx_parser *p, ptx_place place) {
  ptx_constant yes, no;
  gg_status st;
  if (!is_integer(*out)) return ptx_fail_value(p, place, "'?' takes an integer");
  if ((st = parse_expression(&yes, p, 0))) return st;
  if ((st = ptx_expect(p, ':', "':'"))) return st;
  if ((st = parse_expression(&no, p, 0))) return st;
  *out = out->bits ? yes : no;
  return GG_OK;
}

/* Operators that bind tighter than `least`: 0 is a whole expression, 11 an operand of a unary
 * operator. */
static gg_status parse_operators(ptx_constant *out, ptx_parser *p, int least) {
  gg_status st;
  if ((st = parse_unary(out, p))) return st;
  for (int tight; (tight = binding(p->lexer.token.kind)) > least;) {
    ptx_constant right;
    int op = p->lexer.token.kind;
    ptx_place place = p->lexer.token.place;
    ptx_lexer_next(&p->lexer);
    if ((st = parse_expression(&right, p, tight))) return st;
    if ((st = apply_binary(out, p, place, op, right))) return st;
  }
  ptx_place place = p->lexer.token.place;
  if (least == 0 && ptx_accept(p, '?')) return parse_choice(out, p, place);
  return GG_OK;
}

static gg_status parse_expression(ptx_constant *out, ptx_parser *p, int least) {
  if (p->nesting == PTX_NESTING_MAX) {
    gg_mark mark = ptx_lexer_mark(&p->lexer, p->lexer.token.place);
    return gg_fail(p->err, PTX_LIMIT, &mark, "a constant nests too deep", PTX_NESTING_MAX,
                   "levels");
  }
  p->nesting++;
  gg_status st = parse_operators(out, p, least);
  p->nesting--;
  return st;
}

/* ---- What is asked for ------------------------------------------------------------------- */

gg_status ptx_parse_constant(ptx_constant *out, ptx_parser *p) {
  return parse_expression(out, p, 0);
}

gg_status ptx_parse_integer(uint64_t *out, ptx_parser *p, uint64_t low, uint64_t high,
                            const char *what) {
  ptx_constant c;
  ptx_place place = p->lexer.token.place;
  gg_status st = parse_expression(&c, p, 0);
  if (st) return st;
  *out = c.bits;
  if (!is_integer(c)) return ptx_fail_value(p, place, "%s is an integer", what);
  bool negative = c.kind == PTX_SIGNED && (int64_t)c.bits < 0;
  if (negative || c.bits < low || c.bits > high) {
    return ptx_fail_value(p, place, "%s is %s%llu; it is %llu to %llu", what, negative ? "-" : "",
                          (unsigned long long)(negative ? 0 - c.bits : c.bits),
                          (unsigned long long)low, (unsigned long long)high);
  }
  return GG_OK;
}

gg_status ptx_parse_extents(uint32_t *out, int most, uint32_t rest, ptx_parser *p,
                            const char *what) {
  gg_status st;
  int count = 0;
  do {
    uint64_t value;
    if ((st = ptx_parse_integer(&value, p, 1, UINT32_MAX, what))) return st;
    out[count++] = (uint32_t)value;
  } while (count < most && ptx_accept(p, ','));
  while (count < most)
    out[count++] = rest;
  return GG_OK;
}
