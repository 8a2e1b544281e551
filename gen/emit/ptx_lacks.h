/* What in a plan the PTX template of its family does not support: a table of conditions, of which
 * the first that holds is reported. */
#ifndef GG_EMIT_PTX_LACKS_H
#define GG_EMIT_PTX_LACKS_H

#include "plan/plan.h"

typedef struct gg_ptx_lack {
  bool is;
  const char *what; /* "split_k or stream_k" */
} gg_ptx_lack;

/* The first row whose condition holds; NULL if none does. */
static inline const char *gg_ptx_first_lack(const gg_ptx_lack *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (rows[i].is) return rows[i].what;
  return NULL;
}

#endif
