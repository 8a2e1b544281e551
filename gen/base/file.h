/* Reading and writing whole files. */
#ifndef GG_BASE_FILE_H
#define GG_BASE_FILE_H

#include <stdbool.h>

#include "base/error.h"

/* Reads a file ("-": standard input) into *out, which the caller frees with gg_free; it has a NUL
 * behind its *length bytes. At most limit + 1 bytes are read, so that a caller who refuses more
 * than `limit` can tell, and an endless file cannot hold it. Errors: FILE_READ, MEMORY. */
gg_status gg_file_read(char **out, size_t *length, const char *path, size_t limit, gg_error *err);

/* The same, but only for a regular file: for files in our own directories that others may have put
 * there. Nothing there can make it wait. */
gg_status gg_file_read_plain(char **out, size_t *length, const char *path, size_t limit,
                             gg_error *err);

/* Writes an output that a user named, as a shell's redirection would: symbolic links are followed,
 * what is no regular file (a device, a FIFO) is opened and written, a file that may not be written
 * is an error, and one that may keeps its owner and permissions. A regular file is written in full
 * or not at all, as gg_file_replace does it. On failure errno tells the reason. */
bool gg_file_write(const char *path, const void *data, size_t size);

/* Whether gg_file_write would succeed: for commands that work for a long time before they write.
 * Opens nothing. If not, errno tells the reason. */
bool gg_file_writable(const char *path);

/* Puts `size` bytes at `path` in full or not at all: a temporary file beside it with these
 * permissions, less what umask takes, synced to the disk if asked for, then a rename. It is for
 * directories of our own: whatever was there is replaced. On failure what was there is untouched,
 * nothing is left behind, and errno tells the reason. */
bool gg_file_replace(const char *path, const void *data, size_t size, unsigned permissions,
                     bool sync);

/* Makes a directory, and those above it that do not exist, with these permissions. Changes `path`
 * while it works. If it fails, errno tells the reason. */
bool gg_directory_make(char *path, unsigned permissions);

#endif
