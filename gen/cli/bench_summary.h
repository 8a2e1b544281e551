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
  const char *epilogue; /* its word, a constant; NULL: no row of the run has one */
  double bare, lt_bare; /* the products without it */
  double separate;      /* the product, and the epilogue's traffic in a kernel of its own */
  bool apart;           /* cuBLASLt did not do the epilogue: no means are of this row */
} bench_row;

typedef struct bench_summary {
  bench_row *rows;
  size_t count, capacity;
  bool failed; /* ran out of memory: rows are missing */
} bench_summary;

#define BENCH_SUMMARY_INIT                                                                         \
  { 0 }

/* Adds a row with the kernel's name. */
void bench_summary_add(bench_summary *summary, const bench_row *row, const char *kernel);
void bench_summary_free(bench_summary *summary);

/* How ours compares, over the rows where both are known. */
typedef struct bench_means {
  size_t count;
  double of_first, of_best;       /* geometric means of ours over cuBLASLt's */
  double least;                   /* the least of ours over cuBLASLt's first */
  double over_bare, lt_over_bare; /* of times over those of the bare products; 0: not measured */
  size_t least_row;
} bench_means;

/* `epilogue`: over its rows alone; NULL: over all. */
bench_means bench_summary_means(const bench_summary *summary, const char *epilogue);

/* Append: the means in lines of text, one or two for each epilogue; a table in Markdown; a plot in
 * SVG, one line a case, of ours and cuBLASLt's best over cuBLASLt's first. */
void bench_summary_lines(gg_str *out, const bench_summary *summary);
void bench_summary_markdown(gg_str *out, const bench_summary *summary);
void bench_summary_svg(gg_str *out, const bench_summary *summary, const char *device);

#endif
