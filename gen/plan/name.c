/* The names of kernels that the spec does not name. They can be decoded.
 *
 * A name begins with what every kernel has: family, types, majors, tile, stages. Behind that stands
 * one word for each decision that is unusual, or that the spec asked for in place of what would
 * have been chosen; plan.def says which word a decision has, and where it stands. So specs that
 * differ in a decision get different names, and usual kernels get short ones. A name that would be
 * too long is cut and ends with a hash of the whole. */
#include "plan/name.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "base/decimal.h"
#include "plan/operation.h"
#include "plan/target.h"
#include "plan/transpose.h"
#include "spec/keys.h"

static const char letter[] = {[GG_MAJOR_K] = 'k', [GG_MAJOR_M] = 'm', [GG_MAJOR_N] = 'n'};

static const char *type_name(gg_dtype type) {
  return gg_dtype_info_of(type)->name;
}

static bool asks(const gg_spec_field *field) {
  return field->state == GG_SPEC_SET;
}

/* ---- Words: each where plan.def says so ---------------------------------------------------- */

static void word_cluster(gg_str *out, const gg_plan *plan) {
  if (gg_plan_cluster_size(plan) == 1) return;
  gg_str_printf(out, "_c%dx%d", plan->cluster_m, plan->cluster_n);
  if (plan->cluster_k > 1) gg_str_printf(out, "x%d", plan->cluster_k);
}

static void word_ctas_per_sm(gg_str *out, const gg_plan *plan) {
  if (plan->ctas_per_sm > 1) gg_str_printf(out, "_x%d", plan->ctas_per_sm);
}

static void word_pingpong(gg_str *out, const gg_plan *plan) {
  if (plan->pingpong) gg_str_puts(out, "_pingpong");
}

static void word_swap(gg_str *out, const gg_plan *plan) {
  if (plan->swap_ab) gg_str_puts(out, "_swap");
}

static void word_scheduler(gg_str *out, const gg_plan *plan) {
  if (asks(&plan->asked->scheduler.kind))
    gg_str_printf(out, "_%s", plan->asked->scheduler.kind.text);
}

static void word_splits(gg_str *out, const gg_plan *plan) {
  if (plan->splits) gg_str_printf(out, "_%d", plan->splits);
}

static void word_raster(gg_str *out, const gg_plan *plan) {
  if (asks(&plan->asked->raster.order)) gg_str_printf(out, "_%s", plan->asked->raster.order.text);
}

static void word_raster_group(gg_str *out, const gg_plan *plan) {
  if (asks(&plan->asked->raster.group)) gg_str_printf(out, "_band%d", plan->raster_group);
}

static void word_claims(gg_str *out, const gg_plan *plan) {
  if (plan->claims) gg_str_puts(out, "_gpc");
}

/* The schedule, if nothing else in a name tells it. */
static void word_schedule(gg_str *out, const gg_plan *plan) {
  const gg_spec_field *schedule = &plan->asked->schedule;
  bool special = asks(schedule) && (schedule->number == GG_SCHEDULE_MULTISTAGE ||
                                    schedule->number == GG_SCHEDULE_WARP_SPECIALIZED);
  if (special) gg_str_printf(out, "_%s", schedule->text);
}

static void word_atom_layout(gg_str *out, const gg_plan *plan) {
  if (!asks(&plan->asked->atom_layout)) return;
  bool apart = gg_plan_in_tensor_memory(plan); /* there one CTA issues all atoms */
  gg_str_printf(out, "_w%dx%d", apart ? plan->tile_m / gg_plan_mma_rows(plan) : plan->atoms_m,
                apart ? plan->tile_n / plan->mma.n : plan->atoms_n);
  if (plan->atoms_k > 1) gg_str_printf(out, "x%d", plan->atoms_k);
}

static void word_turns(gg_str *out, const gg_plan *plan) {
  if (plan->turns_m) gg_str_puts(out, "_turns");
}

static void word_source_of_a(gg_str *out, const gg_plan *plan) {
  if (plan->a_in_registers) gg_str_puts(out, "_rs");
  if (plan->a_in_tensor) gg_str_puts(out, "_ts");
}

static void word_swizzles(gg_str *out, const gg_plan *plan) {
  static const char *const words[] = {[GG_SWIZZLE_128B] = "128",
                                      [GG_SWIZZLE_64B] = "64",
                                      [GG_SWIZZLE_32B] = "32",
                                      [GG_SWIZZLE_NONE] = "none",
                                      [GG_SWIZZLE_PADDING] = "padding"};
  const gg_spec_field *a = &plan->asked->swizzle.a, *b = &plan->asked->swizzle.b;
  if (asks(a) && asks(b) && a->number == b->number) {
    gg_str_printf(out, "_swizzle_%s", words[a->number]);
    return;
  }
  if (asks(a)) gg_str_printf(out, "_swizzle_a_%s", words[a->number]);
  if (asks(b)) gg_str_printf(out, "_swizzle_b_%s", words[b->number]);
}

static void word_arch(gg_str *out, const gg_plan *plan) {
  char arch[GG_ARCH_NAME_MAX];
  gg_arch least = plan->target->least;
  if (plan->arch.number != least.number || plan->arch.suffix != least.suffix)
    gg_str_printf(out, "_%s", gg_arch_name(arch, plan->arch));
}

enum { usual_alignment = 16 };

static void word_align_a(gg_str *out, const gg_plan *plan) {
  if (plan->a.align != usual_alignment) gg_str_printf(out, "_a%d", plan->a.align);
}

static void word_align_b(gg_str *out, const gg_plan *plan) {
  if (plan->b.align != usual_alignment) gg_str_printf(out, "_b%d", plan->b.align);
}

static void word_align_c(gg_str *out, const gg_plan *plan) {
  if (plan->has_c && plan->c.align != plan->d.align) gg_str_printf(out, "_c%d", plan->c.align);
}

static void word_align_d(gg_str *out, const gg_plan *plan) {
  if (plan->d.align != usual_alignment) gg_str_printf(out, "_d%d", plan->d.align);
}

/* If D is aligned to less, another word implies it already. */
static void word_store_d(gg_str *out, const gg_plan *plan) {
  const gg_spec_field *store = &plan->asked->d.store;
  bool lanes = asks(store) && store->number == GG_STORE_LANES;
  if (lanes && plan->d.align >= usual_alignment) gg_str_puts(out, "_lanes");
}

static void word_c(gg_str *out, const gg_plan *plan) {
  if (!plan->has_c) return;
  gg_str_puts(out, "_with_c");
  if (plan->c.type != plan->d.type) gg_str_printf(out, "_%s", type_name(plan->c.type));
  if (plan->c.major != plan->d.major) gg_str_printf(out, "_%c", letter[plan->c.major]);
}

/* One word for both operands, which are scaled alike. */
static void word_scale_a(gg_str *out, const gg_plan *plan) {
  if (plan->scale_a.block)
    gg_str_printf(out, "_%s_block%d", type_name(plan->scale_a.type), plan->scale_a.block);
}

static void word_scale_d(gg_str *out, const gg_plan *plan) {
  if (plan->scale_d.block)
    gg_str_printf(out, "_d_%s_block%d", type_name(plan->scale_d.type), plan->scale_d.block);
}

static void word_rounded(gg_str *out, const gg_plan *plan) {
  if (plan->rounded_a && plan->rounded_b) {
    gg_str_puts(out, "_rounded");
  } else if (plan->rounded_a || plan->rounded_b) {
    gg_str_printf(out, "_rounded_%c", plan->rounded_a ? 'a' : 'b');
  }
}

static void word_sparse(gg_str *out, const gg_plan *plan) {
  if (plan->sparse_a) gg_str_puts(out, "_sparse");
}

static void word_bits(gg_str *out, const gg_plan *plan) {
  if (plan->xor_bits) gg_str_puts(out, "_xor");
}

static void word_pointers(gg_str *out, const gg_plan *plan) {
  if (plan->pointers) gg_str_puts(out, "_pointers");
}

static void word_trace(gg_str *out, const gg_plan *plan) {
  if (plan->trace) gg_str_puts(out, "_trace");
}

static void word_promote(gg_str *out, const gg_plan *plan) {
  if (plan->promote) gg_str_printf(out, "_promote%d", plan->promote);
}

static void word_cta_group(gg_str *out, const gg_plan *plan) {
  if (plan->cta_group > 1) gg_str_puts(out, "_pair");
}

static void word_accumulator_stages(gg_str *out, const gg_plan *plan) {
  if (asks(&plan->asked->accumulator_stages))
    gg_str_printf(out, "_acc%d", plan->accumulator_stages);
}

static void name_extent(gg_str *out, const char *name, int64_t fixed) {
  if (fixed != GG_FIXED_NONE) gg_str_printf(out, "_%s%lld", name, (long long)fixed);
}

static void word_extents(gg_str *out, const gg_plan *plan) {
  name_extent(out, "m", plan->fixed_m);
  name_extent(out, "n", plan->fixed_n);
  name_extent(out, "k", plan->fixed_k);
  name_extent(out, "batch", plan->fixed_batch);
}

static void name_linear(gg_str *out, const gg_plan *plan, const gg_operation *op) {
  if (op->alpha && op->beta == plan->has_c) {
    gg_str_puts(out, "_linear");
  } else {
    gg_str_puts(out, op->alpha ? "_alpha" : op->beta ? "_beta" : "_sum");
  }
  if (op->scalars == GG_SCALARS_DEVICE) gg_str_puts(out, "_device");
}

/* FNV-1a. */
static uint32_t hash_of(const char *text) {
  uint32_t hash = 2166136261u;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

/* Appends a hash such as "_1a2b3c4d", which tells expressions apart. */
static void name_expression(gg_str *out, const gg_expression *expression) {
  gg_str text = GG_STR_INIT;
  gg_expression_print(&text, expression);
  gg_str_printf(out, "_%08x", hash_of(gg_str_text(&text)));
  if (text.failed) out->failed = true;
  gg_str_free(&text);
}

/* "_0p01" for 0.01, "_m1" for -1. */
static void name_real(gg_str *out, float value) {
  char text[GG_DECIMAL_MAX];
  gg_decimal_print(text, (double)value, true);
  gg_str_putc(out, '_');
  for (const char *at = text; *at; at++) {
    if (*at != '+') gg_str_putc(out, *at == '.' ? 'p' : *at == '-' ? 'm' : *at);
  }
}

static void name_operation(gg_str *out, const gg_plan *plan, const gg_operation *op) {
  static const char *const along[] = {
      [GG_SPAN_ALL] = "", [GG_SPAN_ROWS] = "_m", [GG_SPAN_COLUMNS] = "_n", [GG_SPAN_MATRIX] = ""};
  gg_span span = gg_operation_span(op);
  if (op->kind == GG_OP_LINEAR) {
    name_linear(out, plan, op);
    return;
  }
  gg_str_printf(out, "_%s", gg_op_info_of(op->kind)->name);
  if (op->kind == GG_OP_GATED)
    gg_str_printf(out, "_%s%s", gg_operation_splits(op) ? "split_" : "",
                  gg_choice_word(GG_SET_ACT, gg_operation_act(op)));
  if (gg_operation_has_form(op) && op->form != GG_GELU_ERF)
    gg_str_printf(out, "_%s", gg_choice_word(GG_SET_GELU, op->form));
  if (op->kind == GG_OP_EXPR) name_expression(out, &plan->expressions.list[op->expression]);
  for (int i = 0; i < gg_operation_numbers(op); i++)
    name_real(out, op->numbers[i]);
  if (span == GG_SPAN_NONE) return;
  gg_dtype usual = gg_operation_usual_type(op->kind, plan->d.type);
  gg_str_puts(out, along[span]);
  if (op->operand.type != usual) gg_str_printf(out, "_%s", type_name(op->operand.type));
}

static void word_epilogue(gg_str *out, const gg_plan *plan) {
  if (!asks(&plan->asked->epilogue)) return;
  if (plan->operation_count == 0) gg_str_puts(out, "_sum");
  for (size_t i = 0; i < plan->operation_count; i++)
    name_operation(out, plan, &plan->operations[i]);
}

/* ---- The name --------------------------------------------------------------------------- */

typedef void word(gg_str *out, const gg_plan *plan);

enum { places = 33 };

/* The words by their places. */
#define FRONT
#define FOLLOWS
#define SAID(member)
#define WORD(place, which) [place] = word_##which,
static word *const words[places] = {
#define GG_DECISION(type, member, transposed, name, report) name
#include "plan/plan.def"
};

static void name_front(gg_str *out, const gg_plan *plan) {
  gg_str_printf(out, "gemm_%s_%s_%s_%s_%s_%c%c%c_%dx%dx%d_s%d", plan->target->family,
                type_name(plan->a.type), type_name(plan->b.type), type_name(plan->d.type),
                type_name(plan->accumulator), letter[plan->a.major], letter[plan->b.major],
                letter[plan->d.major], plan->tile_m, plan->tile_n, plan->tile_k, plan->stages);
}

void gg_plan_name(gg_str *out, const gg_plan *chosen) {
  const gg_plan plan = gg_plan_as_asked(chosen);
  name_front(out, &plan);
  for (size_t i = 0; i < places; i++) {
    if (words[i]) words[i](out, &plan);
  }
}

void gg_plan_cut_name(gg_str *name) {
  enum { most = 88, hash_digits = 8 }; /* a line of the text has room for `most` */
  if (name->failed || name->length <= most) return;
  uint32_t hash = hash_of(gg_str_text(name));
  name->length = most - hash_digits - 1;
  while (name->text[name->length - 1] == '_')
    name->length--;
  gg_str_printf(name, "_%08x", hash);
}
