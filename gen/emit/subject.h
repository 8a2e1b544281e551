/* What an instruction of a kernel's PTX is about, in the plan's terms. */
#ifndef GG_EMIT_SUBJECT_H
#define GG_EMIT_SUBJECT_H

#include "plan/layouts.h"

typedef struct gg_subject {
  int line;            /* of the PTX, from 1 on */
  const gg_ring *ring; /* whose barrier, or else whose stage, it names; NULL: none that is known */
  const char *operand; /* that it moves or reads: "a", "metadata" (gg_operand_word); "extra": of
                        * the epilogue; NULL: none that is known */
} gg_subject;

#endif
