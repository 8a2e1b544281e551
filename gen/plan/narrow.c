#include "plan/narrow.h"

#include "atom/dtype.h"
#include "plan/scales.h"

enum { byte_bits = 8 };

bool gg_plan_unpacks(const gg_plan *plan, gg_dtype type) {
  return gg_dtype_info_of(type)->bits < byte_bits && !gg_plan_is_packed(plan);
}

int gg_plan_smem_bits(const gg_plan *plan, gg_dtype type) {
  return gg_plan_unpacks(plan, type) ? byte_bits : gg_dtype_info_of(type)->bits;
}

int64_t gg_plan_smem_bytes(const gg_plan *plan, gg_dtype type, int64_t elements) {
  return gg_bytes_of(elements, gg_plan_smem_bits(plan, type));
}
