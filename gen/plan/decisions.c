/* Plans as their decisions, row by row of plan.def: which two are one kernel, and the plan of the
 * transposed problem.
 *
 * A row knows its C type. For each type that a decision has there are two functions here: one that
 * prints a value in full, so that two values read alike only where they are, and one that
 * transposes it, where it speaks of M or N; most do not. */
#include "plan/decisions.h"

#include <string.h>

#include "atom/dtype.h"
#include "plan/target.h"

/* ---- Values ----------------------------------------------------------------------------- */

/* A lineup has hundreds of plans and each dozens of numbers: printf is slow for that. */
static void print_number(gg_str *out, int64_t value) {
  char digits[24];
  size_t at = sizeof digits;
  uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
  do
    digits[--at] = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  if (value < 0) digits[--at] = '-';
  gg_str_append(out, digits + at, sizeof digits - at);
}

/* Numbers behind each other, each behind a comma. */
static void print_numbers(gg_str *out, size_t count, const int64_t *numbers) {
  for (size_t i = 0; i < count; i++) {
    gg_str_putc(out, ',');
    print_number(out, numbers[i]);
  }
}

#define GG_NUMBERS(out, ...)                                                                       \
  print_numbers(out, sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t),                       \
                (const int64_t[]){__VA_ARGS__})

static void print_int64_t(gg_str *out, const int64_t *value) {
  print_number(out, *value);
}

static void print_int(gg_str *out, const int *value) {
  print_number(out, *value);
}

static void print_size_t(gg_str *out, const size_t *value) {
  print_number(out, (int64_t)*value);
}

static void print_bool(gg_str *out, const bool *value) {
  print_number(out, *value);
}

static void print_gg_dtype(gg_str *out, const gg_dtype *value) {
  gg_str_puts(out, gg_dtype_info_of(*value)->name);
}

static void print_gg_swizzle_kind(gg_str *out, const gg_swizzle_kind *value) {
  gg_str_puts(out, gg_swizzle_name(*value));
}

static void print_gg_scheduler(gg_str *out, const gg_scheduler *value) {
  print_number(out, *value);
}

static void print_gg_raster(gg_str *out, const gg_raster *value) {
  print_number(out, *value);
}

/* A family may have several targets. */
static void print_gg_family(gg_str *out, const gg_family *value) {
  gg_str_puts(out, (*value)->family);
  GG_NUMBERS(out, (*value)->id);
}

static void print_gg_arch(gg_str *out, const gg_arch *value) {
  char name[GG_ARCH_NAME_MAX];
  gg_str_puts(out, gg_arch_name(name, *value));
}

static void print_gg_operand(gg_str *out, const gg_operand *value) {
  print_gg_dtype(out, &value->type);
  GG_NUMBERS(out, value->major, value->align);
}

static void print_gg_mma_atom(gg_str *out, const gg_mma_atom *value) {
  gg_str_puts(out, value->row->cute);
  GG_NUMBERS(out, value->m, value->n, value->k, value->c, value->a, value->b, value->a_mn_major,
             value->b_mn_major);
}

/* By number; without those that do nothing, which those behind the last look like too. */
static void print_gg_operation_list(gg_str *out, const gg_operation_list *value) {
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++) {
    const gg_operation *op = &(*value)[i];
    if (op->kind == GG_OP_LINEAR && !op->alpha && !op->beta) continue;
    GG_NUMBERS(out, (int64_t)i, op->kind, op->alpha, op->beta, op->form, op->along);
    gg_str_putc(out, ':');
    print_gg_operand(out, &op->operand);
  }
}

/* ---- Transposed ------------------------------------------------------------------------- */

gg_major gg_major_transposed(gg_major major) {
  return major == GG_MAJOR_M ? GG_MAJOR_N : major == GG_MAJOR_N ? GG_MAJOR_M : GG_MAJOR_K;
}

gg_along gg_along_transposed(gg_along along) {
  return along == GG_ALONG_M ? GG_ALONG_N : along == GG_ALONG_N ? GG_ALONG_M : GG_ALONG_ALL;
}

gg_raster gg_raster_transposed(gg_raster raster) {
  return raster == GG_RASTER_ALONG_M   ? GG_RASTER_ALONG_N
         : raster == GG_RASTER_ALONG_N ? GG_RASTER_ALONG_M
                                       : GG_RASTER_HILBERT;
}

static void transpose_gg_operand(gg_operand *value) {
  value->major = gg_major_transposed(value->major);
}

static void transpose_gg_raster(gg_raster *value) {
  *value = gg_raster_transposed(*value);
}

static void transpose_gg_operation_list(gg_operation_list *value) {
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++) {
    gg_operation *op = &(*value)[i];
    transpose_gg_operand(&op->operand);
    op->along = gg_along_transposed(op->along);
  }
}

/* Of other types a value says nothing of M and N. An atom is the instruction that is run, whatever
 * it is run for. */
#define transpose_int64_t(value)
#define transpose_int(value)
#define transpose_size_t(value)
#define transpose_bool(value)
#define transpose_gg_dtype(value)
#define transpose_gg_swizzle_kind(value)
#define transpose_gg_scheduler(value)
#define transpose_gg_family(value)
#define transpose_gg_arch(value)
#define transpose_gg_mma_atom(value)

/* ---- The rows --------------------------------------------------------------------------- */

void gg_plan_identity(gg_str *out, const gg_plan *plan) {
#define GG_DECISION(type, member, ...)                                                             \
  gg_str_puts(out, #member "=");                                                                   \
  print_##type(out, &plan->member);                                                                \
  gg_str_putc(out, ' ');
#include "plan/plan.def"
}

gg_plan gg_plan_transposed(const gg_plan *plan) {
  gg_plan out = *plan;
#define GG_DECISION(type, member, transposed, ...)                                                 \
  _Static_assert(sizeof out.member == sizeof plan->transposed, "both are of one type");            \
  memcpy(&out.member, &plan->transposed, sizeof out.member);                                       \
  transpose_##type(&out.member);
#include "plan/plan.def"
  return out;
}
