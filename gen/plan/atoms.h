/* The MMA instructions ("atoms") that a family may use: the rows of gen/atom/mma_atoms.def that
 * pass its filter (gg_target.has_atom) and run on the plan's architecture.
 *
 * The types, steps of N and K, majors and operand sources of a family are all looked up in these
 * rows, and messages list them from there. So giving a family a new atom takes one new row. */
#ifndef GG_PLAN_ATOMS_H
#define GG_PLAN_ATOMS_H

#include "plan/plan.h"

/* Types, one bit each. */
typedef uint32_t gg_type_set;
_Static_assert(GG_DTYPE_COUNT <= 32, "a type has a bit");

static inline gg_type_set gg_type_bit(gg_dtype type) {
  return (gg_type_set)1 << type;
}

/* Appends a list such as "f16, bf16 and f32". `first` leads the list if it is one of the types. */
void gg_type_set_print(gg_str *out, gg_type_set types, gg_dtype first);

/* Fails with PLAN_UNSUPPORTED: "family sm90 has no `what` f32; it has f16, bf16 and tf32`behind`",
 * where the second part lists the types in `has`. */
gg_status gg_refuse_types(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          gg_dtype type, gg_type_set has, const char *behind, gg_error *err);

/* The types that one operand may have: A alone; B given the plan's A; the accumulator given both.
 */
gg_type_set gg_atoms_types(const gg_plan *plan, gg_mma_operand operand);

/* The atom row for the plan's types that takes A from `source_a`; NULL if there is none. */
const gg_mma_row *gg_atoms_row(const gg_plan *plan, gg_mma_source source_a);

/* The MMA that the kernel's text issues. It is the plan's atom, unless the text first widens
 * fragments to f16 (plan.def, widens): then it is the f16 atom, whose K is half as long. */
gg_mma_atom gg_issued_atom(const gg_plan *plan);

/* Fails with PLAN_UNSUPPORTED if no atom multiplies the types of A and B. */
gg_status gg_choose_inputs(const gg_plan *plan, gg_error *err);

/* Sets the plan's accumulator type: the one asked for, else the widest. */
gg_status gg_choose_accumulator(gg_plan *plan, gg_error *err);

/* Fails with PLAN_UNSUPPORTED if the spec asks for A or B to come from a memory (shared memory,
 * registers, tensor memory) that no atom of the plan's types reads it from. `what` names the key.
 */
gg_status gg_check_source(const gg_plan *plan, const gg_spec_field *field, gg_mma_operand operand,
                          const char *what, gg_error *err);

#endif
