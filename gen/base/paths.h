/* Lists of paths as environment variables hold them, separated by colons. Empty entries, as in
 * "a::b" or behind a last colon, do not count. */
#ifndef GG_BASE_PATHS_H
#define GG_BASE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* One path of a list; it is not NUL-terminated, because the list continues behind it. */
typedef struct gg_path {
  const char *text;
  size_t length;
} gg_path;

/* Takes the first path off the list; false if none is left. NULL is an empty list. */
bool gg_next_path(gg_path *out, const char **list);

size_t gg_count_paths(const char *list);

#endif
