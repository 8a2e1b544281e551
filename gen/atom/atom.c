#include "atom/atom.h"

#include "atom/atom_name.h"

gg_status gg_atom_find(gg_atom_kind *kind, gg_mma_atom *mma, gg_copy_atom *copy, const char *name,
                       gg_error *err) {
  *kind = GG_ATOM_MMA;
  gg_status st = gg_mma_atom_find(mma, name, NULL);
  if (st != GG_E_ATOM_NAME) return st ? gg_mma_atom_find(mma, name, err) : st;
  *kind = GG_ATOM_COPY;
  st = gg_copy_atom_find(copy, name, NULL);
  if (st != GG_E_ATOM_NAME) return st ? gg_copy_atom_find(copy, name, err) : st;
  *kind = GG_ATOM_NONE;
  return GG_OK;
}

gg_status gg_atom_fail_name(const char *name, gg_error *err) {
  gg_atom_near near;
  gg_atom_near_start(&near, name);
  gg_mma_atom_try_names(&near);
  gg_copy_atom_try_names(&near);
  return gg_atom_near_fail(&near, "MMA or copy", name, err);
}
