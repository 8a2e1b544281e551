/* Marks of a run of shared memory, handled eight bytes at a time, because compilers leave loops
 * over single bytes if they cannot know how long a run is. */
#ifndef GG_EMU_MARKS_H
#define GG_EMU_MARKS_H

#include <stdint.h>
#include <string.h>

#define EMU_MARKS_EACH UINT64_C(0x0101010101010101)

/* The marks that some byte of `bytes` has, and those that all have. */
typedef struct emu_marks {
  uint8_t any, all;
} emu_marks;

static inline emu_marks emu_marks_read(const uint8_t *marks, uint32_t bytes) {
  uint64_t any = 0, all = UINT64_MAX, eight;
  uint32_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    memcpy(&eight, marks + i, 8);
    any |= eight;
    all &= eight;
  }
  if (i + 4 <= bytes) {
    uint32_t four;
    memcpy(&four, marks + i, 4);
    any |= four;
    all &= four | (uint64_t)four << 32;
    i += 4;
  }
  for (int half = 32; half >= 8; half /= 2) {
    any |= any >> half;
    all &= all >> half;
  }
  for (; i < bytes; i++) {
    any |= marks[i];
    all &= marks[i];
  }
  return (emu_marks){(uint8_t)any, (uint8_t)all};
}

/* Clears the marks `cleared`, then sets `set`. */
static inline void emu_marks_change(uint8_t *marks, uint32_t bytes, uint8_t cleared, uint8_t set) {
  uint64_t keep = EMU_MARKS_EACH * (uint8_t)~cleared, put = EMU_MARKS_EACH * set, eight;
  uint32_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    memcpy(&eight, marks + i, 8);
    eight = (eight & keep) | put;
    memcpy(marks + i, &eight, 8);
  }
  for (; i < bytes; i++) {
    marks[i] = (uint8_t)((marks[i] & ~cleared) | set);
  }
}

#endif
