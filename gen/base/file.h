/* Whole files. */
#ifndef GG_BASE_FILE_H
#define GG_BASE_FILE_H

#include <stdbool.h>

#include "base/error.h"

/* Reads a file ("-": standard input) into *out, which the caller frees with gg_free; it has a NUL
 * behind its *length bytes. At most limit + 1 bytes are read, so that a caller who refuses more
 * than `limit` can tell, and an endless file cannot hold it. Errors: FILE_READ, MEMORY. */
gg_status gg_file_read(char **out, size_t *length, const char *path, size_t limit, gg_error *err);

/* Puts `size` bytes at `path` in full or not at all: a temporary file beside it with these
 * permissions, synced to the disk if asked for, then a rename. On failure what was there is
 * untouched, nothing is left behind, and errno tells the reason. */
bool gg_file_replace(const char *path, const void *data, size_t size, unsigned permissions,
                     bool sync);

/* Makes a directory and those above it, where they are not there, with these permissions; takes
 * `path` apart meanwhile. On failure errno tells the reason. */
bool gg_directory_make(char *path, unsigned permissions);

#endif
