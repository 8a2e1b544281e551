/* Whether the planner takes a choice, and what it says where it does not. */
#ifndef MATRIX_LEGAL_H
#define MATRIX_LEGAL_H

#include "base/str.h"
#include "factors.h"

/* Appends the whole spec: with the tile, if it speaks of that, in numbers. False where the planner,
 * asked for the tile, refuses; `why` is its message, `mistake` whether it was no diagnostic of the
 * spec. */
bool legal_write(gg_str *out, const factors *all, const choice *of, gg_str *why, bool *mistake);

/* Whether the family plans the spec. */
bool legal_choice(const factors *all, const choice *of, gg_str *why, bool *mistake);

#endif
