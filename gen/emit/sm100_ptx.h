/* What the files of family sm100's PTX share. Boxes of D, how they are staged and stored, are
 * sm90's (sm90_ptx_boxes.c), which calls functions declared here for what lies in tensor memory. */
#ifndef GG_EMIT_SM100_PTX_H
#define GG_EMIT_SM100_PTX_H

#include "emit/binding.h"
#include "emit/ptx_text.h"
#include "emit/sm90_ptx.h"
#include "plan/layouts.h"

/* ---- Clusters: sm100_ptx_cluster.c --------------------------------------------------------- */

/* How a mask of CTAs of the cluster, one bit for each rank, is shifted to where this CTA is: not at
 * all, by its place along M, or, in pairs that share a half, by its place in the pair. */
typedef enum gg_sm100_ptx_move { GG_MOVE_NONE, GG_MOVE_ALONG_M, GG_MOVE_IN_PAIR } gg_sm100_ptx_move;

/* Declares the 16-bit register `to` and sets it to the mask `bits`, shifted along M as said, and
 * along N by whole columns of CTAs if `along_n`. Uses %mask and %move. */
void gg_sm100_ptx_write_ctas(gg_str *out, const gg_plan *plan, const char *to, unsigned bits,
                             gg_sm100_ptx_move along_m, bool along_n);

/* The masks of the CTAs that share A with the first CTA, and that share all of B with it. */
unsigned gg_sm100_ptx_row_ctas(const gg_plan *plan);
unsigned gg_sm100_ptx_column_ctas(const gg_plan *plan);

/* ---- The producer: sm100_ptx_produce.c ------------------------------------------------------ */

void gg_sm100_ptx_bind_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- What is in tensor memory beside the sums: sm100_ptx_beside.c --------------------------- */

/* For the producer: the registers that it needs; the lines at the beginning of a tile; the lines
 * that load the factors of A or B to the CTAs in register `ctas` (NULL: to this one alone), and
 * metadata. */
void gg_sm100_ptx_declare_beside(gg_str *out, const gg_plan *plan);
void gg_sm100_ptx_begin_beside(gg_str *out, const gg_plan *plan);
void gg_sm100_ptx_load_factors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               bool is_a, const char *ctas);
void gg_sm100_ptx_load_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* For the MMA issuer: whether the factors of B begin in the middle of an atom, depending on the
 * tile's place, and the lines that find that out; the lines that copy a stage's factors and
 * metadata to tensor memory; those that find what an MMA reads, in %a_at, %metadata_at,
 * %scales_a_at and %scales_b_at; and the bits of its instruction descriptor that say so. */
bool gg_sm100_ptx_halves_factors(const gg_plan *plan);
void gg_sm100_ptx_begin_factors(gg_str *out, const gg_plan *plan);
void gg_sm100_ptx_write_copies(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);
void gg_sm100_ptx_find_beside(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                              int block, int step);
uint32_t gg_sm100_ptx_ids(const gg_plan *plan, int step);

/* ---- The MMA issuer: sm100_ptx_issue.c ----------------------------------------------------- */

gg_status gg_sm100_ptx_bind_issue(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                                  gg_error *err);

/* ---- Sums in tensor memory: sm100_ptx_places.c, sm100_ptx_sums.c ---------------------------- */

/* How many blocks of 16 rows a warp reads of a tile, and how many boxes of columns each has. */
int gg_sm100_ptx_blocks(const gg_plan *plan);
int gg_sm100_ptx_boxes(const gg_plan *plan);

/* Where box `box` of block `block` is. */
gg_sm90_ptx_box_place gg_sm100_ptx_place_of(const gg_plan *plan, int box, int block);

/* Appends the lines in front of a box, after which its sums are in registers, and those behind it.
 */
void gg_sm100_ptx_begin_box(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                            int block);
void gg_sm100_ptx_end_box(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int block);

/* Appends lines that find a warp's first row and column of D, in %row0 and in %n0 (which then is no
 * longer the tile's), and where in tensor memory the warp's part of the tile is. */
void gg_sm100_ptx_write_origin(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

void gg_sm100_ptx_bind_sums(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- C: sm100_ptx_c.c ---------------------------------------------------------------------- */

/* NULL, or what about C the template does not support. */
const char *gg_sm100_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts);

/* Binds how C is fetched and how it is read; nothing if there is no C. */
gg_status gg_sm100_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err);

/* Appends the lines that wait for a sub-tile of C, that give it back, and that load the elements of
 * C for read_n columns of one of D's boxes, from `column` on. */
void gg_sm100_ptx_await_c(gg_str *out, const gg_layouts *layouts);
void gg_sm100_ptx_release_c(gg_str *out, const gg_layouts *layouts);
void gg_sm100_ptx_write_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int block,
                          int column);

#endif
