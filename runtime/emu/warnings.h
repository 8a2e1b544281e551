/* Faults that did not end the launch: an entry for each place of the program, with how often it
 * happened there. */
#ifndef GG_EMU_WARNINGS_H
#define GG_EMU_WARNINGS_H

#include "base/str.h"
#include "emu/decode.h"

/* One kind of fault of one instruction. */
typedef struct emu_warning {
  struct emu_warning *next;
  gg_status code;
  const emu_op *op;
  uint64_t count;   /* how often, whatever the number of lanes */
  uint64_t cluster; /* of the grid, in which `text` was seen */
  uint64_t time;    /* of the cluster, when it was seen last */
  bool told;        /* whether the user has been told; for the owner's use */
  char *text;       /* "k.ptx:22:3: what; where [EMU_EXIT]", as it was seen first */
} emu_warning;

/* In the order in which they were seen. Zeroed: none. */
typedef struct emu_warnings {
  emu_warning *first;
} emu_warnings;

/* The warning of that place; NULL if there is none yet. */
emu_warning *emu_warnings_find(const emu_warnings *warnings, gg_status code, const emu_op *op);
/* Adds a place that has been seen once, and owns its text; false when memory is out. */
bool emu_warnings_add(emu_warnings *warnings, const emu_warning *warning);
/* Moves all of `from` to `to`. If both have a place, the text of the first cluster stays. */
void emu_warnings_move(emu_warnings *to, emu_warnings *from);
void emu_warnings_free(emu_warnings *warnings);

/* "k.ptx:22:3: what; where [EMU_EXIT] (12 times)", without a line's end. */
void emu_warning_text(gg_str *out, const emu_warning *warning);
/* A JSON list of objects. */
void emu_warnings_json(gg_str *out, const emu_warnings *warnings);

#endif
