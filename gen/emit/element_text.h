/* Functions of the emitted text that move one, two or four elements to shared memory, or from
 * shared or global memory. A kernel's text gets only those that it calls, for the types that it
 * calls them with. */
#ifndef GG_EMIT_ELEMENT_TEXT_H
#define GG_EMIT_ELEMENT_TEXT_H

#include "atom/dtype.h"
#include "emit/binding.h"

typedef enum gg_element_access {
  GG_SHARED_STORE_FOUR,
  GG_SHARED_STORE_PAIR,
  GG_SHARED_STORE,
  GG_SHARED_LOAD,
  GG_SHARED_LOAD_PAIR,
  GG_SHARED_LOAD_FOUR,
  GG_GLOBAL_LOAD,
  GG_GLOBAL_LOAD_PAIR,
  GG_ELEMENT_ACCESSES,
} gg_element_access;

/* Which of these functions a kernel calls. */
typedef struct gg_element_uses {
  unsigned types[GG_ELEMENT_ACCESSES]; /* a bit for each row of the table in element_text.c */
} gg_element_uses;

void gg_use_element(gg_element_uses *uses, gg_element_access access, gg_dtype type);

/* Marks the use for an element, or several, as a unit of `bytes` bytes: `unsigned char`, `unsigned
 * short`, `int` or `long long`. */
void gg_use_unit(gg_element_uses *uses, gg_element_access access, int bytes);

/* Binds the text of the functions that are used. */
void gg_bind_elements(gg_bindings *out, const char *name, const gg_element_uses *uses);

#endif
