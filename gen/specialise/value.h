/* Computes the values of constant expressions. */
#ifndef GG_SPECIALISE_VALUE_H
#define GG_SPECIALISE_VALUE_H

#include "specialise/tokens.h"

/* The value of the expression first..last, where it follows from numbers and from words whose
 * values are known (tokens->values). `false && x` and `x % 1` are known even where x is not. */
gg_known gg_value_of(const gg_tokens *tokens, int first, int last);

/* The size in bytes of the type first..last, a number type of CUDA C++ or an alias of one; 0: not
 * known. */
int gg_size_of(const gg_tokens *tokens, int first, int last);

#endif
