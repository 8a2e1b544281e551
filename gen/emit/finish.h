/* finish(): what the epilogue's operations make of two neighbouring columns of a row. */
#ifndef GG_EMIT_FINISH_H
#define GG_EMIT_FINISH_H

#include "emit/item.h"

/* The function, and the struct of what it gives besides D, for the staging to store. */
void gg_finish_write(gg_str *out, const gg_items *e);

#endif
