/* Lists of paths: which there are, and what is none. */
#include <string.h>

#include "base/paths.h"
#include "suite.h"

START_TEST(paths_are_taken_in_order) {
  static const struct {
    const char *list, *paths[4];
  } rows[] = {
      {NULL, {NULL}},
      {"", {NULL}},
      {":", {NULL}},
      {":::", {NULL}},
      {"a", {"a"}},
      {"/a/b", {"/a/b"}},
      {"a:b", {"a", "b"}},
      {"a::b", {"a", "b"}},
      {":a:", {"a"}},
      {"a:b:", {"a", "b"}},
      {"::/long/one::.:../x", {"/long/one", ".", "../x"}},
      {"a b:c", {"a b", "c"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *left = rows[i].list;
    size_t count = 0;
    gg_path path;
    while (gg_next_path(&path, &left)) {
      const char *expected = rows[i].paths[count++];
      ck_assert_msg(expected && strlen(expected) == path.length &&
                        memcmp(expected, path.text, path.length) == 0,
                    "%s: path %zu is %.*s", rows[i].list, count, (int)path.length, path.text);
    }
    ck_assert_ptr_null(rows[i].paths[count]);
    ck_assert_uint_eq(gg_count_paths(rows[i].list), count);
    ck_assert_msg(!gg_next_path(&path, &left), "%s goes on behind its end", rows[i].list);
  }
}
END_TEST

/* Paths lie in the list itself, so that who takes them knows where they are. */
START_TEST(paths_are_parts_of_the_list) {
  static const char list[] = "ab::c";
  const char *left = list;
  gg_path path;
  ck_assert(gg_next_path(&path, &left));
  ck_assert_ptr_eq(path.text, list);
  ck_assert(gg_next_path(&path, &left));
  ck_assert_ptr_eq(path.text, list + 4);
  ck_assert_ptr_eq(left, list + 5);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("paths");
  TCase *tests = tcase_create("paths");
  tcase_add_test(tests, paths_are_taken_in_order);
  tcase_add_test(tests, paths_are_parts_of_the_list);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
