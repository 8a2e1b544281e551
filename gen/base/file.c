#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data += written;
    size -= (size_t)written;
  }
  return true;
}

bool gg_file_replace(const char *path, const void *data, size_t size, unsigned permissions,
                     bool sync) {
  gg_str name = GG_STR_INIT;
  gg_str_printf(&name, "%s.XXXXXX", path);
  char *temporary = gg_str_take(&name);
  if (!temporary) {
    errno = ENOMEM;
    return false;
  }
  int fd = mkstemp(temporary);
  bool ok = fd >= 0 && write_all(fd, data, size) && fchmod(fd, permissions) == 0 &&
            (!sync || fsync(fd) == 0);
  int reason = errno;
  if (fd >= 0 && close(fd) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (ok && rename(temporary, path) != 0) {
    ok = false;
    reason = errno;
  }
  if (!ok && fd >= 0) unlink(temporary);
  gg_free(temporary);
  errno = reason;
  return ok;
}

bool gg_directory_make(char *path, unsigned permissions) {
  for (char *at = path + 1; *at; at++) {
    if (*at != '/') continue;
    *at = '\0';
    bool ok = mkdir(path, permissions) == 0 || errno == EEXIST;
    *at = '/';
    if (!ok) return false;
  }
  return mkdir(path, permissions) == 0 || errno == EEXIST;
}
