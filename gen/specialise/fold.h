/* Folds what constants decide: removes branches that are never taken, and unrolls loops of one
 * round. */
#ifndef GG_SPECIALISE_FOLD_H
#define GG_SPECIALISE_FOLD_H

#include "specialise/items.h"

/* In every item that was changed in the pass `since` or later, folds four things: `if` and `?:`
 * whose condition is known, `&&` and `||` of which one side is known, loops that run once or never,
 * and the sums and products with literals that the other three leave behind. True where anything
 * changed.
 *
 * Constants are known (tokens->values), except one whose name is declared a second time elsewhere:
 * the other declaration may be the nearer one. */
bool gg_fold_items(gg_tokens *tokens, gg_items *items, int since);

#endif
