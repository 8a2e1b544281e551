/* Takes away what constants decide: the branches that are never taken, loops of one round. */
#ifndef GG_SPECIALISE_FOLD_H
#define GG_SPECIALISE_FOLD_H

#include "specialise/items.h"

/* Folds, in every item that was changed in the pass `since` or later, `if` and `?:` whose condition
 * is known, `&&` and `||` of which one side is, loops that run once or never, and sums and products
 * with the literals that this leaves. True where anything changed.
 *
 * Known are constants (tokens->values), but not a name that is declared again elsewhere: the other
 * declaration may be the nearer one. */
bool gg_fold_items(gg_tokens *tokens, gg_items *items, int since);

#endif
