/* The types of PTX, as data. */
#ifndef GG_EMU_TYPES_H
#define GG_EMU_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum emu_type {
  EMU_NONE, /* no type: mbarrier handles, branches */
#define EMU_TYPE(spelling, name, bits, kind, packed) EMU_##name,
#include "types.def"
#undef EMU_TYPE
  EMU_TYPE_COUNT
} emu_type;

typedef struct emu_type_info {
  const char *spelling;
  int bits; /* of all packed values together */
  char kind;
  int packed;
} emu_type_info;

const emu_type_info *emu_type_of(emu_type type);

/* Bytes of a register of this type; 1 for predicates. */
int emu_type_bytes(emu_type type);

/* EMU_NONE if `text` is not a type. */
emu_type emu_type_find(const char *text, size_t length);

#endif
