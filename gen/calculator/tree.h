/* An expression's steps as HTML: a list in which each step has those that it is made of below it,
 * each with its text, its value and its drawing. A page has it (gen/page/layout.c), and what is
 * compiled to WebAssembly makes it anew when the page's expression is edited (module.c). */
#ifndef GG_CALCULATOR_TREE_H
#define GG_CALCULATOR_TREE_H

#include "base/str.h"
#include "gemmgen.h"

/* Appends it. Drawings of many elements are compact; those that would make the page large are left
 * out, which the page says. */
gg_status gg_layout_tree(gg_str *out, const char *expression, const gg_layout_options *options,
                         gg_error *err);

#endif
