/* The template engine: text with comment directives and a table of names in, text out. */
#ifndef GG_EMIT_TEMPLATE_H
#define GG_EMIT_TEMPLATE_H

#include "gemmgen.h"

typedef struct gg_template_file {
  const char *name; /* "sm80_multistage.cu", "parts/epilogue.cu" */
  const char *text;
} gg_template_file;

/* Every file under templates/, carried in the binary; ends with a zeroed row. */
extern const gg_template_file gg_template_files[];

/* A name that a template may use: text for `${name}` and `//@ insert name`, or, with text NULL,
 * a flag for `//@ if name`. */
typedef struct gg_binding {
  const char *name;
  const char *text;
  bool flag;
} gg_binding;

enum { GG_BINDINGS_MAX = 96 }; /* of one template */

/* Expands template `name` of `files` to the end of `out`. A name that is unknown, unused,
 * unclosed or of the wrong kind is an error with the template's file and line. */
gg_status gg_template_expand(gg_str *out, const gg_template_file *files, const char *name,
                             const gg_binding *bindings, size_t count, gg_error *err);

#endif
