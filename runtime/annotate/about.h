/* What an instruction is about: which of its operands are places in memory, maps, descriptors. */
#ifndef GG_ANNOTATE_ABOUT_H
#define GG_ANNOTATE_ABOUT_H

#include "annotate/flow.h"
#include "annotate/places.h"

/* A kernel's PTX, parsed, and what its registers hold. */
typedef struct kernel_ptx {
  const gg_plan *plan;
  map_of_memory memory;
  gg_param params[GG_PARAMS_MAX];
  size_t param_count;
  uint8_t same_as[GG_PARAMS_MAX]; /* the first map of the same operand; itself */
  bool is_pointer[GG_PARAMS_MAX];
  flow_facts facts;
  ptx_module *module;
  const ptx_function *function;
  flow_graph *flow;
} kernel_ptx;

/* Free with kernel_ptx_close, whatever is returned. Errors: those of ptx_parse; MEMORY. */
gg_status kernel_ptx_open(kernel_ptx *out, const gg_plan *plan, const gg_layouts *layouts,
                          const char *text, size_t length, gg_error *err);
void kernel_ptx_close(kernel_ptx *ptx);

/* An operand that is a place in shared memory. */
typedef struct operand_place {
  const ptx_operand *operand; /* NULL: there is none, or it is not known which place */
  const flow_value *value;
  place at;
} operand_place;

typedef struct about {
  const ptx_instruction *instruction;
  operand_place memory, barrier, descriptors[2];
  int descriptor_count;
  int map, pointer; /* parameters: whose tensor map it names, from whose address; -1: none */
  const ptx_operand *map_operand, *pointer_operand;
  const ptx_operand *accumulators; /* their address in tensor memory */
} about;

/* While the instruction is visited (flow_visit). */
void about_instruction(about *out, kernel_ptx *ptx, const ptx_instruction *instruction);

/* The parameter's operand, as gg_subject has it; NULL: it is none's. */
const char *about_operand_word(const kernel_ptx *ptx, int parameter);

#endif
