/* Where expressions begin and end, and what becomes of them when a part is known. */
#ifndef GG_SPECIALISE_EXPRESSION_H
#define GG_SPECIALISE_EXPRESSION_H

#include "specialise/tokens.h"

/* The place of the name that the statement at `at` declares, the first of several; -1: it declares
 * none. */
int gg_declared_name(const gg_tokens *tokens, int at);

/* The `>` that ends the list of template arguments or parameters that `at`, a `<`, begins; -1: it
 * begins none. */
int gg_angle_end(const gg_tokens *tokens, int at);

/* Behind the brackets that open at `at`, or behind `at`. */
int gg_token_past(const gg_tokens *tokens, int at);

/* Replaces a choice whose condition is known by what it chooses; `at`: its `?`. */
bool gg_fold_choice(gg_tokens *tokens, int at);

/* The same for `&&` and `||`. */
bool gg_fold_logic(gg_tokens *tokens, int at);

/* Leaves out `* 1`, `/ 1`, `+ 0` and what is multiplied by 0; `at`: the number. */
bool gg_fold_literal(gg_tokens *tokens, int at);

/* Takes away the brackets around first..last where they do nothing there. */
void gg_strip_brackets(gg_tokens *tokens, int first, int last);

#endif
