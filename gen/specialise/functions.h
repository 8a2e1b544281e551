/* Functions and their calls: what every call says the same, and what no body reads. */
#ifndef GG_SPECIALISE_FUNCTIONS_H
#define GG_SPECIALISE_FUNCTIONS_H

#include "specialise/items.h"

/* Each removes from the text's functions and their calls, and says whether it changed anything. It
 * may leave out functions of which nothing was changed in the pass `since` or later.
 * A function is left as it is where its name has several definitions, or stands anywhere but in
 * its definition and in calls. */

/* Methods that nothing calls. */
bool gg_remove_methods(gg_tokens *tokens, gg_items *items, int since);

/* Parameters that the body does not name, with their arguments. */
bool gg_remove_parameters(gg_tokens *tokens, gg_items *items, int since);

/* Template parameters that are the same number, or the same named type, in every call: the body has
 * it in their place. */
bool gg_settle_templates(gg_tokens *tokens, gg_items *items, int since);

/* Calls of functions that return a parameter, or a constant, as it is. */
bool gg_remove_wrappers(gg_tokens *tokens, gg_items *items, int since);

/* Calls of functions that do nothing. */
bool gg_remove_empty(gg_tokens *tokens, gg_items *items, int since);

/* Variables that nothing reads, where computing them does nothing else; and second names of
 * one value. */
bool gg_remove_locals(gg_tokens *tokens, gg_items *items, int since);

#endif
