/* A spec as text: what was asked for. */
#ifndef GG_SPEC_PRINT_H
#define GG_SPEC_PRINT_H

#include "spec/spec.h"

/* Appends the keys that are given, in the order of the table, one to a line behind `prefix`, each
 * named by its path: `a.type: f16` stands for `a: {type: f16}`. */
void gg_spec_print(gg_str *out, const gg_spec *spec, const char *prefix);

/* Appends the keys that are given as YAML that reads back as the same spec. */
void gg_spec_write(gg_str *out, const gg_spec *spec);

#endif
