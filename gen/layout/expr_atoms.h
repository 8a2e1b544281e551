/* Inside gen/layout/ only: the calculator's operations on atoms, tiled MMAs and tiled copies. */
#ifndef GG_LAYOUT_EXPR_ATOMS_H
#define GG_LAYOUT_EXPR_ATOMS_H

#include "layout/expr.h"

#define GG_OP(name, kinds, function, help)
#define GG_OP_ATOM(name, kinds, function, help)                                                    \
  gg_status gg_expr_##function(gg_value *out, gg_value *const *arguments, int count, gg_error *err);
#include "layout/expr_ops.def"
#undef GG_OP
#undef GG_OP_ATOM

#endif
