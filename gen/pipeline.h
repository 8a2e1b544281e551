/* The pipeline with its intermediate stages in view, for dumps and tests. */
#ifndef GG_PIPELINE_H
#define GG_PIPELINE_H

#include "base/arena.h"
#include "emit/report.h"
#include "plan/layouts.h"

/* Everything that one compilation makes. Start it with GG_COMPILATION_INIT and end it with
 * gg_compilation_free. Plan and layouts live in the arena. */
typedef struct gg_compilation {
  gg_arena arena;
  gg_plan *plan;
  gg_layouts *layouts;
} gg_compilation;

#define GG_COMPILATION_INIT                                                                        \
  { .arena = GG_ARENA_INIT }

/* spec -> plan -> layouts: all stages except the one that makes the text. */
gg_status gg_compilation_run(gg_compilation *out, const gg_spec *spec, gg_error *err);
void gg_compilation_free(gg_compilation *compilation);

/* Makes a report of a spec's plan and layouts. Free it with gg_report_free. */
gg_status gg_report_of_spec(gg_report *out, const gg_spec *spec, gg_error *err);

#endif
