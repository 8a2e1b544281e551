#include "plan/narrow.h"

#include "atom/dtype.h"

enum { byte_bits = 8 };

bool gg_stays_packed(gg_dtype a, gg_dtype b, gg_scaling scale) {
  const gg_dtype_info *of_a = gg_dtype_info_of(a);
  bool integers = of_a->bits < byte_bits && of_a->kind != 'f';
  return integers || (scale.block > 0 && a == GG_DTYPE_e2m1 && b == GG_DTYPE_e2m1);
}

bool gg_plan_is_packed(const gg_plan *plan) {
  return gg_stays_packed(plan->a.type, plan->b.type, plan->scale_a);
}

int gg_smem_bits(gg_dtype type, bool packed) {
  int bits = gg_dtype_info_of(type)->bits;
  return bits < byte_bits && !packed ? byte_bits : bits;
}

bool gg_plan_unpacks(const gg_plan *plan, gg_dtype type) {
  return gg_dtype_info_of(type)->bits < byte_bits && !gg_plan_is_packed(plan);
}

int gg_plan_smem_bits(const gg_plan *plan, gg_dtype type) {
  if (plan->mma.row && plan->mma.row->kind == GG_MMA_fma && plan->stages > 0)
    return gg_dtype_info_of(plan->mma.a)->bits; /* as wide as what it is widened to on the way */
  return gg_smem_bits(type, gg_plan_is_packed(plan));
}

int64_t gg_plan_smem_bytes(const gg_plan *plan, gg_dtype type, int64_t elements) {
  return gg_bytes_of(elements, gg_plan_smem_bits(plan, type));
}
