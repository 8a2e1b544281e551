/* gg_target: what planning knows of one kernel family and generic code does not. What emission
 * knows of it stands beside, by the same number: emit/skeleton.h. */
#ifndef GG_PLAN_TARGET_H
#define GG_PLAN_TARGET_H

#include "plan/layouts.h"
#include "plan/sums.h"
#include "plan/traits.h"

/* In order of preference: the first that accepts a spec plans it. */
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
  const char *name;    /* no other target has it, in any version */
  const char *family;  /* "sm80"; targets of one family stand together */
  const char *summary; /* one line for people */
  const char *worker;  /* the threads that execute one MMA: "warp" */
  gg_arch least;
  bool int32_coordinates; /* its kernels count M, N and the batch in 32 bits */

  /* Whether the family is for this spec: architecture and schedule. */
  bool (*accepts)(const gg_spec *spec);

  /* The atoms that it multiplies with, of all rows: plan/atoms.h asks those that pass. */
  bool (*has_atom)(const gg_mma_row *row);

  bool pointers; /* can take a batch by arrays of addresses */
  bool scales;   /* takes scale factors of A and B, and computes those of D */
  bool sparse;   /* takes a sparse A */
  bool gates;    /* has epilogues that gate columns by their neighbours */
  bool last;     /* of a catalogue only where no other family computes a product */
  bool ageless;  /* made of what every architecture has: no newer one has better for it */
  bool awaits;   /* planned for an architecture whose launches may begin beside each other, its
                  * kernels wait themselves for the one ahead of theirs */

  bool claims; /* the clusters of a GPC may claim neighbouring tiles: the spec's `raster.neighbours`
                */

  bool bits; /* multiplies b1, by and or by xor: the spec's `bits` */

  bool traces;   /* its templates have stamps: the spec's `trace` */
  bool promotes; /* can add up sums of the tensor core: the spec's `promote` */

  /* Whether the family plans the transposed problem where `swap_ab` is auto; NULL: it never does.
   */
  bool (*swaps_ab)(const gg_spec *spec);

  /* How it finishes a tile, for operations that store sums over D. */
  gg_sum_boxes (*sum_boxes)(const gg_plan *plan);

  /* What the model of its kernels' time goes by; overlap and stages are filled as is usual. */
  void (*traits)(gg_traits *out, const gg_plan *plan, int arch);

  /* The stages of the pipeline. */
  gg_status (*choose)(gg_plan *plan, gg_error *err);
  gg_status (*derive)(gg_layouts *out, const gg_plan *plan, gg_error *err);
};

/* Whether a kernel may be launched before the one ahead of it has ended: it waits itself. */
static inline bool gg_plan_awaits(const gg_plan *plan) {
  return plan->specialised ||
         (plan->target->awaits && plan->arch.number >= GG_ARCH_LAUNCHES_BESIDE);
}

/* By their numbers; ends with NULL. */
extern const gg_target *const gg_targets[];

#endif
