/* gg_target: what one kernel family knows that generic code does not. */
#ifndef GG_PLAN_TARGET_H
#define GG_PLAN_TARGET_H

#include "emit/binding.h"
#include "plan/layouts.h"
#include "plan/traits.h"

struct gg_target {
  const char *family;        /* "sm80" */
  const char *summary;       /* one line for people */
  const char *template_name; /* under templates/ */
  const char *worker;        /* the threads that execute one MMA: "warp" */
  gg_arch least;
  bool int32_coordinates; /* its kernels count M, N and the batch in 32 bits */

  /* Whether the family is for this spec: architecture and schedule. */
  bool (*accepts)(const gg_spec *spec);

  bool ageless; /* made of what every architecture has: no newer one has better for it */

  bool promotes; /* can add up sums of the tensor core: the spec's `promote` */

  /* Whether the family plans the transposed problem where `swap_ab` is auto; NULL: it never does.
   */
  bool (*swaps_ab)(const gg_spec *spec);

  /* What the model of its kernels' time goes by; overlap and stages are filled as is usual. */
  void (*traits)(gg_traits *out, const gg_plan *plan, const gg_device_model *device);

  /* The stages of the pipeline. */
  gg_status (*choose)(gg_plan *plan, gg_error *err);
  gg_status (*derive)(gg_layouts *out, const gg_plan *plan, gg_error *err);
  gg_status (*bind)(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                    gg_error *err);
};

/* Every family, in order of preference; ends with NULL. */
extern const gg_target *const gg_targets[];

#endif
