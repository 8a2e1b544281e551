/* Decisions that several families make alike. Each function resolves one key of the spec, or
 * refuses its value. */
#ifndef GG_PLAN_CHOICES_H
#define GG_PLAN_CHOICES_H

#include "plan/check.h"

/* GG_OK if the spec's `atom` is unset or names `mma`, the family's atom, by its shape ("m16n8k16"),
 * its PTX name or CuTe's name. Else PLAN_UNSUPPORTED. */
gg_status gg_choose_atom(const gg_plan *plan, const gg_mma_atom *mma, const char *shape,
                         gg_error *err);

/* Fails with PLAN_UNSUPPORTED: "family sm90 has no `what` `asked`; it has `instead`".
 * gg_refuse_type says the same of a type. */
gg_status gg_refuse(const gg_plan *plan, const gg_spec_field *field, const char *what,
                    const char *asked, const char *instead, gg_error *err);
gg_status gg_refuse_type(const gg_plan *plan, const gg_spec_field *field, const char *what,
                         gg_dtype type, const char *instead, gg_error *err);

/* gg_refuse of an operand's major. `is_a`: whether it is the problem's A, not its B. */
gg_status gg_refuse_major(const gg_plan *plan, const gg_spec_operand *asked, bool is_a,
                          const char *instead, gg_error *err);

/* Whether a fixed extent is a whole number of tiles, so that no tile reaches beyond it. */
bool gg_is_even(int64_t fixed, int tile);

/* The tile's extent if the spec asks for none: `most`; or, if the problem's extent is fixed and
 * smaller, `unit` doubled until it covers that. */
int gg_usual_extent(int64_t fixed, int unit, int most);

/* The swizzle of an operand whose tile has lines of `line` bytes along its contiguous mode. If the
 * spec asks for none, the widest pattern that divides the line. */
gg_status gg_choose_swizzle(gg_swizzle_kind *out, const gg_spec_field *asked, const char *operand,
                            int line, gg_error *err);

/* The order in which tiles are computed. */
typedef struct gg_order {
  gg_raster raster;
  int group;   /* tiles in a band */
  bool claims; /* the clusters of a GPC claim neighbouring tiles */
} gg_order;

/* The orders of tiles that a family can do. */
typedef struct gg_orders {
  gg_raster usual;
  bool hilbert;   /* a Hilbert curve, too; it has no bands */
  int claimed;    /* tiles in a band if the clusters of a GPC claim them; 0: they cannot, */
  const char *no; /* and this text says what can be had instead */
} gg_orders;

/* The order that the spec asks for, else the family's usual one, in bands of 8 tiles. *st says
 * whether the family can do it. */
gg_order gg_choose_raster(gg_status *st, const gg_plan *plan, const gg_orders *orders,
                          gg_error *err);
void gg_plan_put_order(gg_plan *plan, const gg_order *order);

/* Into how many shares scheduler split_k divides a tile's K: the number that the spec asks for, or
 * 0, which leaves it to the launch. Other schedulers have no shares: gg_check_splits refuses the
 * key beside them. */
int gg_choose_splits(const gg_plan *plan, gg_scheduler scheduler);
gg_status gg_check_splits(const gg_plan *plan, gg_scheduler scheduler, gg_error *err);

/* The widest access of one thread, in bytes, that the operand's alignment allows; at most 16. */
int gg_access_bytes(gg_operand operand);

/* Whether lanes store lines of `line_bytes` bytes, which may begin at any address, in chunks of 16
 * bytes, with smaller units (what the lines are aligned to) at the ends alone. Shorter lines are
 * stored in the smaller units throughout, which is faster for them
 * (docs/adr/0006-unaligned-lines.md). */
bool gg_stores_chunks(int64_t line_bytes);

#endif
