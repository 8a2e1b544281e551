/* "Did you mean": finds, among the words that it is shown, the one closest to a misspelt word. The
 * measure is edit distance, ignoring case and the difference between - and _. A word is not
 * suggested if more than a third of its letters differ, unless one word begins with the other. */
#ifndef GG_BASE_NEAR_H
#define GG_BASE_NEAR_H

#include <stddef.h>

enum { GG_NEAR_BYTES = 128 }; /* longest word, with its NUL; longer ones are never close */

typedef struct gg_near {
  const char *wanted;
  char best[GG_NEAR_BYTES]; /* "" while none is close enough to suggest */
  size_t distance;
  const char *advice; /* to show in place of a suggestion; NULL: nothing */
} gg_near;

void gg_near_start(gg_near *near, const char *wanted);
void gg_near_try(gg_near *near, const char *word);

#endif
