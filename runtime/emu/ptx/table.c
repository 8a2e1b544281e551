/* Lists and hash tables of the parser. */
#include "emu/ptx/table.h"

#include <string.h>

#include "base/alloc.h"

void *ptx_list_add(ptx_list *list, size_t size) {
  if (list->count == list->capacity) {
    uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
    if (capacity < list->capacity || capacity > SIZE_MAX / size) return NULL;
    void *items = gg_realloc(list->items, capacity * size);
    if (!items) return NULL;
    list->items = items;
    list->capacity = capacity;
  }
  return memset((char *)list->items + list->count++ * size, 0, size);
}

void *ptx_list_keep(const ptx_list *list, uint32_t first, size_t size, gg_arena *arena) {
  size_t bytes = (list->count - first) * size;
  void *copy = gg_arena_alloc(arena, bytes);
  if (copy && bytes) memcpy(copy, (const char *)list->items + first * size, bytes);
  return copy;
}

void ptx_list_free(ptx_list *list) {
  gg_free(list->items);
  *list = (ptx_list){0};
}

static ptx_slot *first_free(ptx_slot *slots, uint32_t capacity, uint32_t hash) {
  uint32_t at = hash & (capacity - 1);
  while (slots[at].value)
    at = (at + 1) & (capacity - 1);
  return &slots[at];
}

static bool grow(ptx_table *table) {
  uint32_t capacity = table->capacity ? table->capacity * 2 : 256;
  if (capacity < table->capacity) return false;
  ptx_slot *slots = gg_malloc(capacity * sizeof *slots);
  if (!slots) return false;
  memset(slots, 0, capacity * sizeof *slots);
  for (uint32_t i = 0; i < table->capacity; i++) {
    ptx_slot old = table->slots[i];
    if (old.value) *first_free(slots, capacity, old.hash) = old;
  }
  gg_free(table->slots);
  table->slots = slots;
  table->capacity = capacity;
  return true;
}

ptx_slot *ptx_table_seek(ptx_table *table, uint32_t hash,
                         bool (*same)(const void *value, const void *key), const void *key) {
  if (table->count >= table->capacity / 4 * 3 && !grow(table)) return NULL;
  uint32_t mask = table->capacity - 1;
  for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
    ptx_slot *slot = &table->slots[at];
    if (!slot->value || (slot->hash == hash && same(slot->value, key))) return slot;
  }
}

void ptx_table_fill(ptx_table *table, ptx_slot *slot, uint32_t hash, void *value) {
  slot->hash = hash;
  slot->value = value;
  table->count++;
}

void ptx_table_free(ptx_table *table) {
  gg_free(table->slots);
  *table = (ptx_table){0};
}
