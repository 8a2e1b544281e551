#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

gg_status gg_file_read(char **out, size_t *length, const char *path, size_t limit, gg_error *err) {
  bool is_stdin = strcmp(path, "-") == 0;
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  FILE *file = is_stdin ? stdin : fopen(path, "rb");
  if (!file) return gg_fail(err, FILE_READ, NULL, path, strerror(errno));
  char chunk[8192];
  for (size_t got = 1; got > 0 && text.length <= limit && !text.failed;) {
    size_t left = limit + 1 - text.length;
    got = fread(chunk, 1, left < sizeof chunk ? left : sizeof chunk, file);
    gg_str_append(&text, chunk, got);
  }
  if (ferror(file)) st = gg_fail(err, FILE_READ, NULL, path, strerror(errno));
  *length = text.length;
  *out = st ? NULL : gg_str_take(&text);
  if (st == GG_OK && !*out) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&text);
  if (!is_stdin) fclose(file);
  return st;
}
