/* What a register of PTX may hold: a short list of numbers and addresses, or anything.
 *
 * An address is where something begins that the program does not choose (shared memory, a
 * parameter, tensor memory that was allocated), and so many bytes from there. The values of a list
 * are one a case of its `root`, a place in the program that a choice was made at: the number of a
 * thread, a stage that comes round a loop. Two lists of one root and of one length belong together,
 * case by case; others may meet in any way. So `stage + 1 < 4 ? stage + 1 : 0` is 0 to 3 where
 * stage is. */
#ifndef GG_ANNOTATE_VALUE_H
#define GG_ANNOTATE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum flow_base {
  FLOW_NUMBER,
  FLOW_SHARED,  /* behind the first byte of the CTA's dynamic shared memory */
  FLOW_CLUSTER, /* the same, in some CTA of the cluster */
  FLOW_UNITS,   /* FLOW_SHARED in 16 bytes: the lower half of a descriptor, and what is above it */
  FLOW_TENSOR,  /* behind the address in tensor memory that was allocated */
  FLOW_PARAMETER, /* behind the first byte of parameter `of` */
  FLOW_POINTER    /* computed from the address that parameter `of` has; it is not known how */
} flow_base;

typedef struct flow_element {
  int64_t at; /* a number of less than 64 bits has zeros above */
  uint8_t base, of;
} flow_element;

enum {
  FLOW_MOST = 2048, /* elements of a list */
  FLOW_FEW = 512    /* cases that are kept apart, though some have one value */
};

/* NULL stands for anything. */
typedef struct flow_value {
  uint64_t root;  /* 0: of a single element */
  uint32_t count; /* 0: nobody has written the register yet */
  flow_element list[];
} flow_value;

extern const flow_value flow_never;

/* What values are in. Where it is out, they are unknown, and it says so. */
typedef struct flow_memory {
  gg_arena arena;
  bool failed;
} flow_memory;

/* A list to be filled; NULL where memory is out, or there are too many. */
flow_value *flow_new(flow_memory *memory, uint64_t root, size_t count);

const flow_value *flow_one(flow_memory *memory, flow_element element);
const flow_value *flow_number(flow_memory *memory, int64_t number);

/* first, first + 1, ...: each one a case. */
const flow_value *flow_numbers(flow_memory *memory, uint64_t root, int64_t first, size_t count);

bool flow_same(const flow_value *a, const flow_value *b);

/* Whether both may be the same, whatever their roots. */
bool flow_same_set(flow_memory *memory, const flow_value *a, const flow_value *b);

/* Either of them, as it may be, under a root of its own. */
const flow_value *flow_either(flow_memory *memory, uint64_t root, const flow_value *a,
                              const flow_value *b);

/* The same list, each value once, under another root. */
const flow_value *flow_rooted(flow_memory *memory, uint64_t root, const flow_value *value);

/* What an operation makes of one case; false: it is not known. */
typedef bool flow_scalar(flow_element *out, const flow_element *in, const void *how);

/* ... of every case of up to three values. Where these are of several roots, of each with each,
 * under `root`: all cases of the first value for the first one of the second, and so on; or each
 * value once, where there are many cases and not so many values. */
const flow_value *flow_combine(flow_memory *memory, uint64_t root, flow_scalar *scalar,
                               const void *how, const flow_value *const *in, int count);

/* Whether lists among the values are of one root, so that they are taken case by case. */
bool flow_are_common(const flow_value *const *in, int count);

/* ... where they are; else NULL. */
const flow_value *flow_by_case(flow_memory *memory, flow_scalar *scalar, const void *how,
                               const flow_value *const *in, int count);

/* Those cases of `value` in which `predicate`, of the same root, is `wanted`; `value` itself where
 * it is of another. */
const flow_value *flow_where(flow_memory *memory, const flow_value *value,
                             const flow_value *predicate, bool wanted);

/* Whether the predicate may be `wanted` at all. */
bool flow_may_be(const flow_value *predicate, bool wanted);

#endif
