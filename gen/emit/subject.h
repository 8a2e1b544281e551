/* What an instruction of a kernel's PTX works on, in the plan's terms. */
#ifndef GG_EMIT_SUBJECT_H
#define GG_EMIT_SUBJECT_H

#include "plan/layouts.h"

typedef struct gg_subject {
  int line;            /* line of the PTX, counted from 1 */
  const gg_ring *ring; /* the ring whose barrier, or else whose stage, it names; NULL: unknown */
  const char *operand; /* the operand that it moves or reads: "a", "metadata" (gg_operand_word);
                        * "extra": one of the epilogue's; NULL: unknown */
} gg_subject;

#endif
