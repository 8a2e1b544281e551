/* Structs that callers begin with their size (api.h): read and written as far as both know them. */
#ifndef GG_BASE_SIZED_H
#define GG_BASE_SIZED_H

#include "base/error.h"

/* Reads `given`, a struct called `type`, into `room` of `size` bytes: what an older caller does not
 * have stays as it is there. STRUCT_SIZE: it was not begun by its INIT macro. STRUCT_NEWER: behind
 * what this library knows, something is set. */
gg_status gg_sized_read(void *room, size_t size, const void *given, const char *type,
                        gg_error *err);

/* Writes `made`, of `size` bytes, to `out` as far as that has room; more room becomes 0.
 * STRUCT_SIZE as above. */
gg_status gg_sized_write(void *out, const void *made, size_t size, const char *type, gg_error *err);

#endif
