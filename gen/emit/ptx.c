#include "emit/ptx.h"

#include "emit/ptx_lacks.h"
#include "emit/ptx_text.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/target.h"

/* What emission must know of a family's PTX. */
typedef struct ptx_family {
  const char *template_name; /* NULL: the family has none */
  const char *(*lacks)(const gg_plan *plan, const gg_layouts *layouts);
  gg_status (*bind)(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                    gg_error *err);
} ptx_family;

static const ptx_family families[GG_TARGET_COUNT] = {
    [GG_TARGET_SM80] = {"sm80_multistage.ptx", gg_sm80_ptx_lacks, gg_sm80_ptx_bind},
    [GG_TARGET_SM90] = {"sm90_warp_specialised.ptx", gg_sm90_ptx_lacks, gg_sm90_ptx_bind},
    [GG_TARGET_SM100] = {"sm100_warp_specialised.ptx", gg_sm100_ptx_lacks, gg_sm100_ptx_bind},
};

/* What no family's template supports. */
static const char *all_lack(const gg_plan *plan) {
  const gg_ptx_lack rows[] = {
      {plan->raster == GG_RASTER_HILBERT, "tiles along a Hilbert curve"},
      {plan->pointers, "batches by arrays of addresses"},
      {plan->trace, "stamps of what its warps do"},
      {gg_plan_is_gated(plan), "a gate"},
      {gg_plan_reads_scalars(plan), "factors in device memory"},
  };
  return gg_ptx_first_lack(rows, sizeof rows / sizeof *rows);
}

const char *gg_ptx_lacks(const gg_plan *plan, const gg_layouts *layouts) {
  const ptx_family *family = &families[plan->target->id];
  if (!family->template_name) return "";
  const char *lacks = all_lack(plan);
  return lacks ? lacks : family->lacks(plan, layouts);
}

const char *gg_ptx_template(const gg_plan *plan) {
  return families[plan->target->id].template_name;
}

gg_status gg_ptx_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                      gg_error *err) {
  char arch[GG_ARCH_NAME_MAX];
  gg_bind_text(out, "target", gg_arch_name(arch, plan->arch));
  gg_ptx_bind_version(out, plan);
  return families[plan->target->id].bind(out, plan, layouts, err);
}
