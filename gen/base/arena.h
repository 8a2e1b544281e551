/* Arena: bump allocation for objects that live equally long.
 *
 * Everything that one compilation makes lives in one arena and is freed with it, so that no stage
 * has to decide who owns what. Allocation can fail (NULL); callers report GG_E_MEMORY. */
#ifndef GG_BASE_ARENA_H
#define GG_BASE_ARENA_H

#include <stddef.h>

typedef struct gg_arena {
  struct gg_arena_block *head; /* newest block first */
  size_t used, capacity;       /* of the newest block, in bytes */
} gg_arena;

#define GG_ARENA_INIT                                                                              \
  { 0 }

/* `size` zeroed bytes aligned for any type, owned by the arena; NULL when memory is out. */
void *gg_arena_alloc(gg_arena *arena, size_t size);

/* The same, not zeroed: for what is written before it is read. */
void *gg_arena_alloc_unset(gg_arena *arena, size_t size);

/* Copies `length` bytes and a terminating NUL into the arena; NULL when memory is out. */
char *gg_arena_strndup(gg_arena *arena, const char *text, size_t length);

/* Frees everything. The arena is empty and usable again. */
void gg_arena_free(gg_arena *arena);

#define GG_ARENA_NEW(arena, type)          ((type *)gg_arena_alloc((arena), sizeof(type)))
#define GG_ARENA_ARRAY(arena, type, count) ((type *)gg_arena_alloc((arena), sizeof(type) * (count)))

#endif
