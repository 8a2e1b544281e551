/* An expression's steps as HTML: a list in which each step, with its text, value and drawing,
 * stands above those that it is made of. It is part of a page (gen/page/calculator.c). Compiled to
 * WebAssembly, the same code makes the list again when the page's expression is edited (module.c).
 */
#ifndef GG_CALCULATOR_TREE_H
#define GG_CALCULATOR_TREE_H

#include "base/str.h"
#include "gemmgen.h"

/* Appends the list. Drawings of many elements are compact. Drawings that would make the page too
 * large are left out, and the page says so. */
gg_status gg_layout_tree(gg_str *out, const char *expression, const gg_layout_options *options,
                         gg_error *err);

#endif
