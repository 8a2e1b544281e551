/* One remark at each asynchronous instruction: what it does, with which stage of which ring, and
 * who waits for it. What is not known of it is left out. */
#ifndef GG_ANNOTATE_REMARKS_H
#define GG_ANNOTATE_REMARKS_H

#include "annotate/about.h"
#include "base/str.h"

/* What of it needs the whole kernel. */
typedef struct remark_facts {
  const gg_ring *copied_to,
      *stored_from;            /* of all cp.async; of all bulk stores; NULL: of several */
  bool by_groups, by_barriers; /* how copies by cp.async are waited for */
} remark_facts;

/* Takes in an instruction, while it is visited: of all, before the first remark. */
typedef struct remark_survey {
  remark_facts facts;
  bool several_copied, several_stored;
} remark_survey;
void remark_take(remark_survey *survey, const about *of);

/* Whether the instruction is asynchronous: whether there is a remark. */
bool remark_is_due(const ptx_instruction *instruction);

/* Appends it, while the instruction is visited. */
void remark_write(gg_str *out, const kernel_ptx *ptx, const about *of, const remark_facts *facts);

#endif
