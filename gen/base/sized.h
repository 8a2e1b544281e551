/* Structs that begin with their size (api.h): they are read and written as far as caller and
 * library both know them. */
#ifndef GG_BASE_SIZED_H
#define GG_BASE_SIZED_H

#include "base/error.h"

/* Reads `given`, a struct of type `type`, into `room`, which has `size` bytes. Members that an
 * older caller does not have keep their values in `room`. Fails with STRUCT_SIZE if the struct was
 * not started with its INIT macro, and with STRUCT_NEWER if something is set behind what this
 * library knows. */
gg_status gg_sized_read(void *room, size_t size, const void *given, const char *type,
                        gg_error *err);

/* Writes `made`, which has `size` bytes, to `out` as far as that has room; further room is zeroed.
 * Fails with STRUCT_SIZE as above. */
gg_status gg_sized_write(void *out, const void *made, size_t size, const char *type, gg_error *err);

#endif
