#include "plan/check.h"

#include <stdio.h>

#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sparse.h"
#include "plan/target.h"

gg_status gg_check_unused(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          const char *instead, gg_error *err) {
  if (field->state == GG_SPEC_UNSET || field->state == GG_SPEC_AUTO) return GG_OK;
  return gg_fail(err, PLAN_UNSUPPORTED, &field->mark, plan->target->family, what,
                 field->text ? field->text : "of this form", instead);
}

gg_status gg_check_all_unused(const gg_plan *plan, const gg_unused *all, size_t count,
                              gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < count && !st; i++)
    st = gg_check_unused(plan, all[i].field, all[i].what, all[i].instead, err);
  return st;
}

gg_status gg_check_multiple(const char *what, int64_t value, int64_t unit, const char *why,
                            const gg_mark *mark, gg_error *err) {
  if (value > 0 && value % unit == 0) return GG_OK;
  int64_t below = value / unit * unit;
  if (below <= 0) {
    return gg_fail(err, PLAN_TOO_SMALL, mark, what, (long long)value, (long long)unit, why);
  }
  return gg_fail(err, PLAN_MULTIPLE, mark, what, (long long)value, (long long)unit, why,
                 (long long)below, (long long)(below + unit));
}

int gg_swizzle_bytes(gg_swizzle_kind kind) {
  static const int bytes[] = {
      [GG_SWIZZLE_128B] = 128, [GG_SWIZZLE_64B] = 64,    [GG_SWIZZLE_32B] = 32,
      [GG_SWIZZLE_NONE] = 0,   [GG_SWIZZLE_PADDING] = 0,
  };
  return bytes[kind];
}

bool gg_plan_swizzles_wide(const gg_plan *plan, const gg_operand *operand) {
  bool k_major = operand->major == GG_MAJOR_K;
  return plan->cta_group > 0 && !k_major && gg_dtype_info_of(operand->type)->bits == 32;
}

const char *gg_swizzle_name(gg_swizzle_kind kind) {
  static const char *const names[] = {
      [GG_SWIZZLE_128B] = "128B", [GG_SWIZZLE_64B] = "64B",         [GG_SWIZZLE_32B] = "32B",
      [GG_SWIZZLE_NONE] = "none", [GG_SWIZZLE_PADDING] = "padding",
  };
  return names[kind];
}

const gg_mark *gg_element_mark(const gg_spec_field *field, int index) {
  return field->marks ? &field->marks[index] : &field->mark;
}

gg_status gg_check_cover(const char *name, const gg_layout *tv, int64_t elements, gg_error *err) {
  gg_layout distinct;
  gg_status st = gg_layout_filter_zeros(&distinct, tv, NULL, err);
  if (st) return st;
  int64_t covered = gg_layout_size(&distinct);
  if (covered == elements && gg_layout_is_bijective(&distinct)) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, name, (long long)covered, (long long)elements);
}

int64_t gg_smem_limit_for(const gg_plan *plan, int ctas) {
  int64_t share = plan->limits->smem_per_sm / ctas - GG_SMEM_RESERVED;
  return share < plan->limits->smem_per_cta ? share : plan->limits->smem_per_cta;
}

int64_t gg_smem_limit(const gg_plan *plan) {
  return gg_smem_limit_for(plan, plan->ctas_per_sm);
}

/* Appends the arithmetic of what the stages take, and of what stands beside them. */
static void add_stages(gg_str *out, const gg_plan *plan, const gg_smem_parts *parts) {
  int bits = gg_plan_smem_bits(plan, plan->a.type);
  bool whole = bits % 8 == 0;
  int rows_b = gg_plan_rows_of_b(plan, plan->tile_n);
  int k_of_a = gg_plan_k_of_a(plan, plan->tile_k);
  int64_t elements = (int64_t)plan->tile_m * k_of_a + (int64_t)rows_b * plan->tile_k;
  int64_t scales = gg_scale_bytes_a(plan) + gg_scale_bytes_b(plan);
  int64_t metadata = gg_metadata_bytes(plan);
  int64_t bare = gg_plan_smem_bytes(plan, plan->a.type, elements);
  gg_str_printf(out, "%d stages x (%dx%d + %dx%d) x %d %s = %lld B", plan->stages, plan->tile_m,
                k_of_a, rows_b, plan->tile_k, whole ? bits / 8 : bits, whole ? "B" : "bits",
                (long long)(plan->stages * bare));
  const struct {
    int64_t bytes;
    const char *what;
  } more[] = {
      {plan->stages * (parts->stage - bare - scales - metadata), "padding"},
      {plan->stages * scales, "scale factors"},
      {plan->stages * metadata, "metadata"},
      {parts->behind ? parts->staging : 0, "staging"},
      {parts->sums, "other CTAs' sums"},
      {parts->barriers, "barriers"},
  };
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    if (more[i].bytes)
      gg_str_printf(out, " + %lld B of %s", (long long)more[i].bytes, more[i].what);
  }
}

gg_status gg_check_smem(const gg_plan *plan, const gg_smem_parts *parts, int64_t most,
                        gg_error *err) {
  gg_str sum = GG_STR_INIT, advice = GG_STR_INIT;
  char arch[GG_ARCH_NAME_MAX], shared[32] = "";
  int64_t behind = parts->sums + parts->barriers + (parts->behind ? parts->staging : 0);
  if (plan->stages * parts->stage + behind > most) {
    add_stages(&sum, plan, parts);
  } else if (parts->in_place + behind > most) {
    gg_str_printf(&sum, "sums of %d warps along K in the stages' place take %lld B", plan->atoms_k,
                  (long long)parts->in_place);
    if (behind) gg_str_printf(&sum, " + %lld B of staging", (long long)behind);
  } else {
    gg_str_printf(&sum, "staging D in %d warps takes %lld B",
                  plan->threads / GG_WARP / plan->atoms_k, (long long)parts->staging);
  }
  int64_t fit = (most - behind) / parts->stage;
  if (parts->staging <= most && parts->in_place + behind <= most && fit >= 2) {
    gg_str_printf(&advice, "%lld stages fit", (long long)fit);
  } else {
    gg_str_puts(&advice, "take a smaller tile");
  }
  if (plan->ctas_per_sm > 1)
    snprintf(shared, sizeof shared, " with %d CTAs an SM", plan->ctas_per_sm);
  const gg_spec *spec = plan->spec;
  bool stages_count = spec->stages.state == GG_SPEC_SET && parts->in_place + behind <= most;
  const gg_spec_field *cause = stages_count ? &spec->stages : &spec->tile;
  gg_status st = gg_fail(err, DERIVE_SMEM, &cause->mark, gg_str_shown(&sum), (long long)most,
                         gg_arch_name(arch, plan->arch), shared, gg_str_shown(&advice));
  gg_str_free(&sum);
  gg_str_free(&advice);
  return st;
}
