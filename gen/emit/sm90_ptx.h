/* What the files of family sm90's PTX share. */
#ifndef GG_EMIT_SM90_PTX_H
#define GG_EMIT_SM90_PTX_H

#include "emit/binding.h"
#include "emit/ptx_text.h"
#include "plan/layouts.h"
#include "plan/sm90.h"

/* ---- What family sm100's text has as sm90's does: sm90_ptx.c, sm90_ptx_multiply.c ------------ */

/* Parameters, extents and maps. */
void gg_sm90_ptx_bind_arguments(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Where this CTA is in its cluster; a tile's first row or column, by its place among clusters'. */
void gg_sm90_ptx_write_ranks(gg_str *out, const gg_plan *plan);
void gg_sm90_ptx_write_origin(gg_str *out, char mode, const char *place, int cluster, int tile);

/* %desc_x = the descriptor of operand x's first MMA in a stage, `block`: from the warpgroup's first
 * block on; and the one that is `by` further, given by its register's name. */
void gg_sm90_ptx_write_descriptor(gg_str *out, char x, const gg_boxed_tile *boxes, bool block);
const char *gg_sm90_ptx_write_step(gg_str *out, char x, ll by);

/* ---- The ring of stages: sm90_ptx_ring.c ---------------------------------------------------- */

/* What parts name of it: how many stages there are, their bytes, and how far a stage's `empty` is
 * from its `full`; and besides what the skeleton does: shared memory, and initialised barriers. */
void gg_sm90_ptx_bind_ring(gg_bindings *out, const gg_layouts *layouts);
void gg_sm90_ptx_bind_memory(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- MMAs: sm90_ptx_multiply.c -------------------------------------------------------------- */

gg_status gg_sm90_ptx_bind_multiply(gg_bindings *out, const gg_plan *plan,
                                    const gg_layouts *layouts, gg_error *err);

/* ---- Tiles, whole and in parts: sm90_ptx_walk.c --------------------------------------------- */

/* What roles walk, and how the parts of a tile that several clusters share come together. */
void gg_sm90_ptx_bind_walk(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- Boxes: sm90_ptx_boxes.c --------------------------------------------------------------- */

/* NULL, or what of D's staging has no template; and the bindings of the epilogue. */
const char *gg_sm90_ptx_boxes_lack(const gg_plan *plan, const gg_layouts *layouts);
gg_status gg_sm90_ptx_bind_boxes(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                                 gg_error *err);

/* ---- C: sm90_ptx_c.c ----------------------------------------------------------------------- */

/* NULL, or what of C has no template. */
const char *gg_sm90_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts);

/* Binds what the roles do with it; nothing where there is none. */
gg_status gg_sm90_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                             gg_error *err);

/* Of one of D's boxes: the lines that load C's elements of read_n columns from `column` on, and
 * those that add beta times element `i` of them to register `x`; behind the box of all blocks,
 * those that give back stages which no box behind it reads. */
void gg_sm90_ptx_write_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                         int fragment, int column);
void gg_sm90_ptx_add_c(gg_str *out, const gg_plan *plan, int i, int x);
void gg_sm90_ptx_release_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box);

/* ---- C in sub-tiles: sm90_ptx_subtiles.c ---------------------------------------------------- */

/* The line that loads two matrices across and two down, or of 8 columns one, to c`word` and on: as
 * far from %c_place as said, of a stage that begins at %c_base`stage`. */
void gg_sm90_ptx_write_matrices_of_c(gg_str *out, bool n_major, gg_ptx_step step, int word,
                                     int stage);

const char *gg_sm90_ptx_subtiles_lack(const gg_plan *plan, const gg_layouts *layouts);
void gg_sm90_ptx_bind_subtiles(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* Of one of D's boxes, of one of its blocks: the lines that await its sub-tile, those that load its
 * elements of read_n columns from `column` on, and those that give it back. */
void gg_sm90_ptx_begin_subtile(gg_str *out, const gg_layouts *layouts);
void gg_sm90_ptx_write_subtile(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               int column);
void gg_sm90_ptx_end_subtile(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box);

#endif
