/* Compares two kernels: which facts of their reports differ, and which lines of their texts.
 *
 * Texts are compared as code. The banner of CUDA C++, directives for debuggers and comments are
 * left out. The kernels' names and the fingerprints of their texts do not count as differences; in
 * PTX, neither do the numbers that a compiler gives to registers and labels. */
#ifndef GG_EMIT_COMPARE_H
#define GG_EMIT_COMPARE_H

#include "base/diff.h"
#include "emit/report.h"

/* A fact that differs. NULL: that kernel has no fact of this name. */
typedef struct gg_fact_pair {
  const gg_fact *a, *b;
} gg_fact_pair;

/* Stores the facts that differ, in the order of their sections, and returns how many they are. */
size_t gg_report_compare(gg_fact_pair out[2 * GG_FACTS_MAX], const gg_report *a,
                         const gg_report *b);

/* One of the two kernels that are compared. */
typedef struct gg_compared {
  const char *name;
  const gg_report *report;
  const char *cuda;
  const char *ptx; /* NULL: there is none */
} gg_compared;

/* The comparison of two kernels. If a kernel has no PTX, its list of lines is empty. */
typedef struct gg_comparison {
  gg_arena arena;
  gg_compared of[2];
  gg_fact_pair facts[2 * GG_FACTS_MAX]; /* those that differ */
  size_t fact_count;
  gg_lines cuda[2], ptx[2];
} gg_comparison;

/* Compares a and b, which the result points into. Free it with gg_comparison_free, whatever is
 * returned. Can fail with MEMORY only. */
gg_status gg_comparison_make(gg_comparison *out, const gg_compared *a, const gg_compared *b,
                             gg_error *err);
void gg_comparison_free(gg_comparison *comparison);

/* A place where two texts differ: lines [a, a_end) of the one are [b, b_end) of the other. */
typedef struct gg_hunk {
  size_t a, a_end, b, b_end;
} gg_hunk;

/* Finds the next hunk after `*at`, which must be {0} at first; false when there is none. The lines
 * must have been compared by gg_diff. */
bool gg_next_hunk(gg_hunk *at, const gg_lines *a, const gg_lines *b);

/* How much two texts differ: how many lines each has that the other does not, and in how many
 * places. */
typedef struct gg_change {
  size_t of_a, of_b, places;
} gg_change;

gg_change gg_change_of(const gg_lines pair[2]);

#endif
