/* Removes the declarations that the kernel does not use. */
#ifndef GG_SPECIALISE_PRUNE_H
#define GG_SPECIALISE_PRUNE_H

#include "specialise/items.h"

/* Removes every declaration that the kernel does not reach. What a declaration reaches is found by
 * the names that stand in its text, in the methods of a struct too; a name that is reached keeps
 * all its overloads. A heading with no declaration left below it goes too. True where anything
 * changed. */
bool gg_prune(gg_tokens *tokens, gg_items *items, int since);

#endif
