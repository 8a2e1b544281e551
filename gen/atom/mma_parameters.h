/* The parameters of MMA families: reads them from CuTe's template arguments, checks them, and
 * writes them. Only for use inside gen/atom/. */
#ifndef GG_ATOM_MMA_PARAMETERS_H
#define GG_ATOM_MMA_PARAMETERS_H

#include "atom/mma_atom.h"

/* Fails with ATOM_PARAMETER of a family, which it calls by its name without namespaces. */
gg_status gg_mma_bad_parameter(const gg_mma_row *row, const char *what, const char *given,
                               const char *legal, gg_error *err);

/* Reads the arguments of a name into an atom whose row is set, as well as everything that the base
 * of the name says. */
gg_status gg_mma_read_arguments(gg_mma_atom *atom, const gg_atom_name *name, gg_error *err);
/* Appends an atom's arguments, such as "<half_t,half_t,float,128,256,K,K>", if it has any. */
void gg_mma_put_arguments(gg_str *out, const gg_mma_atom *atom);

/* The usual type of a row's scale factors: ue4m3 for blocks of 16 packed elements, else ue8m0. */
gg_dtype gg_mma_row_scale(const gg_mma_row *row);

/* Whether a name's arguments ask for the block of this row, out of the rows with this name. */
bool gg_mma_asks_for_block(const gg_mma_row *row, const gg_atom_name *name);

/* Read and append what follows the PTX name of a row whose types are parameters:
 * ".f32.e4m3.e2m1.f32", and ".ue8m0" for scale factors. */
gg_status gg_mma_read_ptx_types(gg_mma_atom *atom, const char *text, gg_error *err);
void gg_mma_put_ptx_types(gg_str *out, const gg_mma_atom *atom);

#endif
