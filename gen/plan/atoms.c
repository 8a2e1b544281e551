#include "plan/atoms.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "plan/choices.h"
#include "plan/target.h"
#include "plan/transpose.h"

/* ---- Queries ---------------------------------------------------------------------------- */

/* The operand types that a row must multiply; GG_DTYPE_COUNT: any. */
typedef struct wanted {
  gg_dtype a, b;
} wanted;

/* Whether the row multiplies scaled e2m1 by e2m1 in a byte each: a row that takes them packed is
 * twice as fast. */
static bool is_slower(const gg_mma_row *row, wanted types) {
  bool both = types.a == GG_DTYPE_e2m1 && types.b == GG_DTYPE_e2m1;
  return row->block && both && row->a != GG_DTYPE_e2m1;
}

/* The next row after `row` (NULL: the first one) that multiplies these types and that the family
 * can use; NULL at the end. The types are compared first, because most rows fail there. */
static const gg_mma_row *next_row(const gg_plan *plan, wanted types, const gg_mma_row *row) {
  size_t count;
  const gg_mma_row *table = gg_mma_table(&count), *end = table + count;
  for (row = row ? row + 1 : table; row < end; row++) {
    if (!gg_mma_row_multiplies(row, types.a, types.b)) continue;
    if (row->block != plan->scale_a.block || is_slower(row, types)) continue;
    if (row->sparse != plan->sparse_a || gg_mma_row_is_xor(row) != plan->xor_bits) continue;
    if (plan->target->has_atom(row) && gg_arch_runs(plan->arch, row->arch)) return row;
  }
  return NULL;
}

static wanted any_types(void) {
  return (wanted){GG_DTYPE_COUNT, GG_DTYPE_COUNT};
}

static wanted inputs_of(const gg_plan *plan) {
  return (wanted){plan->a.type, plan->b.type};
}

/* The types of one operand that a row multiplies, given the wanted type of the other. */
static gg_type_set types_of(const gg_mma_row *row, gg_mma_operand operand, wanted beside) {
  gg_type_set types = 0;
  for (int i = 0; i < GG_DTYPE_COUNT; i++) {
    gg_dtype type = (gg_dtype)i;
    bool has = operand == GG_MMA_A ? gg_mma_row_multiplies(row, type, beside.b)
                                   : gg_mma_row_multiplies(row, beside.a, type);
    if (has) types |= gg_type_bit(type);
  }
  return types;
}

/* The types in which a row can sum products with the plan's A. */
static gg_type_set sums_of(const gg_plan *plan, const gg_mma_row *row) {
  gg_type_set types = 0;
  for (int i = 0; i < GG_DTYPE_COUNT; i++) {
    if (gg_mma_row_sums(row, plan->a.type, (gg_dtype)i)) types |= gg_type_bit((gg_dtype)i);
  }
  return types;
}

gg_type_set gg_atoms_types(const gg_plan *plan, gg_mma_operand operand) {
  gg_type_set types = 0;
  wanted beside = operand == GG_MMA_C ? inputs_of(plan) : any_types();
  if (operand == GG_MMA_B) beside.a = plan->a.type;
  for (const gg_mma_row *row = NULL; (row = next_row(plan, beside, row));)
    types |= operand == GG_MMA_C ? sums_of(plan, row) : types_of(row, operand, beside);
  return types;
}

const gg_mma_row *gg_atoms_row(const gg_plan *plan, gg_mma_source source_a) {
  for (const gg_mma_row *row = NULL; (row = next_row(plan, inputs_of(plan), row));) {
    if (gg_mma_row_sums(row, plan->a.type, plan->accumulator) && row->source_a == source_a)
      return row;
  }
  return NULL;
}

static bool is_widened(const gg_mma_row *row, const gg_mma_atom *of) {
  bool halves = row->a == GG_DTYPE_f16 && row->b == GG_DTYPE_f16 && row->c == of->c;
  return halves && row->kind == of->row->kind && row->threads == of->row->threads &&
         gg_mma_row_is_plain(row) && row->m == of->m && row->n == of->n && row->k * 2 == of->k;
}

gg_mma_atom gg_issued_atom(const gg_plan *plan) {
  size_t count;
  gg_mma_atom out = plan->mma;
  const gg_mma_row *table = gg_mma_table(&count);
  for (size_t i = 0; plan->widens && i < count; i++) {
    if (is_widened(&table[i], &plan->mma)) gg_mma_row_atom(&out, &table[i], table[i].n);
  }
  return out;
}

/* ---- Types ------------------------------------------------------------------------------ */

/* Appends an item of a list of `count` items, of which `at` are already there, with what separates
 * them. */
static void print_item(gg_str *out, const char *item, int at, int count) {
  gg_str_printf(out, "%s%s", at == 0 ? "" : at + 1 == count ? " and " : ", ", item);
}

void gg_type_set_print(gg_str *out, gg_type_set types, gg_dtype first) {
  int count = 0, at = 0;
  for (gg_type_set left = types; left; left &= left - 1)
    count++;
  if (first < GG_DTYPE_COUNT && types & gg_type_bit(first))
    print_item(out, gg_dtype_info_of(first)->name, at++, count);
  for (int type = 0; type < GG_DTYPE_COUNT; type++) {
    if ((gg_dtype)type != first && types & gg_type_bit((gg_dtype)type))
      print_item(out, gg_dtype_info_of((gg_dtype)type)->name, at++, count);
  }
}

gg_status gg_refuse_types(const gg_plan *plan, const gg_spec_field *field, const char *what,
                          gg_dtype type, gg_type_set has, const char *behind, gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_type_set_print(&text, has, GG_DTYPE_COUNT);
  gg_str_puts(&text, behind);
  gg_status st = gg_refuse_type(plan, field, what, type, gg_str_shown(&text), err);
  gg_str_free(&text);
  return st;
}

gg_status gg_choose_inputs(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  if (next_row(plan, inputs_of(plan), NULL)) return GG_OK;
  gg_dtype a = plan->a.type, b = plan->b.type;
  gg_type_set of_a = gg_atoms_types(plan, GG_MMA_A), of_b = gg_atoms_types(plan, GG_MMA_B);
  char beside[48] = "";
  if (plan->scale_a.block)
    snprintf(beside, sizeof beside, " with scales of blocks of %d", plan->scale_a.block);
  if (!(of_a & gg_type_bit(a))) {
    return gg_refuse_types(plan, &spec->a.type, gg_as_asked(plan, "A of type", "B of type"), a,
                           of_a, beside, err);
  }
  const char *name = gg_as_asked(plan, "A", "B");
  if (of_b == gg_type_bit(a)) {
    snprintf(beside, sizeof beside, ", as %s is", name);
  } else {
    snprintf(beside, sizeof beside, " beside %s of %s", name, gg_dtype_info_of(a)->name);
  }
  return gg_refuse_types(plan, &spec->b.type, gg_as_asked(plan, "B of type", "A of type"), b, of_b,
                         beside, err);
}

static gg_dtype widest(gg_type_set types) {
  gg_dtype best = GG_DTYPE_COUNT;
  for (int type = 0; type < GG_DTYPE_COUNT; type++) {
    if (!(types & gg_type_bit((gg_dtype)type))) continue;
    int bits = gg_dtype_info_of((gg_dtype)type)->bits;
    if (best == GG_DTYPE_COUNT || bits > gg_dtype_info_of(best)->bits) best = (gg_dtype)type;
  }
  return best;
}

gg_status gg_choose_accumulator(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->accumulator;
  gg_type_set types = gg_atoms_types(plan, GG_MMA_C);
  gg_dtype usual = widest(types);
  plan->accumulator = asked->state == GG_SPEC_SET ? (gg_dtype)asked->number : usual;
  if (types & gg_type_bit(plan->accumulator)) return GG_OK;
  gg_str has = GG_STR_INIT;
  gg_type_set_print(&has, types, usual);
  gg_str_puts(&has, " for ");
  gg_type_set_print(&has, gg_type_bit(plan->a.type) | gg_type_bit(plan->b.type), GG_DTYPE_COUNT);
  gg_str_puts(&has, " operands");
  gg_status st = gg_refuse_type(plan, asked, "accumulator of type", plan->accumulator,
                                gg_str_shown(&has), err);
  gg_str_free(&has);
  return st;
}

/* ---- Sources ---------------------------------------------------------------------------- */

gg_status gg_check_source(const gg_plan *plan, const gg_spec_field *field, gg_mma_operand operand,
                          const char *what, gg_error *err) {
  static const struct {
    gg_mma_source source;
    const char *word;
  } sources[] = {
      [GG_SOURCE_SHARED] = {GG_MMA_SHARED, "shared"},
      [GG_SOURCE_REGISTERS] = {GG_MMA_REGISTERS, "registers"},
      [GG_SOURCE_TENSOR_MEMORY] = {GG_MMA_TENSOR, "tensor_memory"},
  };
  enum { all = sizeof sources / sizeof *sources };
  if (field->state != GG_SPEC_SET) return GG_OK;
  bool has[all] = {false};
  int count = 0, at = 0;
  for (const gg_mma_row *row = NULL; (row = next_row(plan, inputs_of(plan), row));) {
    if (!gg_mma_row_sums(row, plan->a.type, plan->accumulator)) continue;
    gg_mma_source source = operand == GG_MMA_A ? row->source_a : row->source_b;
    for (int i = 0; i < all; i++)
      has[i] |= sources[i].source == source;
  }
  if (has[field->number]) return GG_OK;
  gg_str words = GG_STR_INIT;
  for (int i = 0; i < all; i++)
    count += has[i];
  for (int i = 0; i < all; i++) {
    if (has[i]) print_item(&words, sources[i].word, at++, count);
  }
  gg_status st = gg_refuse(plan, field, what, field->text, gg_str_shown(&words), err);
  gg_str_free(&words);
  return st;
}
