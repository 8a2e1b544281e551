/* Text for tiles that several CTAs share (templates/parts/shares.cu), as far as families have it in
 * common. */
#ifndef GG_EMIT_SHARES_H
#define GG_EMIT_SHARES_H

#include "emit/binding.h"
#include "plan/plan.h"

/* Appends the members of the text's struct work_list that say how tiles are shared. */
void gg_write_share_members(gg_str *out);

/* Binds how the parts of a tile's sums are written, read and added. `parameter` declares what a
 * function takes for the sums, and `argument` is what it is given. `added` is the sum that word w
 * of what is read at once is added to; NULL if a part of the family's own adds. */
void gg_bind_sums(gg_bindings *out, const gg_plan *plan, const char *parameter,
                  const char *argument, const char *added);

/* What one register of sums is: how many a thread has (a constant of the text), and its type in
 * inline PTX. */
void gg_write_words(gg_str *out, const gg_plan *plan);
void gg_bind_words(gg_bindings *out, const gg_plan *plan);

/* For families without clusters. gg_write_cta_shares: the constants that
 * templates/parts/cta_shares.cu needs. gg_bind_cta_shares: that part, with the part `sums`, which
 * says in what order a thread holds its sums; the lines of the family's template that shared tiles
 * need; and the part `kernel`, the kernel's loop over them. It must also be called if no tile is
 * shared. */
void gg_write_cta_shares(gg_str *out, const gg_plan *plan);
void gg_bind_cta_shares(gg_bindings *out, const gg_plan *plan, const char *sums,
                        const char *kernel);

#endif
