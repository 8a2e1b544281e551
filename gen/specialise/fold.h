/* Takes away what constants decide: the branches that are never taken, loops of one round. */
#ifndef GG_SPECIALISE_FOLD_H
#define GG_SPECIALISE_FOLD_H

#include "specialise/items.h"

/* Sets tokens->values of the constants among the items. A name that is declared again elsewhere is
 * not known: the other declaration may be the nearer one. */
void gg_fold_constants(gg_tokens *tokens, const gg_items *items);

/* Folds, in one item, `if` and `?:` whose condition is known, `&&` and `||` of which one side is,
 * loops that run once or never, and sums and products with the literals that this leaves. True
 * where anything changed. */
bool gg_fold_item(gg_tokens *tokens, const gg_item *item);

#endif
