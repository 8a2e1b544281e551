/* The only way to the heap, so that tests can make any allocation fail.
 *
 * `gg_alloc_fail_after(n)` lets n more allocations succeed and fails all later ones; with a
 * negative n (the default) none fails. `gg_alloc_left` returns what is left of n. Both are for
 * tests only. */
#ifndef GG_BASE_ALLOC_H
#define GG_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h" /* gg_free, which is public */

void *gg_malloc(size_t size);
void *gg_calloc(size_t count, size_t size); /* zeroed; pages of a large one cost only when touched
                                             */
void *gg_realloc(void *pointer, size_t size);

void gg_alloc_fail_after(long count);
long gg_alloc_left(void);

#endif
