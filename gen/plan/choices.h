/* Choices that families share: each resolves one key of the spec, or refuses it. */
#ifndef GG_PLAN_CHOICES_H
#define GG_PLAN_CHOICES_H

#include "plan/check.h"

/* The spec's `atom` names this MMA, the family's: as `shape` ("m16n8k16"), or by its PTX or CuTe's
 * name, or not at all; else PLAN_UNSUPPORTED. */
gg_status gg_choose_atom(const gg_plan *plan, const gg_mma_atom *mma, const char *shape,
                         gg_error *err);

/* PLAN_UNSUPPORTED: "family sm90 has no `what` `asked`; it has `instead`"; and of a type. */
gg_status gg_refuse(const gg_plan *plan, const gg_spec_field *field, const char *what,
                    const char *asked, const char *instead, gg_error *err);
gg_status gg_refuse_type(const gg_plan *plan, const gg_spec_field *field, const char *what,
                         gg_dtype type, const char *instead, gg_error *err);

/* Whether a fixed extent is a whole number of tiles, so that no tile reaches beyond it. */
bool gg_is_even(int64_t fixed, int tile);

/* The tile where none is asked for: `most`, or `unit` doubled until it covers a fixed extent. */
int gg_usual_extent(int64_t fixed, int unit, int most);

/* `line`: bytes of a line of the operand's tile, along its contiguous mode. Where nothing is asked
 * for, the widest pattern that divides it. */
gg_status gg_choose_swizzle(gg_swizzle_kind *out, const gg_spec_field *asked, const char *operand,
                            int line, gg_error *err);

/* The order in which tiles are computed. */
typedef struct gg_order {
  gg_raster raster;
  int group;   /* tiles a band */
  bool claims; /* the clusters of a GPC claim neighbouring tiles */
} gg_order;

/* What a family has of orders. */
typedef struct gg_orders {
  gg_raster usual;
  bool hilbert;   /* that order, too, which has no bands */
  int claimed;    /* tiles of a band where the clusters of a GPC claim them; 0: they cannot, */
  const char *no; /* and what can be had in place of that */
} gg_orders;

/* As asked for, else the usual one, in bands of 8; *st says whether it can be had. */
gg_order gg_choose_raster(gg_status *st, const gg_plan *plan, const gg_orders *orders,
                          gg_error *err);
void gg_plan_put_order(gg_plan *plan, const gg_order *order);

/* Shares of a tile, which scheduler split_k may be asked for; 0: chosen at launch. Other schedulers
 * have none. */
int gg_choose_splits(const gg_plan *plan, gg_scheduler scheduler);
gg_status gg_check_splits(const gg_plan *plan, gg_scheduler scheduler, gg_error *err);

/* The widest access of a thread that the alignment allows, at most 16 bytes. */
int gg_access_bytes(gg_operand operand);

/* Whether lanes store lines of so many bytes, which begin anywhere, in chunks of 16 bytes, and
 * units of what the lines are aligned to at their ends alone. Shorter lines are faster in such
 * units (docs/adr/0006-unaligned-lines.md). */
bool gg_stores_chunks(int64_t line_bytes);

#endif
