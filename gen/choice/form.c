#include "choice/form.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "atom/scale_layout.h"
#include "base/decimal.h"
#include "base/need.h"
#include "base/sized.h"
#include "plan/narrow.h"
#include "spec/keys.h"

static char letter(gg_major major) {
  return major == GG_MAJOR_K ? 'k' : major == GG_MAJOR_M ? 'm' : 'n';
}

static const char *type_name(gg_dtype type) {
  return gg_dtype_info_of(type)->name;
}

bool gg_form_is_fp8(const gg_form *form) {
  const gg_dtype_info *a = gg_dtype_info_of(form->a.type);
  return a->bits == 8 && a->kind == 'f';
}

bool gg_same_scaling(gg_scaling left, gg_scaling right) {
  return left.block == right.block && (left.block == 0 || left.type == right.type);
}

int gg_form_stored(const gg_form *form) {
  return form->sparse_a || form->sparse_b ? 2 : 1;
}

void gg_scaled_type_name(gg_str *out, gg_dtype type, bool sparse, gg_scaling scaling, int stored) {
  gg_str_printf(out, "%s%s", type_name(type), sparse ? ":sparse" : "");
  if (!scaling.block) return;
  gg_str_printf(out, ":%s", type_name(scaling.type));
  if (scaling.block != gg_scale_usual_block(scaling.type) * stored)
    gg_str_printf(out, ":%d", scaling.block);
}

int gg_form_smem_bits(const gg_form *form, gg_dtype type) {
  return gg_smem_bits(type, gg_stays_packed(form->a.type, form->b.type, form->scale_a));
}

int gg_form_align_most(const gg_form *form, gg_dtype type) {
  enum { widest = 16 };
  bool unpacked = gg_form_smem_bits(form, type) > gg_dtype_info_of(type)->bits;
  return unpacked ? GG_UNPACKED_ALIGN : widest;
}

void gg_form_name(gg_str *out, const gg_form *form) {
  const gg_operand *operands[] = {&form->a, &form->b, &form->c, &form->d};
  bool fast = gg_form_is_fp8(form) && form->promote == GG_PROMOTE_NEVER;
  int stored = gg_form_stored(form);
  gg_scaled_type_name(out, form->a.type, form->sparse_a, form->scale_a, stored);
  gg_str_puts(out, form->xor_bits ? ":xor," : ",");
  gg_scaled_type_name(out, form->b.type, form->sparse_b, form->scale_b, stored);
  gg_str_putc(out, ',');
  gg_scaled_type_name(out, form->d.type, false, form->scale_d, 1);
  gg_str_printf(out, ",%s%s,%c%c%c", type_name(form->accumulator), fast ? "fast" : "",
                letter(form->a.major), letter(form->b.major), letter(form->d.major));
  if (form->promote > 0) gg_str_printf(out, "+p%d", form->promote);
  if (form->has_c) {
    gg_str_printf(out, "+c_%s", type_name(form->c.type));
    if (form->c.major != form->d.major) gg_str_putc(out, letter(form->c.major));
  }
  if (form->pointers) gg_str_puts(out, ",pointers");
  for (int i = 0; i < 4; i++) {
    bool most = operands[i]->align >= gg_form_align_most(form, operands[i]->type);
    if (most || (i == 2 && !form->has_c)) continue;
    gg_str_printf(out, ",%c%d", 'a' + i, operands[i]->align);
  }
}

/* ---- Epilogues -------------------------------------------------------------------------- */

gg_status gg_form_operations(gg_operations *out, const gg_form *form, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_spec spec;
  gg_status st = gg_spec_of_form(&spec, form, &arena, err);
  if (!st) gg_operations_asked(out, &spec, form->d.type, form->has_c);
  gg_arena_free(&arena);
  return st;
}

static gg_along along_of(const gg_operation *operation) {
  switch (gg_operation_span(operation)) {
  case GG_SPAN_MATRIX:
    return GG_ALONG_ELEMENTS;
  case GG_SPAN_NONE:
    return GG_ALONG_NONE;
  default:
    return gg_operation_span(operation) == GG_SPAN_ALL ? GG_ALONG_ALL : operation->along;
  }
}

gg_status gg_form_extras(gg_extra_facts *out, size_t *count, const gg_form *form, gg_error *err) {
  enum { align = 16 }; /* the operations do not depend on it */
  GG_NEED(err, out);
  GG_NEED(err, count);
  GG_NEED(err, form);
  gg_form own = GG_FORM_INIT;
  gg_operations all;
  *count = 0;
  gg_status st = gg_sized_read(&own, sizeof own, form, "gg_form", err);
  own.a.align = own.b.align = own.c.align = own.d.align = align;
  if (!own.has_c) own.c = own.d;
  if (!st) st = gg_form_check(&own, err);
  if (!st) st = gg_form_operations(&all, &own, err);
  if (st) return st;
  size_t gate = gg_operation_gate(all.list, all.count);
  for (size_t i = 0; i < all.count; i++) {
    const gg_operation *operation = &all.list[i];
    out[i] = (gg_extra_facts){.kind = operation->kind,
                              .along = along_of(operation),
                              .type = operation->operand.type,
                              .written = gg_operation_writes(operation),
                              .gated = i < gate && gate < all.count};
    gg_operation_word(out[i].name, all.list, i);
  }
  *count = all.count;
  return GG_OK;
}

static bool is_operation(const gg_operation *has, const gg_expression *expressions,
                         const gg_operations *all, const gg_operation *wanted) {
  gg_span span = gg_operation_span(wanted);
  bool typed = span != GG_SPAN_NONE;
  if (has->kind == GG_OP_EXPR && wanted->kind == GG_OP_EXPR &&
      !gg_expression_is_same(&expressions[has->expression],
                             &all->expressions.list[wanted->expression]))
    return false;
  return has->kind == wanted->kind && has->alpha == wanted->alpha && has->beta == wanted->beta &&
         has->scalars == wanted->scalars && has->form == wanted->form &&
         gg_operation_act(has) == gg_operation_act(wanted) &&
         gg_operation_splits(has) == gg_operation_splits(wanted) &&
         gg_operation_span(has) == span && has->numbers[0] == wanted->numbers[0] &&
         has->numbers[1] == wanted->numbers[1] &&
         (!typed || has->operand.type == wanted->operand.type);
}

bool gg_form_is_epilogue(const gg_operations *wanted, const gg_kernel *kernel) {
  bool is = kernel->operation_count == wanted->count;
  for (size_t i = 0; i < wanted->count && is; i++)
    is = is_operation(&kernel->operations[i], kernel->expressions, wanted, &wanted->list[i]);
  return is;
}

/* Appends an operation's kind, and then its options in the order of its row: "bias_n_bf16",
 * "linear_alpha_beta". */
static void name_operation(gg_str *out, const gg_operations *all, const gg_operation *op) {
  static const char *const along[] = {
      [GG_ALONG_M] = "_m", [GG_ALONG_N] = "_n", [GG_ALONG_ALL] = "_all"};
  char number[GG_DECIMAL_MAX];
  gg_span span = gg_operation_span(op);
  gg_str_puts(out, gg_op_info_of(op->kind)->name);
  if (op->alpha) gg_str_puts(out, "_alpha");
  if (op->beta) gg_str_puts(out, "_beta");
  if (op->scalars == GG_SCALARS_DEVICE) gg_str_puts(out, "_device");
  if (op->kind == GG_OP_GATED)
    gg_str_printf(out, "_%s%s", gg_operation_splits(op) ? "split_" : "",
                  gg_choice_word(GG_SET_ACT, gg_operation_act(op)));
  if (gg_operation_has_form(op)) gg_str_printf(out, "_%s", gg_choice_word(GG_SET_GELU, op->form));
  if (op->kind == GG_OP_EXPR) {
    gg_str_putc(out, '[');
    gg_expression_print(out, &all->expressions.list[op->expression]);
    gg_str_putc(out, ']');
  }
  for (int i = 0; i < gg_operation_numbers(op); i++)
    gg_str_printf(out, "_%s", gg_decimal_print(number, (double)op->numbers[i], true));
  if (span != GG_SPAN_NONE && span != GG_SPAN_MATRIX) gg_str_puts(out, along[op->along]);
  if (span != GG_SPAN_NONE) gg_str_printf(out, "_%s", type_name(op->operand.type));
}

gg_status gg_form_full_name(gg_str *out, const gg_form *form, gg_error *err) {
  gg_operations all;
  gg_form_name(out, form);
  if (!form->epilogue) return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  gg_status st = gg_form_operations(&all, form, err);
  if (st) return st;
  gg_str_puts(out, all.count ? "," : ",empty");
  for (size_t i = 0; i < all.count; i++) {
    if (i > 0) gg_str_putc(out, '+');
    name_operation(out, &all, &all.list[i]);
  }
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

/* ---- Checks ----------------------------------------------------------------------------- */

static bool is_type(gg_dtype type) {
  return (unsigned)type < GG_DTYPE_COUNT;
}

/* Checks an operand. It may have the major `usual` or `across`. */
static gg_status check_operand(const char *name, const gg_operand *operand, gg_major usual,
                               gg_major across, gg_error *err) {
  enum { most = 128 };
  char member[16], majors[32];
  int align = operand->align;
  if (!is_type(operand->type)) {
    snprintf(member, sizeof member, "%s.type", name);
    return gg_fail(err, GEMM_FIELD, NULL, member, (long long)operand->type, "a gg_dtype");
  }
  if (operand->major != usual && operand->major != across) {
    snprintf(member, sizeof member, "%s.major", name);
    snprintf(majors, sizeof majors, "GG_MAJOR_%s and GG_MAJOR_%s", usual == GG_MAJOR_K ? "K" : "N",
             across == GG_MAJOR_M ? "M" : "N");
    return gg_fail(err, GEMM_FIELD, NULL, member, (long long)operand->major, majors);
  }
  if (align >= 0 && align <= most && (align & (align - 1)) == 0) return GG_OK;
  snprintf(member, sizeof member, "%s.align", name);
  return gg_fail(err, GEMM_FIELD, NULL, member, (long long)align,
                 "a power of two up to 128, or 0 for what the problem has");
}

static gg_status check_scaling(const char *name, const gg_scaling *scaling, int stored,
                               gg_error *err) {
  char member[16];
  if (scaling->block == 0) return GG_OK;
  if (scaling->block != 16 * stored && scaling->block != 32 * stored) {
    snprintf(member, sizeof member, "%s.block", name);
    return gg_fail(err, GEMM_FIELD, NULL, member, (long long)scaling->block,
                   stored > 1 ? "32, 64 (zeros count), or 0 for no factors"
                              : "16, 32, or 0 for no factors");
  }
  if (scaling->type == GG_DTYPE_ue8m0 || scaling->type == GG_DTYPE_ue4m3) return GG_OK;
  snprintf(member, sizeof member, "%s.type", name);
  return gg_fail(err, GEMM_FIELD, NULL, member, (long long)scaling->type,
                 "GG_DTYPE_ue8m0 and GG_DTYPE_ue4m3");
}

gg_status gg_form_check(const gg_form *form, gg_error *err) {
  enum { most_promoted = 64 };
  gg_status st = check_operand("a", &form->a, GG_MAJOR_K, GG_MAJOR_M, err);
  if (!st) st = check_operand("b", &form->b, GG_MAJOR_K, GG_MAJOR_N, err);
  if (!st) st = check_operand("d", &form->d, GG_MAJOR_N, GG_MAJOR_M, err);
  if (!st && form->has_c) st = check_operand("c", &form->c, GG_MAJOR_N, GG_MAJOR_M, err);
  int stored = gg_form_stored(form);
  if (!st) st = check_scaling("scale_a", &form->scale_a, stored, err);
  if (!st) st = check_scaling("scale_b", &form->scale_b, stored, err);
  if (!st) st = check_scaling("scale_d", &form->scale_d, 1, err);
  if (!st && form->sparse_a && form->sparse_b)
    st = gg_fail(err, GEMM_FIELD, NULL, "sparse_b", 1LL, "0 beside a sparse A");
  if (st) return st;
  if (!is_type(form->accumulator)) {
    return gg_fail(err, GEMM_FIELD, NULL, "accumulator", (long long)form->accumulator,
                   "a gg_dtype");
  }
  if (form->promote >= GG_PROMOTE_NEVER && form->promote <= most_promoted) return GG_OK;
  return gg_fail(err, GEMM_FIELD, NULL, "promote", (long long)form->promote,
                 "GG_PROMOTE_AUTO, GG_PROMOTE_NEVER and 1 to 64");
}
