/* Functions that take one or two elements to shared memory or from there: a kernel's text has those
 * for the types that it has there. */
#ifndef GG_EMIT_SHARED_TEXT_H
#define GG_EMIT_SHARED_TEXT_H

#include "atom/dtype.h"
#include "emit/binding.h"

typedef enum gg_shared_access {
  GG_SHARED_STORE_PAIR,
  GG_SHARED_STORE,
  GG_SHARED_LOAD,
  GG_SHARED_LOAD_PAIR,
  GG_SHARED_ACCESSES,
} gg_shared_access;

/* Which ones a kernel calls. */
typedef struct gg_shared_uses {
  unsigned types[GG_SHARED_ACCESSES]; /* as bits: rows of shared_text.c */
} gg_shared_uses;

void gg_use_shared(gg_shared_uses *uses, gg_shared_access access, gg_dtype type);

/* An element or several, as a unit of so many bytes: `unsigned char`, `unsigned short`, `int`,
 * `long long`. */
void gg_use_shared_unit(gg_shared_uses *uses, gg_shared_access access, int bytes);

/* Binds their text as `shared_elements`. */
void gg_bind_shared(gg_bindings *out, const gg_shared_uses *uses);

#endif
