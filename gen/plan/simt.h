/* Family simt: its two stages (plan and layouts), one file each, and facts that its template needs.
 */
#ifndef GG_PLAN_SIMT_H
#define GG_PLAN_SIMT_H

#include "plan/dealing.h"
#include "plan/layouts.h"
#include "plan/target.h"

gg_status gg_simt_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_simt.c */

/* How many of a warp's threads stand side by side along M and N, if they read vectors from shared
 * memory. */
enum { GG_SIMT_LANES_M = 4, GG_SIMT_LANES_N = 8 };

/* The functions from here on are in simt_words.c, unless they say otherwise.
 *
 * Bytes of a word of shared memory: what a thread multiplies at once, of one row of A or one column
 * of B. */
int gg_simt_word_bytes(const gg_plan *plan);

/* How many neighbouring words of its block of `extent` rows (or columns) a thread reads at once: 16
 * bytes, or as much as divides the block. One word if there is one stage, because a thread's rows
 * are then far apart. */
int gg_simt_vector(const gg_plan *plan, int extent);

/* Whether an operand's tile passes through registers on its way to shared memory: cp.async, which
 * copies 4 bytes at least, could not write it there as the words that are multiplied. */
bool gg_simt_by_registers(const gg_plan *plan, const gg_operand *operand);

/* How many of the operand's lines in memory a word takes its elements from: mma.k lines, or 1 if K
 * is contiguous. */
int gg_simt_unit(const gg_plan *plan, const gg_operand *operand);

/* How many pieces of a thread's block (templates/parts/simt_epilogue.cu) one CTA adds up and stores
 * at once when several CTAs share the tile. They are whole chunks of 16 bytes, and no more boxes
 * result than a set of boxes has bits. (simt.c) */
int gg_simt_box_pieces(const gg_plan *plan);

/* How the mn x k tile of A or B is dealt to the threads that copy it: in chunks of `copy_bytes`
 * bytes, by lines of its contiguous mode (or by units of several lines, gg_simt_unit). If K is
 * contiguous, at most 8 chunks stand side by side: a warp writes these to different lines of shared
 * memory, and up to 8 of them meet no bank twice. If M or N is, at most a warp's worth do. */
gg_dealing gg_simt_deal(const gg_plan *plan, const gg_operand *operand, int mn, int copy_bytes);

/* Fills what the model needs to predict the time of such kernels. */
void gg_simt_traits(gg_traits *out, const gg_plan *plan, int arch);

extern const gg_target gg_target_simt; /* simt.c */

#endif
