/* The nearest of all atoms' names, by edit distance. A family is tried with the N that the name
 * has, so that what differs is what was written wrong: of SM90_64x96x16_F32F16BF16_SS the types. */
#include "atom/atom_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/atom_name.h"
#include "base/near.h"

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

typedef struct near {
  const char *wanted;
  char best[128];
  int distance;
} near;

static void try_name(near *n, const char *name) {
  int distance = gg_edit_distance(n->wanted, name);
  if (distance >= n->distance) return;
  n->distance = distance;
  snprintf(n->best, sizeof n->best, "%s", name);
}

/* What stands behind the last "::". */
static const char *unqualified(const char *name) {
  const char *colons = strrchr(name, ':');
  return colons ? colons + 1 : name;
}

/* The second of three extents: 96 of 64x96x16. */
static int n_of(const char *name) {
  const char *x = strchr(name, 'x');
  long n = x ? strtol(x + 1, NULL, 10) : 0;
  return n > 0 && n <= 256 ? (int)n : 0;
}

/* sm_90's atoms go by SM90_64x... too. */
static void try_row(near *n, const gg_mma_row *row, bool ptx) {
  int extent = row->n;
  if (row->n_step && row->kind == GG_MMA_wgmma) extent = n_of(n->wanted);
  if (row->n_step && !gg_mma_row_atom(&(gg_mma_atom){0}, row, extent)) extent = 64;
  gg_str name = GG_STR_INIT;
  const char *cute = unqualified(row->cute);
  bool alias = row->arch.number == 90 && strncmp(cute, "MMA_", 4) == 0 &&
               strncmp(n->wanted, "SM90_", 5) == 0;
  if (alias) gg_str_puts(&name, "SM90_");
  gg_atom_name_fill(&name, ptx ? row->ptx : cute + (alias ? 4 : 0), extent);
  if (!name.failed) try_name(n, gg_str_text(&name));
  gg_str_free(&name);
}

gg_status gg_atom_fail_name(const char *name, bool mma, bool copy, gg_error *err) {
  gg_atom_name parsed;
  const char *kind = mma && copy ? "MMA or copy" : mma ? "MMA" : "copy";
  bool ptx = strchr(name, '.') != NULL;
  near n = {.wanted = name, .distance = (int)strlen(name) / 4 + 1}; /* further is no hint */
  if (!ptx && gg_atom_name_parse(&parsed, name)) n.wanted = parsed.base;
  size_t count;
  const gg_mma_row *row = gg_mma_table(&count);
  for (; mma && count > 0; row++, count--)
    try_row(&n, row, ptx);
  const gg_copy_row *copies = gg_copy_table(&count);
  for (; copy && count > 0; copies++, count--)
    try_name(&n, ptx ? copies->ptx : copies->cute);
  bool found = n.best[0] != '\0';
  return gg_fail(err, ATOM_NAME, NULL, kind, name, found ? "; did you mean '" : "", n.best,
                 found ? "'?" : "");
}
