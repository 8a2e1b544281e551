/* Family sm100: a sparse A, and what it requires of the spec. */
#include "plan/check.h"
#include "plan/choices.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sparse.h"
#include "plan/transpose.h"

/* Refuses packed sparse elements for architectures with the suffix f: only those with the suffix a
 * multiply them. */
gg_status gg_sm100_check_sparse(const gg_plan *plan, gg_error *err) {
  char arch[GG_ARCH_NAME_MAX];
  if (!plan->sparse_a || !gg_plan_is_packed(plan) || plan->arch.suffix != 'f') return GG_OK;
  return gg_refuse(plan, &plan->spec->arch, "sparse e2m1 by e2m1 with scales for",
                   gg_arch_name(arch, plan->arch), "it for architectures of the suffix a", err);
}

/* Refuses a swizzle of 32 bytes for a K-major B: a sparse MMA reads 64 bytes of a line, which such
 * a swizzle would cut. */
static gg_status check_swizzle(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->swizzle.b;
  bool cut = asked->state == GG_SPEC_SET && asked->number == GG_SWIZZLE_32B;
  if (!cut || plan->b.major != GG_MAJOR_K) return GG_OK;
  const char *what =
      gg_as_asked(plan, "swizzle of B beside a sparse A", "swizzle of A beside a sparse B");
  return gg_refuse(plan, asked, what, asked->text,
                   "128B, 64B and none: an MMA reads 64 bytes of a line", err);
}

gg_status gg_sm100_check_metadata_tile(const gg_plan *plan, int k, gg_error *err) {
  if (!plan->sparse_a) return GG_OK;
  return gg_check_multiple("tile K", k, gg_metadata_tile_k(plan),
                           "elements along K of a tile of metadata",
                           gg_element_mark(&plan->spec->tile, 2), err);
}

gg_status gg_sm100_check_sparse_tile(const gg_plan *plan, int k, gg_error *err) {
  gg_status st = gg_sm100_check_metadata_tile(plan, k, err);
  return st || !plan->sparse_a ? st : check_swizzle(plan, err);
}

/* A tile's usual K: whole tiles of metadata, whole lines of what is unpacked, and whole atoms of
 * scale factors. All of these are powers of two. */
int gg_sm100_usual_sparse_k(const gg_plan *plan) {
  int k = gg_metadata_tile_k(plan), atom = GG_SCALE_FACTORS * plan->scale_a.block;
  if (gg_plan_unpacks(plan, plan->a.type) && k < 2 * GG_UNPACKED_LINE) k = 2 * GG_UNPACKED_LINE;
  return k < atom ? atom : k;
}
