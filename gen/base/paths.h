/* Lists of paths as variables of the environment have them, with colons between. An empty entry, as
 * in "a::b" or behind a last colon, is none. */
#ifndef GG_BASE_PATHS_H
#define GG_BASE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* Of a list, which goes on behind it. */
typedef struct gg_path {
  const char *text;
  size_t length;
} gg_path;

/* Takes the first path off the list; false where there is none left. NULL is a list of none. */
bool gg_next_path(gg_path *out, const char **list);

size_t gg_count_paths(const char *list);

#endif
