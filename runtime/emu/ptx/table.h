/* Lists and hash tables on the heap, in which the parser collects things while it does not know how
 * many there will be. What is kept is copied to the module's arena at the end. */
#ifndef GG_EMU_PTX_TABLE_H
#define GG_EMU_PTX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ptx_list {
  void *items;
  uint32_t count, capacity;
} ptx_list;

/* Adds a zeroed item of `size` bytes; NULL when memory is out. All calls for one list must give the
 * same size. Pointers to earlier items become invalid. */
void *ptx_list_add(ptx_list *list, size_t size);
/* Copies the items from `first` on to the arena; NULL when memory is out. */
void *ptx_list_keep(const ptx_list *list, uint32_t first, size_t size, gg_arena *arena);
void ptx_list_free(ptx_list *list);

typedef struct ptx_slot {
  uint32_t hash;
  void *value;
} ptx_slot;

/* Open addressing with linear probing, at most three quarters full. */
typedef struct ptx_table {
  ptx_slot *slots;
  uint32_t capacity, count;
} ptx_table;

/* The slot whose value has this hash and is the `same` as the key; else an empty one, for
 * ptx_table_fill. NULL when memory is out. */
ptx_slot *ptx_table_seek(ptx_table *table, uint32_t hash,
                         bool (*same)(const void *value, const void *key), const void *key);
void ptx_table_fill(ptx_table *table, ptx_slot *slot, uint32_t hash, void *value);
void ptx_table_free(ptx_table *table);

/* FNV-1a; start with PTX_HASH_INIT. */
#define PTX_HASH_INIT 2166136261u
static inline uint32_t ptx_hash_byte(uint32_t hash, unsigned char byte) {
  return (hash ^ byte) * 16777619u;
}

#endif
