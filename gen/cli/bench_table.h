/* The rows of `gemmgen bench`: on standard output and in a file of TSV as they are measured, and as
 * JSON. */
#ifndef GG_CLI_BENCH_TABLE_H
#define GG_CLI_BENCH_TABLE_H

#include "cli/bench.h"

typedef struct bench_table {
  bool epilogues;   /* rows have columns for them */
  int name_width;   /* of a kernel's name */
  const char *path; /* of the TSV; NULL: nobody wants it */
  gg_str tsv;
  int rows, kept;          /* of the TSV: all, and those that the file holds */
  bool warned;             /* of a file that could not be written */
  gg_str results, skipped; /* the insides of JSON's lists */
} bench_table;

/* What a row is of. */
typedef struct bench_label {
  const char *name;               /* the case's */
  const bench_epilogue *epilogue; /* NULL: there are none */
} bench_label;

/* Prints it, as a line begins that says something of it. */
void bench_label_print(const bench_label *of);

/* Titles of the columns. */
void bench_table_begin(bench_table *t);

void bench_table_row(bench_table *t, const bench_label *of, const gg_kernel *kernel,
                     const bench_result *result, const bench_figure *ours);

/* Writes the TSV's file anew with all rows so far, in full or not at all. Error FILE_ROWS says how
 * many it has if not. */
gg_status bench_table_write(bench_table *t, gg_error *err);

/* The same while there is more to measure, so that a run that is cut off has left its rows: what
 * goes wrong is a warning, as there will be another try. A pipe has them when all is there. */
void bench_table_keep(bench_table *t);

/* What a row has no column for. */
void bench_table_remarks(const bench_label *of, const bench_result *result);

/* Keeps why a kernel is not measured; NULL: why none is. */
void bench_table_skip(bench_table *t, const bench_label *of, const gg_kernel *kernel,
                      const char *why);

/* The same of none, and told. */
void bench_table_skip_case(bench_table *t, const bench_label *of, const char *why);

/* The whole; `cublaslt` is its version, 0 for none. */
void bench_table_json(gg_str *out, const bench_table *t, const gg_device_facts *device,
                      int cublaslt);

void bench_table_free(bench_table *t);

/* What tables call a kernel: its name, and that its text is PTX. */
void bench_kernel_label(gg_str *out, const gg_kernel *kernel);

#endif
