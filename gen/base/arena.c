/* An arena is a list of blocks. Each is twice as large as the one before, up to a size that the
 * allocator still keeps when it is freed; a larger block is made only for an allocation that needs
 * it. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { first_block = 16 * 1024, most_block = 64 * 1024 };

struct gg_arena_block {
  struct gg_arena_block *next;
  max_align_t data[];
};

static bool add_block(gg_arena *arena, size_t need) {
  size_t capacity = arena->capacity ? arena->capacity * 2 : first_block;
  if (capacity > most_block) capacity = most_block;
  if (capacity < need) capacity = need;
  if (capacity > SIZE_MAX - sizeof(struct gg_arena_block)) return false;
  struct gg_arena_block *block = gg_malloc(sizeof *block + capacity);
  if (!block) return false;
  block->next = arena->head;
  arena->head = block;
  arena->capacity = capacity;
  arena->used = 0;
  return true;
}

void *gg_arena_alloc_unset(gg_arena *arena, size_t size) {
  size_t align = alignof(max_align_t);
  if (size > SIZE_MAX / 2) return NULL;
  size = (size + align - 1) / align * align;
  if (!arena->head || arena->capacity - arena->used < size) {
    if (!add_block(arena, size)) return NULL;
  }
  char *at = (char *)arena->head->data + arena->used;
  arena->used += size;
  return at;
}

void *gg_arena_alloc(gg_arena *arena, size_t size) {
  void *at = gg_arena_alloc_unset(arena, size);
  return at ? memset(at, 0, size) : NULL;
}

char *gg_arena_strndup(gg_arena *arena, const char *text, size_t length) {
  char *copy = length < SIZE_MAX ? gg_arena_alloc_unset(arena, length + 1) : NULL;
  if (!copy) return NULL;
  copy[length] = '\0';
  return memcpy(copy, text, length);
}

void gg_arena_free(gg_arena *arena) {
  for (struct gg_arena_block *block = arena->head, *next; block; block = next) {
    next = block->next;
    gg_free(block);
  }
  *arena = (gg_arena)GG_ARENA_INIT;
}
