/* Decimal numbers, with a point for a point, whatever the program's locale. */
#ifndef GG_BASE_DECIMAL_H
#define GG_BASE_DECIMAL_H

#include <stdbool.h>

/* Reads "12", "0.01" or "1.5e-3", without a sign: up to 40 characters. Gives the first character
 * behind it, or NULL where no such number begins. What is beyond a double's range is infinite. */
const char *gg_decimal_read(double *out, const char *text);

enum { GG_DECIMAL_MAX = 32 };

/* The fewest digits that are this number again, or, of an f32, as one: "0.01", "6", "1e+10",
 * "-inf". Gives `out`. */
const char *gg_decimal_print(char out[GG_DECIMAL_MAX], double value, bool single);

#endif
