/* One kernel as a page: what was decided, how everything lies in memory, and the text of the kernel
 * beside its PTX. HTML that opens from disk: nothing comes from a network, and what of it moves is
 * page.js, which is in it. */
#ifndef GG_PAGE_PAGE_H
#define GG_PAGE_PAGE_H

#include "emit/report.h"
#include "plan/layouts.h"

typedef struct gg_page {
  const gg_plan *plan;
  const gg_layouts *layouts;
  const gg_report *report;
  const char *picture; /* SVG: roles and rings */
  const char *cuda;    /* the kernel's text */
  const char *ptx; /* of that text, with its lines' numbers in it (.loc); NULL: there is none, */
  const char *why_not; /* for this reason */
} gg_page;

/* Appends the page. */
gg_status gg_page_write(gg_str *out, const gg_page *page, gg_error *err);

#endif
