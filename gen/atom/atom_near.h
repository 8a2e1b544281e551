/* Atoms of either kind by their names; and a name that no atom has: the error, with the atom that
 * was probably meant. */
#ifndef GG_ATOM_ATOM_NEAR_H
#define GG_ATOM_ATOM_NEAR_H

#include "atom/copy_atom.h"
#include "atom/mma_atom.h"

typedef enum gg_atom_kind { GG_ATOM_NONE, GG_ATOM_MMA, GG_ATOM_COPY } gg_atom_kind;

/* Fills one of the two. GG_ATOM_NONE is no error here; ATOM_PARAMETER where a family has no such
 * member. */
gg_status gg_atom_find(gg_atom_kind *kind, gg_mma_atom *mma, gg_copy_atom *copy, const char *name,
                       gg_error *err);

/* ATOM_NAME of an MMA atom, a copy atom, or either. */
gg_status gg_atom_fail_name(const char *name, bool mma, bool copy, gg_error *err);

#endif
