/* A kernel's PTX with comments that explain it, and what its instructions are about.
 *
 * The comments stand in lines of their own, so that the statements, and what ptxas makes of them,
 * are those of the text without. They say of NVRTC's PTX which part of the template and which line
 * of CUDA C++ follows; what registers are for; and at each asynchronous instruction which stage of
 * which ring it is about and who waits for it. All of that is found in the PTX itself, by what its
 * registers can hold (flow.h), and named by the plan's rings and roles: nothing is believed of the
 * names in a text. What is not known is not said. */
#ifndef GG_ANNOTATE_ANNOTATE_H
#define GG_ANNOTATE_ANNOTATE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "emit/subject.h"

typedef struct gg_annotated_text {
  const gg_plan *plan;
  const gg_layouts *layouts;
  const char *ptx;   /* NUL-terminated */
  const char *lined; /* the same with .loc lines; NULL: there is none */
  const char *cuda;  /* the text that it was made of; NULL: it was made of none */
} gg_annotated_text;

/* Appends the text with comments. Errors: those of the PTX's syntax; MEMORY. */
gg_status gg_annotate(gg_str *out, const gg_annotated_text *text, gg_error *err);

/* What the instructions of the PTX are about, in the order of its lines: those of which something
 * is known. The list is the arena's; rings are the layouts'. */
gg_status gg_subjects_find(const gg_subject **out, size_t *count, gg_arena *arena,
                           const gg_plan *plan, const gg_layouts *layouts, const char *ptx,
                           gg_error *err);

#endif
