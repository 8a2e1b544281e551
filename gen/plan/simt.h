/* Family simt: its two stages, one file each, and what its template must know of them. */
#ifndef GG_PLAN_SIMT_H
#define GG_PLAN_SIMT_H

#include "plan/dealing.h"
#include "plan/layouts.h"
#include "plan/target.h"

gg_status gg_simt_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_simt.c */

/* A warp's threads stand so many along M and N, where they read vectors of shared memory. */
enum { GG_SIMT_LANES_M = 4, GG_SIMT_LANES_N = 8 };

/* simt_words.c, as what follows. Bytes of a word of shared memory: what a thread multiplies at
 * once, of one row of A or column of B. */
int gg_simt_word_bytes(const gg_plan *plan);

/* Neighbouring words of a block of `extent` rows (or columns) that a thread reads at once: 16
 * bytes, or what divides the block; one where there is one stage, whose threads' rows are far
 * apart. */
int gg_simt_vector(const gg_plan *plan, int extent);

/* Whether an operand's tiles come through registers: where cp.async, of 4 bytes at least, cannot
 * write them as the words that are multiplied. */
bool gg_simt_by_registers(const gg_plan *plan, const gg_operand *operand);

/* Lines of M or N that a word has elements of: its own, where K is contiguous in memory. */
int gg_simt_unit(const gg_plan *plan, const gg_operand *operand);

/* Pieces of a thread's block (templates/parts/simt_epilogue.cu) that one CTA adds up and stores, of
 * a tile that several share: whole chunks of 16 bytes, and no more of them than a set of boxes has
 * bits. All pieces together are both. simt.c */
int gg_simt_box_pieces(const gg_plan *plan);

/* How the tile of A or B, mn x k, is dealt to the threads that copy it, in chunks of the plan's
 * copies, by lines of its contiguous mode, or units of them. Along K no more than 8 chunks stand
 * side by side: of those a warp's writes to shared memory, a line further each, meet no bank twice.
 * Along M or N no more than a warp. */
gg_dealing gg_simt_deal(const gg_plan *plan, const gg_operand *operand, int mn, int copy_bytes);

/* What the model of such kernels' time goes by. */
void gg_simt_traits(gg_traits *out, const gg_plan *plan, int arch);

extern const gg_target gg_target_simt; /* simt.c */

#endif
