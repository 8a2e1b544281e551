/* Family sm100: operands of 6 and 4 bits (plan/narrow.h), and what their copies ask of a spec. */
#include "atom/dtype.h"
#include "plan/check.h"
#include "plan/choices.h"
#include "plan/narrow.h"
#include "plan/sm100.h"
#include "plan/transpose.h"

static gg_status choose_operand(const gg_plan *plan, gg_operand *operand,
                                const gg_spec_operand *asked, bool is_a, gg_error *err) {
  if (gg_dtype_info_of(operand->type)->bits >= 8) return GG_OK;
  if (operand->major != GG_MAJOR_K)
    return gg_refuse_major(plan, asked, is_a != plan->swap_ab, "k: others of 8 and 16 bits alone",
                           err);
  if (!gg_plan_unpacks(plan, operand->type)) return GG_OK;
  if (asked->align.state != GG_SPEC_SET) operand->align = GG_UNPACKED_ALIGN;
  if (operand->align >= GG_UNPACKED_ALIGN) return GG_OK;
  return gg_refuse(plan, &asked->align,
                   is_a != plan->swap_ab ? "A of this type aligned to"
                                         : "B of this type aligned to",
                   asked->align.text, "32: what tensor maps that unpack elements take", err);
}

gg_status gg_sm100_choose_narrow(gg_plan *plan, gg_error *err) {
  gg_status st = choose_operand(plan, &plan->a, &plan->spec->a, true, err);
  return st ? st : choose_operand(plan, &plan->b, &plan->spec->b, false, err);
}

/* Why K has to be a multiple, for messages. `half`: only half of the operand's elements are stored.
 */
static const char *line_of_map(bool half) {
  return half ? "twice the stored elements of a line that a tensor map unpacks"
              : "elements of a line that a tensor map unpacks";
}

/* Checks that a line of a tensor map consists of whole bytes, or of whole units if elements are
 * unpacked. */
static gg_status check_fixed_k(const gg_plan *plan, gg_dtype type, bool half, gg_error *err) {
  int bits = gg_dtype_info_of(type)->bits, unit = GG_UNPACKED_LINE;
  if (plan->fixed_k == GG_FIXED_NONE || bits >= 8) return GG_OK;
  bool unpacked = gg_plan_unpacks(plan, type);
  return gg_check_multiple(
      "K of the problem", plan->fixed_k, unpacked ? half ? 2 * unit : unit : 8 / bits,
      unpacked ? line_of_map(half) : "elements of a byte", &plan->spec->problem.k.mark, err);
}

gg_status gg_sm100_check_narrow(const gg_plan *plan, int tile_k, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *swizzles[] = {&spec->swizzle.a, &spec->swizzle.b};
  const gg_dtype types[] = {plan->a.type, plan->b.type};
  for (int i = 0; i < 2; i++) {
    const gg_spec_field *asked = swizzles[i];
    bool half = i == 0 && plan->sparse_a;
    gg_status fixed = check_fixed_k(plan, types[i], half, err);
    if (fixed) return fixed;
    if (!gg_plan_unpacks(plan, types[i])) continue;
    gg_status st =
        gg_check_multiple("tile K", tile_k, half ? 2 * GG_UNPACKED_LINE : GG_UNPACKED_LINE,
                          line_of_map(half), gg_element_mark(&spec->tile, 2), err);
    if (st) return st;
    if (asked->state == GG_SPEC_SET && asked->number != GG_SWIZZLE_128B)
      return gg_refuse(plan, asked, "swizzle of elements of 4 and 6 bits", asked->text,
                       "128B: lines of 128 elements in a byte each", err);
  }
  return GG_OK;
}
