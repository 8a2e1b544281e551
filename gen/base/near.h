/* "Did you mean": of the words it is shown, the closest to one that is misspelt, by edit distance,
 * blind to case and to - against _; none where more than a third of the letters differ, but where
 * one begins with the other. */
#ifndef GG_BASE_NEAR_H
#define GG_BASE_NEAR_H

#include <stddef.h>

enum { GG_NEAR_BYTES = 128 }; /* of a word, with its NUL; longer ones are near to nothing */

typedef struct gg_near {
  const char *wanted;
  char best[GG_NEAR_BYTES]; /* "" while none is close enough to suggest */
  size_t distance;
  const char *advice; /* to give in place of a suggestion; NULL: none */
} gg_near;

void gg_near_start(gg_near *near, const char *wanted);
void gg_near_try(gg_near *near, const char *word);

#endif
