/* What the registers of a kernel of PTX may hold at each of its instructions.
 *
 * The instructions are walked in blocks, over and over, until nothing that is known changes
 * (abstract interpretation; the values are value.h's). A branch tells what its predicate is on
 * either side. Where several ways meet, a register may hold what it holds on any of them; what
 * grows there more often than a ring has stages may be anything. Nothing is believed of memory, but
 * for the word that says where tensor memory is. Registers that nobody has written are not read. */
#ifndef GG_ANNOTATE_FLOW_H
#define GG_ANNOTATE_FLOW_H

#include "annotate/value.h"
#include "base/error.h"
#include "emu/ptx/ptx.h"

/* What is known of the launch and of shared memory. */
typedef struct flow_facts {
  int threads, cluster;     /* of a CTA; CTAs of a cluster */
  int stages;               /* of the deepest ring, all instances */
  int64_t shared_bytes;     /* of dynamic shared memory */
  int64_t tensor_memory_at; /* where shared memory has tensor memory's address; -1: nowhere */
  const uint8_t *parameter; /* of each parameter the first one that stands for the same */
  const bool *is_pointer;   /* whether it is an address in global memory */
} flow_facts;

typedef struct flow_graph flow_graph;

/* Of the function's instructions, which the caller keeps; free with flow_free. MEMORY alone. */
gg_status flow_make(flow_graph **out, const ptx_function *function, const flow_facts *facts,
                    gg_error *err);
void flow_free(flow_graph *flow);

/* ---- At an instruction ---------------------------------------------------------------------- */

/* Visits every instruction that can be reached, block by block, before it is done. */
typedef void flow_visitor(void *user, uint32_t instruction);
gg_status flow_visit(flow_graph *flow, flow_visitor *visit, void *user, gg_error *err);

/* While it is visited: what an operand may be, where the instruction's guard lets it run; of an
 * address the whole of it, its offset included. NULL: anything. */
const flow_value *flow_operand(flow_graph *flow, const ptx_operand *operand);

/* The register that the operand, which may be `value`, is computed from and that has these numbers,
 * one in each of the value's cases: such as the stage of an address. UINT32_MAX: there is none. */
uint32_t flow_register_of(const flow_graph *flow, const ptx_operand *operand,
                          const flow_value *value, const int64_t *numbers);

#endif
