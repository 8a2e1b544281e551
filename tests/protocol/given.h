/* What the programs that walk protocols are given: options, and specs whose rings are walked. */
#ifndef TESTS_PROTOCOL_GIVEN_H
#define TESTS_PROTOCOL_GIVEN_H

#include "plan/layouts.h"
#include "protocol.h"

typedef struct given {
  uint64_t seed; /* of the first walk (1) */
  int walks;     /* in random orders (80) */
} given;

/* Takes the plan and the layouts of a kernel. */
typedef void take_plan(const gg_plan *plan, const gg_layouts *layouts);

/* Reads [--seed S] [--walks N] SPEC.yaml..., and hands each kernel of the specs to `take`. What
 * cannot be read ends the program. */
given read_given(int argc, char **argv, take_plan *take);

/* Ends the program with the error. */
_Noreturn void die_of(const gg_error *err);

/* How many of so many walks fail; of the first that does, its seed and what went wrong. */
int failures(const protocol *p, uint64_t seed, int walks, uint64_t *first,
             char what[PROTOCOL_WHAT_MAX]);

#endif
