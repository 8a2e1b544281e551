/* Decimal numbers, written with a point whatever the program's locale. */
#ifndef GG_BASE_DECIMAL_H
#define GG_BASE_DECIMAL_H

#include <stdbool.h>

/* Reads a number without a sign, such as "12", "0.01" or "1.5e-3", of up to 40 characters, to
 * the nearest double. Returns the first character behind it, or NULL if no such number begins here.
 * A number beyond a double's range becomes infinite. */
const char *gg_decimal_read(double *out, const char *text);

enum { GG_DECIMAL_MAX = 32 };

/* Writes the fewest digits that read back as the same number (if `single`, as the same f32):
 * "0.01", "6", "1e+10", "-inf". Returns `out`. */
const char *gg_decimal_print(char out[GG_DECIMAL_MAX], double value, bool single);

#endif
