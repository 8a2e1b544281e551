#include "plan/elsewhere.h"

#include <string.h>

#include "atom/dtype.h"
#include "plan/target.h"
#include "spec/keys.h"

/* ---- Types ------------------------------------------------------------------------------ */

static void set_type(gg_spec_operand *operand, gg_dtype type) {
  operand->here.state = operand->type.state = GG_SPEC_SET;
  operand->type.number = type;
}

/* Makes a spec with nothing but these types and an architecture, and, if the target needs one, a
 * schedule, whose word is stored in `schedule`. False if the target accepts no such spec. */
static bool least_spec(gg_spec *out, gg_word *schedule, const gg_target *target, gg_dtype a,
                       gg_dtype b) {
  const gg_key *key = gg_key_find("schedule", strlen("schedule"));
  *out = (gg_spec){.variant = ""};
  *schedule = (gg_word){.text = ""};
  set_type(&out->a, a);
  set_type(&out->b, b);
  out->arch.state = GG_SPEC_SET;
  out->arch.arch = target->least;
  bool accepts = target->accepts(out);
  for (size_t i = 0; !accepts && gg_key_word(schedule, key, i); i++) {
    out->schedule.state = GG_SPEC_SET;
    out->schedule.number = schedule->value;
    out->schedule.text = schedule->text;
    accepts = target->accepts(out);
  }
  return accepts;
}

static bool takes(const gg_target *target, const gg_spec *spec) {
  gg_arena arena = GG_ARENA_INIT;
  gg_plan plan;
  gg_status st = gg_plan_choose(&plan, spec, &arena, NULL);
  bool taken = st == GG_OK && plan.target == target;
  gg_arena_free(&arena);
  return taken;
}

void gg_elsewhere_types(gg_str *out, const gg_plan *plan, gg_dtype a, gg_dtype b,
                        const gg_spec_field *accumulator) {
  const char *listed = plan->target->family;
  char arch[GG_ARCH_NAME_MAX];
  for (const gg_target *const *target = gg_targets; *target; target++) {
    gg_spec spec;
    gg_word schedule;
    if (strcmp((*target)->family, listed) == 0 ||
        strcmp((*target)->family, plan->target->family) == 0 ||
        !least_spec(&spec, &schedule, *target, a, b)) {
      continue;
    }
    bool sums = accumulator->state == GG_SPEC_SET;
    gg_dtype usual = gg_dtype_is_float(a) ? GG_DTYPE_f32 : GG_DTYPE_s32;
    set_type(&spec.d, sums ? (gg_dtype)accumulator->number : usual);
    if (sums) spec.accumulator = *accumulator;
    if (!takes(*target, &spec)) continue;
    gg_str_printf(out, "; family %s has it, for %s", (*target)->family,
                  gg_arch_name(arch, (*target)->least));
    if (schedule.text[0]) gg_str_printf(out, " with schedule %s", schedule.text);
    listed = (*target)->family;
  }
}

/* ---- Generations ------------------------------------------------------------------------ */

static bool same_generation(int number, int other) {
  return number / 10 == other / 10;
}

/* The family that the spec would get if it asked for its architecture's own features. */
static const gg_target *own_family(const gg_plan *plan) {
  for (const gg_target *const *target = gg_targets; *target; target++) {
    gg_spec spec = *plan->asked;
    spec.arch.arch = (*target)->least;
    if (same_generation((*target)->least.number, plan->arch.number) && (*target)->accepts(&spec))
      return *target;
  }
  return NULL;
}

/* Appends the instruction that only this generation has for these operands, such as "tcgen05.mma",
 * and gives the architecture that has it. False if the tables have none. */
static bool own_instruction(gg_str *out, gg_arch *arch, int number, gg_dtype a) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (size_t i = 0; i < count; i++) {
    if (rows[i].kind == GG_MMA_sync || !same_generation(rows[i].arch.number, number)) continue;
    if (!gg_mma_row_takes(&rows[i], a)) continue;
    const char *dot = strchr(rows[i].ptx, '.'), *end = dot ? strchr(dot + 1, '.') : NULL;
    if (!end) continue;
    gg_str_append(out, rows[i].ptx, (size_t)(end - rows[i].ptx));
    *arch = rows[i].arch;
    return true;
  }
  return false;
}

/* A's type as choose.c resolves it if the spec names none. */
static gg_dtype type_of_a(const gg_spec *spec) {
  return spec->a.type.state == GG_SPEC_SET ? (gg_dtype)spec->a.type.number : GG_DTYPE_f16;
}

void gg_elsewhere_note(gg_str *out, const gg_plan *plan) {
  const gg_target *target = plan->target;
  bool own_features = target->least.suffix && gg_arch_runs(plan->arch, target->least);
  bool older = plan->arch.number / 10 > target->least.number / 10 && !target->ageless &&
               !own_features;                                   /* sm_110 has those of sm_100 */
  if (!older || plan->asked->atom.state == GG_SPEC_SET) return; /* what is named is meant */
  char name[GG_ARCH_NAME_MAX];
  gg_str instruction = GG_STR_INIT;
  gg_arch arch;
  const gg_target *own = own_family(plan);
  gg_str_printf(out, "family %s was chosen: %s; ", target->family, target->summary);
  if (own) {
    gg_str_printf(out, "arch %s has family %s: %s", gg_arch_name(name, own->least), own->family,
                  own->summary);
  } else if (own_instruction(&instruction, &arch, plan->arch.number, type_of_a(plan->asked))) {
    gg_str_printf(out, "no family has the %s of %s yet", gg_str_text(&instruction),
                  gg_arch_name(name, arch));
  } else {
    gg_str_printf(out, "no family has more for %s", gg_arch_name(name, plan->arch));
  }
  out->failed = out->failed || instruction.failed;
  gg_str_free(&instruction);
}
