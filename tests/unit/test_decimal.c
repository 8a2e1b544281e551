/* Decimal numbers: what they are, where they end, and that printing one is short and exact. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "suite.h"

START_TEST(numbers_are_read) {
  static const struct {
    const char *text;
    double value;
    size_t length;
  } rows[] = {
      {"0", 0, 1},
      {"12", 12, 2},
      {"0.01", 0.01, 4},
      {"1.702*x", 1.702, 5},
      {"1e3", 1000, 3},
      {"1.5e-3)", 0.0015, 6},
      {"2E+2", 200, 4},
      {"3e", 3, 1},
      {"3ex", 3, 1},
      {"7.", 0, 0},
      {".5", 0, 0},
      {"-1", 0, 0},
      {"x", 0, 0},
      {"", 0, 0},
      {"1e999", HUGE_VAL, 5},
      {"0e999", 0, 5},
      {"1e-999", 0, 6},
      {"1e99999999999", HUGE_VAL, 13},
      {"1e-310", 1e-310, 6},
      {"0.044715", 0.044715, 8},
      {"5e37", 5e37, 4}, /* here a power of ten that is multiplied up is off by one place */
      {"3.4028234663852886e38", 3.4028234663852886e38, 21},
      {"6.62607015e-34", 6.62607015e-34, 14},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double value = 0;
    const char *end = gg_decimal_read(&value, rows[i].text);
    ck_assert_msg((end ? (size_t)(end - rows[i].text) : 0) == rows[i].length, "%s", rows[i].text);
    if (!end) continue;
    ck_assert_msg(value == rows[i].value, "%s: %.17g", rows[i].text, value);
  }
}
END_TEST

/* More digits than a number holds are as many zeros, and no more than forty characters are read. */
START_TEST(long_numbers_are_read) {
  double value;
  ck_assert_ptr_nonnull(gg_decimal_read(&value, "123456789012345678901234567890"));
  ck_assert_double_eq_tol(value / 123456789012345678901234567890.0, 1, 1e-15);
  ck_assert_ptr_nonnull(gg_decimal_read(&value, "0.333333333333333333333333333333"));
  ck_assert_double_eq_tol(value, 1.0 / 3, 1e-16);
  ck_assert_ptr_null(gg_decimal_read(&value, "0.3333333333333333333333333333333333333333"));
}
END_TEST

START_TEST(numbers_are_printed) {
  static const struct {
    float value;
    const char *text;
  } rows[] = {
      {0.01f, "0.01"},   {6, "6"},          {1000, "1000"},         {1234.5f, "1234.5"},
      {10, "10"},        {-0.5f, "-0.5"},   {1.702f, "1.702"},      {1e10f, "1e+10"},
      {1e-45f, "1e-45"}, {INFINITY, "inf"}, {16777217, "16777216"}, {1.0f / 3, "0.33333334"},
      {-0.0f, "-0"}};
  char out[GG_DECIMAL_MAX];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_str_eq(gg_decimal_print(out, (double)rows[i].value, true), rows[i].text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("decimal");
  TCase *tests = tcase_create("decimal");
  tcase_add_test(tests, numbers_are_read);
  tcase_add_test(tests, long_numbers_are_read);
  tcase_add_test(tests, numbers_are_printed);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
