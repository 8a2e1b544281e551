/* What the files of family sm100's PTX share. Boxes of D, and how they are staged and stored, are
 * sm90's (sm90_ptx_boxes.c), which asks here for what lies in tensor memory. */
#ifndef GG_EMIT_SM100_PTX_H
#define GG_EMIT_SM100_PTX_H

#include "emit/binding.h"
#include "emit/ptx_text.h"
#include "emit/sm90_ptx.h"
#include "plan/layouts.h"

/* ---- Clusters: sm100_ptx_cluster.c --------------------------------------------------------- */

/* CTAs of the cluster as bits by their ranks, of which this CTA's are `bits`, moved by its place:
 * along M, of pairs that share a half by its place in the pair; along N by whole columns. */
typedef enum gg_sm100_ptx_move { GG_MOVE_NONE, GG_MOVE_ALONG_M, GG_MOVE_IN_PAIR } gg_sm100_ptx_move;

/* `to`, a register of 16 bits that is declared here, = those. %mask and %move are others. */
void gg_sm100_ptx_write_ctas(gg_str *out, const gg_plan *plan, const char *to, unsigned bits,
                             gg_sm100_ptx_move along_m, bool along_n);

/* Of those that share A, or all of B, the bits of the first ones. */
unsigned gg_sm100_ptx_row_ctas(const gg_plan *plan);
unsigned gg_sm100_ptx_column_ctas(const gg_plan *plan);

/* ---- The producer: sm100_ptx_produce.c ------------------------------------------------------ */

void gg_sm100_ptx_bind_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- What is in tensor memory beside the sums: sm100_ptx_beside.c --------------------------- */

/* Of the producer: registers, and what a tile begins with; the lines that load factors of A or B,
 * for the CTAs in register `ctas` or, NULL, this one, and metadata. */
void gg_sm100_ptx_declare_beside(gg_str *out, const gg_plan *plan);
void gg_sm100_ptx_begin_beside(gg_str *out, const gg_plan *plan);
void gg_sm100_ptx_load_factors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               bool is_a, const char *ctas);
void gg_sm100_ptx_load_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

/* Of the issuer: whether a tile's place says where B's factors begin, and the lines that find out;
 * those that copy a stage's to tensor memory; those that find what an MMA reads, in %a_at,
 * %metadata_at, %scales_a_at and %scales_b_at; and what its instruction descriptor says of it. */
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

/* Blocks of 16 rows that a warp reads, and boxes of columns of each. */
int gg_sm100_ptx_blocks(const gg_plan *plan);
int gg_sm100_ptx_boxes(const gg_plan *plan);

/* Where such a box is. */
gg_sm90_ptx_box_place gg_sm100_ptx_place_of(const gg_plan *plan, int box, int block);

/* The lines in front of a box, which has its sums behind them, and those behind it. */
void gg_sm100_ptx_begin_box(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int box,
                            int block);
void gg_sm100_ptx_end_box(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int block);

/* A warp's first row and column of D: %row0, and %n0 instead of the tile's; and where it has what
 * it reads of the tile. */
void gg_sm100_ptx_write_origin(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

void gg_sm100_ptx_bind_sums(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts);

/* ---- C: sm100_ptx_c.c ---------------------------------------------------------------------- */

/* NULL, or what of C has no template. */
const char *gg_sm100_ptx_c_lacks(const gg_plan *plan, const gg_layouts *layouts);

/* Binds what is fetched and how it is read; nothing where there is no C. */
gg_status gg_sm100_ptx_bind_c(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err);

/* The lines that await a sub-tile of C, and those that give it back; and those that load C's
 * elements of read_n columns of a box of D's, from `column` on. */
void gg_sm100_ptx_await_c(gg_str *out, const gg_layouts *layouts);
void gg_sm100_ptx_release_c(gg_str *out, const gg_layouts *layouts);
void gg_sm100_ptx_write_c(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, int block,
                          int column);

#endif
