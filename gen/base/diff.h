/* What two lists of lines have in common. */
#ifndef GG_BASE_DIFF_H
#define GG_BASE_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A line: what is compared, and what is shown for it. */
typedef struct gg_line {
  const char *text; /* NUL-terminated: what is compared */
  const char *shown;
  size_t length; /* of `shown` */
  int number;    /* in its text, from 1 on */
  uint64_t hash; /* of `text`; gg_lines_add sets it */
  bool differs;  /* the other list has no counterpart; gg_diff sets it */
} gg_line;

typedef struct gg_lines {
  gg_line *list;
  size_t count, room;
} gg_lines;

/* Appends a line; false when memory is out. */
bool gg_lines_add(gg_lines *lines, gg_arena *arena, gg_line line);

/* Sets `differs` of all lines, for as few lines as possible: those without it are the same in both
 * lists, in the same order. False if memory is out. */
bool gg_diff(gg_lines *a, gg_lines *b);

#endif
