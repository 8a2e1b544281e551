/* What registers are for, as their uses show: the address of a ring's stage, a phase bit, a
 * fragment of A. A register that is used in several ways has no role here. */
#ifndef GG_ANNOTATE_ROLES_H
#define GG_ANNOTATE_ROLES_H

#include "annotate/about.h"
#include "base/str.h"

typedef struct role_list role_list;

/* For the function's registers, from the arena; NULL where memory is out. */
role_list *roles_new(gg_arena *arena, const kernel_ptx *ptx);

/* Takes in an instruction, while it is visited: all of them, before any role is asked for. */
void roles_take(role_list *roles, const about *of);

/* Appends the roles of registers that the instruction is the first to write, in the order of the
 * text; and those of fragments that it is the first to read. "; " is between. */
void roles_write(gg_str *out, role_list *roles, const ptx_instruction *instruction);

#endif
