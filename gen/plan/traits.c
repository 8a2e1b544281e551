#include "plan/traits.h"

#include "plan/target.h"

void gg_warp_traits(gg_traits *out, const gg_plan *plan, const gg_device_model *device) {
  enum { owners = 2 };
  out->tensor_share = device->warp_mma_share;
  out->warps_wanted = device->warps_wanted;
  out->reads_a = plan->atoms_n; /* a block reads its rows and its columns */
  out->reads_b = plan->atoms_m;
  out->owners = owners;
  if (plan->copy_bytes_a && plan->copy_bytes_b) out->loader = GG_LOADER_THREADS;
}

gg_traits gg_traits_of(const gg_plan *plan, const gg_device_model *device) {
  bool beside = gg_plan_is_persistent(plan) || plan->ctas_per_sm > 1;
  gg_traits out = {
      .stages_ahead = plan->stages > 1 ? plan->stages - 1 : 1,
      .overlap = beside ? GG_OVERLAP_NEXT : GG_OVERLAP_NONE,
  };
  plan->target->traits(&out, plan, device);
  return out;
}
