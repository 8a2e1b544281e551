/* What instructions of whole numbers make of values; which of them are known at all. */
#ifndef GG_ANNOTATE_OPERATIONS_H
#define GG_ANNOTATE_OPERATIONS_H

#include "annotate/value.h"
#include "emu/ptx/ptx.h"

typedef struct flow_operation flow_operation;

/* How an instruction is written: its type, and what else its words say. */
typedef struct flow_how {
  const flow_operation *operation;
  int bits; /* of an operand */
  bool is_signed;
  bool wide, high;   /* mul.wide, mul.hi */
  int to_bits;       /* of the result, where it is of another type: cvt, mul.wide */
  char compare[4];   /* setp: "lt" */
  int64_t alignment; /* of shared memory, in bytes: a power of two; */
  int64_t shared;    /* and its size */
} flow_how;

/* False where the instruction is none of the known ones. */
bool flow_how_of(flow_how *out, const ptx_instruction *instruction, int64_t alignment,
                 int64_t shared);

/* Operands that it reads, behind the one that it writes: up to 3. */
int flow_operands_of(const flow_how *how);

/* A flow_scalar of a flow_how. */
flow_scalar flow_operate;

/* What is left of an operand that may be anything, where so much is known of the others; NULL:
 * nothing is. */
const flow_value *flow_bounded(flow_memory *memory, uint64_t root, const flow_how *how,
                               const flow_value *const *in);

/* Whether all of a value's elements are of this kind. */
bool flow_is_all(const flow_value *value, flow_base base);

/* What is not as it was: of a predicate. */
flow_scalar flow_opposite;

/* selp, of three values of one root; NULL: they are of several. */
const flow_value *flow_choose(flow_memory *memory, const flow_value *const in[3]);

/* Two predicates, by the word "and", "or" or "xor". */
const flow_value *flow_connect(flow_memory *memory, uint64_t root, const char *word,
                               const flow_value *const in[2]);

/* 64 bits of two halves, the lower one first; and a half of them. */
const flow_value *flow_pack(flow_memory *memory, uint64_t root, const flow_value *const in[2]);
const flow_value *flow_unpack(flow_memory *memory, uint64_t root, const flow_value *in, int half);

/* A sum of which one part is an address in global memory and the other may be anything: it is
 * computed from that address. NULL: neither part is one. */
const flow_value *flow_pointer(const flow_how *how, const flow_value *const *in);

#endif
