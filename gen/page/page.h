/* Pages of kernels and of layout expressions. A kernel's: what was decided, how everything lies in
 * memory, and the text of the kernel beside its PTX. HTML that opens from disk: nothing comes from
 * a network, and what of it moves is page.js, which is in it. */
#ifndef GG_PAGE_PAGE_H
#define GG_PAGE_PAGE_H

#include "emit/compare.h"
#include "emit/subject.h"
#include "gemmgen.h"
#include "plan/layouts.h"

/* What an emulator counted and saw of one launch, as JSON. */
typedef struct gg_page_run {
  int64_t m, n, k, batch;
  int arch;             /* of the emulated device: 90 */
  const char *counters; /* {"kernels": [...]} */
  const char *timeline; /* in the trace-event format, an event a line */
  const char *followed; /* what happened to an element of A; NULL: none was followed */
  int64_t row, along_k; /* which one */
} gg_page_run;

typedef struct gg_page {
  const gg_plan *plan;
  const gg_layouts *layouts;
  const gg_report *report;
  const char *picture; /* SVG: roles and rings */
  const char *cuda;    /* the kernel's text */
  const char *ptx; /* of that text, with its lines' numbers in it (.loc); NULL: there is none, */
  const char *why_not;        /* for this reason */
  const gg_subject *subjects; /* what the PTX's instructions are about, in the order of its lines */
  size_t subject_count;
  const gg_page_run *run;          /* NULL: it was not run */
  const gg_comparison *comparison; /* with another kernel, this one is the first; NULL: none */
} gg_page;

/* Appends the page of a layout expression: its steps, each drawn (calculator/tree.h), and where
 * this gemmgen was built with one, a calculator by which the expression can be edited. */
gg_status gg_page_layout(gg_str *out, const char *expression, const gg_layout_options *options,
                         gg_error *err);

/* Appends a kernel's page. */
gg_status gg_page_write(gg_str *out, const gg_page *page, gg_error *err);

#endif
