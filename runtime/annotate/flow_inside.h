/* Inside flow's own files: blocks, and what is known of their registers. */
#ifndef GG_ANNOTATE_FLOW_INSIDE_H
#define GG_ANNOTATE_FLOW_INSIDE_H

#include "annotate/flow.h"
#include "annotate/meet.h"

typedef struct block {
  uint32_t first, end;       /* its instructions */
  uint32_t next[2];          /* behind it: where its end goes on, and where its branch leads */
  uint32_t ways;             /* that lead to it */
  uint32_t changes;          /* of what is known where they meet */
  bool waits;                /* to be walked again */
  const flow_value **before; /* of each register; NULL: it cannot be reached */
  const flow_value **came;   /* what the first round came to */
  uint16_t *grown;           /* of each register: how often it did */
  const bool *live;          /* of each register: whether it is read from here on */
  bool *writes;              /* of each register: whether the loop that begins here does; or NULL */
} block;

/* The choices that an instruction's own one is made of: each with each. */
typedef struct origin {
  uint64_t root[3];
  uint32_t count[3]; /* 0: not so many */
} origin;

struct flow_graph {
  flow_memory memory;
  const ptx_function *function;
  const flow_facts *facts;
  block *blocks;
  uint32_t block_count;
  uint32_t *block_of;            /* of each instruction */
  origin *origins;               /* likewise */
  int64_t alignment;             /* of shared memory */
  const flow_value **now, **way; /* of each register: here; and where a block is left */
  meet_room *room;
  uint32_t *queue; /* of registers to look at; and which of them are in it */
  bool *seen;
  const ptx_instruction *at; /* that is visited, */
  const flow_value *guard;   /* and its predicate */
};

#define NO_BLOCK UINT32_MAX

/* blocks.c: finds the function's blocks; false where memory is out. */
bool flow_find_blocks(flow_graph *flow);

/* Whether an instruction ends a block; and whether it is a branch to a label. */
bool flow_ends(const ptx_instruction *instruction);
bool flow_is_branch(const ptx_instruction *instruction);

/* execute.c: what the registers of `now` are behind the instruction of this number. */
void flow_execute(flow_graph *flow, uint32_t index);

/* The first root of a block's choices: it has one for each register. */
static inline uint64_t flow_roots_of(const flow_graph *flow, uint32_t number) {
  const ptx_function *f = flow->function;
  return 1 + f->instruction_count + (uint64_t)number * f->register_count;
}

#endif
