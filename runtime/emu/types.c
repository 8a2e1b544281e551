/* Lookups over types.def. */
#include "emu/types.h"

#include <string.h>

static const emu_type_info types[EMU_TYPE_COUNT] = {
    [EMU_NONE] = {"", 0, 0, 0},
#define EMU_TYPE(spelling, name, bits, kind, packed) [EMU_##name] = {spelling, bits, kind, packed},
#include "types.def"
#undef EMU_TYPE
};

const emu_type_info *emu_type_of(emu_type type) {
  return &types[type];
}

int emu_type_bytes(emu_type type) {
  return (types[type].bits + 7) / 8;
}

emu_type emu_type_find(const char *text, size_t length) {
  for (int i = EMU_NONE + 1; i < EMU_TYPE_COUNT; i++) {
    if (strlen(types[i].spelling) == length && !memcmp(types[i].spelling, text, length)) {
      return (emu_type)i;
    }
  }
  return EMU_NONE;
}
