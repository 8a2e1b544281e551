/* Null pointers from callers: an error that names function and argument. For what the public
 * headers declare; inside, a pointer is what its comment says. */
#ifndef GG_BASE_NEED_H
#define GG_BASE_NEED_H

#include "base/error.h"

#define GG_NEED(err, pointer)                                                                      \
  do {                                                                                             \
    if (!(pointer)) return gg_fail((err), NULL_ARGUMENT, NULL, __func__, #pointer);                \
  } while (0)

#endif
