/* The table of `gemmgen bench` as a file that grows: what of it is there when a run is cut off. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/bench_table.h"
#include "fixture.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

static void add_row(bench_table *t, const char *name) {
  const bench_label of = {name, NULL};
  const gg_kernel kernel = {.name = "fast"};
  const bench_figure ours = {.tflops = 2, .right = true};
  const bench_result result = {.ceiling = 4, .sets = 3};
  bench_table_row(t, &of, &kernel, &result, &ours);
}

static const char *path_of(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", fixture_directory(), name);
  return path;
}

/* Lines of the file, each of which has all columns and an end; -1: there is none. */
static int lines_of(const char *path) {
  char *text;
  size_t length;
  int lines = 0, tabs = 0;
  if (gg_file_read(&text, &length, path, 1 << 20, &err)) {
    gg_error_clear(&err);
    return -1;
  }
  for (size_t i = 0; i < length; i++) {
    tabs += text[i] == '\t';
    if (text[i] != '\n') continue;
    ck_assert_int_eq(tabs, 10);
    lines++, tabs = 0;
  }
  ck_assert(length && text[length - 1] == '\n');
  gg_free(text);
  return lines;
}

START_TEST(rows_are_kept_as_they_come) {
  bench_table t = {.path = path_of("table.tsv"), .name_width = 6};
  bench_table_begin(&t);
  ck_assert_int_eq(lines_of(t.path), -1); /* what was there before stands until there is a row */
  for (int row = 1; row <= 3; row++) {
    add_row(&t, "product");
    bench_table_keep(&t);
    ck_assert_int_eq(lines_of(t.path), 1 + row);
  }
  ck_assert_int_eq(bench_table_write(&t, &err), GG_OK);
  ck_assert_int_eq(lines_of(t.path), 1 + 3);
  bench_table_free(&t);
}
END_TEST

START_TEST(a_run_without_rows_leaves_the_titles) {
  bench_table t = {.path = path_of("titles.tsv"), .name_width = 6};
  bench_table_begin(&t);
  ck_assert_int_eq(bench_table_write(&t, &err), GG_OK);
  ck_assert_int_eq(lines_of(t.path), 1);
  bench_table_free(&t);
}
END_TEST

/* One more where files are no longer than the table was. Checks nothing meanwhile: the library that
 * does writes files, too. */
static void add_row_beside_a_limit(bench_table *t) {
  struct rlimit all, limit;
  getrlimit(RLIMIT_FSIZE, &all);
  limit = all, limit.rlim_cur = t->tsv.length;
  signal(SIGXFSZ, SIG_IGN);
  fflush(stdout);
  setrlimit(RLIMIT_FSIZE, &limit);
  add_row(t, "third");
  bench_table_keep(t);
  bench_table_write(t, &err);
  setrlimit(RLIMIT_FSIZE, &all);
}

/* As where a disk is full: the file is what it was, and the error says how much that is. */
START_TEST(rows_that_no_file_takes_are_counted) {
  bench_table t = {.path = path_of("full.tsv"), .name_width = 6};
  bench_table_begin(&t);
  add_row(&t, "first");
  add_row(&t, "second");
  bench_table_keep(&t);
  add_row_beside_a_limit(&t);
  assert_error(&err, GG_E_FILE_ROWS, "full.tsv': File too large; of 3 rows it holds the first 2");
  ck_assert_int_eq(lines_of(t.path), 1 + 2);
  add_row(&t, "fourth"); /* there is room again */
  bench_table_keep(&t);
  ck_assert_int_eq(lines_of(t.path), 1 + 4);
  bench_table_free(&t);
}
END_TEST

/* It would have each row more than once. */
START_TEST(pipes_have_all_at_the_end) {
  bench_table t = {.path = path_of("pipe"), .name_width = 6};
  ck_assert_int_eq(mkfifo(t.path, 0666), 0);
  bench_table_begin(&t);
  add_row(&t, "product");
  bench_table_keep(&t); /* does not wait for a reader */
  ck_assert_int_eq(t.kept, 0);
  bench_table_free(&t);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("table");
  TCase *tcase = tcase_create("table");
  tcase_add_test(tcase, rows_are_kept_as_they_come);
  tcase_add_test(tcase, a_run_without_rows_leaves_the_titles);
  tcase_add_test(tcase, rows_that_no_file_takes_are_counted);
  tcase_add_test(tcase, pipes_have_all_at_the_end);
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
