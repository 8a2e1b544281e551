/* The rows of `gemmgen bench`: printed, and written to a TSV file, as they are measured, and as
 * JSON at the end. */
#ifndef GG_CLI_BENCH_TABLE_H
#define GG_CLI_BENCH_TABLE_H

#include "cli/bench.h"

typedef struct bench_table {
  bool epilogues;   /* rows have columns for an epilogue */
  int name_width;   /* columns of text that a kernel's name gets */
  const char *path; /* the TSV file; NULL: none is wanted */
  gg_str tsv;
  int rows, kept;          /* rows of the TSV so far, and how many of them the file holds */
  bool warned;             /* a warning was given that the file could not be written */
  gg_str results, skipped; /* the elements of JSON's lists, without the brackets */
} bench_table;

/* What a row is about. */
typedef struct bench_label {
  const char *name;               /* the case's name */
  const bench_epilogue *epilogue; /* NULL: the run has no epilogues */
} bench_label;

/* Prints the label as the beginning of a line. */
void bench_label_print(const bench_label *of);

/* Prints the titles of the columns. */
void bench_table_begin(bench_table *t);

void bench_table_row(bench_table *t, const bench_label *of, const gg_kernel *kernel,
                     const bench_result *result, const bench_figure *ours);

/* Writes all rows so far to the TSV file, in full or not at all. Where that fails, error FILE_ROWS
 * tells how many rows the file holds. */
gg_status bench_table_write(bench_table *t, gg_error *err);

/* Does the same while there is more to measure, so that a run that is cut off leaves its rows. A
 * failure is only a warning, as the file will be written again. A pipe gets its rows at the end. */
void bench_table_keep(bench_table *t);

/* Prints what there is to say of a result that has no column. */
void bench_table_remarks(const bench_label *of, const bench_result *result);

/* Notes why a kernel is not measured, for JSON. `kernel` NULL: why no kernel of the case is. */
void bench_table_skip(bench_table *t, const bench_label *of, const gg_kernel *kernel,
                      const char *why);

/* The same for a whole case, and prints it. */
void bench_table_skip_case(bench_table *t, const bench_label *of, const char *why);

/* Appends the whole run as JSON. `cublaslt`: the library's version; 0: none. */
void bench_table_json(gg_str *out, const bench_table *t, const gg_device_facts *device,
                      int cublaslt);

void bench_table_free(bench_table *t);

/* Appends what tables call a kernel: its name, and a mark where its text is PTX. */
void bench_kernel_label(gg_str *out, const gg_kernel *kernel);

#endif
