/* The names that a family binds for its template: names of texts, flags and parts. All texts are
 * kept in one arena. */
#ifndef GG_EMIT_BINDING_H
#define GG_EMIT_BINDING_H

#include "base/arena.h"
#include "emit/template.h"

typedef struct gg_bindings {
  gg_arena *arena;
  gg_binding rows[GG_BINDINGS_MAX];
  size_t count;
  bool failed; /* memory ran out: gg_bindings_check then returns the error */
} gg_bindings;

void gg_bind_flag(gg_bindings *bindings, const char *name, bool flag);

/* Fills a slot of the template with templates/parts/PART.cu; NULL leaves it empty. The string
 * `part` is not copied. */
void gg_bind_part(gg_bindings *bindings, const char *slot, const char *part);

void gg_bind_text(gg_bindings *bindings, const char *name, const char *text);

/* Binds a copy of what was built in `text`, and frees `text`. */
void gg_bind_str(gg_bindings *bindings, const char *name, gg_str *text);

gg_status gg_bindings_check(const gg_bindings *bindings, gg_error *err);

#endif
