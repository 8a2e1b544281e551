/* A name that no atom has: the error, with the atom that was probably meant. */
#ifndef GG_ATOM_ATOM_NEAR_H
#define GG_ATOM_ATOM_NEAR_H

#include <stdbool.h>

#include "base/error.h"

/* ATOM_NAME of an MMA atom, a copy atom, or either. */
gg_status gg_atom_fail_name(const char *name, bool mma, bool copy, gg_error *err);

#endif
