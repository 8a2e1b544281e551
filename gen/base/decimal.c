#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

/* Powers of ten up to 22 are exact doubles, so a number of 15 digits with a small exponent is
 * rounded only once. */
static double scaled(double digits, int exponent) {
  double power = 1;
  for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
    power *= 10;
  if (exponent >= 0) return digits == 0 ? 0 : digits * power;
  return exponent < -300 ? digits / scaled(1, 300) / scaled(1, -exponent - 300) : digits / power;
}

const char *gg_decimal_read(double *out, const char *text) {
  const char *point = past_digits(text), *end = point;
  int exponent, dropped = 0, behind = 0;
  uint64_t digits = 0;
  if (point == text) return NULL;
  if (*point == '.') {
    end = past_digits(point + 1);
    if (end == point + 1) return NULL;
  }
  for (const char *at = text; at < end; at++) {
    if (at == point) continue;
    bool fits = digits < UINT64_MAX / 10 - 1;
    if (fits) digits = digits * 10 + (uint64_t)(*at - '0');
    dropped += !fits && at < point;
    behind += fits && at > point;
  }
  end = read_exponent(&exponent, end);
  if (end - text > longest) return NULL;
  exponent += dropped - behind;
  *out = exponent > 400    ? (digits ? HUGE_VAL : 0)
         : exponent < -400 ? 0
                           : scaled((double)digits, exponent);
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
