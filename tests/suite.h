/* What every Check program begins with, in place of check.h, and ends with: run the suite, say how
 * it went by the exit status. */
#ifndef GG_TESTS_SUITE_H
#define GG_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* Check writes to a file of every assertion that holds, so as to say behind which one a test has
 * crashed. Where millions hold that takes longer than the test: so of each line it hears once. */
static inline void suite_mark(const char *file, int line) {
  enum { lines = 4096 };
  static _Thread_local bool told[lines];
  if (line < lines && told[line]) return;
  if (line < lines) told[line] = true;
  _mark_point(file, line);
}
#define _mark_point(file, line) suite_mark(file, line)

static inline int run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
