/* See shadow.h. */
#include "emu/hazard/shadow.h"

#include "base/alloc.h"

static bool find_room(emu_shadow *shadow, uint32_t *out) {
  if (shadow->free) {
    *out = shadow->free - 1;
    shadow->free = (uint32_t)shadow->bytes[*out][0].read;
    return true;
  }
  if (shadow->byte_count == shadow->byte_room) {
    uint32_t room = shadow->byte_room ? shadow->byte_room * 2 : 256;
    void *bytes = gg_realloc(shadow->bytes, room * sizeof *shadow->bytes);
    if (!bytes) return false;
    shadow->bytes = bytes;
    shadow->byte_room = room;
  }
  *out = shadow->byte_count++;
  return true;
}

bool emu_shadow_split(emu_shadow *shadow, emu_cell *word) {
  uint32_t at;
  if (!find_room(shadow, &at)) return false;
  for (int i = 0; i < 4; i++)
    shadow->bytes[at][i] = *word;
  *word = (emu_cell){EMU_CELL_SPLIT, at};
  return true;
}

void emu_shadow_join(emu_shadow *shadow, emu_cell *word, emu_cell whole) {
  uint32_t at = (uint32_t)word->read;
  shadow->bytes[at][0].read = shadow->free;
  shadow->free = at + 1;
  *word = whole;
}
