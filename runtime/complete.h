/* Deduces from the problem what a form leaves open: whether there is a C, and alignments. */
#ifndef GG_RUNTIME_COMPLETE_H
#define GG_RUNTIME_COMPLETE_H

#include <stdatomic.h>

#include "gemmgen_gemm.h"

/* Epilogues that have been read, found by their texts. Any number of threads may use it. */
typedef struct gg_epilogues {
  _Atomic(struct gg_epilogue *) first;
} gg_epilogues;

/* Checks `asked` and completes it. If D's alignment is open, it becomes the largest that D has and
 * that also the matrices have that the epilogue reads and writes, which lie as D does. Errors:
 * GEMM_FIELD, and those of the epilogue's text. */
gg_status gg_form_complete(gg_form *out, gg_epilogues *known, const gg_form *asked,
                           const gg_problem *problem, gg_error *err);
void gg_epilogues_free(gg_epilogues *known);

#endif
