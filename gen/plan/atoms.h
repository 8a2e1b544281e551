/* What a family multiplies: the rows of gen/atom/mma_atoms.def that pass its filter and run on the
 * plan's architecture. Which types, steps of N and K, majors and sources a family has is asked of
 * them, and said from them, so that an atom that a family can use is one row. */
#ifndef GG_PLAN_ATOMS_H
#define GG_PLAN_ATOMS_H

#include "plan/plan.h"

/* Types, one bit each. */
typedef uint32_t gg_type_set;
_Static_assert(GG_DTYPE_COUNT <= 32, "a type has a bit");

static inline gg_type_set gg_type_bit(gg_dtype type) {
  return (gg_type_set)1 << type;
}

/* Appends "f16, bf16 and f32", `first` in front where it is one of them. */
void gg_type_set_print(gg_str *out, gg_type_set types, gg_dtype first);

/* PLAN_UNSUPPORTED: "family sm90 has no `what` f32; it has f16, bf16 and tf32`behind`". */
gg_status gg_refuse_types(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          gg_dtype type, gg_type_set has, const char *behind, gg_error *err);

/* The types that an operand may have: A; B beside the plan's A; the accumulator beside both. */
gg_type_set gg_atoms_types(const gg_plan *plan, gg_mma_operand operand);

/* The row of the plan's types whose A comes from there; NULL: there is none. */
const gg_mma_row *gg_atoms_row(const gg_plan *plan, gg_mma_source source_a);

/* The MMA that the text issues: the plan's atom, or, where fragments are widened to f16 first, that
 * of f16 with half the K. */
gg_mma_atom gg_issued_atom(const gg_plan *plan);

/* PLAN_UNSUPPORTED where no atom multiplies the types of A and B. */
gg_status gg_choose_inputs(const gg_plan *plan, gg_error *err);

/* The accumulator's type: as asked for, else the widest. */
gg_status gg_choose_accumulator(gg_plan *plan, gg_error *err);

/* PLAN_UNSUPPORTED where one of A and B is asked to come from where no atom of the plan's types has
 * it; `what` names the key. */
gg_status gg_check_source(const gg_plan *plan, const gg_spec_field *field, gg_mma_operand operand,
                          const char *what, gg_error *err);

#endif
