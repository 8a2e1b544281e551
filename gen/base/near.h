/* How far one word is from another, for "did you mean". */
#ifndef GG_BASE_NEAR_H
#define GG_BASE_NEAR_H

/* How many letters must be inserted, dropped or replaced to make the one of the other; of words
 * longer than 95 letters, a number above any that is near. */
int gg_edit_distance(const char *a, const char *b);

#endif
