#include "base/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { longest_near = GG_NEAR_BYTES - 1 };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* The number of edits from a to b: insert, delete or replace a character, or swap two neighbours.
 */
static size_t edit_distance(const char *a, size_t rows, const char *b, size_t columns) {
  unsigned char before[longest_near + 1] = {0}, last[longest_near + 1] = {0},
                                      now[longest_near + 1] = {0};
  for (size_t j = 0; j <= columns; j++)
    now[j] = (unsigned char)j;
  for (size_t i = 1; i <= rows; i++) {
    memcpy(before, last, sizeof before);
    memcpy(last, now, sizeof last);
    now[0] = (unsigned char)i;
    for (size_t j = 1; j <= columns; j++) {
      bool same = a[i - 1] == b[j - 1];
      size_t best = least(least(last[j], now[j - 1]) + 1u, last[j - 1] + !same);
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = least(best, before[j - 2] + 1u);
      now[j] = (unsigned char)best;
    }
  }
  return now[columns];
}

/* Copies a word in lower case and with - as _, so that these do not count. Returns its length; 0
 * for a word that is too long. */
static size_t fold(char out[longest_near + 1], const char *text) {
  size_t length = strlen(text);
  if (length > longest_near) return 0;
  for (size_t i = 0; i <= length; i++) {
    out[i] = text[i] == '-' ? '_' : (char)tolower((unsigned char)text[i]);
  }
  return length;
}

void gg_near_start(gg_near *near, const char *wanted) {
  *near = (gg_near){.wanted = wanted, .distance = SIZE_MAX};
}

/* Whether one word begins with the other, as "alignment" with "align" and "boxes" with "box". One
 * of two letters does not count, since too much begins with it. */
static bool begins(const char *a, size_t rows, const char *b, size_t columns) {
  size_t shorter = least(rows, columns);
  return shorter >= 3 && strncmp(a, b, shorter) == 0;
}

void gg_near_try(gg_near *near, const char *word) {
  char a[longest_near + 1], b[longest_near + 1];
  size_t rows = fold(a, near->wanted), columns = fold(b, word);
  if (rows == 0 || columns == 0) return;
  size_t distance = edit_distance(a, rows, b, columns);
  size_t limit = rows < 6 ? 1 : rows / 3;
  bool far = distance > limit && !begins(a, rows, b, columns);
  if (far || distance >= columns) return;
  /* Of two words that are equally far, prefer the one that is written more alike: Layout, not
   * layout, for Layot. */
  distance = distance * GG_NEAR_BYTES + edit_distance(near->wanted, rows, word, columns);
  if (distance >= near->distance) return;
  near->distance = distance;
  snprintf(near->best, sizeof near->best, "%s", word);
}
