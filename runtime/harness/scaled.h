/* Blocks of D with a scale factor each, as they must be. */
#ifndef GG_HARNESS_SCALED_H
#define GG_HARNESS_SCALED_H

#include "reference.h"

/* The factor of a block of so many elements, which are known within bounds before they are divided:
 * exactly, where they are. */
gg_expected gg_scaled_factor(gg_dtype d, gg_dtype factors, const gg_expected *x, int64_t count);

/* An element of D whose block has the factor of these bits; likewise. */
gg_expected gg_scaled_element(gg_dtype d, gg_dtype factors, unsigned char factor, gg_expected x);

#endif
