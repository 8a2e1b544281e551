/* What the runtime's tests share: a kernel that nobody generated, and a place for files. */
#ifndef RUNTIME_FIXTURE_H
#define RUNTIME_FIXTURE_H

#include "suite.h"

#include "gemmgen_runtime.h"

/* f16 K-major A and B, f32 N-major C and D, every parameter, a text that compiles. */
gg_kernel fixture_kernel(void);

/* The same, but A, B and D come by tensor maps, and there is no C. */
gg_kernel fixture_mapped_kernel(void);

/* Makes a kernel one whose clusters claim their work. */
void fixture_claim(gg_kernel *kernel);

/* A problem of these kernels with made-up addresses. */
gg_problem fixture_problem(int64_t m, int64_t n, int64_t k, int64_t batch);

/* Checks a problem, of row `row` of a table, on a device of `arch`: fails the test unless the
 * status is `wanted` and an error's message has `part`. */
void fixture_check_problem(const gg_kernel *kernel, const gg_problem *problem, int arch,
                           gg_status wanted, const char *part, size_t row);

/* Makes a place for a program's directories, and removes it with all that is in it: first and last
 * in main, outside the tests, which run in processes of their own. */
void fixture_begin(void);
void fixture_end(void);

/* A fresh directory there; the path stands until the next call. */
const char *fixture_directory(void);

/* Whether there is an NVRTC; if not, says that what needs it is skipped. */
bool fixture_has_nvrtc(void);

/* Fails the test unless the error is `code` and its message has `part`; clears it. */
#define assert_error(err, wanted, part)                                                            \
  do {                                                                                             \
    ck_assert_msg((err)->code == (wanted), "code %d, message: %s", (err)->code, (err)->message);   \
    ck_assert_msg(strstr((err)->message, (part)) != NULL, "no '%s' in '%s'", (part),               \
                  (err)->message);                                                                 \
    gg_error_clear(err);                                                                           \
  } while (0)

#endif
