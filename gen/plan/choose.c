/* gg_spec -> gg_plan, as far as every family shares it: which family, the problem and its operands,
 * the kernel's name. The family decides everything else (`choose` of gg_target).
 *
 * Invariant: after gg_plan_choose no field is undecided, and nothing later reads the spec. */
#include "atom/dtype.h"
#include "atom/scale_layout.h"
#include "plan/choices.h"
#include "plan/elsewhere.h"
#include "plan/name.h"
#include "plan/target.h"
#include "plan/transpose.h"

static gg_status choose_target(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  plan->arch = spec->arch.arch;
  plan->limits = gg_arch_info_of(plan->arch.number);
  plan->device = gg_device_row(plan->arch.number);
  for (const gg_target *const *target = gg_targets; *target; target++) {
    if (!(*target)->accepts(spec)) continue;
    plan->target = *target;
    return GG_OK;
  }
  gg_str families = GG_STR_INIT;
  for (const gg_target *const *target = gg_targets; *target; target++) {
    gg_str_printf(&families, "%s%s (%s)", families.length ? ", " : "", (*target)->family,
                  (*target)->summary);
  }
  char arch[GG_ARCH_NAME_MAX];
  const gg_spec_field *schedule = &spec->schedule;
  bool asked = schedule->state == GG_SPEC_SET;
  gg_status st = gg_fail(err, PLAN_FAMILY, asked ? &schedule->mark : &spec->arch.mark,
                         gg_arch_name(arch, plan->arch), asked ? schedule->text : "auto",
                         gg_str_shown(&families));
  gg_str_free(&families);
  return st;
}

static gg_status choose_note(gg_plan *plan, gg_arena *arena, gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_elsewhere_note(&text, plan);
  bool said = text.length > 0;
  if (said && !text.failed) plan->note = gg_arena_strndup(arena, gg_str_text(&text), text.length);
  bool failed = text.failed || (said && !plan->note);
  gg_str_free(&text);
  return failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

static bool is_sparse(const gg_spec_operand *asked) {
  return asked->sparse.state == GG_SPEC_SET && asked->sparse.number;
}

/* The sparse operand of an MMA is always its A. That is the problem's A, or, if the problem is
 * transposed, the problem's B. */
static gg_status choose_sparsity(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->asked;
  bool a = is_sparse(&spec->a), b = is_sparse(&spec->b);
  plan->sparse_a = a || b;
  if (plan->sparse_a && !plan->target->sparse)
    return gg_refuse(
        plan, a ? &spec->a.sparse : &spec->b.sparse, "sparse", a ? "A" : "B",
        "dense operands: families sm80, sm100 and sm120 have a sparse A, and the latter two a sparse B",
        err);
  if (b && !plan->target->swaps_ab)
    return gg_refuse(plan, &spec->b.sparse, "sparse", "B",
                     "a sparse A: families sm100 and sm120 have a sparse B, by swap_ab", err);
  if (!a || !b) return GG_OK;
  return gg_refuse(plan, &spec->b.sparse, "sparse B", "beside a sparse A",
                   "one of them, the other dense", err);
}

static gg_status check_terms(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *swap = &plan->asked->swap_ab;
  bool a = is_sparse(&plan->asked->a), b = is_sparse(&plan->asked->b);
  if (a && plan->swap_ab)
    return gg_refuse(plan, swap, "swap_ab", swap->text,
                     "false beside a sparse A: an MMA's sparse operand is its A", err);
  if (b && !plan->swap_ab)
    return gg_refuse(plan, swap, "swap_ab", swap->text,
                     "true beside a sparse B: an MMA's sparse operand is its A", err);
  if (plan->swap_ab && gg_spec_is_gated(plan->asked))
    return gg_refuse(plan, b ? &plan->asked->b.sparse : swap, "swap_ab", "true",
                     "false beside gated: D^T has columns that belong together in rows", err);
  return GG_OK;
}

/* Decides whether the family plans the problem as it is or the transposed one. */
static gg_status choose_terms(gg_plan *plan, gg_arena *arena, gg_error *err) {
  const gg_spec_field *swap = &plan->asked->swap_ab;
  bool asked = swap->state == GG_SPEC_SET, (*swaps_ab)(const gg_spec *) = plan->target->swaps_ab;
  if (!swaps_ab) {
    return asked && swap->number ? gg_refuse(plan, swap, "swap_ab", swap->text, "false", err)
                                 : GG_OK;
  }
  plan->swap_ab = asked            ? swap->number
                  : plan->sparse_a ? is_sparse(&plan->asked->b)
                                   : !gg_spec_is_gated(plan->asked) && swaps_ab(plan->asked);
  gg_status st = check_terms(plan, err);
  if (st) return st;
  return plan->swap_ab ? gg_spec_transpose(&plan->spec, plan->asked, arena, err) : GG_OK;
}

/* Refuses `promote` if the family cannot promote sums. It is called after the family has taken the
 * types, because sums are promoted for few types. */
static gg_status check_promotion(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->promote;
  bool wanted = asked->state == GG_SPEC_SET && asked->number != 0;
  if (!wanted || plan->target->promotes) return GG_OK;
  return gg_refuse(plan, asked, "promote", asked->text, "0", err);
}

/* Decides how single bits are multiplied, the only elements for which there are two ways. */
static gg_status choose_bits(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->asked->bits;
  if (asked->state != GG_SPEC_SET) return GG_OK;
  if (!plan->target->bits)
    return gg_refuse(plan, asked, "bits", asked->text,
                     "numbers, which are multiplied: family sm80 has b1", err);
  plan->xor_bits = asked->number;
  if (plan->a.type == GG_DTYPE_b1) return GG_OK;
  return gg_refuse_type(plan, asked, "bits beside A of type", plan->a.type,
                        "them beside A and B of b1", err);
}

/* The scale factors that a spec asks for. If it does not name their type, factors of blocks of 16
 * are ue4m3, as in nvfp4, and others ue8m0. Beside a sparse A, blocks have twice as many elements.
 */
static gg_scaling chosen_scaling(const gg_spec_operand *asked, bool sparse) {
  const int stored = sparse ? 2 : 1, fine = 16 * stored;
  const gg_spec_field *type = &asked->scale.type, *block = &asked->scale.block;
  if (!gg_spec_is_scaled(asked)) return (gg_scaling){.block = 0};
  gg_dtype known = type->state == GG_SPEC_SET ? (gg_dtype)type->number : GG_DTYPE_ue8m0;
  gg_scaling out = {.block = gg_scale_usual_block(known) * stored};
  if (block->state == GG_SPEC_SET) out.block = (int)block->number;
  out.type = out.block == fine ? GG_DTYPE_ue4m3 : GG_DTYPE_ue8m0;
  if (type->state == GG_SPEC_SET) out.type = (gg_dtype)type->number;
  return out;
}

static gg_status choose_scales(gg_plan *plan, gg_error *err) {
  const gg_spec_operand *asked[] = {&plan->spec->a, &plan->spec->b};
  plan->scale_a = chosen_scaling(asked[0], plan->sparse_a);
  plan->scale_b = chosen_scaling(asked[1], plan->sparse_a);
  plan->scale_d = chosen_scaling(&plan->spec->d, false);
  if (plan->target->scales) return GG_OK;
  if (plan->scale_d.block)
    return gg_refuse(plan, &plan->spec->d.scale.here, "scale", "of D",
                     "one number for all of D: a scale in the epilogue", err);
  for (int i = 0; i < 2; i++) {
    if (gg_spec_is_scaled(asked[i]))
      return gg_refuse(plan, &asked[i]->scale.here, "scale", i == plan->swap_ab ? "of A" : "of B",
                       "scales of D in the epilogue", err);
  }
  return GG_OK;
}

static int64_t chosen_number(const gg_spec_field *field, int64_t otherwise) {
  return field->state == GG_SPEC_SET ? field->number : otherwise;
}

/* Decides whether batches are given by arrays of addresses. A kernel that copies by tensor maps has
 * one address for each operand, unless it can change its maps. */
static gg_status choose_pointers(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->asked->problem.pointers;
  plan->pointers = asked->state == GG_SPEC_SET && asked->number;
  if (!plan->pointers || plan->target->pointers) return GG_OK;
  return gg_refuse(
      plan, asked, "pointers", asked->text,
      "one address an operand, and a batch stride: the schedules with a warpgroup that "
      "loads have arrays of addresses, and families naive, simt and sm80",
      err);
}

static gg_status choose_trace(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->asked->trace;
  plan->trace = asked->state == GG_SPEC_SET && asked->number;
  if (!plan->trace || plan->target->traces) return GG_OK;
  return gg_refuse(plan, asked, "trace", asked->text, "false: all families but naive have stamps",
                   err);
}

static void choose_problem(gg_plan *plan) {
  const gg_spec *spec = plan->spec;
  plan->fixed_m = chosen_number(&spec->problem.m, GG_FIXED_NONE);
  plan->fixed_n = chosen_number(&spec->problem.n, GG_FIXED_NONE);
  plan->fixed_k = chosen_number(&spec->problem.k, GG_FIXED_NONE);
  plan->fixed_batch = chosen_number(&spec->problem.batch, GG_FIXED_NONE);
}

static int64_t fixed_extent(const gg_plan *plan, gg_major major) {
  return major == GG_MAJOR_M ? plan->fixed_m : major == GG_MAJOR_N ? plan->fixed_n : plan->fixed_k;
}

enum { widest_access = 16 /* bytes: one 128-bit access of a thread */ };

/* The alignment, in bytes, that is assumed if the spec says nothing: for a fixed extent what packed
 * lines have, but at least a byte; else as much as the widest access wants. */
static int usual_alignment(int64_t contiguous, int bits) {
  int align = widest_access;
  while (contiguous != GG_FIXED_NONE && align > 1 && align * 8 > bits &&
         contiguous * bits % (align * 8) != 0) {
    align /= 2;
  }
  return align;
}

static gg_operand choose_operand(const gg_plan *plan, const gg_spec_operand *asked,
                                 gg_operand usual) {
  gg_operand operand = usual;
  if (asked->type.state == GG_SPEC_SET) operand.type = (gg_dtype)asked->type.number;
  if (asked->major.state == GG_SPEC_SET) operand.major = (gg_major)asked->major.number;
  int bits = gg_dtype_info_of(operand.type)->bits;
  operand.align = asked->align.state == GG_SPEC_SET
                      ? (int)asked->align.number
                      : usual_alignment(fixed_extent(plan, operand.major), bits);
  return operand;
}

/* An alignment smaller than an element is a mistake. More than 16 bytes is allowed, but gains
 * nothing. */
static gg_status check_alignment(const gg_spec_operand *asked, gg_operand operand, gg_error *err) {
  int bytes = (int)gg_dtype_bytes(operand.type, 1);
  if (operand.align >= bytes) return GG_OK;
  return gg_fail(err, PLAN_ALIGN, &asked->align.mark, operand.align,
                 gg_dtype_info_of(operand.type)->name, bytes);
}

/* The same for D, whose lines are half as long behind a gate. */
static gg_operand choose_d(const gg_plan *plan, gg_operand usual) {
  gg_plan of_d = {.fixed_m = plan->fixed_m, .fixed_n = plan->fixed_n, .fixed_k = plan->fixed_k};
  if (gg_spec_is_gated(plan->spec) && of_d.fixed_n != GG_FIXED_NONE) of_d.fixed_n /= 2;
  return choose_operand(&of_d, &plan->spec->d, usual);
}

static gg_status choose_operands(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_operand usual = {.type = GG_DTYPE_f16, .major = GG_MAJOR_K};
  plan->a = choose_operand(plan, &spec->a, usual);
  usual.type = plan->a.type;
  plan->b = choose_operand(plan, &spec->b, usual);
  usual.major = GG_MAJOR_N;
  plan->d = choose_d(plan, usual);
  plan->has_c = gg_spec_has_c(spec);
  plan->c = choose_operand(plan, &spec->c, plan->d);
  gg_status st;
  if ((st = check_alignment(&spec->a, plan->a, err))) return st;
  if ((st = check_alignment(&spec->b, plan->b, err))) return st;
  if ((st = check_alignment(&spec->c, plan->c, err))) return st;
  return check_alignment(&spec->d, plan->d, err);
}

/* Refuses a promise that elements are rounded if they are of a type that nothing rounds. */
static gg_status check_rounded(const gg_plan *plan, gg_error *err) {
  const gg_spec_operand *asked[] = {&plan->spec->a, &plan->spec->b};
  const gg_operand *operands[] = {&plan->a, &plan->b};
  for (int i = 0; i < 2; i++) {
    if (!gg_spec_is_rounded(asked[i]) || operands[i]->type == GG_DTYPE_tf32) continue;
    return gg_refuse_type(
        plan, &asked[i]->rounded, i == plan->swap_ab ? "rounded A of type" : "rounded B of type",
        operands[i]->type, "those of tf32, which it rounds where nothing is promised", err);
  }
  return GG_OK;
}

/* The kernel's name: the spec's, or a derived one; and behind it, what a sweep varies. */
static gg_status choose_name(gg_plan *plan, gg_arena *arena, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_str text = GG_STR_INIT;
  if (spec->name.state == GG_SPEC_SET) {
    gg_str_puts(&text, spec->name.text);
  } else {
    gg_plan_name(&text, plan);
  }
  if (spec->variant[0]) gg_str_printf(&text, "_%s", spec->variant);
  if (spec->name.state != GG_SPEC_SET) gg_plan_cut_name(&text);
  plan->name = text.failed ? NULL : gg_arena_strndup(arena, gg_str_text(&text), text.length);
  gg_str_free(&text);
  return plan->name ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

gg_status gg_plan_choose(gg_plan *out, const gg_spec *spec, gg_arena *arena, gg_error *err) {
  gg_plan plan = {.spec = spec, .asked = spec, .atoms_k = 1};
  gg_status st;
  if ((st = choose_target(&plan, err))) return st;
  if ((st = choose_note(&plan, arena, err))) return st;
  if ((st = choose_pointers(&plan, err))) return st;
  if ((st = choose_trace(&plan, err))) return st;
  if ((st = choose_sparsity(&plan, err))) return st;
  if ((st = choose_terms(&plan, arena, err))) return st;
  choose_problem(&plan);
  if ((st = choose_operands(&plan, err))) return st;
  if ((st = check_rounded(&plan, err))) return st;
  if ((st = choose_bits(&plan, err))) return st;
  if ((st = choose_scales(&plan, err))) return st;
  if ((st = plan.target->choose(&plan, err))) return st;
  if ((st = check_promotion(&plan, err))) return st;
  if ((st = choose_name(&plan, arena, err))) return st;
  *out = plan;
  return GG_OK;
}
