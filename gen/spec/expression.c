/* A parser by recursive descent, with one function for each rule. It recurs as deep as parentheses,
 * functions and signs are nested, and the limit on a text's length bounds that. */
#include "spec/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/near.h"

static const struct {
  const char *name;
  int arguments;
} ops[] = {
#define GG_EXPRESSION(node, name, arguments) {name, arguments},
#include "spec/expressions.def"
};

const char *gg_expression_name(gg_expression_op op) {
  return ops[op].name;
}

int gg_expression_operand(gg_expression_op op) {
  if (op == GG_EXPRESSION_OPERAND) return 0;
  return op < GG_EXPRESSION_OPERAND1 ? -1 : (int)op - GG_EXPRESSION_OPERAND1 + 1;
}

int gg_expression_arguments(gg_expression_op op) {
  return ops[op].arguments;
}

/* ---- Errors -------------------------------------------------------------------------- */

typedef struct parser {
  const char *text, *at; /* `at`: what is read next, behind any blanks */
  int operands;          /* how many operands stand in front: t1 and up */
  gg_mark mark;          /* where the text begins in the document */
  gg_expression *out;
  gg_error *err;
} parser;

static gg_mark mark_of(const parser *p, const char *at) {
  gg_mark mark = p->mark;
  if (mark.column) mark.column += (int)(at - p->text);
  return mark;
}

static gg_status fail(const parser *p, const char *at, const char *message) {
  gg_mark mark = mark_of(p, at);
  return gg_fail(p->err, SPEC_EXPRESSION, &mark, message);
}

/* Fails with "expected ...; got ')'", naming the next character. */
static gg_status fail_expected(const parser *p, const char *what) {
  char message[160], got[16] = "the end";
  size_t bytes = 1; /* bytes of the next character, in UTF-8 */
  while (*p->at && (p->at[bytes] & 0xc0) == 0x80)
    bytes++;
  if (*p->at) snprintf(got, sizeof got, "'%.*s'", (int)bytes, p->at);
  snprintf(message, sizeof message, "expected %s; got %s", what, got);
  return fail(p, p->at, message);
}

static gg_status fail_name(const parser *p, const char *name, int length) {
  char message[256], wanted[GG_NEAR_BYTES];
  gg_near near;
  snprintf(wanted, sizeof wanted, "%.*s", length, name);
  gg_near_start(&near, wanted);
  int used = snprintf(message, sizeof message, "there is no '%.40s', but", wanted);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (!ops[i].name[0]) continue;
    gg_near_try(&near, ops[i].name);
    used += snprintf(message + used, sizeof message - (size_t)used, "%s %s",
                     i > GG_EXPRESSION_X ? "," : "", ops[i].name);
  }
  if (near.best[0])
    snprintf(message + used, sizeof message - (size_t)used, "; did you mean '%.20s'?", near.best);
  return fail(p, name, message);
}

static gg_status fail_operand(const parser *p, const char *name, int operand) {
  char message[96];
  snprintf(message, sizeof message, "there is no t%d: of operations `operand` %d stand%s in front",
           operand, p->operands, p->operands == 1 ? "s" : "");
  return fail(p, name, message);
}

/* ---- Nodes --------------------------------------------------------------------------- */

static gg_status add(parser *p, int *node, gg_expression_op op, const int *arguments,
                     double number) {
  gg_expression *out = p->out;
  if (out->count == GG_EXPRESSION_NODES_MAX) {
    gg_mark mark = mark_of(p, p->at);
    return gg_fail(p->err, SPEC_LIMIT, &mark, "the expression is too long", GG_EXPRESSION_NODES_MAX,
                   "numbers, variables, operators and functions");
  }
  gg_expression_node *to = &out->nodes[out->count];
  *to = (gg_expression_node){.op = (unsigned char)op, .number = number};
  for (int i = 0; i < ops[op].arguments; i++)
    to->arguments[i] = (unsigned char)arguments[i];
  *node = out->count++;
  return GG_OK;
}

static void skip_blanks(parser *p) {
  p->at += strspn(p->at, " ");
}

static bool take(parser *p, char character) {
  if (*p->at != character) return false;
  p->at++;
  skip_blanks(p);
  return true;
}

/* ---- Rules --------------------------------------------------------------------------- */

static gg_status parse_sum(parser *p, int *node);

static gg_status parse_number(parser *p, int *node) {
  double value;
  const char *end = gg_decimal_read(&value, p->at);
  if (!end) return fail(p, p->at, "expected a decimal number such as 0.5, 3 or 1e-3");
  if (isinf((float)value)) return fail(p, p->at, "the number is beyond f32's range");
  p->at = end;
  skip_blanks(p);
  return add(p, node, GG_EXPRESSION_NUMBER, NULL, value);
}

/* Reads a function's arguments, from behind its '(', and its ')'. */
static gg_status parse_arguments(parser *p, const char *name, gg_expression_op op, int *arguments) {
  int count = 0, wanted = ops[op].arguments, more;
  gg_status st;
  do {
    int *to = count < wanted ? &arguments[count] : &more;
    if ((st = parse_sum(p, to))) return st;
    count++;
  } while (take(p, ','));
  if (*p->at != ')') return fail_expected(p, "an operator, ',' or ')'");
  if (count == wanted) {
    take(p, ')');
    return GG_OK;
  }
  char message[80];
  snprintf(message, sizeof message, "'%s' takes %d argument%s, not %d", ops[op].name, wanted,
           wanted == 1 ? "" : "s", count);
  return fail(p, name, message);
}

static gg_status parse_name(parser *p, int *node) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  const char *name = p->at;
  size_t length = strspn(name, letters), op = 0;
  int arguments[3] = {0};
  while (op < sizeof ops / sizeof *ops &&
         !(strlen(ops[op].name) == length && memcmp(ops[op].name, name, length) == 0))
    op++;
  if (op == sizeof ops / sizeof *ops) return fail_name(p, name, (int)length);
  p->at += length;
  skip_blanks(p);
  int operand = gg_expression_operand((gg_expression_op)op);
  if (operand > p->operands) return fail_operand(p, name, operand);
  if (operand >= 0) p->out->operands |= (unsigned char)(1u << operand);
  if (ops[op].arguments > 0) {
    if (!take(p, '(')) return fail_expected(p, "the function's arguments in parentheses");
    gg_status st = parse_arguments(p, name, (gg_expression_op)op, arguments);
    if (st) return st;
  }
  return add(p, node, (gg_expression_op)op, arguments, 0);
}

static gg_status parse_primary(parser *p, int *node) {
  char next = *p->at;
  if ((next >= '0' && next <= '9') || next == '.') return parse_number(p, node);
  if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_')
    return parse_name(p, node);
  if (!take(p, '(')) return fail_expected(p, "a number, x, t0, a function or '('");
  gg_status st = parse_sum(p, node);
  if (st) return st;
  return take(p, ')') ? GG_OK : fail_expected(p, "an operator or ')'");
}

/* Reads signs and what they stand before. A number takes its sign into itself. */
static gg_status parse_unary(parser *p, int *node) {
  if (!take(p, '-')) return parse_primary(p, node);
  gg_status st = parse_unary(p, node);
  if (st) return st;
  gg_expression_node *last = &p->out->nodes[*node];
  if (last->op != GG_EXPRESSION_NUMBER) return add(p, node, GG_EXPRESSION_NEGATE, node, 0);
  last->number = -last->number;
  return GG_OK;
}

/* Reads operands joined by the signs `first` and `second`, grouped from the left. */
static gg_status parse_level(parser *p, int *node, char first, char second) {
  bool sums = first == '+';
  gg_status st = sums ? parse_level(p, node, '*', '/') : parse_unary(p, node);
  while (!st && (*p->at == first || *p->at == second)) {
    int both[2] = {*node, 0};
    bool is_first = *p->at == first;
    gg_expression_op op = sums       ? is_first ? GG_EXPRESSION_ADD : GG_EXPRESSION_SUB
                          : is_first ? GG_EXPRESSION_MUL
                                     : GG_EXPRESSION_DIV;
    take(p, *p->at);
    st = sums ? parse_level(p, &both[1], '*', '/') : parse_unary(p, &both[1]);
    if (!st) st = add(p, node, op, both, 0);
  }
  return st;
}

static gg_status parse_sum(parser *p, int *node) {
  return parse_level(p, node, '+', '-');
}

static bool has_x(const gg_expression *e) {
  for (int i = 0; i < e->count; i++)
    if (e->nodes[i].op == GG_EXPRESSION_X) return true;
  return false;
}

gg_status gg_expression_parse(gg_expression *out, const char *text, int operands,
                              const gg_mark *mark, gg_error *err) {
  parser p = {
      .text = text, .at = text, .operands = operands, .mark = *mark, .out = out, .err = err};
  int node;
  memset(out, 0, sizeof *out);
  skip_blanks(&p);
  gg_status st = parse_sum(&p, &node);
  if (st) return st;
  if (*p.at) return fail_expected(&p, "an operator or the end");
  return has_x(out) ? GG_OK
                    : fail(&p, text, "x is not in it, so that D would not depend on A and B");
}

/* ---- Print --------------------------------------------------------------------------- */

/* How tightly a node holds its arguments: sums 1, products 2, signs 3, everything else 4. */
static int tightness(const gg_expression_node *node) {
  switch ((gg_expression_op)node->op) {
  case GG_EXPRESSION_ADD:
  case GG_EXPRESSION_SUB:
    return 1;
  case GG_EXPRESSION_MUL:
  case GG_EXPRESSION_DIV:
    return 2;
  case GG_EXPRESSION_NEGATE:
    return 3;
  case GG_EXPRESSION_NUMBER:
    return node->number < 0 ? 3 : 4;
  default:
    return 4;
  }
}

static void print(gg_str *out, const gg_expression *e, int index);

/* Prints a node, in parentheses where it holds its arguments less tightly than `least`. */
static void print_within(gg_str *out, const gg_expression *e, int index, int least) {
  bool around = tightness(&e->nodes[index]) < least;
  if (around) gg_str_putc(out, '(');
  print(out, e, index);
  if (around) gg_str_putc(out, ')');
}

static void print_call(gg_str *out, const gg_expression *e, const gg_expression_node *node) {
  gg_str_puts(out, ops[node->op].name);
  for (int i = 0; i < ops[node->op].arguments; i++) {
    gg_str_putc(out, i ? ',' : '(');
    print(out, e, node->arguments[i]);
  }
  if (ops[node->op].arguments) gg_str_putc(out, ')');
}

static void print(gg_str *out, const gg_expression *e, int index) {
  static const char signs[] = {[GG_EXPRESSION_ADD] = '+',
                               [GG_EXPRESSION_SUB] = '-',
                               [GG_EXPRESSION_MUL] = '*',
                               [GG_EXPRESSION_DIV] = '/'};
  const gg_expression_node *node = &e->nodes[index];
  char number[GG_DECIMAL_MAX];
  switch ((gg_expression_op)node->op) {
  case GG_EXPRESSION_NUMBER:
    gg_str_puts(out, gg_decimal_print(number, node->number, false));
    break;
  case GG_EXPRESSION_NEGATE:
    gg_str_putc(out, '-');
    print_within(out, e, node->arguments[0], 3);
    break;
  case GG_EXPRESSION_ADD:
  case GG_EXPRESSION_SUB:
  case GG_EXPRESSION_MUL:
  case GG_EXPRESSION_DIV:
    print_within(out, e, node->arguments[0], tightness(node));
    gg_str_putc(out, signs[node->op]);
    print_within(out, e, node->arguments[1], tightness(node) + 1);
    break;
  default:
    print_call(out, e, node);
  }
}

void gg_expression_print(gg_str *out, const gg_expression *expression) {
  if (expression->count) print(out, expression, expression->count - 1);
}

bool gg_expression_is_same(const gg_expression *left, const gg_expression *right) {
  bool same = left->count == right->count;
  for (int i = 0; i < left->count && same; i++) {
    const gg_expression_node *l = &left->nodes[i], *r = &right->nodes[i];
    same = l->op == r->op && l->number == r->number &&
           memcmp(l->arguments, r->arguments, sizeof l->arguments) == 0;
  }
  return same;
}
