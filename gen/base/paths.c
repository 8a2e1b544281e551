#include "base/paths.h"

#include <string.h>

bool gg_next_path(gg_path *out, const char **list) {
  if (!*list) return false;
  const char *text = *list + strspn(*list, ":");
  *out = (gg_path){text, strcspn(text, ":")};
  *list = text + out->length;
  return out->length > 0;
}

size_t gg_count_paths(const char *list) {
  size_t count = 0;
  gg_path path;
  while (gg_next_path(&path, &list))
    count++;
  return count;
}
