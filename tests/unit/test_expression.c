/* Expressions: what they are parsed into, as it is printed again; what is refused, and where. */
#include <string.h>

#include "spec/expression.h"
#include "suite.h"

static gg_status parse(gg_expression *out, const char *text, gg_error *err) {
  const gg_mark mark = {.file = "spec.yaml", .line = 7, .column = 11};
  return gg_expression_parse(out, text, 1, &mark, err);
}

/* Blanks and needless parentheses are gone, the others are as they were. */
static const struct {
  const char *text, *printed;
} good[] = {
    {"x", "x"},
    {"  x  ", "x"},
    {"((x))", "x"},
    {"x * sigmoid(1.702 * x) + t0", "x*sigmoid(1.702*x)+t0"},
    {"x + 1 - 2 - 3", "x+1-2-3"},
    {"x - (1 - 2)", "x-(1-2)"},
    {"x / 2 * 3", "x/2*3"},
    {"x / (2 * 3)", "x/(2*3)"},
    {"(x + 1) * 2", "(x+1)*2"},
    {"-x * 2", "-x*2"},
    {"-(x * 2)", "-(x*2)"},
    {"--x", "--x"},
    {"x * -1.50", "x*-1.5"},
    {"- 2 * x", "-2*x"},
    {"x - -2", "x--2"},
    {"1e3 + x", "1000+x"},
    {"clamp( x , -1 , 1 )", "clamp(x,-1,1)"},
    {"min(x, 3.4028235e38)", "min(x,3.4028235e+38)"}, /* FLT_MAX, rounded up */
    {"min(max(x, 0), abs(t0))", "min(max(x,0),abs(t0))"},
    {"relu(x)+gelu(x)+silu(x)+tanh(x)", "relu(x)+gelu(x)+silu(x)+tanh(x)"},
    {"t1 * x + t1", "t1*x+t1"},
    {"exp(x)/log(x)*sqrt(x)-rsqrt(x)", "exp(x)/log(x)*sqrt(x)-rsqrt(x)"},
};

START_TEST(expressions_are_parsed) {
  gg_error err = GG_ERROR_INIT;
  gg_expression first, second;
  gg_str printed = GG_STR_INIT;
  ck_assert_msg(parse(&first, good[_i].text, &err) == GG_OK, "%s: %s", good[_i].text, err.message);
  gg_expression_print(&printed, &first);
  ck_assert_str_eq(gg_str_text(&printed), good[_i].printed);
  ck_assert_int_eq(parse(&second, gg_str_text(&printed), &err), GG_OK);
  ck_assert(gg_expression_is_same(&first, &second));
  ck_assert_int_eq(gg_expression_reads(&first, 0), strstr(good[_i].text, "t0") != NULL);
  ck_assert_int_eq(gg_expression_reads(&first, 1), strstr(good[_i].text, "t1") != NULL);
  ck_assert(!gg_expression_reads(&first, 2));
  for (int i = 0; i < first.count; i++) /* arguments stand in front */
    for (int j = 0; j < gg_expression_arguments((gg_expression_op)first.nodes[i].op); j++)
      ck_assert_int_lt(first.nodes[i].arguments[j], i);
  gg_str_free(&printed);
}
END_TEST

/* Each way to be refused, with the column counted from the text's first character. */
static const struct {
  const char *text;
  int column;
  const char *message;
} bad[] = {
    {"", 0, "expected a number, x, t0, a function or '('; got the end"},
    {"x +", 3, "expected a number, x, t0, a function or '('; got the end"},
    {"x * * x", 4, "expected a number, x, t0, a function or '('; got '*'"},
    {"+x", 0, "expected a number, x, t0, a function or '('; got '+'"},
    {"x + )", 4, "expected a number, x, t0, a function or '('; got ')'"},
    {"x + \xc3\xa9", 4, "expected a number, x, t0, a function or '('; got '\xc3\xa9'"},
    {"(x + 1", 6, "expected an operator or ')'; got the end"},
    {"(x, 1)", 2, "expected an operator or ')'; got ','"},
    {"x)", 1, "expected an operator or the end; got ')'"},
    {"2x", 1, "expected an operator or the end; got 'x'"},
    {"x ^ 2", 2, "expected an operator or the end; got '^'"},
    {"sigmoid x", 8, "expected the function's arguments in parentheses; got 'x'"},
    {"sigmoid", 7, "expected the function's arguments in parentheses; got the end"},
    {"sigmoid(x", 9, "expected an operator, ',' or ')'; got the end"},
    {"sigmoid()", 8, "expected a number, x, t0, a function or '('; got ')'"},
    {"x + sigmoid(x, 1)", 4, "'sigmoid' takes 1 argument, not 2"},
    {"min(x)", 0, "'min' takes 2 arguments, not 1"},
    {"clamp(x, 1)", 0, "'clamp' takes 3 arguments, not 2"},
    {"min(x, 1, 2, 3)", 0, "'min' takes 2 arguments, not 4"},
    {"x(1)", 1, "expected an operator or the end; got '('"},
    {"x + y", 4,
     "there is no 'y', but x, t0, relu, gelu, silu, sigmoid, tanh, exp, log, sqrt, rsqrt, abs, min, "
     "max, clamp, t1, t2, t3"},
    {"Tanh(x)", 0,
     "there is no 'Tanh', but x, t0, relu, gelu, silu, sigmoid, tanh, exp, log, sqrt, rsqrt, abs, "
     "min, max, clamp, t1, t2, t3; did you mean 'tanh'?"},
    {"x + t4 * 2", 4,
     "there is no 't4', but x, t0, relu, gelu, silu, sigmoid, tanh, exp, log, sqrt, rsqrt, abs, "
     "min, max, clamp, t1, t2, t3; did you mean 't0'?"},
    {"x + t2 * 2", 4, "there is no t2: of operations `operand` 1 stands in front"},
    {"x * .5", 4, "expected a decimal number such as 0.5, 3 or 1e-3"},
    {"x * 5.", 4, "expected a decimal number such as 0.5, 3 or 1e-3"},
    {"x * 1e39", 4, "the number is beyond f32's range"},
    {"1 + t0", 0, "x is not in it, so that D would not depend on A and B"},
};

START_TEST(what_is_refused_is_marked) {
  gg_error err = GG_ERROR_INIT;
  gg_expression e;
  gg_status st = parse(&e, bad[_i].text, &err);
  ck_assert_msg(st == GG_E_SPEC_EXPRESSION, "%s", bad[_i].text);
  ck_assert_msg(strcmp(err.message, bad[_i].message) == 0, "%s: %s", bad[_i].text, err.message);
  ck_assert_msg(err.line == 7 && err.column == 11 + bad[_i].column, "%s: column %d", bad[_i].text,
                err.column - 11);
  gg_error_clear(&err);
}
END_TEST

/* 48 nodes are parsed and printed again, 49 are refused. */
START_TEST(long_ones_are_refused) {
  char text[2 * GG_EXPRESSION_NODES_MAX + 8] = "x";
  gg_error err = GG_ERROR_INIT;
  gg_expression e;
  while (2 * (strlen(text) / 2 + 1) + 1 <= GG_EXPRESSION_NODES_MAX)
    strcat(text, "+x");
  strcat(text, ")");
  memmove(text + 2, text, strlen(text) + 1);
  memcpy(text, "-(", 2);
  ck_assert_msg(parse(&e, text, &err) == GG_OK, "%s", err.message);
  ck_assert_int_eq(e.count, GG_EXPRESSION_NODES_MAX);
  strcat(text, "/x");
  ck_assert_int_eq(parse(&e, text, &err), GG_E_SPEC_LIMIT);
  gg_error_clear(&err);
}
END_TEST

/* What differs in a number, an operator or their order is another expression. */
START_TEST(others_are_told_apart) {
  static const char *const others[] = {"x*2", "x*3", "x+2", "2*x", "x*2+t0", "-x*2"};
  enum { count = sizeof others / sizeof *others };
  gg_expression all[count];
  gg_error err = GG_ERROR_INIT;
  for (int i = 0; i < count; i++)
    ck_assert_int_eq(parse(&all[i], others[i], &err), GG_OK);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      ck_assert_int_eq(gg_expression_is_same(&all[i], &all[j]), i == j);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("expression");
  TCase *tests = tcase_create("expression");
  tcase_add_loop_test(tests, expressions_are_parsed, 0, sizeof good / sizeof *good);
  tcase_add_loop_test(tests, what_is_refused_is_marked, 0, sizeof bad / sizeof *bad);
  tcase_add_test(tests, long_ones_are_refused);
  tcase_add_test(tests, others_are_told_apart);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
