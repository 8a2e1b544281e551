/* One spec on its way: generated, compiled to PTX and run, in the emulator or on a device, on small
 * problems against sums in f64, with guard zones and poisoned results. What goes wrong is said in
 * `why`. */
#ifndef RANDOM_SUBJECT_H
#define RANDOM_SUBJECT_H

#include "base/str.h"
#include "gemmgen_runtime.h"

enum { SUBJECT_PROBLEMS = 2 };

typedef struct subject {
  gg_str text, why;
  int64_t number;   /* gives the emulator's random orders */
  int64_t launches; /* of each problem, on one workspace; all must give the same bits */
  /* A problem's way is its index and this: the first has packed lines and integers; others padded
   * lines, operands that end where their allocation does, and numbers with fractions. */
  int first_way;
  gg_kernel *kernel;
  gg_kernel *ptx; /* by a PTX template; NULL: its plan has none */
  gg_binary *binary;
  int problem_count;
  gg_problem problems[SUBJECT_PROBLEMS];
  uint64_t bits[SUBJECT_PROBLEMS]; /* of what the first run wrote */
} subject;

void subject_free(subject *s);

/* Appends what has gone wrong, clears the error and gives false. */
bool subject_fail(subject *s, const char *what, gg_error *err);

/* From the text a kernel, or none where the plan has said what it lacks. */
bool subject_generate(subject *s);

/* No line of a kernel's texts is longer than 100 columns. */
bool subject_check_columns(subject *s);

/* To PTX, without a warning. */
bool subject_compile(subject *s, gg_compiler *compiler);

/* Its problems in a context that the caller has opened. `seed` is 0 in the first run, whose results
 * are judged; those of others must have its bits. All leave the workspace's counters zero. */
bool subject_run(subject *s, gg_context *context, const gg_module *module, uint64_t seed);

/* The same in the emulator, which plays the least device that has the kernel, from an H100 on. Of
 * seed 0 asynchronous work is as late as it may be, on two threads of the host; of others it lands
 * at random moments, on one. */
bool subject_emulate(subject *s, uint64_t seed);

/* The same by the PTX template, where there is one, whose bits must be those of the first run. */
bool subject_emulate_ptx(subject *s, gg_compiler *compiler, uint64_t seed);

#endif
