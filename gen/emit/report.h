/* The report: what the plan and the layouts say, as a list of facts. It is printed in three ways:
 * in the banner of an emitted kernel, by `gemmgen explain`, and as JSON. */
#ifndef GG_EMIT_REPORT_H
#define GG_EMIT_REPORT_H

#include "plan/layouts.h"

typedef struct gg_fact {
  const char *section; /* "tile", "layouts" */
  const char *name;
  const char *text;   /* the value as people read it */
  bool number;        /* the text is a JSON number */
  const char *remark; /* stands behind the value, for people; NULL: none */
} gg_fact;

enum { GG_FACTS_MAX = 160 };

typedef struct gg_report {
  gg_arena arena; /* owns the texts */
  gg_fact facts[GG_FACTS_MAX];
  size_t count;
  const char *note; /* the plan's */
  bool failed;
} gg_report;

/* Makes the report. Free it with gg_report_free. */
gg_status gg_report_make(gg_report *out, const gg_plan *plan, const gg_layouts *layouts,
                         gg_error *err);
void gg_report_free(gg_report *report);

/* Appends the report as aligned text, each line behind `prefix`; or as one JSON object with a
 * member for each section. */
void gg_report_print(gg_str *out, const gg_report *report, const char *prefix);
void gg_report_json(gg_str *out, const gg_report *report);

#endif
