/* Remainders as compilers write them. */
#ifndef GG_ANNOTATE_REMAINDER_H
#define GG_ANNOTATE_REMAINDER_H

#include "emu/ptx/ptx.h"

/* Whether the instruction of this number, of a block that begins at `first`, subtracts from a
 * number without a sign what it has of whole multiples of *by: then it gives 0 to *by - 1. */
bool flow_is_remainder(uint32_t *by, const ptx_function *function, uint32_t first, uint32_t index);

#endif
