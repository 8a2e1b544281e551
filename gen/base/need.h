/* Checks pointers from callers for NULL; the error names the function and the argument. Used by
 * what the public headers declare; inside the library, a pointer is what its comment says. */
#ifndef GG_BASE_NEED_H
#define GG_BASE_NEED_H

#include "base/error.h"

#define GG_NEED(err, pointer)                                                                      \
  do {                                                                                             \
    if (!(pointer)) return gg_fail((err), NULL_ARGUMENT, NULL, __func__, #pointer);                \
  } while (0)

#endif
