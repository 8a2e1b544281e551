/* What a run of `gemmgen bench` comes to: each case's fastest kernel beside cuBLASLt, as a table, a
 * plot and a few means. */
#ifndef GG_CLI_BENCH_SUMMARY_H
#define GG_CLI_BENCH_SUMMARY_H

#include "base/str.h"
#include "cli/cases.h"

/* TFLOP/s, 0 where not measured. */
typedef struct bench_row {
  cli_case problem;
  char kernel[96]; /* cut off where it is longer */
  double ours, first, best;
} bench_row;

typedef struct bench_summary {
  bench_row *rows;
  size_t count, capacity;
  bool failed; /* ran out of memory: rows are missing */
} bench_summary;

#define BENCH_SUMMARY_INIT                                                                         \
  { 0 }

void bench_summary_add(bench_summary *summary, const cli_case *c, const char *kernel, double ours,
                       double first, double best);
void bench_summary_free(bench_summary *summary);

/* How ours compares, over the rows where both are known. */
typedef struct bench_means {
  size_t count;
  double of_first, of_best; /* geometric means of ours over cuBLASLt's */
  double least;             /* the least of ours over cuBLASLt's first */
  size_t least_row;
} bench_means;

bench_means bench_summary_means(const bench_summary *summary);

/* Append: the means in one line of text; a table in Markdown; a plot in SVG, one line a case, of
 * ours and cuBLASLt's best over cuBLASLt's first. */
void bench_summary_line(gg_str *out, const bench_summary *summary);
void bench_summary_markdown(gg_str *out, const bench_summary *summary);
void bench_summary_svg(gg_str *out, const bench_summary *summary, const char *device);

#endif
