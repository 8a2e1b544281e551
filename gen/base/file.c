#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* ---- Inputs ----------------------------------------------------------------------------- */

static void let_wait(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags >= 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

static gg_status read_all(char **out, size_t *length, int fd, const char *path, size_t limit,
                          gg_error *err) {
  gg_str text = GG_STR_INIT;
  char chunk[8192];
  ssize_t got = 1;
  while (got != 0 && text.length <= limit && !text.failed) {
    size_t left = limit + 1 - text.length;
    got = read(fd, chunk, left < sizeof chunk ? left : sizeof chunk);
    if (got > 0) gg_str_append(&text, chunk, (size_t)got);
    if (got < 0 && errno == EAGAIN) let_wait(fd); /* a writer has it open */
    if (got < 0 && errno != EAGAIN && errno != EINTR) break;
  }
  gg_status st = got < 0 ? gg_fail(err, FILE_READ, NULL, path, strerror(errno)) : GG_OK;
  *length = text.length;
  if (!st) *out = gg_str_take(&text);
  if (!st && !*out) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&text);
  return st;
}

/* Reads a file by name. It is opened without waiting: a FIFO that nobody writes to reads as empty.
 */
static gg_status read_named(char **out, size_t *length, const char *path, bool plain, size_t limit,
                            gg_error *err) {
  struct stat facts;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &facts) != 0) {
    gg_status st = gg_fail(err, FILE_READ, NULL, path, strerror(errno));
    if (fd >= 0) close(fd);
    return st;
  }
  gg_status st = GG_OK;
  bool fifo = S_ISFIFO(facts.st_mode);
  if (!fifo) let_wait(fd);
  if (plain && !S_ISREG(facts.st_mode)) {
    st = gg_fail(err, FILE_READ, NULL, path, "it is no regular file");
  } else {
    st = read_all(out, length, fd, path, limit, err);
  }
  if (!st && fifo && *length == 0) {
    gg_free(*out);
    *out = NULL;
    st = gg_fail(err, FILE_READ, NULL, path, "nobody writes to this FIFO");
  }
  close(fd);
  return st;
}

gg_status gg_file_read(char **out, size_t *length, const char *path, size_t limit, gg_error *err) {
  *out = NULL;
  bool is_stdin = strcmp(path, "-") == 0;
  return is_stdin ? read_all(out, length, STDIN_FILENO, path, limit, err)
                  : read_named(out, length, path, false, limit, err);
}

gg_status gg_file_read_plain(char **out, size_t *length, const char *path, size_t limit,
                             gg_error *err) {
  *out = NULL;
  return read_named(out, length, path, true, limit, err);
}

/* ---- Files of our own ------------------------------------------------------------------- */

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

/* Opens a new file beside `path`, which will replace the file there; *out: its name. -1: errno says
 * why. */
static int open_beside(char **out, const char *path, unsigned permissions) {
  enum { tries = 1000 };
  for (int i = 0; i < tries; i++) {
    gg_str name = GG_STR_INIT;
    gg_str_printf(&name, "%s.%ld.%d", path, (long)getpid(), i);
    *out = gg_str_take(&name);
    if (!*out) {
      errno = ENOMEM;
      return -1;
    }
    int fd = open(*out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (fd >= 0) return fd;
    int reason = errno;
    gg_free(*out);
    errno = reason;
    if (reason != EEXIST) return -1;
  }
  return -1;
}

/* Gives a replacement the owner of the old file, as far as the process may, and its permissions. */
static bool take_after(int fd, const struct stat *old) {
  return (fchown(fd, old->st_uid, old->st_gid) == 0 || errno == EPERM) &&
         fchmod(fd, old->st_mode & 07777) == 0;
}

/* Replaces the file at `path`. `old`: the file that is there, whose owner and permissions are kept;
 * NULL: there is none, or its do not matter. */
static bool replace(const char *path, const void *data, size_t size, unsigned permissions,
                    const struct stat *old, bool sync) {
  char *temporary;
  int fd = open_beside(&temporary, path, permissions);
  if (fd < 0) return false;
  bool ok = write_all(fd, data, size) && (!old || take_after(fd, old)) && (!sync || fsync(fd) == 0);
  int reason = errno;
  if (close(fd) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (ok && rename(temporary, path) != 0) {
    ok = false;
    reason = errno;
  }
  if (!ok) unlink(temporary);
  gg_free(temporary);
  errno = reason;
  return ok;
}

bool gg_file_replace(const char *path, const void *data, size_t size, unsigned permissions,
                     bool sync) {
  return replace(path, data, size, permissions, NULL, sync);
}

/* ---- Outputs ---------------------------------------------------------------------------- */

/* The path that `path` stands for: symbolic links in its last component are followed, even if the
 * last link leads to a file that does not exist yet. NULL: errno says why. */
static char *follow_links(const char *path) {
  enum { most_links = 40 };
  gg_str at = GG_STR_INIT;
  gg_str_puts(&at, path);
  for (int i = 0; i < most_links && !at.failed; i++) {
    char link[PATH_MAX];
    ssize_t length = readlink(gg_str_text(&at), link, sizeof link);
    if (length < 0 && (errno == EINVAL || errno == ENOENT)) return gg_str_take(&at);
    if (length < 0) break;
    char *slash = strrchr(at.text, '/');
    at.length = *link == '/' || !slash ? 0 : (size_t)(slash + 1 - at.text);
    gg_str_append(&at, link, (size_t)length);
    if (i + 1 == most_links) errno = ELOOP;
  }
  if (at.failed) errno = ENOMEM;
  gg_str_free(&at);
  return NULL;
}

/* Writes into the existing file, for a device, a FIFO, or a file that cannot be replaced by
 * another. */
static bool write_in_place(const char *path, const void *data, size_t size) {
  int fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return false;
  bool ok = write_all(fd, data, size);
  int reason = errno;
  if (close(fd) != 0 && ok) return false;
  errno = reason;
  return ok;
}

/* Whether `old` is a file that a new one may replace. The check is needed because a link in /proc
 * need not lead to where it says. */
static bool is_replaceable(const struct stat *old, const char *target) {
  struct stat there;
  return S_ISREG(old->st_mode) && stat(target, &there) == 0 && there.st_dev == old->st_dev &&
         there.st_ino == old->st_ino;
}

/* Whether it is the directory that prevents replacing the file in it: someone else's directory, or
 * a mount point. */
static bool is_of_directory(int reason) {
  return reason == EACCES || reason == EPERM || reason == EROFS || reason == EBUSY;
}

bool gg_file_writable(const char *path) {
  struct stat facts;
  bool there = stat(path, &facts) == 0;
  if (there && S_ISDIR(facts.st_mode)) errno = EISDIR;
  if (there) return !S_ISDIR(facts.st_mode) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
  if (errno != ENOENT) return false;
  char *folder = follow_links(path);
  if (!folder) return false;
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  bool ok = faccessat(AT_FDCWD, slash ? folder : ".", W_OK | X_OK, AT_EACCESS) == 0;
  int reason = errno;
  gg_free(folder);
  errno = reason;
  return ok;
}

bool gg_file_write(const char *path, const void *data, size_t size) {
  enum { anyone = 0666 }; /* without what umask takes away */
  struct stat old;
  if (!gg_file_writable(path)) return false;
  bool there = stat(path, &old) == 0;
  char *target = follow_links(path);
  if (!target) return false;
  bool ok;
  if (there && !is_replaceable(&old, target)) {
    ok = write_in_place(path, data, size);
  } else {
    unsigned permissions = there ? old.st_mode & anyone : anyone;
    ok = replace(target, data, size, permissions, there ? &old : NULL, false) ||
         (there && is_of_directory(errno) && write_in_place(path, data, size));
  }
  int reason = errno;
  gg_free(target);
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
