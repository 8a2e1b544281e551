/* Looks up MMA and copy atoms by name. */
#ifndef GG_ATOM_ATOM_H
#define GG_ATOM_ATOM_H

#include "atom/copy_atom.h"
#include "atom/mma_atom.h"

typedef enum gg_atom_kind { GG_ATOM_NONE, GG_ATOM_MMA, GG_ATOM_COPY } gg_atom_kind;

/* Finds the atom and fills `mma` or `copy`. If neither has the name, *kind is GG_ATOM_NONE, which
 * is no error here. Fails with ATOM_PARAMETER if a family of that name has no such member. */
gg_status gg_atom_find(gg_atom_kind *kind, gg_mma_atom *mma, gg_copy_atom *copy, const char *name,
                       gg_error *err);

/* Fails with ATOM_NAME for a name that no atom has; the message suggests the one that was probably
 * meant. */
gg_status gg_atom_fail_name(const char *name, gg_error *err);

#endif
