/* The one door to the heap, so that tests can make any allocation fail.
 *
 * `gg_alloc_fail_after(n)` lets n more allocations pass and fails every later one;
 * a negative n (the default) never fails. `gg_alloc_left` tells what is left of n. For tests
 * alone. */
#ifndef GG_BASE_ALLOC_H
#define GG_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h" /* gg_free, which users have too */

void *gg_malloc(size_t size);
void *gg_calloc(size_t count, size_t size); /* zeroed; of a large one, only what is touched costs */
void *gg_realloc(void *pointer, size_t size);

void gg_alloc_fail_after(long count);
long gg_alloc_left(void);

#endif
