#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 40 };

static const char *past_digits(const char *text) {
  return text + strspn(text, "0123456789");
}

/* Reads an exponent, if there is one at `text`, into *out. Returns what follows it. */
static const char *read_exponent(int *out, const char *text) {
  *out = 0;
  if (*text != 'e' && *text != 'E') return text;
  const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');
  const char *end = past_digits(digits);
  if (end == digits) return text;
  for (const char *at = digits; at < end && *out < 10000; at++)
    *out = *out * 10 + (*at - '0');
  if (text[1] == '-') *out = -*out;
  return end;
}

/* Gives strtod, which rounds once, the digits without the point that the locale has a say in. */
const char *gg_decimal_read(double *out, const char *text) {
  const char *point = past_digits(text), *end = point;
  char plain[longest + 16];
  int exponent;
  if (point == text) return NULL;
  if (*point == '.') {
    end = past_digits(point + 1);
    if (end == point + 1) return NULL;
  }
  int whole = (int)(point - text), behind = end > point ? (int)(end - point - 1) : 0;
  end = read_exponent(&exponent, end);
  if (end - text > longest) return NULL;
  snprintf(plain, sizeof plain, "%.*s%.*se%d", whole, text, behind, point + (behind > 0),
           exponent - behind);
  *out = strtod(plain, NULL);
  return end;
}

const char *gg_decimal_print(char out[GG_DECIMAL_MAX], double value, bool single) {
  enum { enough_single = 9, enough = 17 };
  int first = 1; /* whole numbers of up to seven digits get no exponent */
  for (double power = 10; fabs(value) >= power && power < 1e7; power *= 10)
    first++;
  for (int digits = first; digits <= (single ? enough_single : enough); digits++) {
    snprintf(out, GG_DECIMAL_MAX, "%.*g", digits, value);
    char *foreign = out + strcspn(out, ",");
    if (*foreign) *foreign = '.';
    double read = 0;
    if (!isfinite(value) || !gg_decimal_read(&read, out + (*out == '-'))) break;
    if (single ? (float)read == fabsf((float)value) : read == fabs(value)) break;
  }
  return out;
}
