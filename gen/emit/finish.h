/* The emitted function finish(), which applies the epilogue's operations to two neighbouring
 * columns of a row. */
#ifndef GG_EMIT_FINISH_H
#define GG_EMIT_FINISH_H

#include "emit/item.h"

/* Appends the function, and in front of it the struct of the values that it gives besides D, which
 * the staging stores. */
void gg_finish_write(gg_str *out, const gg_items *e);

#endif
