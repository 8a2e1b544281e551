/* The tables of keys and of errors as text for people and editors. Each function appends to `out`;
 * the same tables give the same bytes. */
#ifndef GG_SPEC_REFERENCE_H
#define GG_SPEC_REFERENCE_H

#include "base/str.h"

/* One line for each key, for the terminal. */
void gg_reference_list(gg_str *out);

/* Everything about one key ("a.major") or one operation of the epilogue ("linear"); false if there
 * is none of that name. */
bool gg_reference_key(gg_str *out, const char *path);

/* docs/spec.md, docs/errors.md and docs/gemmgen.schema.json. */
void gg_reference_markdown(gg_str *out);
void gg_reference_errors(gg_str *out);
void gg_reference_schema(gg_str *out);

#endif
