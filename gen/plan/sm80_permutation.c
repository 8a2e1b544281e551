/* Family sm80: CuTe's permutation of a tiled MMA.
 *
 * The layout of a mode says which row (or column) of the tile is the j-th for the MMAs. The MMAs
 * deal these to the warps in turn, one atom each. A warp's part can then lie in two ways. It can be
 * one contiguous block of the tile: that is the family's usual way, and what a layout such as
 * (16,2,4):(1,64,16) makes of the turns. Or, along M, atoms can stay in turns: `_`, a number or the
 * identity stands for that. Along K, those of several warps always stay in turns.
 *
 * Both ways keep the rows of an atom together, as ldmatrix reads them and the epilogue stages them.
 * If bytes lie along M or N, these rows are twins (gg_sm80_has_twins): of 16 of them the j-th is
 * 2j, and from j = 8 on 2j - 15. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "plan/check.h"
#include "plan/choices.h"
#include "plan/sm80.h"

/* A mode of the tile: `extent` elements, in atoms of `atom` that are dealt to `warps` warps. */
typedef struct mode {
  const char *name;
  int extent, atom, warps;
  bool twins;
} mode;

typedef int64_t place(const mode *of, int64_t index);

static int64_t in_turns(const mode *of, int64_t index) {
  enum { sixteen = 16, half = sixteen / 2 };
  int64_t in_half = index % half, second = index / half % 2;
  return of->twins ? index / sixteen * sixteen + 2 * in_half + second : index;
}

static int64_t in_blocks(const mode *of, int64_t index) {
  int64_t atom = index / of->atom, in_block = atom / of->warps * of->atom + index % of->atom;
  return atom % of->warps * (of->extent / of->warps) + in_turns(of, in_block);
}

/* Whether the layout, repeated over the tile, is the function `at`. */
static bool is(const gg_layout *layout, const mode *of, place *at) {
  int64_t size = gg_layout_size(layout);
  for (int64_t i = 0; i < of->extent; i++)
    if (gg_layout_at(layout, i % size) + i / size * size != at(of, i)) return false;
  return true;
}

/* Reads a mode of the permutation. `_` stands for whatever the atoms cover, and a number for that
 * many elements in their own order. */
static bool read(gg_layout *out, const mode *of, const char *text) {
  bool kept = strcmp(text, "_") == 0, number = !text[strspn(text, "0123456789")];
  if (!kept && !number) return gg_layout_parse(out, text, NULL) == GG_OK;
  *out = gg_layout_flat(kept ? (int64_t)of->atom * of->warps : strtoll(text, NULL, 10), 1);
  return true;
}

/* Checks that the permutation is a multiple of one step of all warps' atoms, and the tile a
 * multiple of the permutation. */
static gg_status check_size(const gg_plan *plan, const mode *of, int64_t size, int index,
                            gg_error *err) {
  char what[32], why[64];
  snprintf(what, sizeof what, "permutation of %s", of->name);
  snprintf(why, sizeof why, "%d atoms x %d", of->warps, of->atom);
  gg_status st = gg_check_multiple(what, size, (int64_t)of->atom * of->warps, why,
                                   gg_element_mark(&plan->spec->permutation, index), err);
  if (st) return st;
  snprintf(what, sizeof what, "tile %s", of->name);
  return gg_check_multiple(what, of->extent, size, "elements of the permutation",
                           gg_element_mark(&plan->spec->permutation, index), err);
}

static gg_status refuse(const gg_plan *plan, const mode *of, const char *text, bool turns,
                        int index, gg_error *err) {
  char what[32], has[128];
  int block = of->extent / of->warps, count = block / of->atom;
  snprintf(what, sizeof what, "permutation of %s", of->name);
  if (index == 2 && of->warps > 1)
    snprintf(has, sizeof has, "_, atoms in turns");
  else if (!of->twins)
    snprintf(has, sizeof has, "(%d,%d,%d):(1,%d,%d), a block a warp%s", of->atom, of->warps, count,
             block, of->atom, turns ? ", and _, atoms in turns" : "");
  else if (turns)
    snprintf(has, sizeof has,
             "(8,2,%d,%d):(2,1,%d,16), a block a warp, and (8,2,%d):(2,1,16), atoms in turns",
             of->warps, count, block, of->warps);
  else
    snprintf(has, sizeof has, "(8,%d,2,%d):(2,%d,1,16), a block a warp", of->warps, count / 2,
             block);
  return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(&plan->spec->permutation, index),
                 plan->target->family, what, text, has);
}

gg_status gg_sm80_choose_permutation(bool *turns_m, const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->permutation;
  const mode modes[] = {
      {"M", plan->tile_m, plan->mma.m, plan->atoms_m, gg_sm80_has_twins(&plan->a)},
      {"N", plan->tile_n, plan->mma.n, plan->atoms_n, gg_sm80_has_twins(&plan->b)},
      {"K", plan->tile_k, plan->mma.k, plan->atoms_k, false}};
  *turns_m = false;
  for (int i = 0; i < 3 && asked->state == GG_SPEC_SET; i++) {
    gg_layout layout;
    if (!read(&layout, &modes[i], asked->texts[i]))
      return refuse(plan, &modes[i], asked->texts[i], i == 0, i, err);
    gg_status st = check_size(plan, &modes[i], gg_layout_size(&layout), i, err);
    if (st) return st;
    bool along_k = i == 2, along_m = i == 0;
    if (is(&layout, &modes[i], along_k ? in_turns : in_blocks)) continue;
    *turns_m = along_m && is(&layout, &modes[i], in_turns);
    if (!*turns_m) return refuse(plan, &modes[i], asked->texts[i], i == 0, i, err);
  }
  return GG_OK;
}
