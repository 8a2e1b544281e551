/* What is remembered of every byte of a bank that is checked for races: its last writer and its
 * readers since. It is kept in the bank, for words of 4 bytes, or for each byte of a word that
 * somebody has accessed in part. */
#ifndef GG_EMU_SHADOW_H
#define GG_EMU_SHADOW_H

#include <stddef.h>

#include "emu/hazard/readers.h"

#define EMU_CELL_FLAG ((uint64_t)1 << 63)

typedef struct emu_cell {
  uint64_t write; /* an epoch, with the flag if it was atomic; or EMU_CELL_SPLIT */
  uint64_t read;  /* an epoch; with the flag, a set of readers; if split, where the bytes are */
} emu_cell;

#define EMU_CELL_SPLIT UINT64_MAX
#define EMU_CELL_NONE  EMU_CELL_FLAG /* no cell's `write` */

typedef struct emu_shadow {
  emu_cell (*bytes)[4]; /* of split words */
  uint32_t byte_count, byte_room;
  uint32_t free; /* 1 + a free one of `bytes`, linked by [0].read; 0: none */
  emu_readers readers;
} emu_shadow;

/* Splits the word's cell, or joins it again into one that is `whole`. False when memory is out. */
bool emu_shadow_split(emu_shadow *shadow, emu_cell *word);
void emu_shadow_join(emu_shadow *shadow, emu_cell *word, emu_cell whole);
/* The four cells of a split word. */
static inline emu_cell *emu_shadow_bytes(const emu_shadow *shadow, const emu_cell *word) {
  return shadow->bytes[word->read];
}

#endif
