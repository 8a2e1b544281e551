/* Shortens functions and their calls: takes out parameters that every call gives the same value,
 * and parameters, variables and functions that nothing uses. */
#ifndef GG_SPECIALISE_FUNCTIONS_H
#define GG_SPECIALISE_FUNCTIONS_H

#include "specialise/items.h"

/* Each of these passes changes the text's functions and their calls, and returns true where it
 * changed anything. A pass may skip functions in which nothing was changed in the pass `since` or
 * later. It leaves a function as it is where its name has several definitions, or stands anywhere
 * but in its definition and in calls. */

/* Removes methods that nothing calls. */
bool gg_remove_methods(gg_tokens *tokens, gg_items *items, int since);

/* Removes parameters that the body does not name, together with their arguments. */
bool gg_remove_parameters(gg_tokens *tokens, gg_items *items, int since);

/* Removes template parameters for which every call gives the same number, or the same named type;
 * the body gets that number or type in their place. */
bool gg_settle_templates(gg_tokens *tokens, gg_items *items, int since);

/* Replaces calls of functions that only return one of their parameters, or a constant. */
bool gg_remove_wrappers(gg_tokens *tokens, gg_items *items, int since);

/* Removes calls of functions that do nothing. */
bool gg_remove_empty(gg_tokens *tokens, gg_items *items, int since);

/* Removes variables that nothing reads, where computing their values has no other effect, and
 * second names of one value. */
bool gg_remove_locals(gg_tokens *tokens, gg_items *items, int since);

#endif
