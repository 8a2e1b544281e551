/* Breaks the lines of changed statements anew. */
#ifndef GG_SPECIALISE_FLOW_H
#define GG_SPECIALISE_FLOW_H

#include "specialise/tokens.h"

void gg_flow(gg_tokens *tokens);

#endif
