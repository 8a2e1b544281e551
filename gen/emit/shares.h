/* Tiles that several CTAs share (templates/parts/shares.cu): what families have in common. */
#ifndef GG_EMIT_SHARES_H
#define GG_EMIT_SHARES_H

#include "emit/binding.h"
#include "plan/plan.h"

/* The members of work_list that say how tiles are shared. */
void gg_write_share_members(gg_str *out);

/* How the parts of a tile's sums are written, read and added: `parameter` is what a function takes
 * for them and `argument` what it is given; `added` the sum that word w of what is read together is
 * added to, NULL where a part of the family's own adds. */
void gg_bind_sums(gg_bindings *out, const gg_plan *plan, const char *parameter,
                  const char *argument, const char *added);

/* What a register of sums is: how many it has (a constant of the text), and in inline PTX. */
void gg_write_words(gg_str *out, const gg_plan *plan);
void gg_bind_words(gg_bindings *out, const gg_plan *plan);

/* Of families without clusters: the constants that templates/parts/cta_shares.cu is written in, and
 * the part itself with `sums`, which says in what order a thread has its own; the lines of the
 * family's template that shared tiles take, and `kernel`, its loop over them. Binds, too, where no
 * tile is shared. */
void gg_write_cta_shares(gg_str *out, const gg_plan *plan);
void gg_bind_cta_shares(gg_bindings *out, const gg_plan *plan, const char *sums,
                        const char *kernel);

#endif
