#include "base/sized.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { name_max = 64, beyond_max = 4096 /* more is no size, but whatever lay there */ };

/* "gg_problem" -> "GG_PROBLEM_INIT" */
static const char *macro_of(char out[name_max], const char *type) {
  snprintf(out, name_max, "%s_INIT", type);
  for (char *at = out; *at; at++)
    *at = (char)toupper((unsigned char)*at);
  return out;
}

/* Reads the size that a struct begins with. All such structs are aligned to a word, so their sizes
 * are whole words. */
static gg_status size_of(size_t *out, const void *sized, size_t known, const char *type,
                         gg_error *err) {
  size_t size;
  char macro[name_max];
  memcpy(&size, sized, sizeof size);
  *out = size;
  if (size > sizeof size && size % sizeof size == 0 && size <= known + beyond_max) return GG_OK;
  return gg_fail(err, STRUCT_SIZE, NULL, type, (unsigned long long)size, macro_of(macro, type),
                 (unsigned long long)known);
}

gg_status gg_sized_read(void *room, size_t size, const void *given, const char *type,
                        gg_error *err) {
  size_t has;
  gg_status st = size_of(&has, given, size, type, err);
  if (st) return st;
  const unsigned char *bytes = given;
  for (size_t at = size; at < has; at++) {
    if (bytes[at] == 0) continue;
    return gg_fail(err, STRUCT_NEWER, NULL, type, (unsigned long long)has, GG_VERSION,
                   (unsigned long long)size, (unsigned long long)at);
  }
  memcpy(room, given, has < size ? has : size);
  memcpy(room, &size, sizeof size);
  return GG_OK;
}

gg_status gg_sized_write(void *out, const void *made, size_t size, const char *type,
                         gg_error *err) {
  size_t has;
  gg_status st = size_of(&has, out, size, type, err);
  if (st) return st;
  memcpy(out, made, has < size ? has : size);
  if (has > size) memset((char *)out + size, 0, has - size);
  memcpy(out, &has, sizeof has);
  return GG_OK;
}
