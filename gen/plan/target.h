/* gg_target: what planning must know of one kernel family that generic code does not. What emission
 * must know has the same number in emit/skeleton.h. */
#ifndef GG_PLAN_TARGET_H
#define GG_PLAN_TARGET_H

#include "plan/layouts.h"
#include "plan/sums.h"
#include "plan/traits.h"

/* In order of preference: the first target that accepts a spec plans it. */
typedef enum gg_target_id {
  GG_TARGET_NAIVE,
  GG_TARGET_SIMT,
  GG_TARGET_SM120,
  GG_TARGET_SM100,
  GG_TARGET_SM90,
  GG_TARGET_SM90_MULTISTAGE,
  GG_TARGET_SM80,
  GG_TARGET_COUNT
} gg_target_id;

struct gg_target {
  gg_target_id id;
  const char *name;    /* unique among targets, in every version of gemmgen */
  const char *family;  /* "sm80"; targets of one family stand together */
  const char *summary; /* one line for people */
  const char *worker;  /* the threads that execute one MMA: "warp" */
  gg_arch least;
  bool int32_coordinates; /* its kernels hold M, N and the batch in 32 bits */

  /* Whether the target can plan this spec, by its architecture and schedule. */
  bool (*accepts)(const gg_spec *spec);

  /* Whether the family multiplies with this atom. plan/atoms.h asks it of every row. */
  bool (*has_atom)(const gg_mma_row *row);

  bool pointers; /* takes a batch given by arrays of addresses */
  bool scales;   /* takes scale factors of A and B, and can compute those of D */
  bool sparse;   /* takes a sparse A */
  bool gates;    /* has epilogues that gate columns */
  bool last;     /* stands in a catalogue only if no other family computes the product */
  bool ageless;  /* uses only what every architecture has, so no newer family is better suited to
                  * newer ones */
  bool awaits;   /* if planned for an architecture whose launches may begin while the one ahead
                  * runs, its kernels themselves wait for that one */

  bool claims; /* the clusters of a GPC may claim neighbouring tiles: the spec's `raster.neighbours`
                */

  bool bits; /* multiplies b1, with `and` or with `xor`: the spec's `bits` */

  bool traces;   /* its templates can stamp what warps do with the clock: the spec's `trace` */
  bool promotes; /* can add short sums of the tensor core up in registers: the spec's `promote` */

  /* Whether the family plans the transposed problem if `swap_ab` is auto; NULL: it never does. */
  bool (*swaps_ab)(const gg_spec *spec);

  /* In which boxes it finishes a tile, for operations that store sums over D. */
  gg_sum_boxes (*sum_boxes)(const gg_plan *plan);

  /* Fills what the model of its kernels' time depends on. Overlap and stages hold the usual values
   * before the call. */
  void (*traits)(gg_traits *out, const gg_plan *plan, int arch);

  /* The stages of the pipeline. */
  gg_status (*choose)(gg_plan *plan, gg_error *err);
  gg_status (*derive)(gg_layouts *out, const gg_plan *plan, gg_error *err);
};

/* Whether a kernel waits itself for the launch ahead of it, so that it may be launched before that
 * has ended. */
static inline bool gg_plan_awaits(const gg_plan *plan) {
  return plan->specialised ||
         (plan->target->awaits && plan->arch.number >= GG_ARCH_LAUNCHES_BESIDE);
}

/* All targets, indexed by gg_target_id; the last entry is NULL. */
extern const gg_target *const gg_targets[];

#endif
