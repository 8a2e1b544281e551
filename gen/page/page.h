/* Pages of kernels and of layout expressions. A kernel's page shows what was decided, how
 * everything lies in memory, and the kernel's text beside its PTX. A page is one HTML file that
 * opens from disk: it loads nothing from a network, and its script, page.js, is inside of it. */
#ifndef GG_PAGE_PAGE_H
#define GG_PAGE_PAGE_H

#include "emit/compare.h"
#include "emit/subject.h"
#include "gemmgen.h"
#include "plan/layouts.h"

/* What an emulator counted and recorded in one launch, as JSON. */
typedef struct gg_page_run {
  int64_t m, n, k, batch;
  int arch;             /* architecture of the emulated device, such as 90 */
  const char *counters; /* {"kernels": [...]} */
  const char *timeline; /* in the trace-event format, one event on each line */
  const char *followed; /* what happened to one element of A; NULL: none was followed */
  int64_t row, along_k; /* which element it is */
} gg_page_run;

typedef struct gg_page {
  const gg_plan *plan;
  const gg_layouts *layouts;
  const gg_report *report;
  const char *picture; /* SVG of the roles and rings */
  const char *cuda;    /* the kernel's text */
  const char *ptx;     /* PTX of that text, with its line numbers (.loc); NULL: there is none */
  const char *why_not; /* why there is none */
  const gg_subject *subjects; /* what the PTX's instructions are about, in the order of its lines */
  size_t subject_count;
  const gg_page_run *run;          /* NULL: it was not run */
  const gg_comparison *comparison; /* with another kernel; this one is the first. NULL: none */
} gg_page;

/* Appends the page of a layout expression: its steps, each drawn (calculator/tree.h). Where this
 * gemmgen was built with the WebAssembly calculator, the page contains it, and the expression can
 * be edited. */
gg_status gg_page_layout(gg_str *out, const char *expression, const gg_layout_options *options,
                         gg_error *err);

/* Appends a kernel's page. */
gg_status gg_page_write(gg_str *out, const gg_page *page, gg_error *err);

#endif
