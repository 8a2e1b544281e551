/* The summary of a run of `gemmgen bench`: each case's fastest kernel beside cuBLASLt, as a table,
 * a plot and a few means. */
#ifndef GG_CLI_BENCH_SUMMARY_H
#define GG_CLI_BENCH_SUMMARY_H

#include "base/str.h"
#include "cli/cases.h"

/* One case. Figures are in TFLOP/s; 0: not measured. */
typedef struct bench_row {
  cli_case problem;
  char kernel[96]; /* a longer name is cut off */
  double ours, first, best;
  const char *epilogue; /* the word of --epilogue, a constant; NULL: the run has none */
  double bare, lt_bare; /* the same products without the epilogue */
  double separate;      /* the bare product, and a kernel that moves the epilogue's bytes */
  bool apart;           /* cuBLASLt did not do the epilogue: the row is in no mean */
} bench_row;

typedef struct bench_summary {
  bench_row *rows;
  size_t count, capacity;
  bool failed; /* memory ran out: rows are missing */
} bench_summary;

#define BENCH_SUMMARY_INIT                                                                         \
  { 0 }

/* Adds a row, and to it the kernel's name. */
void bench_summary_add(bench_summary *summary, const bench_row *row, const char *kernel);
void bench_summary_free(bench_summary *summary);

/* How our kernels compare with cuBLASLt, over the rows where both were measured. */
typedef struct bench_means {
  size_t count;
  double of_first, of_best;       /* geometric means of our rate over cuBLASLt's */
  double least;                   /* the smallest ratio of our rate to cuBLASLt's first */
  double over_bare, lt_over_bare; /* time over that of the bare product; 0: not measured */
  size_t least_row;
} bench_means;

/* The means over the rows of one epilogue; NULL: over all rows. */
bench_means bench_summary_means(const bench_summary *summary, const char *epilogue);

/* Append the summary: the means in lines of text, one or two for each epilogue; a table in
 * Markdown; a plot in SVG, with a line for each case that shows our rate and cuBLASLt's best
 * relative to cuBLASLt's first. */
void bench_summary_lines(gg_str *out, const bench_summary *summary);
void bench_summary_markdown(gg_str *out, const bench_summary *summary);
void bench_summary_svg(gg_str *out, const bench_summary *summary, const char *device);

#endif
