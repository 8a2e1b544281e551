/* Takes away what the kernel does not use. */
#ifndef GG_SPECIALISE_PRUNE_H
#define GG_SPECIALISE_PRUNE_H

#include "specialise/items.h"

/* Removes every declaration that the kernel does not reach, by the names that stand in what it
 * does reach, methods of structs included; a name keeps all its overloads. Headings over nothing go
 * too. True where anything changed. */
bool gg_prune(gg_tokens *tokens, gg_items *items, int since);

#endif
