/* Inside gen/atom/ only: the parameters of MMA families, read from CuTe's template arguments,
 * checked, and written again. */
#ifndef GG_ATOM_MMA_PARAMETERS_H
#define GG_ATOM_MMA_PARAMETERS_H

#include "atom/mma_atom.h"

/* ATOM_PARAMETER of a family, by its name without namespaces. */
gg_status gg_mma_bad_parameter(const gg_mma_row *row, const char *what, const char *given,
                               const char *legal, gg_error *err);

/* Reads the arguments of a name into an atom whose row, and whatever else the base of the name
 * says, is set already. */
gg_status gg_mma_read_arguments(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err);
/* Appends an atom's arguments, "<half_t,half_t,float,128,256,K,K>", where it has any. */
void gg_mma_put_arguments(gg_str *out, const gg_mma_atom *atom);

/* The type of scale factors that goes with a row where nothing else is said: ue4m3 with blocks of
 * 16 packed elements, else ue8m0. */
gg_dtype gg_mma_row_scale(const gg_mma_row *row);

/* Whether a name's arguments ask for the block of this row, among those of its name. */
bool gg_mma_asks_for_block(const gg_mma_row *row, const gg_atom_name *name);

/* What stands behind the PTX name of a row whose types are parameters: ".f32.e4m3.e2m1.f32", and
 * ".ue8m0" of scale factors. */
gg_status gg_mma_read_ptx_types(gg_mma_atom *atom, const char *text, gg_error *err);
void gg_mma_put_ptx_types(gg_str *out, const gg_mma_atom *atom);

#endif
