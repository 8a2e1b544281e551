/* How diagnostics look: the first line, the excerpt, the caret. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "suite.h"

/* Raises USAGE at the place and compares all that is printed. */
static void check_print(int line, int column, const char *source, const char *expected) {
  gg_error err = GG_ERROR_INIT;
  gg_str out = GG_STR_INIT;
  gg_mark mark = {.file = "f", .line = line, .column = column};
  ck_assert_int_eq(gg_fail(&err, USAGE, &mark, "wrong"), GG_E_USAGE);
  gg_error_print(&out, &err, source);
  ck_assert_str_eq(gg_str_text(&out), expected);
  gg_str_free(&out);
  gg_error_clear(&err);
}

START_TEST(plain_line) {
  check_print(2, 4, "one\ntwo: x\nthree\n",
              "f:2:4: error: wrong [USAGE]\n"
              "    2 | two: x\n"
              "      |    ^\n");
}
END_TEST

START_TEST(columns_are_characters) {
  check_print(1, 7, "größe: x\n",
              "f:1:7: error: wrong [USAGE]\n"
              "    1 | größe: x\n"
              "      |       ^\n");
}
END_TEST

START_TEST(tabs_stay_tabs) {
  check_print(1, 3, "\ta\tb",
              "f:1:3: error: wrong [USAGE]\n"
              "    1 | \ta\tb\n"
              "      | \t ^\n");
}
END_TEST

START_TEST(long_line_is_cut) {
  char source[400], line[256], caret[128];
  memset(source, 'x', sizeof source);
  source[200] = 'E';
  source[sizeof source - 1] = '\0';
  snprintf(line, sizeof line, "    1 | ...%.60sE%.39s...\n", source, source);
  snprintf(caret, sizeof caret, "      |    %60s^\n", "");
  char expected[512];
  snprintf(expected, sizeof expected, "f:1:201: error: wrong [USAGE]\n%s%s", line, caret);
  check_print(1, 201, source, expected);
}
END_TEST

START_TEST(line_ends) {
  check_print(2, 1, "a\r\nb\r\nc", "f:2:1: error: wrong [USAGE]\n    2 | b\n      | ^\n");
  check_print(3, 1, "a\rb\rc", "f:3:1: error: wrong [USAGE]\n    3 | c\n      | ^\n");
}
END_TEST

START_TEST(byte_order_mark_is_no_column) {
  check_print(1, 2,
              "\xEF\xBB\xBF"
              "ab",
              "f:1:2: error: wrong [USAGE]\n    1 | ab\n      |  ^\n");
}
END_TEST

START_TEST(wrong_bytes_are_shown_as_marks) {
  check_print(1, 3, "a\xFF\x01z", "f:1:3: error: wrong [USAGE]\n    1 | a??z\n      |   ^\n");
}
END_TEST

START_TEST(places_outside) {
  check_print(9, 1, "one\n", "f:9:1: error: wrong [USAGE]\n");
  check_print(1, 9, "one\n", "f:1:9: error: wrong [USAGE]\n    1 | one\n      |    ^\n");
  check_print(1, 0, "one\n", "f:1: error: wrong [USAGE]\n    1 | one\n");
  check_print(0, 0, "one\n", "f: error: wrong [USAGE]\n");
  check_print(1, 1, NULL, "f:1:1: error: wrong [USAGE]\n");
}
END_TEST

START_TEST(path_and_log) {
  gg_error err = GG_ERROR_INIT;
  gg_str out = GG_STR_INIT;
  gg_mark mark = {.path = "a.type"};
  (void)gg_fail(&err, USAGE, &mark, "wrong");
  err.log = gg_malloc(8);
  strcpy(err.log, "the log");
  gg_str_puts(&out, "before\n");
  gg_error_print(&out, &err, NULL);
  ck_assert_str_eq(gg_str_text(&out), "before\nerror: wrong (a.type) [USAGE]\nthe log\n");
  gg_str_free(&out);
  gg_error_clear(&err);
}
END_TEST

START_TEST(first_error_wins) {
  gg_error err = GG_ERROR_INIT;
  (void)gg_fail(&err, USAGE, NULL, "the cause");
  ck_assert_int_eq(gg_fail(&err, MEMORY, NULL, ""), GG_E_MEMORY);
  ck_assert_int_eq(err.code, GG_E_USAGE);
  ck_assert_str_eq(err.message, "the cause");
  ck_assert_int_eq(gg_fail(NULL, USAGE, NULL, "nobody asks"), GG_E_USAGE);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("error");
  TCase *tests = tcase_create("print");
  tcase_add_test(tests, plain_line);
  tcase_add_test(tests, columns_are_characters);
  tcase_add_test(tests, tabs_stay_tabs);
  tcase_add_test(tests, long_line_is_cut);
  tcase_add_test(tests, line_ends);
  tcase_add_test(tests, byte_order_mark_is_no_column);
  tcase_add_test(tests, wrong_bytes_are_shown_as_marks);
  tcase_add_test(tests, places_outside);
  tcase_add_test(tests, path_and_log);
  tcase_add_test(tests, first_error_wins);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
