/* The template engine: text with comment directives and a table of names in, text out. */
#ifndef GG_EMIT_TEMPLATE_H
#define GG_EMIT_TEMPLATE_H

#include "gemmgen.h"

typedef struct gg_template_file {
  const char *name; /* "sm80_multistage.cu", "parts/epilogue.cu" */
  const char *text;
} gg_template_file;

/* Every file under templates/, built into the binary; ends with a zeroed row. */
extern const gg_template_file gg_template_files[];

typedef enum gg_binding_kind {
  GG_BINDING_TEXT, /* for `${name}` and `//@ insert name` */
  GG_BINDING_FLAG, /* for `//@ if name` */
  GG_BINDING_PART, /* for `//@ slot name` */
} gg_binding_kind;

/* A name that a template may use, and what it stands for. */
typedef struct gg_binding {
  const char *name;
  gg_binding_kind kind;
  const char *text; /* for a slot: the name of its part, or NULL if it stays empty */
  bool flag;
} gg_binding;

enum { GG_BINDINGS_MAX = 256 }; /* of one template */

/* Appends the expansion of template `name` of `files` to `out`. A name that is unknown, unused,
 * unclosed or of the wrong kind is an error, which tells the template's file and line. */
gg_status gg_template_expand(gg_str *out, const gg_template_file *files, const char *name,
                             const gg_binding *bindings, size_t count, gg_error *err);

#endif
