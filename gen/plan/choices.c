#include "plan/choices.h"

#include <string.h>

#include "atom/dtype.h"
#include "plan/elsewhere.h"
#include "plan/target.h"

gg_status gg_choose_atom(const gg_plan *plan, const gg_mma_atom *mma, const char *shape,
                         gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom;
  if (asked->state != GG_SPEC_SET) return GG_OK;
  gg_str ptx = GG_STR_INIT, cute = GG_STR_INIT, instead = GG_STR_INIT;
  gg_mma_atom_ptx(&ptx, mma);
  gg_mma_atom_cute(&cute, mma);
  const char *const names[] = {shape, gg_str_text(&ptx), gg_str_text(&cute)};
  gg_status st = ptx.failed || cute.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  if (st) goto done;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (*names[i] && strcmp(asked->text, names[i]) == 0) goto done;
  }
  gg_str_printf(&instead, "%s for these types: ", shape);
  if (ptx.length) gg_str_printf(&instead, "%s, ", gg_str_text(&ptx)); /* of one instruction */
  gg_str_puts(&instead, gg_str_text(&cute));
  st = gg_fail(err, PLAN_UNSUPPORTED, &asked->mark, plan->target->family, "atom", asked->text,
               gg_str_shown(&instead));
done:
  gg_str_free(&ptx);
  gg_str_free(&cute);
  gg_str_free(&instead);
  return st;
}

gg_status gg_refuse(const gg_plan *plan, const gg_spec_field *field, const char *what,
                    const char *asked, const char *instead, gg_error *err) {
  return gg_fail(err, PLAN_UNSUPPORTED, &field->mark, plan->target->family, what, asked, instead);
}

gg_status gg_refuse_major(const gg_plan *plan, const gg_spec_operand *asked, bool is_a,
                          const char *instead, gg_error *err) {
  return gg_refuse(plan, &asked->major,
                   is_a ? "A of this type with major" : "B of this type with major",
                   asked->major.text, instead, err);
}

/* Appends which other family has the type. If A and B differ, a family may have only one of the
 * two, beside an operand of the same type. */
static void say_elsewhere(gg_str *out, const gg_plan *plan, const gg_spec_field *field,
                          gg_dtype type) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field none = {.state = GG_SPEC_UNSET};
  size_t before = out->length;
  if (plan->scale_a.block || plan->sparse_a) return; /* other families' types say nothing here */
  if (field == &spec->a.type || field == &spec->b.type) {
    gg_elsewhere_types(out, plan, plan->a.type, plan->b.type, &none);
    if (out->length == before && field == &spec->a.type)
      gg_elsewhere_types(out, plan, type, type, &none);
  } else if (field == &spec->accumulator) {
    gg_elsewhere_types(out, plan, plan->a.type, plan->b.type, field);
  }
}

gg_status gg_refuse_type(const gg_plan *plan, const gg_spec_field *field, const char *what,
                         gg_dtype type, const char *instead, gg_error *err) {
  gg_str has = GG_STR_INIT;
  if (!err) return GG_E_PLAN_UNSUPPORTED; /* this call is a question of elsewhere.c */
  gg_str_puts(&has, instead);
  say_elsewhere(&has, plan, field, type);
  gg_status st = gg_fail(err, PLAN_UNSUPPORTED, &field->mark, plan->target->family, what,
                         gg_dtype_info_of(type)->name, gg_str_shown(&has));
  gg_str_free(&has);
  return st;
}

bool gg_is_even(int64_t fixed, int tile) {
  return fixed != GG_FIXED_NONE && fixed % tile == 0;
}

int gg_usual_extent(int64_t fixed, int unit, int most) {
  if (fixed == GG_FIXED_NONE || fixed >= most) return most;
  int extent = unit;
  while (extent < fixed)
    extent *= 2;
  return extent;
}

gg_status gg_choose_swizzle(gg_swizzle_kind *out, const gg_spec_field *asked, const char *operand,
                            int line, gg_error *err) {
  gg_swizzle_kind widest = line % 128 == 0  ? GG_SWIZZLE_128B
                           : line % 64 == 0 ? GG_SWIZZLE_64B
                           : line % 32 == 0 ? GG_SWIZZLE_32B
                                            : GG_SWIZZLE_NONE;
  *out = asked->state == GG_SPEC_SET ? (gg_swizzle_kind)asked->number : widest;
  int bytes = gg_swizzle_bytes(*out);
  if (bytes == 0 || line % bytes == 0) return GG_OK;
  return gg_fail(err, PLAN_SWIZZLE, &asked->mark, bytes, operand, line, gg_swizzle_name(widest));
}

gg_order gg_choose_raster(gg_status *st, const gg_plan *plan, const gg_orders *orders,
                          gg_error *err) {
  enum { usual_group = 8 };
  const gg_spec_field *order = &plan->spec->raster.order, *group = &plan->spec->raster.group,
                      *neighbours = &plan->spec->raster.neighbours;
  gg_order out = {
      .raster = order->state == GG_SPEC_SET ? (gg_raster)order->number : orders->usual,
      .claims = neighbours->state == GG_SPEC_SET && neighbours->number == GG_NEIGHBOURS_GPC,
  };
  out.group = group->state == GG_SPEC_SET ? (int)group->number
              : out.claims                ? orders->claimed
                                          : usual_group;
  *st = GG_OK;
  if (out.claims && !orders->claimed) {
    *st = gg_refuse(plan, neighbours, "raster neighbours", "gpc",
                    orders->no ? orders->no : "launch", err);
  } else if (out.raster == GG_RASTER_HILBERT) {
    *st = orders->hilbert
              ? gg_check_unused(plan, group, "raster group", "none with order hilbert", err)
              : gg_refuse(plan, order, "raster", order->text, "along_m and along_n", err);
  }
  return out;
}

void gg_plan_put_order(gg_plan *plan, const gg_order *order) {
  plan->raster = order->raster;
  plan->raster_group = order->group;
  plan->claims = order->claims;
}

int gg_choose_splits(const gg_plan *plan, gg_scheduler scheduler) {
  const gg_spec_field *asked = &plan->spec->scheduler.splits;
  bool splits = scheduler == GG_SCHEDULER_SPLIT_K && asked->state == GG_SPEC_SET;
  return splits ? (int)asked->number : 0;
}

gg_status gg_check_splits(const gg_plan *plan, gg_scheduler scheduler, gg_error *err) {
  if (scheduler == GG_SCHEDULER_SPLIT_K) return GG_OK;
  return gg_check_unused(plan, &plan->spec->scheduler.splits, "splits",
                         "none with this scheduler: kind split_k has", err);
}

int gg_access_bytes(gg_operand operand) {
  return operand.align < 16 ? operand.align : 16;
}

bool gg_stores_chunks(int64_t line_bytes) {
  enum { long_line = 64 };
  return line_bytes >= long_line;
}
