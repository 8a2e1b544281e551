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

/* ---- What becomes of sums: sm90_ptx_finish.c ------------------------------------------------ */

/* NULL, or what of the operations has no template. */
const char *gg_sm90_ptx_finish_lacks(const gg_plan *plan);

/* Of a box of D the first row and column, from the warp's first ones on, and the register that its
 * first element is in. */
typedef struct gg_sm90_ptx_box_place {
  int row, column, word;
} gg_sm90_ptx_box_place;

/* The registers of what a box's operations read; and the lines that make x`number` of the lane's so
 * manieth accumulator of a box. Of two rows and two columns these are neighbours, behind them come
 * those of the next columns. */
void gg_sm90_ptx_declare_values(gg_str *out, const gg_plan *plan);
gg_status gg_sm90_ptx_finish(gg_str *out, gg_arena *arena, const gg_plan *plan,
                             const gg_layouts *layouts, gg_sm90_ptx_box_place at, int number,
                             gg_error *err);

/* ---- Vectors: sm90_ptx_vectors.c ------------------------------------------------------------ */

/* Whether an operation reads one, of a type that there is text for. */
bool gg_sm90_ptx_has_vector(const gg_operation *operation);

/* Whether an operation is a factor of all of D, as the one before it is: these are multiplied with
 * each other when they are read. */
bool gg_sm90_ptx_joins_factor(const gg_plan *plan, size_t number);

/* The lines that read what operations want at two neighbouring columns of a row, from the warp's
 * first ones on, those of columns where `first_of_columns`; and, of vectors that are not brought to
 * shared memory, those that find them for a tile. */
void gg_sm90_ptx_read_vectors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int row,
                              int column, bool first_of_columns);
void gg_sm90_ptx_find_vectors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Where a lane reads vectors, and the role that brings them. */
void gg_sm90_ptx_bind_vectors(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

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
 * elements of read_n columns from `column` on, and those that give it back, if another one of the
 * tile is to come there, or tiles have few K tiles. */
void gg_sm90_ptx_begin_subtile(gg_str *out, const gg_layouts *layouts);
void gg_sm90_ptx_write_subtile(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               int column);
void gg_sm90_ptx_end_subtile(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                             int block);

#endif
