/* Faults that did not end the launch: one entry a place of the program, with how often. */
#ifndef GG_EMU_WARNINGS_H
#define GG_EMU_WARNINGS_H

#include "base/str.h"
#include "emu/decode.h"

/* One instruction that does one thing wrong. */
typedef struct emu_warning {
  struct emu_warning *next;
  gg_status code;
  const emu_op *op;
  uint64_t count;   /* how often, whatever the number of lanes */
  uint64_t cluster; /* of the grid, in which `text` was seen */
  uint64_t time;    /* of the cluster, when it was seen last */
  bool told;        /* the user knows of it: the owner's */
  char *text;       /* "k.ptx:22:3: what; where [EMU_EXIT]", as it was seen first */
} emu_warning;

/* In the order in which they were seen. Zeroed: none. */
typedef struct emu_warnings {
  emu_warning *first;
} emu_warnings;

/* The warning of that place; NULL where there is none yet. */
emu_warning *emu_warnings_find(const emu_warnings *warnings, gg_status code, const emu_op *op);
/* Adds a place that has been seen once. Takes over the text; false when memory is out. */
bool emu_warnings_add(emu_warnings *warnings, const emu_warning *warning);
/* All of `from` goes over to `to`; of one place, the text of the first cluster stays. */
void emu_warnings_move(emu_warnings *to, emu_warnings *from);
void emu_warnings_free(emu_warnings *warnings);

/* "k.ptx:22:3: what; where [EMU_EXIT] (12 times)", without a line's end. */
void emu_warning_text(gg_str *out, const emu_warning *warning);
/* A JSON list of objects. */
void emu_warnings_json(gg_str *out, const emu_warnings *warnings);

#endif
