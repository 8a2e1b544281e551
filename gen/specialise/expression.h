/* Finds where expressions begin and end, and folds those of which a part is known. Places in the
 * text are places of tokens, as tokens.h counts them. */
#ifndef GG_SPECIALISE_EXPRESSION_H
#define GG_SPECIALISE_EXPRESSION_H

#include "specialise/tokens.h"

/* The place of the first name that the statement at `at` declares; -1: it declares none. */
int gg_declared_name(const gg_tokens *tokens, int at);

/* The place of the `>` that ends the list of template arguments or parameters that the `<` at `at`
 * begins; -1: this `<` begins no such list. */
int gg_angle_end(const gg_tokens *tokens, int at);

/* The token behind the bracket that matches the one at `at`; where no bracket opens at `at`, the
 * token behind `at`. */
int gg_token_past(const gg_tokens *tokens, int at);

/* Replaces `condition ? a : b`, where the condition is known, by the operand that it chooses; `at`:
 * the place of its `?`. True where it did. */
bool gg_fold_choice(gg_tokens *tokens, int at);

/* The same for `&&` and `||`; `at`: the place of the operator. */
bool gg_fold_logic(gg_tokens *tokens, int at);

/* Leaves out `* 1`, `/ 1` and `+ 0`, and makes a product with a factor 0 into 0; `at`: the place of
 * the number. True where it changed anything. */
bool gg_fold_literal(gg_tokens *tokens, int at);

/* Takes away the brackets around the expression first..last where it means the same without them.
 */
void gg_strip_brackets(gg_tokens *tokens, int first, int last);

#endif
