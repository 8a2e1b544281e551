/* Cases of a family in which every two levels of any two factors meet that a legal spec can have
 * together: a covering array of strength two, by a greedy algorithm. Which are legal is the
 * planner's to say: it is asked. */
#ifndef MATRIX_COVER_H
#define MATRIX_COVER_H

#include "base/str.h"
#include "factors.h"

typedef struct cover cover;

typedef struct cover_totals {
  int64_t pairs, covered, refused; /* pairs: those that a spec can say */
} cover_totals;

/* NULL: memory. Close with cover_close. */
cover *cover_open(const factors *all, uint64_t seed);
void cover_close(cover *of);

/* The next case, which covers pairs that no case before it has; false: all are covered, or
 * refused. */
bool cover_next(choice *out, cover *of);

cover_totals cover_total(const cover *of);

/* Appends a line for each level that no legal spec of the family has, and one for each two factors
 * of which two levels do not meet, with what the planner says of one of them; with `every`, a line
 * for each two levels. */
void cover_put_refused(gg_str *out, const cover *of, bool every);

/* The first answer of the planner that was no refusal in its words: a mistake; NULL: none. */
const char *cover_mistake(const cover *of);

#endif
