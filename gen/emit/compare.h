/* Two kernels beside each other: which facts of their reports differ, and which lines of their
 * texts.
 *
 * Texts are compared as code: the banner of one in CUDA C++, directives for debuggers and comments
 * are left out. What a kernel is called is no difference, nor is the fingerprint of its text, and
 * in PTX neither is how a compiler numbers registers and labels. */
#ifndef GG_EMIT_COMPARE_H
#define GG_EMIT_COMPARE_H

#include "base/diff.h"
#include "emit/report.h"

/* A fact that differs; NULL: the kernel has none of that name. */
typedef struct gg_fact_pair {
  const gg_fact *a, *b;
} gg_fact_pair;

/* Those that differ, in the order of their sections; gives how many. */
size_t gg_report_compare(gg_fact_pair out[2 * GG_FACTS_MAX], const gg_report *a,
                         const gg_report *b);

/* A kernel that is compared. */
typedef struct gg_compared {
  const char *name;
  const gg_report *report;
  const char *cuda;
  const char *ptx; /* NULL: there is none */
} gg_compared;

/* Two of them; lines of a text that is not there are none. */
typedef struct gg_comparison {
  gg_arena arena;
  gg_compared of[2];
  gg_fact_pair facts[2 * GG_FACTS_MAX]; /* that differ */
  size_t fact_count;
  gg_lines cuda[2], ptx[2];
} gg_comparison;

/* Points into both; free with gg_comparison_free, whatever is returned. MEMORY alone. */
gg_status gg_comparison_make(gg_comparison *out, const gg_compared *a, const gg_compared *b,
                             gg_error *err);
void gg_comparison_free(gg_comparison *comparison);

/* A place where two texts differ: lines [a, a_end) of the one are [b, b_end) of the other. */
typedef struct gg_hunk {
  size_t a, a_end, b, b_end;
} gg_hunk;

/* The next one from `*at` on, which begins as {0}; false when there is none. Of lists that gg_diff
 * has compared. */
bool gg_next_hunk(gg_hunk *at, const gg_lines *a, const gg_lines *b);

/* How much two texts differ: lines of each that the other has not, and in how many places. */
typedef struct gg_change {
  size_t of_a, of_b, places;
} gg_change;

gg_change gg_change_of(const gg_lines pair[2]);

#endif
