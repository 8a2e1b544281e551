#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_long allowed = -1;

static bool may_allocate(void) {
  long left = atomic_load_explicit(&allowed, memory_order_relaxed);
  if (left < 0) return true;
  while (left > 0 && !atomic_compare_exchange_weak(&allowed, &left, left - 1)) {
  }
  return left > 0;
}

void *gg_malloc(size_t size) {
  return may_allocate() ? malloc(size ? size : 1) : NULL;
}

void *gg_calloc(size_t count, size_t size) {
  return may_allocate() ? calloc(count ? count : 1, size ? size : 1) : NULL;
}

void *gg_realloc(void *pointer, size_t size) {
  return may_allocate() ? realloc(pointer, size ? size : 1) : NULL;
}

void gg_free(void *pointer) {
  free(pointer);
}

void gg_alloc_fail_after(long count) {
  atomic_store(&allowed, count);
}

long gg_alloc_left(void) {
  return atomic_load(&allowed);
}
