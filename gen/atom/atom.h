/* Atoms of either kind by their names. */
#ifndef GG_ATOM_ATOM_H
#define GG_ATOM_ATOM_H

#include "atom/copy_atom.h"
#include "atom/mma_atom.h"

typedef enum gg_atom_kind { GG_ATOM_NONE, GG_ATOM_MMA, GG_ATOM_COPY } gg_atom_kind;

/* Fills one of the two. GG_ATOM_NONE is no error here; ATOM_PARAMETER where a family has no such
 * member. */
gg_status gg_atom_find(gg_atom_kind *kind, gg_mma_atom *mma, gg_copy_atom *copy, const char *name,
                       gg_error *err);

/* ATOM_NAME of a name that neither has, with the one that was probably meant. */
gg_status gg_atom_fail_name(const char *name, gg_error *err);

#endif
