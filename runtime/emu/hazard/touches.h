/* What launches have done to global memory, for launches that may begin before they have ended.
 *
 * Each byte of a range has a tag for its last write and one for its last read: the number of the
 * access, which stands for an instruction of a launch, and bits that say what matters of it.
 * Numbers only grow, so that those of a launch lie between two bounds, and tags of launches that
 * have ended need not be cleared. If two workers access a byte at the same time, the tag of either
 * is left. */
#ifndef GG_EMU_TOUCHES_H
#define GG_EMU_TOUCHES_H

#include <stdatomic.h>

#include "emu/decode.h"

typedef uint32_t emu_tag; /* 0: none */

#define EMU_TAG_NUMBER   ((UINT32_C(1) << 28) - 1)
#define EMU_TAG_STRONG   (UINT32_C(1) << 28) /* atomic, or volatile, relaxed, acquire or release */
#define EMU_TAG_EARLY    (UINT32_C(1) << 29) /* over when its CTA let the next launch begin */
#define EMU_TAG_RELEASED (UINT32_C(1) << 30) /* whoever acquires it knows what came before it, */
#define EMU_TAG_TEACHES  (UINT32_C(1) << 31) /* which includes a griddepcontrol.wait */

typedef struct emu_touch {
  _Atomic emu_tag write, read;
} emu_touch;

/* What messages say of an access. It may outlive its module. */
typedef struct emu_touch_words {
  char kernel[64], form[48];
  unsigned line;
} emu_touch_words;

struct emu_bank;
struct emu_touches;

struct emu_touches *emu_touches_open(void); /* NULL: memory is out */
void emu_touches_close(struct emu_touches *touches);

/* The number that the next access gets. */
uint32_t emu_touches_next(struct emu_touches *touches);
/* Numbers an access; 0: memory is out. */
uint32_t emu_touches_add(struct emu_touches *touches, const char *kernel, const emu_op *op);
emu_touch_words emu_touches_words(struct emu_touches *touches, uint32_t number);

/* Whether so many accesses are kept that those of launches long ago should be forgotten, for all
 * streams. When every range has lost its tags, emu_touches_forget does that. Numbers then begin
 * anew, with another age. */
bool emu_touches_many(struct emu_touches *touches);
void emu_touches_forget(struct emu_touches *touches);
uint32_t emu_touches_age(const struct emu_touches *touches);

/* The tags of a bank's bytes, made when they are first asked for; NULL when memory is out. */
emu_touch *emu_touches_of(struct emu_bank *bank);

#endif
